import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { endOfLines, TableRows } from '../../src/transfer/table-rows.js';

const PIECES = ['a', 'bc', ',', ',', '""', '"x,y"', '"x\ny"', '"x\r\n""y"""', ' ', 'é', '😀', '\n', '\r\n', '\r'];

/** Rows as an independent parser reads them; undefined for a table that it refuses. */
function peer(table: string, delimiter: string): string[][] | undefined {
  try {
    return parse(table, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
    });
  } catch {
    return undefined;
  }
}

/** Rows of a table that comes in parts, each of which goes on where the rows of the one before ended. */
function ours(table: string, delimiter: string, cuts: readonly number[]): string[][] | undefined {
  const split = new TableRows(delimiter, 1);
  const bytes = Buffer.from(table);
  const found: string[][] = [];
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    const isLast = cut === bytes.length;
    const part = bytes.subarray(start, cut);
    const text = (isLast ? part : part.subarray(0, endOfLines(part))).toString();
    const { rows, end, broken } = split.split(text, 0, isLast);
    if (broken !== undefined || rows.some(({ fault }) => fault !== undefined)) return undefined;
    for (const { cells } of rows) found.push([...cells]);
    start += Buffer.byteLength(text.slice(0, end));
    if (isLast) return found;
  }
  return found;
}

test.each([',', ';', '§'])(
  'rows are those of another parser, wherever the table is cut: separated by %s',
  (delimiter) => {
    const random = new Random(11);
    for (let round = 0; round < 4000; round += 1) {
      const pieces = Array.from({ length: random.int(0, 14) }, () => PIECES[random.int(0, PIECES.length - 1)] ?? '');
      const table = pieces.join('').replaceAll(',', delimiter);
      const { length } = Buffer.from(table);
      const cuts = Array.from({ length: random.int(0, 3) }, () => random.int(0, length)).toSorted((a, b) => a - b);
      expect(
        ours(
          table,
          delimiter,
          cuts.filter((cut) => cut < length),
        ),
        JSON.stringify([table, cuts]),
      ).toEqual(peer(table, delimiter));
    }
  },
);

test('a quote in the wrong place is told by its line, and rows before it are given', () => {
  const told = (table: string) => new TableRows(',', 1).split(table, 0, true);
  expect(told('a\n\n"b\nc",d"\ne\n')).toEqual({
    rows: [
      { place: 0, cells: ['a'], fault: undefined },
      { place: 1, cells: ['b\nc', 'd"'], fault: 'Line 4: Invalid Opening Quote: one stands within cell 2, behind "d"' },
      { place: 2, cells: ['e'], fault: undefined },
    ],
    end: 14,
    hasMore: false,
    broken: undefined,
  });
  expect(told('a\n"b\n"c,d\ne\n')).toMatchObject({
    rows: [{ cells: ['a'] }],
    broken: { line: 3, said: 'Invalid Closing Quote: "c" follows it, expected the end of the cell' },
  });
  expect(told('a\n"b\nc\n')).toMatchObject({ rows: [{ cells: ['a'] }], broken: { line: 2 } });
});

test('a part ends behind its last whole line', () => {
  const end = (text: string) => endOfLines(Buffer.from(text));
  expect(['', 'a', '\n', '\r', 'a\nb', 'a\rb', 'a\r', 'a\r\nb\r', 'a\nb\rc'].map(end)).toEqual([
    0, 0, 1, 0, 2, 2, 0, 3, 4,
  ]);
});
