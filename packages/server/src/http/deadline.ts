import type { ServerResponse } from 'node:http';
import { PelorusError } from '@pelorus/contract';
import type { Wait } from '@pelorus/engine';

/** The deadlines of an event loop that have not passed, by one timer for all: one for each would cost more than the rest. */
const pending = new Set<Deadline>();
let timer: NodeJS.Timeout | undefined;
/** The time at which it rings, no later than the earliest of them. */
let timerMs = Number.POSITIVE_INFINITY;

function ringAt(ms: number): void {
  clearTimeout(timer);
  timerMs = ms;
  // Requests keep the process alive, and deadlines alone do not.
  timer = setTimeout(ring, Math.max(0, ms - performance.now())).unref();
}

function ring(): void {
  timerMs = Number.POSITIVE_INFINITY;
  let nextMs = Number.POSITIVE_INFINITY;
  const nowMs = performance.now();
  for (const deadline of pending) {
    if (deadline.deadlineMs <= nowMs) deadline.pass();
    else nextMs = Math.min(nextMs, deadline.deadlineMs);
  }
  // One that was made meanwhile has seen to itself.
  if (nextMs < timerMs) ringAt(nextMs);
}

/** The patience of a client with its answer: until a moment, and until it hangs up. Whoever makes one ends it. */
export class Deadline implements Wait {
  readonly deadlineMs: number;
  readonly #response: ServerResponse;
  /** Each ends the wait for a work, and does nothing where that is done. */
  readonly #waits: ((reason: PelorusError) => void)[] = [];
  /** The error that the request is answered with once nobody waits any more. */
  #reason: PelorusError | undefined;
  /** Made for those who ask: most do not, and it costs more than all else here. */
  #controller: AbortController | undefined;

  /** `deadlineMs` is on the clock of `performance.now()`. */
  constructor(response: ServerResponse, deadlineMs: number) {
    this.deadlineMs = deadlineMs;
    this.#response = response;
    pending.add(this);
    if (deadlineMs < timerMs) ringAt(deadlineMs);
    response.once('close', this.#hangUp);
    if (response.destroyed) this.#hangUp();
  }

  /** Aborted when nobody waits any more, with what the request is answered with as its reason. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  onEnd(end: () => void): void {
    if (this.#reason === undefined) this.#waits.push(end);
    else end();
  }

  /** @throws PelorusError `vector_store_timeout`, `client_closed_request` once nobody waits any more */
  check(): void {
    // A busy event loop may come to this before it comes to the timer.
    if (performance.now() >= this.deadlineMs) this.pass();
    if (this.#reason !== undefined) throw this.#reason;
  }

  /**
   * Resolves to the result of `work`, as long as somebody waits for it. It is told by the signal to end, and not waited
   * for.
   * @throws PelorusError `vector_store_timeout`, `client_closed_request`, and what the work fails with
   */
  until<Result>(work: () => Promise<Result>): Promise<Result> {
    // Not `Promise.race`, which makes several promises more for each work, nor an `async` function, which makes one.
    return new Promise<Result>((resolve, reject) => {
      this.check();
      this.#waits.push(reject);
      const fail = (error: unknown) => reject(this.#told(error));
      try {
        work().then(resolve, fail);
      } catch (error) {
        fail(error);
      }
    });
  }

  /** To be called when the request is answered. */
  end(): void {
    pending.delete(this);
    this.#response.off('close', this.#hangUp);
  }

  /** Ends the patience at its moment. */
  pass(): void {
    pending.delete(this);
    this.#end(timeIsUp());
  }

  readonly #hangUp = (): void => {
    this.#end(clientWentAway());
  };

  /** The first reason counts. */
  #end(reason: PelorusError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const end of this.#waits) end(reason);
  }

  /** The error of a work: one that was told the deadline may come to it first, and is answered in the same words. */
  #told(error: unknown): unknown {
    try {
      this.check();
    } catch (reason) {
      return reason;
    }
    return error;
  }
}

/** The error of a request whose time went by before its answer. */
export function timeIsUp(): PelorusError {
  return new PelorusError('vector_store_timeout', 'Vector store request timed out. Try your request again later.');
}

/** The error of a request whose answer nobody waits for any more. */
export function clientWentAway(): PelorusError {
  return new PelorusError('client_closed_request', 'The client went away before the answer');
}
