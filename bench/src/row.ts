/** One figure of ours, beside a peer's where there is one. */
export interface Row {
  /** The data it was measured on, where a bench has several. */
  set?: string;
  /** The measured quantity, with its unit last: `search p50 (ms)`. */
  metric: string;
  /** Whom it is compared with: a program and its version, or a target. */
  peer: string | null;
  ours: number | null;
  theirs: number | null;
  /** Above 1 where ours is better, whichever way the metric grows. */
  ratio: number | null;
  /** The recall at which both were taken; null where nothing approximate is involved. */
  recall: number | null;
  /** The ratio that we want to reach, and the one that we chase. */
  target?: Target;
  /** A figure that should be read with care: the machine changed its speed meanwhile. */
  disturbed?: boolean;
}

export interface Target {
  reach: number;
  chase: number;
}

/** The direction in which a metric grows when things get better. */
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

interface Column {
  title: string;
  /** Texts are flush left, numbers flush right. */
  text?: boolean;
  /** Left out of tables in which no row has anything to say here. */
  rare?: boolean;
  cell(row: Row): string;
}

const NOTHING = '-';
const number = (value: number | null) => (value === null ? NOTHING : Number(value.toPrecision(4)).toString());
const times = (value: number | undefined) => (value === undefined ? NOTHING : `${value}x`);

const COLUMNS: readonly Column[] = [
  { title: 'set', text: true, rare: true, cell: ({ set }) => set ?? NOTHING },
  { title: 'metric', text: true, cell: ({ metric, disturbed }) => (disturbed ? `${metric} ~` : metric) },
  { title: 'peer', text: true, cell: ({ peer }) => peer ?? NOTHING },
  { title: 'ours', cell: ({ ours }) => number(ours) },
  { title: 'theirs', cell: ({ theirs }) => number(theirs) },
  { title: 'ratio', cell: ({ ratio }) => (ratio === null ? NOTHING : `${ratio.toFixed(2)}x`) },
  { title: 'reach', rare: true, cell: ({ target }) => times(target?.reach) },
  { title: 'chase', rare: true, cell: ({ target }) => times(target?.chase) },
  { title: 'recall', cell: ({ recall }) => (recall === null ? NOTHING : recall.toString()) },
];

export function asTable(rows: readonly Row[]): string {
  const columns = COLUMNS.filter(({ rare, cell }) => !rare || rows.some((row) => cell(row) !== NOTHING));
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: string[]) =>
    line.map((cell, i) => (columns[i]?.text ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  const [titles = [], ...figures] = lines;
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [print(titles), rule, ...figures.map(print)].join('\n');
}

export function asJson(report: object): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
