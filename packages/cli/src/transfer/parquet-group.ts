import {
  type AsyncBuffer,
  type CompressionCodec,
  type Compressors,
  type FileMetaData,
  parquetSchema,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet';
import { CheckedPages, type ReadingBudget } from './parquet-pages.js';

/** Rows of a row group, all of which are held in memory. */
const ROWS_MAX = 2 ** 24;

/** A row group by itself, for a reader that reads it as a file. */
export interface CheckedGroup {
  readonly file: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly compressors: Compressors;
}

/**
 * Reads the columns of a row group one behind the other, and checks their pages. The codec of each has its own name, by
 * which the reader hands the pages of that column back before it decodes them.
 *
 * @throws Error for columns that are not those of the schema, or pages that are not as they say
 */
export async function checkedGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  group: RowGroup,
  work: ReadingBudget,
): Promise<CheckedGroup> {
  const rows = Number(group.num_rows);
  if (rows > ROWS_MAX) throw new Error(`row groups of ${rows} rows are not supported, but of ${ROWS_MAX}`);
  work.take(rows, 0);
  const paths = leavesOf(parquetSchema(metadata));
  const compressors: Record<string, Compressors[CompressionCodec]> = {};
  const [columns, parts]: [RowGroup['columns'], Uint8Array[]] = [[], []];
  let length = 0;
  for (const column of group.columns) {
    const { meta_data: meta, file_path } = column;
    if (file_path) throw new Error('columns in files of their own are not supported');
    const name = JSON.stringify(meta?.path_in_schema);
    const path = paths.get(name);
    if (meta === undefined || path === undefined) throw new Error(`the column ${name} is not in the schema, or twice`);
    paths.delete(name);
    if (meta.type !== path.at(-1)?.element.type) throw new Error(`the column ${name} is of ${meta.type}`);
    const start = meta.dictionary_page_offset || meta.data_page_offset;
    const bytes = await bytesOf(file, start, start + meta.total_compressed_size, file.byteLength - length);
    const pages = new CheckedPages(bytes, meta, path, rows, work);
    const codec = `column ${columns.length}` as CompressionCodec;
    compressors[codec] = (compressed, size) => pages.decompress(compressed, size);
    const place = { data_page_offset: BigInt(length), total_compressed_size: BigInt(pages.bytes.length) };
    const { dictionary_page_offset: _offset, ...rest } = meta;
    columns.push({ file_offset: 0n, meta_data: { ...rest, ...place, codec } });
    parts.push(pages.bytes);
    length += pages.bytes.length;
  }
  if (paths.size > 0) throw new Error(`the column ${[...paths.keys()][0]} is missing`);
  const all = Buffer.concat(parts);
  return {
    file: { byteLength: length, slice: (from, to) => new Uint8Array(all.subarray(from, to)).buffer },
    metadata: { ...metadata, num_rows: group.num_rows, row_groups: [{ ...group, columns }] },
    compressors,
  };
}

async function bytesOf(file: AsyncBuffer, start: bigint, end: bigint, max: number): Promise<Uint8Array> {
  if (start < 0n || end < start || end > BigInt(file.byteLength)) throw new Error('a column goes past the end');
  if (end - start > BigInt(max)) throw new Error('columns lie in each other');
  return new Uint8Array(await file.slice(Number(start), Number(end)));
}

/** The columns that have values, by their paths, each with all that it lies in. */
function leavesOf(root: SchemaTree): Map<string, readonly SchemaTree[]> {
  const leaves = new Map<string, readonly SchemaTree[]>();
  const visit = (nodes: readonly SchemaTree[], node: SchemaTree): void => {
    const path = [...nodes, node];
    if (node.children.length === 0) leaves.set(JSON.stringify(node.path), path);
    for (const child of node.children) visit(path, child);
  };
  for (const child of root.children) visit([root], child);
  return leaves;
}
