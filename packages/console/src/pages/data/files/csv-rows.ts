import { t } from '../../../strings/strings.js';
import type { Encoding } from './encoding.js';
import { FileFault, type FileRow, textPieces } from './file-row.js';

const DELIMITERS = [',', ';', '\t', '|'];
/** A quote that never ends would take the rest of the file for one cell. */
const CELL_LENGTH_MAX = 16 * 1024 * 1024;

/** Rows of CSV (RFC 4180), by the names of its first one. The delimiter is the most frequent one in that. */
export async function* csvRows(
  file: Blob,
  onRead?: (bytes: number) => void,
  encoding?: Encoding,
): AsyncGenerator<FileRow, void, void> {
  let names: readonly string[] | undefined;
  for await (const { line, cells } of csvRecords(file, onRead, encoding)) {
    if (names === undefined) {
      names = headerOf(cells);
    } else if (cells.length > 1 || cells[0] !== '') {
      yield rowOf(line, cells, names);
    }
  }
  if (names === undefined) throw new FileFault(t.data.faults.empty);
}

function headerOf(cells: readonly string[]): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const blank = names.indexOf('');
  if (blank >= 0) throw new FileFault(t.data.faults.noName(blank + 1));
  const double = names.find((name, place) => names.indexOf(name) !== place);
  if (double !== undefined) throw new FileFault(t.data.faults.doubleName(double));
  return names;
}

function rowOf(row: number, cells: readonly string[], names: readonly string[]): FileRow {
  if (cells.length !== names.length) return { row, fault: t.data.faults.cells(cells.length, names.length) };
  // A blank cell is a value that is not there.
  const given = names.flatMap((name, place) => (cells[place] === '' ? [] : [[name, cells[place]] as const]));
  return { row, fields: Object.fromEntries(given) };
}

interface CsvRecord {
  /** The line that it begins in, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

async function* csvRecords(
  file: Blob,
  onRead?: (bytes: number) => void,
  encoding?: Encoding,
): AsyncGenerator<CsvRecord, void, void> {
  let [cell, line, begun, delimiter]: [string, number, number, string] = ['', 1, 1, ''];
  let cells: string[] = [];
  let [isQuoted, wasQuoted, isAfterQuote, isAfterReturn] = [false, false, false, false];
  const endCell = () => {
    cells.push(cell);
    [cell, wasQuoted] = ['', false];
  };
  let head = '';
  for await (let piece of textPieces(file, onRead, encoding)) {
    if (delimiter === '') {
      head += piece;
      // The names decide: they are waited for, unless there is only one line.
      if (!/[\r\n]/.test(head) && head.length < CELL_LENGTH_MAX && onlyMore(file, head)) continue;
      delimiter = delimiterOf(head);
      [piece, head] = [head, ''];
    }
    for (const character of piece) {
      if (isAfterReturn) {
        isAfterReturn = false;
        if (character === '\n') continue;
      }
      if (isQuoted) {
        if (isAfterQuote) {
          isAfterQuote = false;
          if (character === '"') {
            cell += '"';
            continue;
          }
          isQuoted = false;
        } else if (character === '"') {
          isAfterQuote = true;
          continue;
        } else {
          if (character === '\n') line += 1;
          cell += character;
          if (cell.length > CELL_LENGTH_MAX) throw new FileFault(t.data.faults.quote(begun));
          continue;
        }
      }
      if (character === '"' && cell === '' && !wasQuoted) [isQuoted, wasQuoted] = [true, true];
      else if (character === delimiter) endCell();
      else if (character === '\n' || character === '\r') {
        isAfterReturn = character === '\r';
        endCell();
        yield { line: begun, cells };
        line += 1;
        [cells, begun] = [[], line];
      } else cell += character;
    }
  }
  if (head !== '') {
    // One line alone, without an end: names without rows.
    delimiter = delimiterOf(head);
    yield { line: 1, cells: head.split(delimiter) };
    return;
  }
  if (isQuoted && !isAfterQuote) throw new FileFault(t.data.faults.quote(begun));
  if (cell !== '' || cells.length > 0 || wasQuoted) {
    endCell();
    yield { line: begun, cells };
  }
}

/** Tells whether more of the file is to come behind this much of its text. */
const onlyMore = (file: Blob, head: string): boolean => new Blob([head]).size < file.size;

/** The delimiter that stands most often in the first line, outside of quotes. */
function delimiterOf(text: string): string {
  const [first = ''] = text.replaceAll(/"(?:[^"]|"")*"?/g, '').split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((one) => [one, first.split(one).length] as const);
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}
