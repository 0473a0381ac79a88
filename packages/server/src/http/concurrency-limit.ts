import { PelorusError } from '@pelorus/contract';
import { type Counter, LocalCounter } from './counters.js';

/** Bounds how many requests of one kind run at once; the next one is refused, not queued. */
export class ConcurrencyLimit {
  readonly #kind: string;
  readonly #countMax: number;
  readonly #count: Counter;

  /**
   * @param kind how the refusal names the requests: `INDEX`, `SEARCH`
   * @param count of those that run, one for all event loops
   */
  constructor(kind: string, countMax: number, count: Counter = new LocalCounter()) {
    this.#kind = kind;
    this.#countMax = countMax;
    this.#count = count;
  }

  /** @throws PelorusError `too_many_requests` when all places are taken. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    // Counted before it is looked at: other event loops count at the same time.
    if (this.#count.add(1) >= this.#countMax) {
      this.#count.add(-1);
      throw new PelorusError(
        'too_many_requests',
        `Throttled because maximum thread count (${this.#countMax}) for request type '${this.#kind}' has been exceeded. Try your request again later.`,
        { headers: { 'retry-after': '1' } },
      );
    }
    try {
      return await work();
    } finally {
      this.#count.add(-1);
    }
  }

  /** Takes up to `countMax` more places, those that are free, while `work` goes on; it is told how many. */
  async withFree<Result>(countMax: number, work: (count: number) => Promise<Result>): Promise<Result> {
    const count = Math.max(0, Math.min(countMax, this.#countMax - this.#count.add(countMax)));
    this.#count.add(count - countMax);
    try {
      return await work(count);
    } finally {
      this.#count.add(-count);
    }
  }
}
