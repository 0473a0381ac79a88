/** Delimiters that a table is tried with, the likeliest first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
const NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' };
/** Rows that are looked at. */
const ROWS_MAX = 50;

export interface Dialect {
  readonly delimiter: string;
  /** The line of the names, from 1: spreadsheets may write one before it that tells the delimiter. */
  readonly firstLine: number;
}

export function delimiterName(delimiter: string): string {
  return NAMES[delimiter] ?? delimiter;
}

/** The delimiter of a table, by its first rows: that with which most have as many cells as the line of names, which has most cells then. */
export function dialectOf(start: string): Dialect {
  const told = /^\uFEFF?sep=(.)\r?(?:\n|$)/i.exec(start)?.[1];
  if (told !== undefined) return { delimiter: told, firstLine: 2 };
  const rows = rowsOf(start);
  let [best, bestShare, bestCells] = [DELIMITERS[0] as string, 0, 1];
  for (const delimiter of DELIMITERS) {
    const counts = rows.map((row) => row.get(delimiter) ?? 0);
    const [cells = 0] = counts;
    const share = counts.filter((count) => count === cells).length / counts.length;
    if (cells > 0 && (share > bestShare || (share === bestShare && cells > bestCells))) {
      [best, bestShare, bestCells] = [delimiter, share, cells];
    }
  }
  return { delimiter: best, firstLine: 1 };
}

/** For each of the first whole rows how often each delimiter stands outside of quotes. */
function rowsOf(start: string): Map<string, number>[] {
  const rows: Map<string, number>[] = [];
  let row = new Map<string, number>();
  let [isQuoted, isBlank] = [false, true];
  for (const character of start) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted && character === '\n') {
      if (!isBlank) rows.push(row);
      if (rows.length >= ROWS_MAX) return rows;
      [row, isBlank] = [new Map(), true];
      continue;
    }
    isBlank &&= character === '\r';
    if (!isQuoted && character in NAMES) row.set(character, (row.get(character) ?? 0) + 1);
  }
  // The last row may be cut.
  return rows.length === 0 ? [row] : rows;
}
