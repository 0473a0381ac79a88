import type { Row } from './row.ts';

/** One named bench. */
export type Bench = (options: BenchOptions) => Promise<BenchResult>;

export interface BenchOptions {
  /** Small sizes, minutes in all: a smoke test of the harness and of gross regressions. */
  quick: boolean;
  /** The one set to measure, in benches with several. */
  set: string | null;
  /** The peers to compare in the vector and the documents bench. */
  peers: string[] | null;
  /** For the vector bench: a checkout of an older state, built, whose index is one more peer. */
  before: string | null;
  /** The vector bench on a million vectors. */
  million: boolean;
  /** The vector bench's generations of changes, in place of everything else. */
  churn: boolean;
  /**
   * For the vector and the cluster bench: so many vectors on their own. For the first as well: the type that they are kept
   * in, and memory for their codes.
   */
  scale: number | null;
  numbers: string;
  codeMemory: number | null;
  /** For the relevance bench: the folder of the judged collections. */
  collections: string | null;
  /** Tells what is being done. */
  say(line: string): void;
}

export interface BenchResult {
  rows: Row[];
  /** Lines that go below the table as they are. */
  lines?: string[];
  /** Remarks that the reader needs before believing the rows: a missing peer, a disturbed machine. */
  notes: string[];
  /** The data of the measurement. */
  dataset: unknown;
}
