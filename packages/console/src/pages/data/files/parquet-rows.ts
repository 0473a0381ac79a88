import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { t } from '../../../strings/strings.js';
import { FileFault, type FileRow } from './file-row.js';

/** Rows that are decoded at once: a row group may have millions. */
const ROWS_AT_ONCE = 2_000;

/** Rows of a Parquet file, plain or compressed by Snappy. */
export async function* parquetRows(file: Blob, onRead?: (bytes: number) => void): AsyncGenerator<FileRow, void, void> {
  const buffer = {
    byteLength: file.size,
    slice: (start: number, end?: number) => file.slice(start, end).arrayBuffer(),
  };
  const metadata = await guarded(() => parquetMetadataAsync(buffer));
  const rows = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < rows; rowStart += ROWS_AT_ONCE) {
    const rowEnd = Math.min(rowStart + ROWS_AT_ONCE, rows);
    const part = await guarded(() => parquetReadObjects({ file: buffer, metadata, rowStart, rowEnd }));
    for (const [place, row] of part.entries()) {
      const fields = Object.entries(row).flatMap(([name, value]) => {
        const told = plain(value);
        return told === undefined ? [] : [[name, told] as const];
      });
      onRead?.(Math.round((file.size * (rowStart + place + 1)) / rows));
      yield { row: rowStart + place + 1, fields: Object.fromEntries(fields) };
    }
  }
}

async function guarded<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read();
  } catch (error) {
    const { message } = error as Error;
    throw new FileFault(
      /compress/i.test(message) ? t.data.faults.compression(message) : t.data.faults.parquet(message),
    );
  }
}

/** A value as JSON has it; undefined of none. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return value instanceof Uint8Array ? undefined : Array.from(value as Float32Array);
  if (Array.isArray(value)) return value.map(plain).filter((one) => one !== undefined);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}
