import type { ServerResponse } from 'node:http';
import { PelorusError } from '@pelorus/contract';
import type { Wait } from '@pelorus/engine';

/** The patience of a client with its answer: until a moment, and until it hangs up. Whoever makes one ends it. */
export class Deadline implements Wait {
  readonly deadlineMs: number;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #response: ServerResponse;
  /** Each ends the wait for a work, and does nothing where that is done. */
  readonly #waits: ((reason: unknown) => void)[] = [];

  /** `deadlineMs` is on the clock of `performance.now()`. */
  constructor(response: ServerResponse, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#response = response;
    this.#timer = setTimeout(this.#pass, Math.max(0, deadlineMs - performance.now()));
    response.once('close', this.#hangUp);
    if (response.destroyed) this.#hangUp();
  }

  /** Aborted when nobody waits any more, with what the request is answered with as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @throws PelorusError `vector_store_timeout`, `client_closed_request` once nobody waits any more */
  check(): void {
    // A busy event loop may come to this before it comes to the timer.
    if (performance.now() >= this.deadlineMs) this.#pass();
    this.signal.throwIfAborted();
  }

  /**
   * Resolves to the result of `work`, as long as somebody waits for it. It is told by the signal to end, and not waited
   * for.
   * @throws PelorusError `vector_store_timeout`, `client_closed_request`, and what the work fails with
   */
  async until<Result>(work: () => Promise<Result>): Promise<Result> {
    this.check();
    try {
      // Not `Promise.race`, which makes several promises more for each work.
      return await new Promise<Result>((resolve, reject) => {
        this.#waits.push(reject);
        work().then(resolve, reject);
      });
    } catch (error) {
      // Work that was told the deadline may come to it first: it is answered in the same words.
      this.check();
      throw error;
    }
  }

  /** To be called when the request is answered. */
  end(): void {
    clearTimeout(this.#timer);
    this.#response.off('close', this.#hangUp);
  }

  readonly #pass = (): void => {
    this.#end(
      new PelorusError('vector_store_timeout', 'Vector store request timed out. Try your request again later.'),
    );
  };

  readonly #hangUp = (): void => {
    this.#end(new PelorusError('client_closed_request', 'The client went away before the answer'));
  };

  /** The first reason counts. */
  #end(reason: PelorusError): void {
    this.#controller.abort(reason);
    for (const reject of this.#waits) reject(this.signal.reason);
  }
}
