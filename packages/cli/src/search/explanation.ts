import { type Output, stylesFor, widthOf } from '../terminal/style.js';
import { cut, displayWidth, inOneLine } from '../terminal/width.js';

/** A value, and the values that it follows from; the contract's type leaves open what these are. */
export interface Explanation {
  readonly value: number | null;
  readonly operation: string;
  readonly description: string;
  readonly field?: string;
  readonly term?: string;
  readonly details: readonly Explanation[];
}

/** Columns of the bar of a value that is all of its sum. */
const BAR_WIDTH = 20;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
const INDENT = 2;
/** The numbers of BM25 are those of every text search; the answer as JSON has them. */
const CLOSED = 'bm25';

interface Line {
  readonly value: string;
  readonly bar: string;
  readonly label: string;
}

/** The numbers that a score follows from, as a tree; each part of a sum has a bar for its share. */
export function explanationText(title: string, explanation: Explanation, out?: Output): string {
  const { bold, good } = stylesFor(out);
  const lines = linesOf(explanation, 0, undefined);
  const width = Math.max(...lines.map(({ value }) => displayWidth(value)));
  const room = Math.max(20, widthOf(out) - width - BAR_WIDTH - 4);
  const text = lines.map(({ value, bar, label }) => {
    const start = `${value.padEnd(width)}  ${good(bar)}${' '.repeat(BAR_WIDTH - displayWidth(bar))}  `;
    return `${start}${cut(inOneLine(label), room)}`.trimEnd();
  });
  return `${bold(inOneLine(title))}\n${text.join('\n')}\n`;
}

function linesOf(part: Explanation, depth: number, sum: number | undefined): Line[] {
  const { value, operation, description, field, term, details } = part;
  const subject = [field, term].filter((name) => name !== undefined).join(': ');
  const own = {
    value: `${' '.repeat(INDENT * depth)}${value === null ? 'beyond 64 bits' : numberText(value)}`,
    bar: sum === undefined || value === null ? '' : barOf(value / sum),
    label: operation === CLOSED ? `${subject}, BM25` : [description, subject].filter(Boolean).join('; '),
  };
  if (operation === CLOSED) return [own];
  const isSum = operation === 'sum' && value !== null && value > 0;
  return [own, ...details.flatMap((one) => linesOf(one, depth + 1, isSum ? value : undefined))];
}

/** A bar for a share, 0 to 1; a part may be negative, or more than its sum. */
export function barOf(share: number): string {
  const eighths = Math.round(8 * BAR_WIDTH * Math.min(Math.max(share, 0), 1));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Five digits that count. */
function numberText(value: number): string {
  return String(Number(value.toPrecision(5)));
}
