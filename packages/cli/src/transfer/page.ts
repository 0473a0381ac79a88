import { TransferFailure } from './transfer-failure.js';

/** One page of a scan: its documents as they were spelt, so that no number changes on its way. */
export interface Page {
  readonly documents: readonly Buffer[];
  /** The cursor of the next page; null after the last. */
  readonly cursor: string | null;
}

const BEFORE = Buffer.from('{"documents":[');
const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, END] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5d] as const;

/** Takes the answer to a scan apart without reading its documents. */
export function splitPage(body: Buffer): Page {
  if (!body.subarray(0, BEFORE.length).equals(BEFORE)) throw unexpected(body);
  const documents: Buffer[] = [];
  let at = BEFORE.length;
  while (body[at] !== END) {
    const end = endOfObject(body, at);
    documents.push(body.subarray(at, end));
    at = body[end] === COMMA ? end + 1 : end;
  }
  return { documents, cursor: cursorIn(body, at + 1) };
}

/** The cursor in what follows the documents of a page. */
function cursorIn(body: Buffer, start: number): string | null {
  let cursor: unknown;
  try {
    cursor = (JSON.parse(`{"documents":[]${body.toString('utf8', start)}`) as { cursor?: unknown }).cursor;
  } catch {
    throw unexpected(body);
  }
  if (cursor !== null && typeof cursor !== 'string') throw unexpected(body);
  return cursor;
}

/** The end of the object that starts at `start`. Texts, which are most of it, are skipped as a whole. */
function endOfObject(body: Buffer, start: number): number {
  if (body[start] !== OPEN) throw unexpected(body);
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfText(body, at);
    else if (byte === OPEN) depth += 1;
    else if (byte === CLOSE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw unexpected(body);
}

/** The place of the quote that ends the text which starts at `start`. */
function endOfText(body: Buffer, start: number): number {
  for (let from = start + 1; ; ) {
    const at = body.indexOf(QUOTE, from);
    if (at < 0) throw unexpected(body);
    let backslashes = 0;
    while (body[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
    from = at + 1;
  }
}

function unexpected(body: Buffer): TransferFailure {
  return new TransferFailure(`The answer to a scan is none: ${body.toString('utf8', 0, 200)}`);
}
