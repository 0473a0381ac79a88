import { PelorusError } from '@pelorus/contract';
import type { Principal } from '../call.js';

const WINDOW_MS = 60_000;

/** Bounds how often calls ask for indexes to be created, changed and deleted: so many times a minute for each key. */
export class ChangeQuota {
  readonly #perMinute: number;
  /** Times of such calls of the last minute, those that failed among them, by key. */
  readonly #changes = new Map<string, number[]>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** @throws PelorusError `too_many_requests` once the minute's changes are used up */
  take(principal: Principal | undefined, nowMs = performance.now()): void {
    for (const [key, times] of this.#changes) {
      const recent = times.filter((time) => nowMs - time < WINDOW_MS);
      if (recent.length > 0) this.#changes.set(key, recent);
      else this.#changes.delete(key);
    }
    const key = principal?.keyId ?? '';
    const times = this.#changes.get(key) ?? [];
    const [oldest] = times;
    if (oldest !== undefined && times.length >= this.#perMinute) {
      throw new PelorusError(
        'too_many_requests',
        `This key has asked ${times.length} times within a minute for an index to be created, changed or deleted, which is the limit (PELORUS_INDEX_CHANGES_PER_MINUTE)`,
        { headers: { 'retry-after': String(Math.ceil((WINDOW_MS - (nowMs - oldest)) / 1000)) } },
      );
    }
    this.#changes.set(key, [...times, nowMs]);
  }
}
