/**
 * The commands of engines, one JSON object a line, and their answers; `bench/search/src/command.rs` is the other side.
 */

/** Queries of one kind. */
export interface Cell {
  title: string;
  /** The frequency class of the words: a name in the corpus. */
  words: string;
  terms: number;
  /** The fields searched. Default: all. */
  fields?: string[];
  /** Tells whether a document must hold all words. */
  required?: true;
  /** Only documents with this mark. */
  mark?: string;
  /** Tells whether the number of all matches is asked for. */
  total?: true;
  /** Tells whether the last word stands for those that it begins. Not for tantivy. */
  prefix?: true;
  /** Tells whether words stand for those that differ by a typo or two. Not for tantivy. */
  typos?: true;
}

/** Runs the first `count` queries of a cell, one after the other. */
export interface Search {
  kind: 'search';
  cell: Cell;
  k: number;
  count: number;
}

/** Builds the index anew, in place of the one that is there. */
export interface Build {
  kind: 'build';
}

export interface Built {
  seconds: number;
  /** Processor time of all threads. */
  processorSeconds: number;
}

export interface Searched {
  /** Processor time of each query. */
  micros: number[];
  /** Matches of each query, where they were asked for. */
  totals: number[];
  /** `[queries][k]`, best first. */
  hits: number[][];
}
