import { AuthenticationError, type Pelorus } from '@pelorus/client';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useStore } from '../store.js';
import { type Failure, failureOf } from './failure.js';
import { isAway, keyWanted, session } from './session.js';

/** The answer that a part of the page shows: the last answer stays while a newer one is on its way, or failed to come. */
export interface Loaded<Answer> {
  readonly data: Answer | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Notes that a call was refused for want of a key: the page then asks for one. Tells whether it was. */
export function noteKeyWanted(error: unknown): boolean {
  if (!(error instanceof AuthenticationError)) return false;
  keyWanted.set(error.message);
  return true;
}

/**
 * Loads what a part of the page shows, and again whenever `dependencies` or the key change. Calls that nobody waits for
 * any more are ended.
 *
 * @param everyMs the interval of further loads while the page is seen, and is seen again; none when absent
 */
export function useLoad<Answer>(
  load: (client: Pelorus, signal: AbortSignal) => Promise<Answer>,
  dependencies: readonly unknown[],
  everyMs?: number,
): Loaded<Answer> {
  const { client } = useStore(session);
  const [state, setState] = useState<Omit<Loaded<Answer>, 'reload'>>({
    ...{ data: undefined, failure: undefined, isLoading: true },
  });
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const key = JSON.stringify(dependencies);
  const shown = useRef<string>();
  useEffect(() => {
    const ended = new AbortController();
    // The answer about another index must not stand under the name of this one.
    const isOther = shown.current !== key;
    shown.current = key;
    setState((before) => ({ ...before, isLoading: true, ...(isOther && { data: undefined, failure: undefined }) }));
    load(client, ended.signal).then(
      (data) => {
        if (!ended.signal.aborted) setState({ data, failure: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (ended.signal.aborted) return;
        noteKeyWanted(error);
        setState((before) => ({ ...before, failure: failureOf(error), isLoading: false }));
      },
    );
    return () => ended.abort();
  }, [client, key, turn]);
  useEffect(() => {
    if (everyMs === undefined) return;
    const reloadSeen = () => document.visibilityState === 'visible' && reload();
    const timer = setInterval(reloadSeen, everyMs);
    document.addEventListener('visibilitychange', reloadSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', reloadSeen);
    };
  }, [everyMs, reload]);
  useReturn(state.failure?.isUnreached === true, reload);
  return { ...state, reload };
}

/** So long a part of the page waits at least between two tries of its own. */
const RETURN_EVERY_MS = 5_000;

/** Loads again what did not reach the server, as soon as the server answers another part of the page. */
export function useReturn(isUnreached: boolean, again: () => void): void {
  const isQuiet = useStore(isAway);
  const tried = useRef(0);
  useEffect(() => {
    if (isQuiet || !isUnreached) return;
    const wait = tried.current + RETURN_EVERY_MS - Date.now();
    const timer = setTimeout(
      () => {
        tried.current = Date.now();
        again();
      },
      Math.max(wait, 0),
    );
    return () => clearTimeout(timer);
  }, [isQuiet, isUnreached]);
}

/** A change that somebody asked for: under way, done or failed. */
export interface Action<Given extends readonly unknown[]> {
  readonly isRunning: boolean;
  readonly failure: Failure | undefined;
  /** Does it, unless it is under way; the outcome tells whether it is done. */
  readonly run: (...given: Given) => Promise<boolean>;
  readonly clear: () => void;
}

export function useAction<Given extends readonly unknown[]>(
  act: (client: Pelorus, ...given: Given) => Promise<void>,
): Action<Given> {
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isBusy = useRef(false);
  const run = async (...given: Given): Promise<boolean> => {
    if (isBusy.current) return false;
    isBusy.current = true;
    setRunning(true);
    setFailure(undefined);
    try {
      await act(session.value.client, ...given);
      return true;
    } catch (error) {
      noteKeyWanted(error);
      setFailure(failureOf(error));
      return false;
    } finally {
      isBusy.current = false;
      setRunning(false);
    }
  };
  return { isRunning, failure, run, clear: () => setFailure(undefined) };
}
