import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type ColumnMetaData, type SchemaTree, snappyUncompress } from 'hyparquet';
import { CompactReader, type Struct } from './compact-thrift.js';
import { bytesOfPrefixed, type Runs, scanDeltas, scanRuns } from './parquet-runs.js';

/** Types of pages. */
const DATA = 0;
const DICTIONARY = 2;
const DATA_V2 = 3;

/** Encodings whose counts are looked at; of the others, values have bytes of their own. */
const PLAIN_DICTIONARY = 2;
const RLE = 3;
const DELTA_BINARY_PACKED = 5;
const DELTA_LENGTH_BYTE_ARRAY = 6;
const DELTA_BYTE_ARRAY = 7;
const RLE_DICTIONARY = 8;

interface Page {
  readonly isV2: boolean;
  readonly encoding: number;
  /** Values and missing ones. */
  readonly count: number;
  /** Values, where the header tells. */
  readonly present: number | undefined;
  readonly repetitionEncoding: number;
  readonly definitionEncoding: number;
  /** Bytes of the levels of repetition and of definition, where they stand before what is compressed. */
  readonly levels: readonly [repetition: number, definition: number];
  readonly isCompressed: boolean;
  /** Bytes. */
  readonly uncompressed: number;
}

/** Values, and bytes of them, that a file may have however small it is; and more for each of its bytes. */
const VALUES_MAX = 2 ** 25;
const BYTES_MAX = 2 ** 31;
const PER_BYTE = 1024;

/** The values that may yet be read of a file: a few bytes can stand for very many that are alike, or missing. */
export class ReadingBudget {
  #values: number;
  #bytes: number;

  /** @param fileBytes the length of the file */
  constructor(fileBytes: number) {
    this.#values = VALUES_MAX + PER_BYTE * fileBytes;
    this.#bytes = BYTES_MAX + PER_BYTE * fileBytes;
  }

  /** @throws Error for more than its bytes can stand for */
  take(values: number, bytes: number): void {
    this.#values -= values;
    this.#bytes -= bytes;
    if (this.#values < 0 || this.#bytes < 0) throw new Error('it stands for more values than its size allows');
  }
}

const decompressors: Readonly<Record<string, (bytes: Uint8Array, size: number) => Uint8Array>> = {
  UNCOMPRESSED: (bytes) => bytes,
  SNAPPY: (bytes, size) => {
    const output = new Uint8Array(size);
    snappyUncompress(bytes, output);
    return output;
  },
  GZIP: (bytes, size) => gunzipSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  ZSTD: (bytes, size) => zstdDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
  BROTLI: (bytes, size) => brotliDecompressSync(bytes, { maxOutputLength: Math.max(size, 1) }),
};

/**
 * The pages of a column of a row group. The reader takes the counts and lengths of pages and runs as they are, and takes for
 * ever or all memory where damage made them wrong: so each is compared with what there is before.
 */
export class CheckedPages {
  /** Bytes that the reader is to see. */
  readonly bytes: Uint8Array;
  readonly #pages = new Map<number, Page>();
  readonly #work: ReadingBudget;
  readonly #codec: string;
  readonly #isBoolean: boolean;
  readonly #repetitionMax: number;
  readonly #definitionMax: number;

  /** @throws Error for pages that do not make up `rows` rows of the column */
  constructor(
    bytes: Uint8Array,
    column: ColumnMetaData,
    path: readonly SchemaTree[],
    rows: number,
    work: ReadingBudget,
  ) {
    const levels = path.slice(1).map(({ element }) => element.repetition_type);
    this.#repetitionMax = levels.filter((type) => type === 'REPEATED').length;
    this.#definitionMax = levels.filter((type) => type !== 'REQUIRED').length;
    this.#codec = column.codec;
    this.#isBoolean = column.type === 'BOOLEAN';
    this.#work = work;
    const isFlat = path.length === 2 && this.#repetitionMax === 0;
    const expected = isFlat ? rows : Number(column.num_values);
    const reader = new CompactReader(bytes);
    let [seen, hasDictionary] = [0, false];
    // As far as the reader reads: flat columns up to their rows, others to the end but for a byte of padding.
    while ((!isFlat || seen < rows) && reader.offset < bytes.length - 1) {
      const header = reader.struct();
      const [start, size] = [reader.offset, integerOf(header, 3)];
      reader.offset += size;
      if (reader.offset > bytes.length) throw new Error(`a page of ${size} bytes is in ${bytes.length - start}`);
      if (header.get(1) === DICTIONARY) {
        hasDictionary = true;
        work.take(integerOf(structOf(header, 7), 1), integerOf(header, 2));
        continue;
      }
      const page = pageOf(header);
      if (isOfDictionary(page) && !hasDictionary) throw new Error('the dictionary of a page is missing');
      work.take(page.count, page.uncompressed);
      seen += page.count;
      // The reader decompresses what is behind the levels that are apart.
      const values = start + this.#checkApart(page, bytes.subarray(start, reader.offset));
      if (page.isCompressed) this.#pages.set(values, page);
      else this.#checkPage(page, bytes.subarray(values, reader.offset));
    }
    if (seen !== expected) throw new Error(`it has ${seen} of ${expected} values`);
    this.bytes = bytes.subarray(0, reader.offset);
  }

  /** Takes the place of the reader's own decompression, whose pages it decodes next. */
  decompress(compressed: Uint8Array, size: number): Uint8Array {
    const decompress = decompressors[this.#codec];
    if (decompress === undefined) throw new Error(`parquet unsupported compression codec: ${this.#codec}`);
    const bytes = decompress(compressed, size);
    const page = this.#pages.get(compressed.byteOffset);
    if (page !== undefined) this.#checkPage(page, bytes);
    return bytes;
  }

  /** Checks the levels before the values that are compressed, and returns their length. */
  #checkApart(page: Page, body: Uint8Array): number {
    const [repetition, definition] = page.levels;
    const length = repetition + definition;
    if (length > body.length || (definition > 0 && this.#definitionMax === 0)) {
      throw new Error('levels are longer than their page');
    }
    if (!page.isV2) return 0;
    const places = [
      [this.#repetitionMax, 0, repetition],
      [this.#definitionMax, repetition, length],
    ] as const;
    for (const [max, start, end] of places) {
      if (max > 0) levelsAt({ bytes: body, start, end, width: widthOf(max) }, page.count, max);
    }
    return length;
  }

  /** @throws Error for levels or values of other numbers than the header tells */
  #checkPage(page: Page, bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    let present = page.present ?? page.count;
    if (page.present === undefined) {
      for (const [max, encoding] of [
        [this.#repetitionMax, page.repetitionEncoding],
        [this.#definitionMax, page.definitionEncoding],
      ] as const) {
        if (max === 0) continue;
        if (encoding !== RLE) throw new Error(`levels of the encoding ${encoding} are not supported`);
        const end = start + 4 + view.getUint32(start, true);
        present = levelsAt({ bytes, start: start + 4, end, width: widthOf(max) }, page.count, max);
        start = end;
      }
    }
    this.#checkValues(page, bytes, start, present);
  }

  #checkValues(page: Page, bytes: Uint8Array, start: number, count: number): void {
    switch (page.encoding) {
      case RLE:
      case PLAIN_DICTIONARY:
      case RLE_DICTIONARY: {
        const end = bytes.length;
        if (page.encoding === RLE && (this.#isBoolean || page.isV2)) {
          scanRuns({ bytes, start: start + 4, end, width: 1 }, count);
          return;
        }
        const width = bytes[start] ?? 0;
        if (width > 32) throw new Error(`places in a dictionary have ${width} bits`);
        if (width > 0 || page.isV2) scanRuns({ bytes, start: start + 1, end, width }, count);
        return;
      }
      case DELTA_BINARY_PACKED:
      case DELTA_LENGTH_BYTE_ARRAY:
        scanDeltas(bytes, start, count);
        return;
      case DELTA_BYTE_ARRAY:
        this.#work.take(0, bytesOfPrefixed(bytes, start, count));
    }
  }
}

/**
 * Counts the levels that are the greatest, of values that are there.
 *
 * @throws Error for levels that are not as many as they should be
 */
function levelsAt(runs: Runs, count: number, max: number): number {
  if (runs.end > runs.bytes.length) throw new Error('levels go past the end of their page');
  const { seen, found } = scanRuns(runs, count, max);
  if (seen < count) throw new Error(`a page has ${seen} of ${count} levels`);
  return found;
}

/** Bits of a level. */
function widthOf(max: number): number {
  return 32 - Math.clz32(max);
}

function isOfDictionary({ encoding }: Page): boolean {
  return encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY;
}

function pageOf(header: Struct): Page {
  const [type, uncompressed] = [integerOf(header, 1), integerOf(header, 2)];
  if (type === DATA) {
    const data = structOf(header, 5);
    return {
      isV2: false,
      encoding: integerOf(data, 2),
      count: integerOf(data, 1),
      present: undefined,
      definitionEncoding: integerOf(data, 3),
      repetitionEncoding: integerOf(data, 4),
      levels: [0, 0],
      isCompressed: true,
      uncompressed,
    };
  }
  if (type !== DATA_V2) throw new Error(`parquet unsupported page type: ${type}`);
  const data = structOf(header, 8);
  const [count, missing] = [integerOf(data, 1), integerOf(data, 2)];
  const [definition, repetition] = [integerOf(data, 5), integerOf(data, 6)];
  if (missing > count) throw new Error(`a page misses ${missing} of ${count} values`);
  if (definition + repetition > uncompressed) throw new Error('levels are longer than their page');
  return {
    isV2: true,
    encoding: integerOf(data, 4),
    count,
    present: count - missing,
    definitionEncoding: RLE,
    repetitionEncoding: RLE,
    levels: [repetition, definition],
    isCompressed: data.get(7) !== false,
    uncompressed,
  };
}

/** @throws Error for a field that is missing, or negative, or past 32 bits */
function integerOf(struct: Struct, id: number): number {
  const value = struct.get(id);
  if (typeof value === 'number' && value >= 0 && value < 2 ** 31) return value;
  throw new Error(`the header of a page has ${value} in its field ${id}`);
}

function structOf(struct: Struct, id: number): Struct {
  const value = struct.get(id);
  if (value instanceof Map) return value;
  throw new Error(`the header of a page misses its field ${id}`);
}
