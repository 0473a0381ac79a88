import { open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  type KeyValue,
  parquetMetadataAsync,
  parquetReadObjects,
} from 'hyparquet';
import { type BasicType, fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { ExitCode } from '../start-failure.js';
import { documentOf, type ExactDocument } from './columns.js';
import { sourceOf, spellFloat } from './exact-json.js';
import { type ColumnKind, type End, HEADER, type Header, headerIn } from './file-format.js';
import { NO_DIGEST, sha256Of } from './seal.js';
import type { Item, Source } from './source.js';
import { damaged, TransferFailure } from './transfer-failure.js';

/** The Parquet type of a column. JSON stands as text: a reader of Parquet would take its numbers for floats. */
const TYPES: Readonly<Record<ColumnKind, BasicType>> = {
  text: 'STRING',
  integer: 'INT64',
  float: 'DOUBLE',
  bool: 'BOOLEAN',
  json: 'STRING',
};

/** The maker that a file of ours names. */
const CREATED_BY = 'pelorus';

/** Writes a table and what tells that it is whole. Each batch becomes a row group, which a reader holds in memory as a whole. */
export async function writeParquet(
  file: string,
  header: Header & { columns: Readonly<Record<string, ColumnKind>> },
  batches: AsyncIterable<readonly ExactDocument[]>,
): Promise<void> {
  const columns = Object.entries(header.columns);
  const tableOf = (documents: readonly ExactDocument[]) =>
    columns.map(([name, kind]) => ({
      name,
      type: TYPES[kind],
      nullable: true,
      data: documents.map((document) => cellOf(document[name], kind)),
    }));
  const kvMetadata: [KeyValue] = [{ key: HEADER, value: '' }];
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema: schemaFromColumnData({ columnData: tableOf([]) }),
    statistics: false,
    createdBy: CREATED_BY,
    kvMetadata,
  });
  let count = 0;
  for await (const documents of batches) {
    if (documents.length > 0) await writer.write({ columnData: tableOf(documents), rowGroupSize: documents.length });
    count += documents.length;
  }
  const end: End = { documents: count, sha256: NO_DIGEST };
  kvMetadata[0].value = JSON.stringify({ [HEADER]: { ...header, end } });
  await writer.finish();
  const place = await placeOf(file, NO_DIGEST);
  const whole = await open(file, 'r+');
  try {
    await whole.write(await sha256Of(file), place as number);
  } finally {
    await whole.close();
  }
}

/**
 * The place of the digits of a SHA-256 in the metadata, which stand at the end of the file with their length behind them;
 * undefined where they are not there. Column names and settings come before them.
 */
async function placeOf(path: string, digest: string): Promise<number | undefined> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = Buffer.alloc(8);
    await file.read(tail, 0, 8, size - 8);
    const metadata = Buffer.alloc(Math.min(tail.readUInt32LE(0), size - 8));
    const start = size - 8 - metadata.length;
    await file.read(metadata, 0, metadata.length, start);
    const at = metadata.lastIndexOf(`"${digest}"`);
    return at < 0 ? undefined : start + at + 1;
  } finally {
    await file.close();
  }
}

function cellOf(value: unknown, kind: ColumnKind): unknown {
  if (value === undefined) return null;
  const number = sourceOf(value) ?? '';
  switch (kind) {
    case 'integer':
      return BigInt(number);
    case 'float':
      return Number(number);
    case 'json':
      return JSON.stringify(value);
    default:
      return value;
  }
}

const compressors = {
  GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliDecompressSync(bytes),
};

/** A byte order mark at the start of a text is part of it. */
const texts = new TextDecoder('utf-8', { ignoreBOM: true });
/** Missing values come this way too, whatever the type says. */
const parsers = { stringFromBytes: (bytes: Uint8Array | undefined) => bytes && texts.decode(bytes) };

/** Rows of a Parquet file, by row groups. The place of an item is its row. */
export class Parquet implements Source {
  readonly header: Header | undefined;
  readonly #path: string;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  readonly #floats: ReadonlySet<string>;
  #rows = 0;

  private constructor(path: string, file: AsyncBuffer, metadata: FileMetaData) {
    this.#path = path;
    this.#file = file;
    this.#metadata = metadata;
    const own = metadata.key_value_metadata?.find(({ key }) => key === HEADER)?.value;
    this.header = own === undefined ? undefined : headerIn(JSON.parse(own));
    if (this.header === undefined && metadata.created_by === CREATED_BY) throw new Error('its settings are missing');
    this.#floats = floatColumns(metadata);
  }

  static async open(path: string): Promise<Parquet> {
    const file = await asyncBufferFromFile(path);
    try {
      return new Parquet(path, file, await parquetMetadataAsync(file));
    } catch (error) {
      if (error instanceof TransferFailure) throw error;
      const { message } = error as Error;
      throw new TransferFailure(`${path} is no Parquet file that can be read: ${message}`, ExitCode.NOT_STORED);
    }
  }

  get done(): number {
    return this.#rows / Math.max(Number(this.#metadata.num_rows), 1);
  }

  async damage(): Promise<string | undefined> {
    const { format = 1, end } = this.header ?? {};
    if (end === undefined) return format > 1 ? 'its end is missing' : undefined;
    const sha256 = await sha256Of(this.#path, await placeOf(this.#path, end.sha256));
    return sha256 === end.sha256 ? undefined : 'its SHA-256 is not the one that it ends with';
  }

  async *items(skipped: number): AsyncGenerator<Item> {
    let rowStart = 0;
    for (const { num_rows } of this.#metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      if (rowEnd > skipped) {
        const first = Math.max(rowStart, skipped);
        for (const [at, row] of (await this.#rowsOf(first, rowEnd)).entries()) {
          this.#rows = first + at + 1;
          yield this.#itemOf(this.#rows, row);
        }
      }
      rowStart = rowEnd;
    }
  }

  async #rowsOf(rowStart: number, rowEnd: number): Promise<Record<string, unknown>[]> {
    try {
      const [file, metadata] = [this.#file, this.#metadata];
      return await parquetReadObjects({ file, metadata, compressors, parsers, rowStart, rowEnd });
    } catch (error) {
      throw damaged(this.#path, `its rows behind row ${rowStart} cannot be read (${(error as Error).message})`);
    }
  }

  #itemOf(place: number, row: Record<string, unknown>): Item {
    try {
      const members = Object.entries(row).map(([name, value]) => [name, this.#jsonOf(name, value)] as const);
      return { place, text: documentOf(members) };
    } catch (error) {
      return { place, text: '', problem: (error as Error).message };
    }
  }

  #jsonOf(name: string, value: unknown): string | undefined {
    if (value === null || value === undefined) return undefined;
    return this.header?.columns?.[name] === 'json' ? (value as string) : spell(value, this.#floats.has(name));
  }
}

/** The JSON of a value. Numbers of columns of floats stay floats, integers of 64 bits stay whole. */
function spell(value: unknown, isFloat: boolean): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return isFloat && Number.isFinite(value) ? spellFloat(value) : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => spell(item ?? null, isFloat) ?? 'null').join(',')}]`;
  if (value === null || typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  if (ArrayBuffer.isView(value)) throw new Error('A column holds bytes, which no field can');
  return documentOf(
    Object.entries(value).map(([name, inner]) => [name, inner === null ? undefined : spell(inner, isFloat)]),
  );
}

/** Columns with a float somewhere in them. */
function floatColumns({ row_groups }: FileMetaData): Set<string> {
  const chunks = row_groups[0]?.columns ?? [];
  const floats = chunks.filter(({ meta_data }) => meta_data?.type === 'DOUBLE' || meta_data?.type === 'FLOAT');
  return new Set(floats.map(({ meta_data }) => meta_data?.path_in_schema[0] ?? ''));
}
