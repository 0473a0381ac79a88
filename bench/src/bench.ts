import type { Row } from './row.ts';

/** One named bench. */
export type Bench = (options: BenchOptions) => Promise<BenchResult>;

export interface BenchOptions {
  /** Small sizes, minutes in all: a smoke test of the harness and of gross regressions. */
  quick: boolean;
  /** Of benches with several data sets: this one alone. */
  set: string | null;
  /** Of the vector and the documents bench: these peers alone. */
  peers: string[] | null;
  /** Of the vector bench: a checkout of an older state, built, whose index is one more peer. */
  before: string | null;
  /** The vector bench on a million vectors. */
  million: boolean;
  /** The vector bench's generations of changes, in place of everything else. */
  churn: boolean;
  /** Of the relevance bench: the folder of the judged collections. */
  collections: string | null;
  /** Tells what is being done. */
  say(line: string): void;
}

export interface BenchResult {
  rows: Row[];
  /** What goes below the table as it is. */
  lines?: string[];
  /** What the reader has to know before believing the rows: a missing peer, a disturbed machine. */
  notes: string[];
  /** What was measured on. */
  dataset: unknown;
}
