import type { WriteReport } from './writing.js';

/** A member of a request that cannot be used. */
export interface Problem {
  /** Its path in the body, such as `facets.fields.price.ranges.0`. */
  readonly field: string;
  readonly message: string;
}

interface Facts {
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

  constructor(message: string, { code, status, problems = [], requestId, retryAfterMs, cause }: Facts) {
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

type ErrorClass = new (message: string, facts: Facts) => PelorusError;

const CLASSES: Readonly<Record<number, ErrorClass>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: TimeoutError,
  409: ConflictError,
  412: ConflictError,
  429: RateLimitError,
  504: TimeoutError,
};

/** Codes of operations that a server does not have. One of another make tells none. */
const UNSUPPORTED: readonly unknown[] = ['not_found', 'method_not_allowed', 'unsupported_operation', undefined];

/** An answer that says no. */
export interface Refusal {
  /** Method and address, for messages. */
  readonly call: string;
  readonly status: number;
  /** The JSON of its body; undefined where that is none. */
  readonly answer: unknown;
  readonly text: string;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The error that an answer stands for. */
export function errorOf({ call, status, answer, text, requestId, retryAfterMs }: Refusal): PelorusError {
  const { message, detail, code } = isObject(answer) ? (answer as { [name: string]: unknown }) : {};
  const facts = {
    code: typeof code === 'string' ? code : 'unexpected_answer',
    ...{ status, requestId, retryAfterMs, problems: problemsOf(detail) },
  };
  if ((status === 404 || status === 405 || status === 410) && UNSUPPORTED.includes(code) && isObject(answer)) {
    const reason = 'the server is older than this client, or the address is that of another';
    return new UnsupportedOperationError(`${call} is not served (${status}): ${reason}`, facts);
  }
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : InvalidRequestError);
  if (typeof message === 'string') return new Class(message, facts);
  const told = `${call} answers ${status} with ${shown(text)}`;
  // A proxy between server and client answers so too.
  return status >= 500 || (status !== 404 && status in CLASSES)
    ? new Class(told, facts)
    : new UnexpectedAnswerError(told, facts);
}

/** The beginning of a body that is no answer of this interface. */
export function shown(text: string): string {
  return text === '' ? 'nothing' : JSON.stringify(text.slice(0, 200));
}

function problemsOf(detail: unknown): Problem[] {
  if (!Array.isArray(detail)) return [];
  return detail.filter(isObject).map(({ loc, msg }: { loc?: unknown; msg?: unknown }) => ({
    field: Array.isArray(loc) ? loc.slice(1).join('.') : '',
    message: String(msg),
  }));
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
