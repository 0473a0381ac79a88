/** The head of a request whose end is beyond doubt. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** By their names in lower case; none is given twice. */
  readonly headers: Readonly<Record<string, string>>;
  readonly headBytes: number;
  readonly bodyBytes: number;
  /** All of it, to know the same head again by. */
  readonly text: string;
}

/** Longer ones are left to the parser of all requests, which bounds them. */
const HEAD_BYTES_MAX = 8 * 1024;
const HEAD_END = '\r\n\r\n';

const FIRST_BYTES = /^[A-Z]{0,16}(?: |$)/;
const REQUEST_LINE = /^([A-Z]+) (\/[!-~]*) HTTP\/1\.1$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** Characters that are in no plain head, and line breaks that are half ones. */
const NOT_PLAIN = /[^\t\r\n\x20-\x7e]|\r(?!\n)|(?<!\r)\n/;
const LENGTH = /^\d{1,15}$/;

/** Headers that give a request, or what follows it on its connection, another form. */
const OF_OTHER_FORMS: ReadonlySet<string> = new Set(['transfer-encoding', 'expect', 'upgrade', 'te', 'trailer']);

/**
 * Reads the head of the request that begins with `bytes`. It reads nothing that any two parsers could understand in two
 * ways: every other request is null, and so is one whose head is not all there.
 */
export function readHead(bytes: Buffer): RequestHead | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0 || end > HEAD_BYTES_MAX) return null;
  const text = bytes.toString('latin1', 0, end);
  if (NOT_PLAIN.test(text)) return null;
  const [first = '', ...lines] = text.split('\r\n');
  const [, method, target] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined || target === undefined) return null;
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(0, at)).toLowerCase();
    if (!NAME.test(name) || name in headers || OF_OTHER_FORMS.has(name)) return null;
    headers[name] = line.slice(at + 1).trim();
  }
  const { host, connection = 'keep-alive', 'content-length': length = '0' } = headers;
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length)) return null;
  return { method, target, headers, headBytes: end + HEAD_END.length, bodyBytes: Number(length), text };
}

/**
 * Tells whether `bytes` may be the start of a head that {@link readHead} reads, of which the rest is to come. It
 * says no to bytes that no more of them can make plain.
 */
export function mayBecomeHead(bytes: Buffer): boolean {
  if (bytes.length > HEAD_BYTES_MAX || bytes.includes(HEAD_END)) return false;
  const text = bytes.toString('latin1');
  // A packet may end between the two characters of a line break.
  if (NOT_PLAIN.test(text.endsWith('\r') ? text.slice(0, -1) : text)) return false;
  const [first = '', rest] = text.split('\r\n', 2);
  return rest === undefined ? FIRST_BYTES.test(first) : REQUEST_LINE.test(first);
}

/** Recognises a head that differs from one that was read before in the length of the body alone, as a client's next one does. */
export class KnownHead {
  readonly #before: string;
  readonly #after: string;

  /** @returns null of a head without a body */
  static of({ text, headers }: RequestHead): KnownHead | null {
    const { 'content-length': length } = headers;
    const found = length === undefined ? null : /\r\ncontent-length:[\t ]*/i.exec(text);
    if (found === null || length === undefined) return null;
    const at = found.index + found[0].length;
    return new KnownHead(text.slice(0, at), text.slice(at + length.length));
  }

  private constructor(before: string, after: string) {
    this.#before = before;
    this.#after = after;
  }

  /** Lengths of the head that begins with `bytes` and of its body; null where it is another one. */
  lengthsOf(bytes: Buffer): Pick<RequestHead, 'headBytes' | 'bodyBytes'> | null {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > HEAD_BYTES_MAX) return null;
    const text = bytes.toString('latin1', 0, end);
    if (!text.startsWith(this.#before) || !text.endsWith(this.#after)) return null;
    const length = text.slice(this.#before.length, text.length - this.#after.length);
    return LENGTH.test(length) ? { headBytes: end + HEAD_END.length, bodyBytes: Number(length) } : null;
  }
}
