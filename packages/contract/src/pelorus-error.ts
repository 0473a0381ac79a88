import { errorCatalogue } from './generated/errors.js';

export type ErrorCode = keyof typeof errorCatalogue;
export type ErrorType = (typeof errorCatalogue)[ErrorCode]['type'];

/** One problem with a request: where it is, in words, its kind, and the bounds that were broken. */
export interface Problem {
  /** Starts with `body`, `query`, `header` or `path`; `__root__` stands for several members at once. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

export interface PelorusErrorOptions {
  /** Page that explains more. Null for the caller's faults and empty for ours, unless given. */
  readonly link?: string | null;
  /** Response headers that belong to the error, `Retry-After` for one. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error with a stable code, as every layer raises it and the HTTP body shows it. */
export class PelorusError extends Error {
  override readonly name: string = 'PelorusError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: ErrorType;
  readonly link: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: PelorusErrorOptions = {}) {
    super(message, { cause: options.cause });
    const { status, type } = errorCatalogue[code];
    this.code = code;
    this.status = status;
    this.type = type;
    this.link = options.link !== undefined ? options.link : type === 'invalid_request' ? null : '';
    this.headers = options.headers ?? {};
  }

  /** The body of the answer. */
  toBody(): Record<string, unknown> {
    return { message: this.message, code: this.code, type: this.type, link: this.link };
  }
}

/** The error of a name that no index has, or none that the caller may know of. */
export function indexNotFound(name: string): PelorusError {
  return new PelorusError('index_not_found', `Index ${name} not found`);
}

/** The error of a value that the shape allows and the rules do not. */
export function invalidArgument(message: string): PelorusError {
  return new PelorusError('invalid_argument', message);
}

/** The error of an earlier version that is to come back and is not among those that are kept, newest first. */
export function versionNotKept(version: number, kept: readonly { readonly version: number }[]): PelorusError {
  const numbers = kept.map((one) => one.version).join(', ');
  return invalidArgument(`version must be one that is kept (${numbers}), but it is ${version}`);
}

/** A body or query without the documented shape: 422 with every problem listed. */
export class UnprocessableError extends PelorusError {
  override readonly name = 'UnprocessableError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('unprocessable_entity', problems.map((p) => `${p.loc.join('.')}: ${p.msg}`).join('; '), {
      link: '',
    });
    this.problems = problems;
  }

  override toBody(): Record<string, unknown> {
    return { detail: this.problems, ...super.toBody() };
  }
}

/** All codes of the catalogue. */
export const errorCodes = Object.keys(errorCatalogue) as readonly ErrorCode[];

/** Tells whether `code` is in the catalogue: codes from the native side are checked before they are trusted. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}
