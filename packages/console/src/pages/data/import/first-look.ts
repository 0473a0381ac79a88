import { type Failure, failureOf } from '../../../server/failure.js';
import { t } from '../../../strings/strings.js';
import { FileFault } from '../files/file-row.js';
import { openFile, sampleOf } from '../files/table-file.js';
import { type Column, columnsOf } from './columns.js';

/** The columns of a file that can be imported, by its first rows. @throws FileFault where it cannot */
export async function columnsRead(file: File): Promise<readonly Column[]> {
  const table = await openFile(file);
  const rows = await sampleOf(table);
  const [first] = rows;
  if (rows.every(({ fault }) => fault !== undefined)) {
    throw new FileFault(t.data.rowFault(first?.row ?? 1, first?.fault ?? ''));
  }
  return columnsOf(rows, table.isText);
}

/** Tells that a file cannot be read, and why. */
export function readFailureOf(file: string, error: unknown): Failure {
  const failure = failureOf(error);
  return { ...failure, message: t.data.fileUnreadable(file), advice: failure.message };
}
