import { setImmediate as nextTurn } from 'node:timers/promises';

/** A document of a list, untouched. */
export interface ListedDocument {
  readonly json: Buffer;
  /** Its `_id`; undefined where that is no text, or longer than any document's can be. */
  readonly id: string | undefined;
}

export interface DocumentList {
  /** The first of them, as many as were asked for. */
  readonly documents: readonly ListedDocument[];
  /** How many there are. */
  readonly count: number;
}

/** Bytes that are looked at in one turn of the event loop: a fraction of a millisecond of it. */
const BYTES_PER_TURN = 64 * 1024;

/** Most bytes of an id of 2048 characters, all of them spelt as pairs of escapes. */
const ID_BYTES_MAX = 2 + 12 * 2048;

const ID_NAME = Buffer.from('"_id"');
/** Bytes of that name with one, two or three of its letters spelt as escapes. */
const ESCAPED_ID_NAME_BYTES: readonly number[] = [10, 15, 20];

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * The first `most` documents of `list`, which is a JSON array known to be whole. They stay bytes, and the event loop goes
 * on beside it.
 */
export async function splitList(list: Buffer, most: number): Promise<DocumentList> {
  const found = { documents: [] as ListedDocument[], count: 0 };
  for (const _ of splitting(list, most, found)) await nextTurn();
  return found;
}

function* splitting(
  list: Buffer,
  most: number,
  found: { readonly documents: ListedDocument[]; count: number },
): Generator<void> {
  /** 1 between the documents, 2 between the members of one. */
  let depth = 0;
  let start = 0;
  let isEmpty = true;
  let id: string | undefined;
  let isIdNext = false;
  let textStart = -1;
  let textEnd = -1;
  let isInText = false;
  let pauseAt = BYTES_PER_TURN;
  for (let at = 0; at < list.length; at += 1) {
    if (at >= pauseAt) {
      yield;
      pauseAt = at + BYTES_PER_TURN;
    }
    const byte = list[at] as number;
    if (isInText) {
      if (byte === BACKSLASH) at += 1;
      if (byte !== QUOTE) continue;
      isInText = false;
      textEnd = at + 1;
      const length = textEnd - textStart;
      if (isIdNext && depth === 2 && length <= ID_BYTES_MAX) id = spelt(list.subarray(textStart, textEnd));
      continue;
    }
    const closes = byte === 0x7d || byte === 0x5d;
    if (depth === 1 && (closes || byte === COMMA)) {
      if (!isEmpty) {
        found.count += 1;
        if (found.count <= most) found.documents.push({ json: list.subarray(start, at), id });
      }
      [start, isEmpty, id] = [at + 1, true, undefined];
    } else if (depth > 0 && byte > 0x20) isEmpty = false;

    if (byte === QUOTE) [isInText, textStart] = [true, at];
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (closes) depth -= 1;

    if (depth === 2 && byte === COLON) {
      // Of several members of that name the last counts, whatever it is.
      isIdNext = isIdName(list.subarray(textStart, textEnd));
      if (isIdNext) id = undefined;
    } else if (depth <= 2 && (byte === COMMA || closes)) isIdNext = false;
  }
}

function isIdName(json: Buffer): boolean {
  if (ESCAPED_ID_NAME_BYTES.includes(json.length)) return json.includes(BACKSLASH) && spelt(json) === '_id';
  return json.equals(ID_NAME);
}

/** The text that `json` is. */
function spelt(json: Buffer): string {
  return JSON.parse(json.toString('utf8')) as string;
}

/** Of several documents with one id the last; those without one, all of them. In their order. */
export function lastOfEachId(documents: readonly ListedDocument[]): readonly ListedDocument[] {
  const last = new Map(documents.map((document) => [document.id, document]));
  return documents.filter((document) => document.id === undefined || last.get(document.id) === document);
}
