import { startOf } from './file-start.js';

/** Encodings of a file by their names. `latin1` is `windows-1252`, as everywhere on the web. */
export const ENCODINGS = ['utf-8', 'utf-16', 'utf-16le', 'utf-16be', 'windows-1252', 'latin1'] as const;
export type NamedEncoding = (typeof ENCODINGS)[number];

/** An encoding in which the bytes of a character have their order. */
export type Encoding = Exclude<NamedEncoding, 'utf-16'>;

/** The byte order marks, by what they are of. */
const MARKS: readonly (readonly [Encoding, Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/** The part of characters with a zero by which a file is one of UTF-16 without being called so, and when it is. */
const [TOLD_SHARE, NAMED_SHARE] = [0.5, 0.1] as const;
/** Bytes that are looked at for the order of the bytes of UTF-16. */
const START_BYTES = 4096;

/**
 * The encoding of a file that is named, or else that its start tells.
 * @throws TypeError for a file that is not in the one that is named
 */
export async function encodingOf(file: string | number, named: NamedEncoding | undefined): Promise<Encoding> {
  if (named !== undefined && named !== 'utf-16') return named;
  const found = told(await startOf(file, START_BYTES), named === undefined ? TOLD_SHARE : NAMED_SHARE);
  if (named === undefined || found?.startsWith('utf-16')) return found ?? 'utf-8';
  throw new TypeError('no byte order of UTF-16');
}

/**
 * The encoding that a start tells: by its mark, or by zeros, of which every character of ASCII has one in UTF-16.
 * @param share the part of characters that must have one
 */
function told(start: Buffer, share: number): Encoding | undefined {
  const marked = MARKS.find(([, mark]) => start.indexOf(mark) === 0);
  if (marked !== undefined) return marked[0];
  const zeros = [0, 0] as [even: number, odd: number];
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2 === 0 ? 0 : 1] += 1;
  const [even, odd] = zeros;
  const [more, fewer] = even > odd ? [even, odd] : [odd, even];
  // Some characters other than ASCII have their zero on the other side, and a file of bytes may have a stray one.
  if (more === 0 || more < (share * start.length) / 2 || 4 * fewer > more) return undefined;
  return even > odd ? 'utf-16be' : 'utf-16le';
}

/**
 * Bytes in an encoding as UTF-8, without the byte order mark at their start. UTF-8 itself is not looked at.
 * @throws TypeError for what is not in the encoding
 */
export async function* inUtf8(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  const all = withLongStart(chunks)[Symbol.asyncIterator]();
  const { value: start = Buffer.alloc(0) } = (await all.next()) as IteratorResult<Buffer, undefined>;
  const rest = { [Symbol.asyncIterator]: () => all };
  if (encoding === 'utf-8') {
    const [, mark] = MARKS[0] as (typeof MARKS)[number];
    yield start.subarray(start.indexOf(mark) === 0 ? mark.length : 0);
    yield* rest;
    return;
  }
  const decoder = new TextDecoder(encoding, { fatal: true });
  yield Buffer.from(decoder.decode(start, { stream: true }));
  for await (const chunk of rest) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Chunks of which the first holds a whole byte order mark. */
async function* withLongStart(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const longest = 3;
  let start = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of chunks) {
    if (isBegun) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    isBegun = start.length >= longest;
    if (isBegun) yield start;
  }
  if (!isBegun) yield start;
}
