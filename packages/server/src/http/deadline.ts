import type { ServerResponse } from 'node:http';
import { PelorusError } from '@pelorus/contract';
import type { Wait } from '@pelorus/engine';

/** How long a client waits for its answer: until a moment, and until it hangs up. Whoever makes one ends it. */
export class Deadline implements Wait {
  readonly deadlineMs: number;
  readonly #controller = new AbortController();
  readonly #over: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  readonly #response: ServerResponse;

  /** `deadlineMs` is on the clock of `performance.now()`. */
  constructor(response: ServerResponse, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#response = response;
    const { promise, reject } = Promise.withResolvers<never>();
    // Nobody may be waiting when it is over.
    promise.catch(() => undefined);
    this.#over = promise;
    this.signal.addEventListener('abort', () => reject(this.signal.reason), { once: true });
    this.#timer = setTimeout(this.#pass, Math.max(0, deadlineMs - performance.now()));
    response.once('close', this.#hangUp);
    if (response.destroyed) this.#hangUp();
  }

  /** Aborted when nobody waits any more, with what the request is answered with as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * What `work` gives, as long as somebody waits for it. It is told by the signal to end, and not waited for.
   * @throws PelorusError `vector_store_timeout`, `client_closed_request`, and what the work fails with
   */
  async until<Result>(work: () => Promise<Result>): Promise<Result> {
    // A busy event loop may come to this before it comes to the timer.
    if (performance.now() >= this.deadlineMs) this.#pass();
    this.signal.throwIfAborted();
    try {
      return await Promise.race([work(), this.#over]);
    } catch (error) {
      // Work that was told the deadline may come to it first: it is answered in the same words.
      if (performance.now() >= this.deadlineMs) this.#pass();
      this.signal.throwIfAborted();
      throw error;
    }
  }

  /** To be called when the request is answered. */
  end(): void {
    clearTimeout(this.#timer);
    this.#response.off('close', this.#hangUp);
  }

  readonly #pass = (): void => {
    this.#controller.abort(
      new PelorusError('vector_store_timeout', 'Vector store request timed out. Try your request again later.'),
    );
  };

  readonly #hangUp = (): void => {
    this.#controller.abort(new PelorusError('client_closed_request', 'The client went away before the answer'));
  };
}
