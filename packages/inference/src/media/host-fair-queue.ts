/**
 * The order in which the media of one call are fetched. The next is of the host that the fewest are being fetched from,
 * so that a slow one does not hold up the others; among equals, the first that came.
 */
export class HostFairQueue {
  readonly #fetchesMax: number;
  readonly #heldMax: number;
  #held = 0;
  #fetching = 0;
  readonly #fetchingFrom = new Map<string, number>();
  /** For each host, the callbacks that start its next fetches. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /**
   * @param fetchesMax fetches at once
   * @param heldMax pieces of work at once, with those that have fetched what they need
   */
  constructor(fetchesMax: number, heldMax: number) {
    this.#fetchesMax = fetchesMax;
    this.#heldMax = heldMax;
  }

  /** Does `work` when its turn comes; it says when it fetches no more. Every turn comes: work ends when it is aborted. */
  async run<T>(host: string, work: (fetched: () => void) => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      const ofHost = this.#waiting.get(host);
      if (ofHost === undefined) this.#waiting.set(host, [start]);
      else ofHost.push(start);
      this.#startNext();
    });
    let isFetching = true;
    const fetched = () => {
      if (isFetching) this.#count(host, -1);
      isFetching = false;
      this.#startNext();
    };
    try {
      return await work(fetched);
    } finally {
      this.#held -= 1;
      fetched();
    }
  }

  #startNext(): void {
    while (this.#fetching < this.#fetchesMax && this.#held < this.#heldMax) {
      const host = this.#nextHost();
      if (host === null) return;
      const ofHost = this.#waiting.get(host) ?? [];
      const start = ofHost.shift();
      if (ofHost.length === 0) this.#waiting.delete(host);
      this.#held += 1;
      this.#count(host, 1);
      start?.();
    }
  }

  /** Found soon: no more hosts are being fetched from than there are fetches, and any other is taken at once. */
  #nextHost(): string | null {
    let least: string | null = null;
    let leastCount = Number.POSITIVE_INFINITY;
    for (const host of this.#waiting.keys()) {
      const count = this.#fetchingFrom.get(host) ?? 0;
      if (count === 0) return host;
      if (count < leastCount) [least, leastCount] = [host, count];
    }
    return least;
  }

  #count(host: string, change: 1 | -1): void {
    this.#fetching += change;
    const count = (this.#fetchingFrom.get(host) ?? 0) + change;
    if (count === 0) this.#fetchingFrom.delete(host);
    else this.#fetchingFrom.set(host, count);
  }
}
