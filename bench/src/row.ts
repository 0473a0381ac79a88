/** One figure of ours, beside a peer's where there is one. */
export interface Row {
  /** What was measured, with its unit last: `search p50 (ms)`. */
  metric: string;
  /** Whom it is compared with: a program and its version, or a target. */
  peer: string | null;
  ours: number | null;
  theirs: number | null;
  /** Above 1 where ours is better, whichever way the metric grows. */
  ratio: number | null;
  /** The recall at which both were taken; null where nothing approximate is involved. */
  recall: number | null;
  /** A figure that should be read with care: the machine changed its speed meanwhile. */
  disturbed?: boolean;
}

/** How a metric grows when things get better. */
export type Better = 'higher' | 'lower';

export function compare(
  metric: string,
  better: Better,
  ours: number | null,
  peer: string | null = null,
  theirs: number | null = null,
  recall: number | null = null,
): Row {
  const both = ours !== null && theirs !== null && ours > 0 && theirs > 0;
  const ratio = both ? (better === 'higher' ? ours / theirs : theirs / ours) : null;
  return { metric, peer, ours, theirs, ratio, recall };
}

export function asTable(rows: readonly Row[]): string {
  const number = (value: number | null) => (value === null ? '-' : Number(value.toPrecision(4)).toString());
  const lines = rows.map((row) => [
    row.disturbed ? `${row.metric} ~` : row.metric,
    row.peer ?? '-',
    number(row.ours),
    number(row.theirs),
    row.ratio === null ? '-' : `${row.ratio.toFixed(2)}x`,
    row.recall === null ? '-' : row.recall.toString(),
  ]);
  const table = [['metric', 'peer', 'ours', 'theirs', 'ratio', 'recall'], ...lines];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? [];
  const print = (line: string[]) =>
    line
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [print(table[0] ?? []), rule, ...table.slice(1).map(print)].join('\n');
}

export function asJson(report: object): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
