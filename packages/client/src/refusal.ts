import {
  AuthenticationError,
  ConflictError,
  type ErrorFacts,
  InvalidRequestError,
  NotFoundError,
  type PelorusError,
  PermissionError,
  type Problem,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnexpectedAnswerError,
  UnsupportedOperationError,
} from './errors.js';

type ErrorClass = new (message: string, facts: ErrorFacts) => PelorusError;

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

/**
 * The list that an answer has under a name.
 *
 * @throws UnexpectedAnswerError where there is none: something else than a server of ours has answered
 */
export function listOf<Item>(answer: unknown, name: string): readonly Item[] {
  const list = isObject(answer) ? (answer as { [name: string]: unknown })[name] : undefined;
  if (Array.isArray(list)) return list;
  throw unexpected(`list "${name}"`, answer);
}

/**
 * An answer that has a text or a number under a name, which every answer of its kind has.
 *
 * @throws UnexpectedAnswerError where there is none: something else than a server of ours has answered
 */
export function answerWith<Answer>(answer: unknown, name: string & keyof Answer, type: 'string' | 'number'): Answer {
  if (isObject(answer) && typeof (answer as { [name: string]: unknown })[name] === type) return answer as Answer;
  throw unexpected(`${type === 'string' ? 'text' : type} "${name}"`, answer);
}

function unexpected(missing: string, answer: unknown): UnexpectedAnswerError {
  return new UnexpectedAnswerError(`The answer has no ${missing}: ${shown(JSON.stringify(answer))}`, {
    code: 'unexpected_answer',
    status: 200,
  });
}
