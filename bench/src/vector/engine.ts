/**
 * The commands of engines, one JSON object a line, and their answers: ours in Rust, the peers in Node or Python, each
 * in a process of its own. It is started with the data set's folder, whose files `bench/vector/src/dataset.rs`
 * describes, the dimension, and what its definition adds.
 */
export type EngineCommand = Build | Search;

export interface Build {
  op: 'build';
  m: number;
  efConstruction: number;
  threads: number;
  /** Ours alone: an empty folder for what need not be in memory. */
  directory?: string;
}

/** The commands for ours alone. */
export type OwnCommand =
  /** A request that names no search list. */
  | { op: 'default'; k: number; count?: number }
  /** The same without ever stopping early. */
  | { op: 'ceiling'; ef: number; k: number; count?: number }
  /** Searches on one thread while another writes and a third links. */
  | { op: 'streaming'; writesPerSecond: number; seconds: number; k: number }
  | { op: 'churn'; generations: number; share: number; k: number; threads: number }
  /** Writes a snapshot to the folder of the build. */
  | { op: 'save' }
  /** Opens the snapshot of a folder and searches; in place of a build, with its parameters. */
  | { op: 'restart'; directory: string; m: number; efConstruction: number; k: number }
  /** A fixed piece of work that tells whether the machine changed its speed. */
  | { op: 'control' };

/** One pass over a set of queries, one after the other on each thread. */
export interface Search {
  op: 'search';
  /** The engine's own measure of effort: the search list where it has one. */
  ef: number;
  k: number;
  /** The set of queries. Default `queries`. */
  set?: QuerySet;
  /** Only ids of `filter-<passRate>.u32` may be answered. */
  passRate?: PassRate;
  /** Ours alone: threads that take the queries in turn, each query so many `times`. */
  threads?: number;
  times?: number;
  /** Only that many queries, the first ones. Engines may ignore it and search for all. */
  count?: number;
}

export type QuerySet = 'queries' | 'outside' | 'correlated';
/** A share, or the filter that lets pass what is farthest from the queries. */
export type PassRate = number | 'correlated';

/** The answer of an engine that cannot do what it was asked. */
export interface Unsupported {
  unsupported: true;
  why?: string;
}

export interface Built {
  seconds: number;
  /** Bytes of vectors, codes and links, by the engine's own account. */
  indexBytes: number;
  /** The growth of the process. */
  residentBytes?: number | null;
  /** The growth in pages of files, which the system may drop: not part of the above. */
  mappedBytes?: number | null;
  /** Threads that really built, where the engine cannot use those it was given. */
  threads?: number;
  /**
   * Microseconds that a search costs before it reaches the index: the binding's conversions,
   * timed on an index of one vector. Taken off the peer's time, so that indexes are compared.
   */
  overheadUs?: number;
  version?: string;
}

export interface Searched {
  /** Seconds of the searches alone. */
  seconds: number;
  /** `[queries][k]`, nearest first. */
  neighbors: number[][];
}

export interface Streamed {
  qps: number;
  p50Us: number;
  p99Us: number;
  /** Recall of answers at the moment they were given. */
  recall: number | null;
}

export interface Churned {
  /** Before any change, then after each generation. */
  generations: { recall: number; bytes: number }[];
  documents: number;
  /** Living documents that a search for their own vector does not answer. */
  unfound: number;
  /** Living vectors that no links lead to. */
  unreachable: number;
}

export interface Restarted {
  /** Until the first search was answered. */
  seconds: number;
  /** `[queries][k]`, searched for after that. */
  neighbors: number[][];
}

export interface Control {
  scanSeconds: number;
  multiplySeconds: number;
}
