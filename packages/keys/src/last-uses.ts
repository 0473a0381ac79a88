/** A key's last use is known to the minute. */
const STEP_MS = 60_000;

/** The times at which keys were last used, ISO 8601 by their ids. */
export class LastUses {
  #times: Map<string, string>;
  /** Tells that some are not stored yet. */
  isStale = false;

  constructor(times: Iterable<readonly [string, string]> = []) {
    this.#times = new Map(times);
  }

  get times(): ReadonlyMap<string, string> {
    return this.#times;
  }

  note(id: string, nowMs: number): void {
    const before = this.#times.get(id);
    if (before !== undefined && !isOtherMinute(Date.parse(before), nowMs)) return;
    this.#times.set(id, new Date(nowMs).toISOString());
    this.isStale = true;
  }

  /** Takes the later time of each key, of these and those that others noted. */
  merge(others: Iterable<readonly [string, string]>): void {
    for (const [id, time] of others) {
      if (time > (this.#times.get(id) ?? '')) this.#times.set(id, time);
    }
  }

  /** Forgets all but some keys. */
  keepOnly(isKept: (id: string) => boolean): void {
    this.#times = new Map([...this.#times].filter(([id]) => isKept(id)));
  }
}

/** Tells whether a use is to be noted after one before it. */
export function isOtherMinute(beforeMs: number, nowMs: number): boolean {
  return nowMs - beforeMs >= STEP_MS;
}
