import { open } from 'node:fs/promises';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  type KeyValue,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { type BasicType, fileWriter, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer';
import { sourceOf } from '../exact-json.js';
import { ExitCode } from '../start-failure.js';
import type { ExactDocument } from './columns.js';
import { CompactReader } from './compact-thrift.js';
import { type ColumnKind, type End, HEADER, type Header, headerIn, isSealed } from './file-format.js';
import { checkedGroup } from './parquet-group.js';
import { ReadingBudget } from './parquet-pages.js';
import {
  BadValue,
  columnsNote,
  isScalar,
  jsonOf,
  rawParsers,
  rawSchema,
  repeatedName,
  type Speller,
  speller,
  unusableType,
} from './parquet-values.js';
import { RowItem } from './row-item.js';
import { NO_DIGEST, sha256Of } from './seal.js';
import type { Item, Source, TableColumns } from './source.js';
import { damaged, TransferFailure } from './transfer-failure.js';

/** The Parquet type of a column. JSON stands as text: a reader of Parquet would take its numbers for floats. */
const TYPES: Readonly<Record<ColumnKind, BasicType>> = {
  text: 'STRING',
  integer: 'INT64',
  float: 'DOUBLE',
  bool: 'BOOLEAN',
  json: 'STRING',
};

/** Rows of a row group, which may have very many, that become items at once. */
const ITEMS_AT_ONCE = 1000;

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

/** Rows of a Parquet file, by row groups. The place of an item is its row. */
export class Parquet implements Source {
  readonly header: Header | undefined;
  readonly #path: string;
  readonly #file: AsyncBuffer;
  readonly #metadata: FileMetaData;
  readonly #spellers: ReadonlyMap<string, Speller>;
  readonly #columns: TableColumns;
  readonly names: readonly string[];
  readonly note: string | undefined;
  #rows = 0;

  private constructor(path: string, file: AsyncBuffer, metadata: FileMetaData, header: Header | undefined) {
    this.#path = path;
    this.#file = file;
    this.#metadata = { ...metadata, schema: rawSchema(metadata.schema) };
    this.header = header;
    const columns = usableColumns(path, parquetSchema(metadata), header !== undefined);
    this.#spellers = new Map(columns.map((column) => [column.element.name, speller(column)]));
    this.names = [...this.#spellers.keys()];
    const isPlain = (column: SchemaTree) => isScalar(column) && header?.columns?.[column.element.name] !== 'json';
    this.#columns = { names: this.names, arePlain: columns.every(isPlain) };
    if (header === undefined) this.note = columnsNote(columns);
  }

  static async open(path: string): Promise<Parquet> {
    const file = await asyncBufferFromFile(path);
    try {
      const bytes = await metadataOf(file);
      const metadata = await parquetMetadataAsync(file, { geoparquet: false });
      checkRows(metadata);
      return new Parquet(path, file, metadata, headerOf(metadata, bytes));
    } catch (error) {
      if (error instanceof TransferFailure) throw error;
      const { message } = error as Error;
      throw new TransferFailure(`${path} is no Parquet file that can be read: ${message}`, ExitCode.NOT_STORED);
    }
  }

  get done(): number {
    return this.#rows / Math.max(Number(this.#metadata.num_rows), 1);
  }

  async again(): Promise<Parquet> {
    return this;
  }

  async isSealed(): Promise<boolean> {
    return isSealed(this.header);
  }

  async damage(): Promise<string | undefined> {
    const { format = 1, end } = this.header ?? {};
    if (end === undefined) return format > 1 ? 'its end is missing' : undefined;
    const sha256 = await sha256Of(this.#path, await placeOf(this.#path, end.sha256));
    return sha256 === end.sha256 ? undefined : 'its SHA-256 is not the one that it ends with';
  }

  async *items(skipped: number): AsyncGenerator<readonly Item[]> {
    let rowStart = 0;
    const budget = new ReadingBudget(this.#file.byteLength);
    for (const group of this.#metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const first = Math.max(rowStart, skipped);
      if (rowEnd > first) {
        const rows = await this.#rowsOf(group, rowStart, first, budget);
        for (let at = 0; at < rows.length; at += ITEMS_AT_ONCE) {
          const some = rows.slice(at, at + ITEMS_AT_ONCE);
          this.#rows = first + at + some.length;
          yield some.map((row, more) => this.#itemOf(first + at + more + 1, row));
        }
      }
      rowStart = rowEnd;
    }
  }

  async #rowsOf(
    group: RowGroup,
    rowStart: number,
    first: number,
    budget: ReadingBudget,
  ): Promise<Record<string, unknown>[]> {
    try {
      const checked = await checkedGroup(this.#file, this.#metadata, group, budget);
      const rows = { rowStart: first - rowStart, rowEnd: Number(group.num_rows) };
      return await parquetReadObjects({ ...checked, parsers: rawParsers, utf8: false, ...rows });
    } catch (error) {
      const { message } = error as Error;
      // A whole file of a kind that the reader does not know.
      if (/unsupported|not supported/.test(message))
        throw new TransferFailure(`${this.#path}: ${message}`, ExitCode.NOT_STORED);
      throw damaged(this.#path, `its rows behind row ${first} cannot be read (${message})`);
    }
  }

  #itemOf(place: number, row: Record<string, unknown>): Item {
    const columns = this.#columns;
    const values: (string | undefined)[] = [];
    let problem: string | undefined;
    for (const name of columns.names) {
      try {
        values.push(this.#jsonOf(name, row[name]));
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        problem ??= `Row ${place}, column '${name}' ${error.message}`;
        values.push(undefined);
      }
    }
    return new RowItem({ place, columns, values, problem });
  }

  #jsonOf(name: string, value: unknown): string | undefined {
    if (value === null || value === undefined) return undefined;
    return this.header?.columns?.[name] === 'json' ? jsonOf(value) : this.#spellers.get(name)?.(value);
  }
}

/** Reads the bytes of the metadata, which the reader is given if they end where they should. */
async function metadataOf(file: AsyncBuffer): Promise<Buffer> {
  const end = file.byteLength - 8;
  if (end < 0) throw new Error('it is too short');
  const length = Buffer.from(await file.slice(end, file.byteLength)).readUInt32LE(0);
  if (length > end) throw new Error(`its metadata of ${length} bytes is in ${end}`);
  const bytes = Buffer.from(await file.slice(end - length, end));
  new CompactReader(bytes).struct();
  return bytes;
}

/**
 * The header of an export; undefined of a file of other origin. One that has lost a mark of ours to damage, which may leave
 * readable metadata, is told by the others.
 */
function headerOf({ key_value_metadata, created_by }: FileMetaData, bytes: Buffer): Header | undefined {
  // Damaged metadata may be read as values of other types than declared.
  const pairs = Array.isArray(key_value_metadata) ? key_value_metadata : [];
  const own = pairs.find((pair) => pair?.key === HEADER)?.value;
  const header = typeof own === 'string' ? headerIn(JSON.parse(own)) : undefined;
  const isOurs = own !== undefined || created_by === CREATED_BY || bytes.includes(`{"${HEADER}":{`);
  if (header === undefined && isOurs) throw new Error('its settings are missing');
  return header;
}

/** @throws Error for row groups that are not what the whole is said to hold */
function checkRows({ num_rows, row_groups }: FileMetaData): void {
  const counts: unknown[] = [num_rows, ...row_groups.map((group) => group.num_rows)];
  if (!counts.every((count) => typeof count === 'bigint' && count >= 0)) throw new Error('its rows are not counted');
  const rows = row_groups.reduce((sum, group) => sum + group.num_rows, 0n);
  if (rows !== num_rows) throw new Error(`it has ${rows} of ${num_rows} rows`);
}

/** @throws TransferFailure for a column that would be lost, or read as something else than it is */
function usableColumns(path: string, root: SchemaTree, isExport: boolean): readonly SchemaTree[] {
  const refuse = (problem: string): never => {
    if (isExport) throw damaged(path, `it ${problem}`);
    throw new TransferFailure(`${path} ${problem}`, ExitCode.BAD_CONFIGURATION);
  };
  const repeated = repeatedName(root);
  if (repeated !== undefined) refuse(`has the column '${repeated}' more than once`);
  for (const column of root.children) {
    const type = unusableType(column);
    if (type !== undefined) refuse(`has the column '${column.element.name}' of ${type}, which no field can hold`);
  }
  return root.children;
}
