/** One way to a model that did not work. The message says why in a clause, without the way itself. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  /** The other side cannot be reached at all, so asking it for other files is pointless. */
  readonly isUnreachable: boolean;
  /** The connection was cut, and a later try can go on from where it broke. */
  readonly isCut: boolean;
  /** HTTP status, where there was an answer. */
  readonly status: number | null;
  /** Headers of that answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Tells whether `modelAuth` might have helped. */
  readonly asksForCredentials: boolean;

  constructor(
    message: string,
    options: {
      isUnreachable?: boolean;
      isCut?: boolean;
      status?: number;
      headers?: Readonly<Record<string, string>>;
      asksForCredentials?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.isUnreachable = options.isUnreachable ?? false;
    this.isCut = options.isCut ?? false;
    this.status = options.status ?? null;
    this.headers = options.headers ?? {};
    this.asksForCredentials = options.asksForCredentials ?? false;
  }

  /** The same failure in other words. */
  retold(message: string): SourceFailure {
    const { isUnreachable, isCut, status, headers, asksForCredentials } = this;
    return new SourceFailure(message, {
      ...{ isUnreachable, isCut, headers, asksForCredentials, cause: this },
      ...(status !== null && { status }),
    });
  }
}

/** Tells whether the other side was asked, and had nothing to give. */
export function isRefusal(error: unknown): error is SourceFailure {
  return error instanceof SourceFailure && !error.isUnreachable && !error.isCut;
}

/** Refusals of files, of which any would have done, as one. */
export function allRefused(refusals: readonly SourceFailure[]): SourceFailure {
  const message = [...new Set(refusals.map((refusal) => refusal.message))].join(', ');
  return new SourceFailure(message, { asksForCredentials: refusals.some((refusal) => refusal.asksForCredentials) });
}
