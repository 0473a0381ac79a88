import { t } from '../../../strings/strings.js';
import { FileFault, type FileRow, textPieces } from './file-row.js';

/** Rows of a file that is one JSON array. */
export async function* jsonArrayRows(
  file: Blob,
  onRead?: (bytes: number) => void,
): AsyncGenerator<FileRow, void, void> {
  let text = '';
  for await (const piece of textPieces(file)) text += piece;
  const rows = parsed(text);
  if (!Array.isArray(rows)) throw new FileFault(t.data.faults.noArray);
  for (const [place, value] of rows.entries()) {
    onRead?.(Math.round((file.size * (place + 1)) / rows.length));
    yield rowOf(place + 1, value);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FileFault(t.data.faults.json((error as Error).message));
  }
}

/** Rows of a file with one JSON object in each line; a file that is one object over several lines is one row. */
export async function* jsonLineRows(file: Blob, onRead?: (bytes: number) => void): AsyncGenerator<FileRow, void, void> {
  let [rest, line] = ['', 0];
  let isFirst = true;
  for await (const piece of textPieces(file, onRead)) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      const row = lineOf(line, text);
      if (isFirst && row.fault !== undefined && /^\s*\{\s*$/.test(text)) {
        yield* wholeObject(file);
        return;
      }
      isFirst = false;
      yield row;
    }
  }
  if (rest.trim() !== '') yield lineOf(line + 1, rest);
}

async function* wholeObject(file: Blob): AsyncGenerator<FileRow, void, void> {
  let text = '';
  for await (const piece of textPieces(file)) text += piece;
  yield rowOf(1, parsed(text));
}

function lineOf(row: number, text: string): FileRow {
  try {
    return rowOf(row, JSON.parse(text));
  } catch (error) {
    return { row, fault: t.data.faults.json((error as Error).message) };
  }
}

function rowOf(row: number, value: unknown): FileRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { row, fault: t.data.faults.noObject };
  const fields = Object.entries(value).filter(([, one]) => one !== null);
  return { row, fields: Object.fromEntries(fields) };
}
