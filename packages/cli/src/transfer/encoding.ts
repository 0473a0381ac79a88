/** Encodings of CSV files. `latin1` is `windows-1252`, as everywhere on the web. */
export const ENCODINGS = ['utf-8', 'utf-16', 'windows-1252', 'latin1'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const BIG_ENDIAN_MARK = Buffer.from([0xfe, 0xff]);

/**
 * Bytes in an encoding as UTF-8, without the byte order mark at their start. UTF-8 itself is not looked at.
 * @throws TypeError for what is not in the encoding
 */
export async function* inUtf8(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  const all = withLongStart(chunks)[Symbol.asyncIterator]();
  const { value: start = Buffer.alloc(0) } = (await all.next()) as IteratorResult<Buffer, undefined>;
  const rest = { [Symbol.asyncIterator]: () => all };
  if (encoding === 'utf-8') {
    yield start.subarray(start.indexOf(UTF8_MARK) === 0 ? UTF8_MARK.length : 0);
    yield* rest;
    return;
  }
  const isBigEndian = encoding === 'utf-16' && start.indexOf(BIG_ENDIAN_MARK) === 0;
  const decoder = new TextDecoder(isBigEndian ? 'utf-16be' : encoding, { fatal: true });
  yield Buffer.from(decoder.decode(start, { stream: true }));
  for await (const chunk of rest) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** Chunks of which the first holds a whole byte order mark. */
async function* withLongStart(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of chunks) {
    if (isBegun) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    isBegun = start.length >= UTF8_MARK.length;
    if (isBegun) yield start;
  }
  if (!isBegun) yield start;
}
