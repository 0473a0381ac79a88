import { type Output, stylesFor, widthOf } from './style.js';
import { cut, displayWidth, inOneLine } from './width.js';

export interface Column {
  readonly title: string;
  /** For numbers. */
  readonly isRight?: boolean;
}

/** A line of a cell: its text, and the style that it gets once it is cut to its place. */
export type CellLine = string | { readonly text: string; style(text: string): string };
export type Cell = CellLine | readonly CellLine[];

/** Columns between two columns of a table. */
const GAP = 2;
/** However narrow a terminal is, so much of the last column is shown. */
const LAST_WIDTH_MIN = 20;

/**
 * Rows under their titles. Each column is as wide as its widest cell; the last one is cut at the edge of the terminal.
 */
export function tableOf(columns: readonly Column[], rows: readonly (readonly Cell[])[], out?: Output): string {
  const { dim } = stylesFor(out);
  const titles = columns.map(({ title }) => ({ text: title, style: dim }));
  const table = [titles, ...rows].map((row) => row.map(linesOf));
  const widths = columns.map((_, at) =>
    Math.max(0, ...table.flatMap((row) => (row[at] ?? []).map(({ text }) => displayWidth(text)))),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  widths[widths.length - 1] = Math.min(widths.at(-1) ?? 0, Math.max(widthOf(out) - before, LAST_WIDTH_MIN));
  return table.map((row) => rowText(row, columns, widths)).join('');
}

/** Names and their values, one pair a line. */
export function pairsOf(pairs: readonly (readonly [name: string, value: CellLine])[], out?: Output): string {
  const { dim } = stylesFor(out);
  const width = Math.max(0, ...pairs.map(([name]) => displayWidth(name)));
  const room = Math.max(widthOf(out) - width - GAP, LAST_WIDTH_MIN);
  return pairs
    .map(([name, value]) => `${dim(padded(name, width))}${' '.repeat(GAP)}${shown(lineOf(value), room)}\n`)
    .join('');
}

type Line = { readonly text: string; style(text: string): string };

function linesOf(cell: Cell): Line[] {
  return (Array.isArray(cell) ? (cell as readonly CellLine[]) : [cell as CellLine]).map(lineOf);
}

function lineOf(line: CellLine): Line {
  const { text, style } = typeof line === 'string' ? { text: line, style: (same: string) => same } : line;
  return { text: inOneLine(text), style };
}

function rowText(row: readonly (readonly Line[])[], columns: readonly Column[], widths: readonly number[]): string {
  const height = Math.max(...row.map((lines) => lines.length));
  let text = '';
  for (let at = 0; at < height; at += 1) {
    const cells = row.map((lines, column) => {
      const line = lines[at] ?? { text: '', style: (same: string) => same };
      const width = widths[column] ?? 0;
      const room = ' '.repeat(Math.max(0, width - displayWidth(line.text)));
      const one = shown(line, width);
      return columns[column]?.isRight ? `${room}${one}` : `${one}${room}`;
    });
    text += `${cells.join(' '.repeat(GAP)).trimEnd()}\n`;
  }
  return text;
}

const shown = ({ text, style }: Line, width: number): string => style(cut(text, width));

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - displayWidth(text)));
