import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Decompress, decompressor, isOfCompression } from './compression.js';
import { type Encoding, encodingOf, inUtf8, type NamedEncoding } from './encoding.js';
import { type Compression, HEADER, type Header, headerIn, isSealed } from './file-format.js';
import { elementsOf, startsArray } from './json-array.js';
import { END_BYTES_MAX, endIn, LinesSeal, Sealing } from './seal.js';
import type { Item, Source } from './source.js';
import { damaged } from './transfer-failure.js';

/** Longest line, in bytes: more than one document may have with its vectors. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Characters of a line that is no longer, whatever bytes they have. */
const LINE_LENGTH_SURE = LINE_BYTES_MAX / 3;
/** Bytes read at once. */
const READ_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = 0xfeff;
const [LINE_FEED, SPACE, TAB, CARRIAGE_RETURN] = [0x0a, 0x20, 0x09, 0x0d] as const;
/** Characters, blanks not counted, by which a list is told: a byte order mark among them. */
const ARRAY_START = 8;
/** More than an empty frame of zstd has. */
const TAIL_BYTES = 64;
const NEW_LINE = Buffer.from('\n');

/** Documents as JSON lines: the header first, where there is one, and then the end last. */
export async function* writeLines(
  header: Header | undefined,
  pages: AsyncIterable<readonly Buffer[]>,
): AsyncGenerator<Buffer> {
  const sealing = new Sealing();
  if (header !== undefined) {
    const first = Buffer.from(`${JSON.stringify({ [HEADER]: header })}\n`);
    sealing.update(first, 0);
    yield first;
  }
  for await (const documents of pages) {
    if (documents.length === 0) continue;
    const lines = Buffer.concat(documents.flatMap((document) => [document, NEW_LINE]));
    if (header !== undefined) sealing.update(lines, documents.length);
    yield lines;
  }
  if (header !== undefined) yield Buffer.from(`${JSON.stringify({ [HEADER]: { end: sealing.end() } })}\n`);
}

/** JSON lines of a file, or of standard input. The place of an item is its line. */
export class JsonLines implements Source {
  readonly names: undefined;
  readonly #file: string;
  readonly #compression: Compression;
  readonly #input: Readable;
  readonly #decompress: Decompress | undefined;
  readonly #bytes: number | undefined;
  readonly #encoding: Encoding;
  readonly #seal = new LinesSeal();
  readonly #lines: AsyncIterator<readonly Item[]>;
  #first: IteratorResult<readonly Item[]> = { done: true, value: undefined };
  #header: Header | undefined;
  #readBytes = 0;
  /** The last bytes of the input. */
  #tail = Buffer.alloc(0);
  #documents = 0;
  #isRead = false;
  #hasEnd = false;
  #damage: string | undefined;

  private constructor(
    file: string,
    input: Readable,
    bytes: number | undefined,
    compression: Compression,
    encoding: Encoding,
  ) {
    this.#file = file;
    this.#encoding = encoding;
    this.#compression = compression;
    this.#input = input;
    this.#bytes = bytes;
    this.#decompress = decompressor(compression);
    this.#lines = itemsOf(file, this.#utf8());
  }

  /** @param named the encoding of a file that is not compressed; undefined for the one that it tells */
  static async open(file: string, compression: Compression, named?: NamedEncoding): Promise<JsonLines> {
    const isFile = file !== '-' && compression === 'none';
    const encoding = isFile ? await encodingOf(file, named) : 'utf-8';
    const [input, bytes] =
      file === '-'
        ? [process.stdin, undefined]
        : [createReadStream(file, { highWaterMark: READ_BYTES }), (await stat(file)).size];
    const lines = new JsonLines(file, input, bytes, compression, encoding);
    lines.#first = await lines.#lines.next();
    const first = lines.#first.done === true ? undefined : lines.#first.value[0];
    lines.#header = first && headerIn(parsed(first.text));
    return lines;
  }

  get header(): Header | undefined {
    return this.#header;
  }

  get done(): number | undefined {
    return this.#bytes === undefined ? undefined : this.#readBytes / Math.max(this.#bytes, 1);
  }

  again(): Promise<JsonLines> {
    return JsonLines.open(this.#file, this.#compression, this.#encoding);
  }

  /** Looks at the last line as well: the first one may be missing or damaged. */
  async isSealed(): Promise<boolean> {
    if (isSealed(this.#header)) return true;
    if (this.#decompress === undefined) return endIn(parsed(await lastLine(this.#file))) !== undefined;
    // A file of other origin is imported as far as it can be read, and a damaged one is told by `damage` again.
    await this.damage().catch(() => {});
    return this.#hasEnd;
  }

  async damage(): Promise<string | undefined> {
    const rest = this.items(Number.POSITIVE_INFINITY);
    if (!this.#isRead) while (!(await rest.next()).done);
    return this.#damage;
  }

  async *items(skipped: number): AsyncGenerator<readonly Item[]> {
    try {
      for (let next = this.#first; next.done !== true; next = await this.#lines.next()) {
        const isFirst = next === this.#first && this.#header !== undefined;
        const documents = (isFirst ? next.value.slice(1) : next.value).filter((item) => !isEnd(item));
        this.#documents += documents.length;
        const rest = (documents.at(-1)?.place ?? 0) <= skipped ? [] : documents.filter(({ place }) => place > skipped);
        if (rest.length > 0) yield rest;
      }
      this.#isRead = true;
      this.#damage = this.#damageOf();
    } finally {
      this.#input.destroy();
    }
  }

  /** Compares the items read with the end that the file should have. */
  #damageOf(): string | undefined {
    if (this.#readBytes === 0) return 'it holds nothing';
    const { end, sha256 } = this.#seal.finish();
    this.#hasEnd = end !== undefined;
    const isExport = this.#hasEnd || isSealed(this.#header);
    const rest = this.#restBytes();
    // Behind its compressed part a file of other origin may be filled up with zeros; of zstd a second part is not read.
    if (rest > 0 && (isExport || this.#compression === 'zstd')) return `${rest} bytes follow its compressed part`;
    if (!isExport) return undefined;
    if (end === undefined) return `its end is missing; documents before that: ${this.#documents}`;
    if (this.#header === undefined) return 'its first line, which holds the settings, is missing';
    if (end.documents !== this.#documents) return `it holds ${this.#documents} of ${end.documents} documents`;
    return end.sha256 === sha256 ? undefined : 'its SHA-256 is not the one that it ends with';
  }

  /** The number of bytes of the input that nothing was made of. */
  #restBytes(): number {
    if (this.#decompress === undefined) return 0;
    const rest = (this.#bytes ?? this.#readBytes) - this.#decompress.bytesWritten;
    return rest > 0 && EMPTY_FRAME.test(this.#tail.subarray(-rest).toString('hex')) ? 0 : rest;
  }

  #take(chunk: Buffer): void {
    this.#readBytes += chunk.length;
    if (this.#compression === 'zstd')
      this.#tail = Buffer.concat([this.#tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
  }

  async *#utf8(): AsyncGenerator<Buffer> {
    const bytes = this.#decompressedBytes();
    try {
      yield* this.#encoding === 'utf-8' ? bytes : inUtf8(bytes, this.#encoding);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw damaged(this.#file, `it is not ${this.#encoding}`);
    }
  }

  async *#decompressedBytes(): AsyncGenerator<Buffer> {
    const taken = this.#takenBytes();
    try {
      for await (const chunk of this.#decompress === undefined ? taken : decompressed(taken, this.#decompress)) {
        this.#seal.update(chunk);
        yield chunk;
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw isOfCompression(code) ? damaged(this.#file, message) : error;
    }
  }

  async *#takenBytes(): AsyncGenerator<Buffer> {
    for await (const chunk of this.#input as AsyncIterable<Buffer>) {
      this.#take(chunk);
      yield chunk;
    }
  }
}

/** An empty frame of zstd, by its digits: Node adds one where the last bytes to compress and their end come together. */
const EMPTY_FRAME = /^28b52ffd[0-9a-f]{4}010000(99e9d851)?$/;

function isEnd({ text, problem }: Item): boolean {
  return problem === undefined && text.startsWith(`{"${HEADER}":{"end":`) && endIn(parsed(text)) !== undefined;
}

/** The last line of a file, where it is no longer than the end of an export. */
async function lastLine(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(Math.min(size, END_BYTES_MAX));
    await file.read(tail, 0, tail.length, size - tail.length);
    return tail.toString('latin1').trimEnd().split('\n').at(-1) ?? '';
  } finally {
    await file.close();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Decompresses bytes by a stream. A pipe would drop its content when the stream fails: here all that was made comes
 * before the error, so that a file that was cut is read up to the cut.
 */
async function* decompressed(input: AsyncIterable<Buffer>, stream: Decompress): AsyncGenerator<Buffer> {
  let wake = () => {};
  let [isIdle, isEnded] = [true, false];
  let failure: Error | undefined;
  stream.on('readable', () => wake());
  stream.on('end', () => {
    isEnded = true;
    wake();
  });
  stream.on('error', (error) => {
    failure = error;
    wake();
  });
  async function* made(): AsyncGenerator<Buffer> {
    for (;;) {
      const bytes = stream.read() as Buffer | null;
      if (bytes !== null) yield bytes;
      else if (failure !== undefined) throw failure;
      else if (isIdle || isEnded) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  try {
    for await (const chunk of input) {
      // Bytes behind the compressed part are read for their length alone.
      if (isEnded) continue;
      isIdle = false;
      stream.write(chunk, () => {
        isIdle = true;
        wake();
      });
      yield* made();
    }
    // Only now: a stream that knows of its end fails on the last bytes of a part that was cut, and makes nothing of them.
    isIdle = false;
    stream.end();
    yield* made();
  } finally {
    stream.destroy();
  }
}

/** Elements of a list, where that is what the bytes begin with, or else lines. */
async function* itemsOf(file: string, stream: AsyncIterable<Buffer>): AsyncGenerator<readonly Item[]> {
  const chunks = stream[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  // Enough to tell a list by, and no more: a small file may unpack to very many blanks.
  while (start.length < READ_BYTES && start.toString('latin1').trim().length < ARRAY_START) {
    const next = await chunks.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  yield* startsArray(start) ? elementsOf(file, all(), LINE_BYTES_MAX) : linesOf(all());
}

/** Lines but for blank ones, which only count. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<readonly Item[]> {
  let parts: Buffer[] = [];
  let length = 0;
  let place = 1;
  for await (const chunk of stream) {
    const items: Item[] = [];
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    let start = 0;
    if (end > 0 && length > 0) {
      start = chunk.indexOf(LINE_FEED) + 1;
      const last = chunk.subarray(0, start - 1);
      const line = lineOf(place, parts, last, length + last.length);
      if (!isBlank(line)) items.push(line);
      [parts, length, place] = [[], 0, place + 1];
    }
    place = addLines(items, chunk.subarray(start, end), place);
    length += chunk.length - end;
    // A line that is too long keeps only its beginning.
    if (end < chunk.length && (length <= LINE_BYTES_MAX || parts.length === 0)) parts.push(chunk.subarray(end));
    if (items.length > 0) yield items;
  }
  if (length === 0) return;
  const line = lineOf(place, parts, Buffer.alloc(0), length);
  if (!isBlank(line)) yield [line];
}

/** Adds whole lines to items; gives the place of the next one. They are decoded together, which takes far less time. */
function addLines(items: Item[], lines: Buffer, first: number): number {
  const isText = isUtf8(lines);
  const text = isText ? lines.toString() : lines.toString('latin1');
  let place = first;
  for (let at = 0; at < text.length; ) {
    const blank = blankLines(text, at);
    [at, place] = [blank.end, place + blank.count];
    const end = text.indexOf('\n', at);
    if (end < 0) break;
    const line = text.slice(at, end);
    const isSure = isText && line.length <= LINE_LENGTH_SURE;
    const item = isSure
      ? { place, text: unmarked(line) }
      : lineOf(place, [], Buffer.from(line, isText ? 'utf8' : 'latin1'));
    if (!isBlank(item)) items.push(item);
    [at, place] = [end + 1, place + 1];
  }
  return place;
}

/** A line as a decoder gives it: files that were put together have byte order marks amid them. */
function unmarked(line: string): string {
  return line.charCodeAt(0) === BYTE_ORDER_MARK ? line.slice(1) : line;
}

/** Blank lines from `start` on, and where they end. They are not made lines of: a small file may unpack to very many. */
function blankLines(text: string, start: number): { count: number; end: number } {
  let [count, end] = [0, start];
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED) [count, end] = [count + 1, at + 1];
    else if (code !== SPACE && code !== TAB && code !== CARRIAGE_RETURN) break;
  }
  return { count, end };
}

function isBlank({ text, problem }: Item): boolean {
  return problem === undefined && !text.startsWith('{') && text.trim() === '';
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function lineOf(place: number, parts: readonly Buffer[], last: Buffer, length = last.length): Item {
  if (length > LINE_BYTES_MAX) {
    const text = (parts[0] ?? last).toString('utf8', 0, 1000);
    return { place, text, problem: `The line has ${length} bytes, which is more than ${LINE_BYTES_MAX}` };
  }
  const line = parts.length === 0 ? last : Buffer.concat([...parts, last]);
  try {
    return { place, text: decoder.decode(line) };
  } catch {
    return { place, text: line.toString('utf8'), problem: 'The line is not UTF-8' };
  }
}
