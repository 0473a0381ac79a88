import { t } from '../../../strings/strings.js';
import { csvRows } from './csv-rows.js';
import { type Encoding, encodingOf } from './encoding.js';
import { FileFault, type FileRow } from './file-row.js';
import { jsonArrayRows, jsonLineRows } from './json-rows.js';

/** A file of rows, which can be read any number of times. */
export interface TableFile {
  readonly name: string;
  readonly bytes: number;
  readonly format: string;
  /** Tells whether every value is a text, whose type is only to be guessed. */
  readonly isText: boolean;
  /** The encoding of its text, where it is not UTF-8. */
  readonly encoding?: Encoding;
  /** Reads the rows; `onRead` is told the bytes that were read so far. */
  readonly rows: (onRead?: (bytes: number) => void) => AsyncGenerator<FileRow, void, void>;
}

/** A whole array, or table of columns, is held in memory at once. */
export const WHOLE_BYTES_MAX = 256 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Tells what a file is by its first bytes, as its name may be wrong. @throws FileFault */
export async function openFile(file: File): Promise<TableFile> {
  const { name, size: bytes } = file;
  if (bytes === 0) throw new FileFault(t.data.faults.empty);
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const magic = String.fromCharCode(...head.subarray(0, 4));
  if (magic === 'PAR1') {
    const { parquetRows } = await import('./parquet-rows.js');
    return { name, bytes, format: 'Parquet', isText: false, rows: (onRead) => parquetRows(file, onRead) };
  }
  if (magic.startsWith('PK')) throw new FileFault(t.data.faults.archive);
  if (head[0] === 0x1f && head[1] === 0x8b) throw new FileFault(t.data.faults.gzip);
  if (head.includes(0)) throw new FileFault(t.data.faults.binary);
  const encoding = await encodingOf(file);
  const start = textOf(head, encoding, bytes > HEAD_BYTES).trimStart();
  if (start === '') throw new FileFault(t.data.faults.empty);
  if (start.startsWith('[')) {
    if (bytes > WHOLE_BYTES_MAX) throw new FileFault(t.data.faults.large);
    return { name, bytes, format: 'JSON', isText: false, rows: (onRead) => jsonArrayRows(file, onRead) };
  }
  if (start.startsWith('{')) {
    return { name, bytes, format: t.data.jsonLines, isText: false, rows: (onRead) => jsonLineRows(file, onRead) };
  }
  return {
    ...{ name, bytes, format: 'CSV', isText: true, rows: (onRead) => csvRows(file, onRead, encoding) },
    ...(encoding !== 'utf-8' && { encoding }),
  };
}

/** Rows that types are guessed by. */
const SAMPLE = 500;

/** The first rows of a file. @throws FileFault where it has none */
export async function sampleOf(file: TableFile): Promise<readonly FileRow[]> {
  const rows: FileRow[] = [];
  for await (const row of file.rows()) {
    rows.push(row);
    if (rows.length === SAMPLE) break;
  }
  if (rows.length === 0) throw new FileFault(file.isText ? t.data.faults.namesAlone : t.data.faults.noRows);
  return rows;
}

function textOf(head: Uint8Array, encoding: Encoding, isCut: boolean): string {
  try {
    // The end of the head may lie within a character.
    return new TextDecoder(encoding, { fatal: true }).decode(head, { stream: isCut });
  } catch {
    throw new FileFault(t.data.faults.encoding);
  }
}
