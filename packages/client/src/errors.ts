import type { WriteReport } from './writing.js';

/** A member of a request that cannot be used. */
export interface Problem {
  /** Its path in the body, such as `facets.fields.price.ranges.0`. */
  readonly field: string;
  readonly message: string;
}

/** The facts about a failure. */
export interface ErrorFacts {
  readonly code: string;
  readonly status?: number | undefined;
  readonly problems?: readonly Problem[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A call that failed. Most are of one of the classes below. */
export class PelorusError extends Error {
  override readonly name: string = 'PelorusError';
  /** The reason for programs, such as `index_not_found`: those of the interface, and the client's own. */
  readonly code: string;
  /** The status of the answer; undefined where none came. */
  readonly status: number | undefined;
  /** The members that cannot be used, where the answer names them. */
  readonly problems: readonly Problem[];
  /** The name of the request in the server's log. */
  readonly requestId: string | undefined;
  /** Milliseconds that the server asks to wait before another try. */
  readonly retryAfterMs: number | undefined;
  /** The documents that were written before an `add` or `update` failed. */
  declare report?: WriteReport;

  constructor(message: string, { code, status, problems = [], requestId, retryAfterMs, cause }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.problems = problems;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A request that cannot be carried out as it stands: 400, 413, 422 and others of their kind. */
export class InvalidRequestError extends PelorusError {
  override readonly name = 'InvalidRequestError';
}

/** A key that is missing or wrong: 401. */
export class AuthenticationError extends PelorusError {
  override readonly name = 'AuthenticationError';
}

/** A key, or a page, that may not do this: 403. */
export class PermissionError extends PelorusError {
  override readonly name = 'PermissionError';
}

/** An index or document that is not there: 404. */
export class NotFoundError extends PelorusError {
  override readonly name = 'NotFoundError';
}

/** A name that is taken, or a change beside this one: 409 and 412. */
export class ConflictError extends PelorusError {
  override readonly name = 'ConflictError';
}

/** More requests than the server takes, after all tries: 429. */
export class RateLimitError extends PelorusError {
  override readonly name = 'RateLimitError';
}

/** A fault of the server: 500 and above. */
export class ServerError extends PelorusError {
  override readonly name = 'ServerError';
}

/** An operation that is not served at the address: of an older server, or of none of ours. */
export class UnsupportedOperationError extends PelorusError {
  override readonly name = 'UnsupportedOperationError';
}

/** No answer, or not the whole of one: the server cannot be reached, or the connection broke. */
export class ConnectionError extends PelorusError {
  override readonly name = 'ConnectionError';
}

/** An answer that did not come in time, by the client's clock or, with the status 504, by the server's. */
export class TimeoutError extends PelorusError {
  override readonly name = 'TimeoutError';
}

/** An answer that is none of this interface: no JSON, a redirect, or more than is read. */
export class UnexpectedAnswerError extends PelorusError {
  override readonly name = 'UnexpectedAnswerError';
}
