/** `ok`; `advice` where a server runs, but not as well as it could; `fault` where it would not start or not work. */
export type Verdict = 'ok' | 'advice' | 'fault';

/** The state of one thing that a server needs. */
export interface Finding {
  readonly subject: string;
  readonly verdict: Verdict;
  readonly found: string;
  /** The remedy; null where none is needed. */
  readonly advice: string | null;
}

export const ok = (subject: string, found: string): Finding => ({ subject, verdict: 'ok', found, advice: null });

export const advice = (subject: string, found: string, remedy: string): Finding => ({
  ...{ subject, verdict: 'advice', found, advice: remedy },
});

export const fault = (subject: string, found: string, remedy: string): Finding => ({
  ...{ subject, verdict: 'fault', found, advice: remedy },
});
