import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip, createGzip, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { type Compression, HEADER, type Header, headerIn } from './file-format.js';
import type { Item, Source } from './source.js';

/** Longest line, in bytes: more than one document may have with its vectors. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes read at once. */
const READ_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const NEW_LINE = Buffer.from('\n');

/** Documents as JSON lines: the header first, where there is one. */
export async function* writeLines(
  header: Header | undefined,
  pages: AsyncIterable<readonly Buffer[]>,
): AsyncGenerator<Buffer> {
  if (header !== undefined) yield Buffer.from(`${JSON.stringify({ [HEADER]: header })}\n`);
  for await (const documents of pages) {
    if (documents.length > 0) yield Buffer.concat(documents.flatMap((document) => [document, NEW_LINE]));
  }
}

/** What compresses; undefined for nothing. */
export function compressor(compression: Compression): NodeJS.ReadWriteStream | undefined {
  if (compression === 'none') return undefined;
  return compression === 'gzip' ? createGzip({ level: 1 }) : createZstdCompress();
}

interface Line {
  readonly text: string;
  readonly problem?: string;
}

/** JSON lines of a file, or of standard input. The place of an item is its line. */
export class JsonLines implements Source {
  readonly #lines: AsyncIterator<Line>;
  readonly #first: IteratorResult<Line>;
  readonly header: Header | undefined;
  readonly #read: () => number | undefined;

  private constructor(lines: AsyncIterator<Line>, first: IteratorResult<Line>, read: () => number | undefined) {
    this.#lines = lines;
    this.#first = first;
    this.#read = read;
    this.header = first.done === true ? undefined : headerIn(parsed(first.value.text));
  }

  static async open(file: string, compression: Compression): Promise<JsonLines> {
    const [input, bytes] =
      file === '-'
        ? [process.stdin, undefined]
        : [createReadStream(file, { highWaterMark: READ_BYTES }), (await stat(file)).size];
    let readBytes = 0;
    const lines = linesOf(decompressed(input, compression), input, (count) => {
      readBytes += count;
    });
    const first = await lines.next();
    return new JsonLines(lines, first, () => (bytes === undefined ? undefined : readBytes / Math.max(bytes, 1)));
  }

  get done(): number | undefined {
    return this.#read();
  }

  async *items(skipped: number): AsyncGenerator<Item> {
    let place = 0;
    for (let next = this.#first; next.done !== true; next = await this.#lines.next()) {
      place += 1;
      const isHeader = place === 1 && this.header !== undefined;
      const isBlank = next.value.problem === undefined && next.value.text.trim() === '';
      if (place > skipped && !isHeader && !isBlank) yield { place, ...next.value };
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decompressed(input: Readable, compression: Compression): Readable {
  if (compression === 'none') return input;
  const decompress = compression === 'gzip' ? createGunzip() : createZstdDecompress();
  input.on('error', (error) => decompress.destroy(error));
  return input.pipe(decompress);
}

/** `read` is told how many bytes of `input` went in. */
async function* linesOf(stream: Readable, input: Readable, read: (bytes: number) => void): AsyncGenerator<Line> {
  if (stream !== input) input.on('data', (chunk: Buffer) => read(chunk.length));
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (stream === input) read(chunk.length);
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const last = chunk.subarray(start, end);
      yield lineOf(parts, last, length + last.length);
      [parts, length, start] = [[], 0, end + 1];
    }
    length += chunk.length - start;
    // Of a line that is too long only its beginning is kept.
    if (length <= LINE_BYTES_MAX || parts.length === 0) parts.push(chunk.subarray(start));
  }
  if (length > 0) yield lineOf(parts, Buffer.alloc(0), length);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function lineOf(parts: readonly Buffer[], last: Buffer, length: number): Line {
  if (length > LINE_BYTES_MAX) {
    const text = (parts[0] ?? last).toString('utf8', 0, 1000);
    return { text, problem: `The line has ${length} bytes, which is more than ${LINE_BYTES_MAX}` };
  }
  const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
  try {
    return { text: decoder.decode(line) };
  } catch {
    return { text: line.toString('utf8'), problem: 'The line is not UTF-8' };
  }
}
