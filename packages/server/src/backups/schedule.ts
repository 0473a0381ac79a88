/** Time after which a backup that failed is made again, unless the next is due before. */
const RETRY_MS = 5 * 60_000;
/** The longest time that a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export interface ScheduleOptions {
  /** Time from one backup to the next. */
  readonly everyMs: number;
  /** The moment of the last backup that it made, in milliseconds of the epoch; null where there is none. */
  readonly last: () => Promise<number | null>;
  readonly make: () => Promise<unknown>;
  /** Removes what is there too much, after each backup. */
  readonly tidy: () => Promise<unknown>;
  /** Told of the outcome of each turn: the error where something failed, null where nothing did. */
  readonly tell: (fault: Error | null) => void;
  readonly clock?: Clock;
}

/** The time, and work that is done later. */
export interface Clock {
  now(): number;
  /** @returns the call that gives it up */
  after(ms: number, work: () => void): () => void;
}

const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Makes backups at an interval that is counted from the last one in their place, so that a server which is started again
 * does not begin to count anew. One that is overdue is made at once, one that failed after a few minutes.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #clock: Clock;
  #giveUp: () => void = () => undefined;
  #failedAt: number | null = null;
  /** False between a backup and the end of `tidy`, which is tried again after a failure. */
  #isTidy = true;
  #isStopped = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Resolves once the first turn is planned, or its backup made. */
  async start(): Promise<void> {
    await this.#turn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#giveUp();
  }

  /** Makes a backup where one is due, tells how that went, and plans the next turn. */
  async #turn(): Promise<void> {
    const { make, tidy, tell } = this.#options;
    let waitMs = RETRY_MS;
    try {
      waitMs = await this.#waitMs();
      if (waitMs <= 0 && !this.#isStopped) {
        await make();
        this.#isTidy = false;
        this.#failedAt = null;
        waitMs = await this.#waitMs();
      }
      if (!this.#isTidy && !this.#isStopped) {
        await tidy();
        this.#isTidy = true;
      }
      if (!this.#isStopped) tell(null);
    } catch (error) {
      this.#failedAt = this.#clock.now();
      waitMs = this.#retryMs();
      if (!this.#isStopped) tell(error as Error);
    }
    if (this.#isStopped) return;
    const boundedMs = Math.min(Math.max(waitMs, 1), TIMER_MS_MAX);
    this.#giveUp = this.#clock.after(boundedMs, () => void this.#turn());
  }

  /** Time until the next backup is due. */
  async #waitMs(): Promise<number> {
    const { everyMs, last } = this.#options;
    const now = this.#clock.now();
    const retryMs = this.#failedAt === null ? 0 : this.#failedAt + this.#retryMs() - now;
    const lastMs = await last();
    // A last one of the future is of a clock that went wrong.
    const dueMs = lastMs === null || lastMs > now + everyMs ? 0 : lastMs + everyMs - now;
    return Math.max(dueMs, retryMs);
  }

  #retryMs(): number {
    return Math.min(RETRY_MS, this.#options.everyMs);
  }
}
