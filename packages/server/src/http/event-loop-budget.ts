/** Longest time in which one turn of the event loop goes on starting requests. */
const TURN_MS_MAX = 2;

/**
 * Spreads the start of requests over turns of the event loop. Node handles all that has arrived in one turn: with 200
 * connections that is all of their searches, and requests that come meanwhile wait for the last of them. A turn that
 * ends in time looks at the sockets again, and requests that need no turn, such as the health check, are answered
 * between two.
 */
export class EventLoopBudget {
  readonly #waiting: (() => void)[] = [];
  /** The time at which this turn began to start requests; meaningful while `#next` is set. */
  #startedMs = 0;
  /** The beginning of the next turn; undefined while nothing was started in this one. */
  #next: NodeJS.Immediate | undefined;

  /** Nothing when work may start now, else the promise of a later turn; first come, first served. */
  take(): Promise<void> | undefined {
    if (this.#next === undefined) this.#begin();
    else if (this.#waiting.length > 0 || this.#isOver()) return new Promise((resolve) => this.#waiting.push(resolve));
    return undefined;
  }

  #begin(): void {
    this.#startedMs = performance.now();
    this.#next = setImmediate(this.#turn);
  }

  #isOver(): boolean {
    return performance.now() - this.#startedMs >= TURN_MS_MAX;
  }

  readonly #turn = (): void => {
    this.#next = undefined;
    if (this.#waiting.length === 0) return;
    this.#begin();
    this.#startNext();
  };

  readonly #startNext = (): void => {
    this.#waiting.shift()?.();
    // A tick that is asked for by a microtask runs after all of them: when the one just started has come to its first
    // real wait, so that the clock has seen its cost.
    if (this.#waiting.length > 0) queueMicrotask(() => process.nextTick(this.#startUnlessOver));
  };

  readonly #startUnlessOver = (): void => {
    if (!this.#isOver()) this.#startNext();
  };
}
