/** So much time for something that others may hold up: it can be stopped, and be given more. */
export class Countdown {
  readonly #controller = new AbortController();
  readonly #started = performance.now();
  #totalMs: number;
  /** Sum of the times it was stopped for. */
  #stoppedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(totalMs: number) {
    this.#totalMs = totalMs;
    this.#run();
  }

  /** Aborted when the time is over, with a `TimeoutError`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The whole time that there was. */
  get totalMs(): number {
    return this.#totalMs;
  }

  /** Sets the time in all, what has passed counted. */
  extendTo(totalMs: number): void {
    this.#totalMs = totalMs;
    this.#run();
  }

  /** Does not count the time that `work` takes. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    const stopped = performance.now();
    try {
      return await work();
    } finally {
      this.#stoppedMs += performance.now() - stopped;
      this.#run();
    }
  }

  /** Ends it; the signal stays as it is. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    clearTimeout(this.#timer);
    const leftMs = this.#totalMs - (performance.now() - this.#started - this.#stoppedMs);
    const expire = () => this.#controller.abort(new DOMException('the time is over', 'TimeoutError'));
    this.#timer = setTimeout(expire, Math.max(0, leftMs));
  }
}
