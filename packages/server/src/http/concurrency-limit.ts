import { PelorusError } from '@pelorus/contract';

/** Bounds how many requests of one kind run at once; the next one is refused, not queued. */
export class ConcurrencyLimit {
  readonly #kind: string;
  readonly #countMax: number;
  #count = 0;

  /** `kind` is how the refusal names the requests: `INDEX`, `SEARCH`. */
  constructor(kind: string, countMax: number) {
    this.#kind = kind;
    this.#countMax = countMax;
  }

  /** @throws PelorusError `too_many_requests` when all places are taken. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#count >= this.#countMax) {
      throw new PelorusError(
        'too_many_requests',
        `Throttled because maximum thread count (${this.#countMax}) for request type '${this.#kind}' has been exceeded. Try your request again later.`,
        { headers: { 'retry-after': '1' } },
      );
    }
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
    }
  }

  /** Takes up to `countMax` more places, those that are free, while `work` goes on; it is told how many. */
  async withFree<Result>(countMax: number, work: (count: number) => Promise<Result>): Promise<Result> {
    const count = Math.max(0, Math.min(countMax, this.#countMax - this.#count));
    this.#count += count;
    try {
      return await work(count);
    } finally {
      this.#count -= count;
    }
  }
}
