import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { type BasicType, fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { documentOf, type ExactDocument } from './columns.js';
import { sourceOf, spellFloat } from './exact-json.js';
import { type ColumnKind, HEADER, type Header, headerIn } from './file-format.js';
import type { Item, Source } from './source.js';
import { TransferFailure } from './transfer-failure.js';

/** What a column is of in the file. JSON stands as text: a reader of Parquet would take its numbers for floats. */
const TYPES: Readonly<Record<ColumnKind, BasicType>> = {
  text: 'STRING',
  integer: 'INT64',
  float: 'DOUBLE',
  bool: 'BOOLEAN',
  json: 'STRING',
};

/** Writes a table. Each batch becomes a row group, which a reader holds in memory as a whole. */
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
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema: schemaFromColumnData({ columnData: tableOf([]) }),
    statistics: false,
    createdBy: 'pelorus',
    kvMetadata: [{ key: HEADER, value: JSON.stringify({ [HEADER]: header }) }],
  });
  for await (const documents of batches) {
    if (documents.length > 0) await writer.write({ columnData: tableOf(documents), rowGroupSize: documents.length });
  }
  await writer.finish();
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
  readonly #file: Awaited<ReturnType<typeof asyncBufferFromFile>>;
  readonly #metadata: FileMetaData;
  readonly #floats: ReadonlySet<string>;
  #rows = 0;

  private constructor(file: Awaited<ReturnType<typeof asyncBufferFromFile>>, metadata: FileMetaData) {
    this.#file = file;
    this.#metadata = metadata;
    const own = metadata.key_value_metadata?.find(({ key }) => key === HEADER)?.value;
    this.header = own === undefined ? undefined : headerIn(JSON.parse(own));
    this.#floats = floatColumns(metadata);
  }

  static async open(path: string): Promise<Parquet> {
    const file = await asyncBufferFromFile(path);
    try {
      return new Parquet(file, await parquetMetadataAsync(file));
    } catch (error) {
      throw new TransferFailure(`${path} is no Parquet file that can be read: ${(error as Error).message}`);
    }
  }

  get done(): number {
    return this.#rows / Math.max(Number(this.#metadata.num_rows), 1);
  }

  async *items(skipped: number): AsyncGenerator<Item> {
    let rowStart = 0;
    for (const { num_rows } of this.#metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      if (rowEnd > skipped) {
        const range = { rowStart: Math.max(rowStart, skipped), rowEnd };
        const rows = await parquetReadObjects({
          file: this.#file,
          metadata: this.#metadata,
          compressors,
          parsers,
          ...range,
        });
        for (const [at, row] of rows.entries()) {
          this.#rows = range.rowStart + at + 1;
          yield this.#itemOf(this.#rows, row);
        }
      }
      rowStart = rowEnd;
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
