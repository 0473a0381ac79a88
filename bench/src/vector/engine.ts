/** Commands that each engine answers, ours in Rust and the peers in Node, each in its own process. */
export type EngineCommand =
  | { op: 'build'; m: number; efConstruction: number }
  | { op: 'search'; ef: number; k: number };

/** Of a build on one thread. */
export interface Built {
  seconds: number;
  /** Bytes of vectors, codes and links. */
  indexBytes: number;
  /**
   * Microseconds that a search costs before it reaches the graph: the binding's conversions,
   * timed on an index of one vector. Taken off the peer's time, so that graphs are compared.
   */
  overheadUs?: number;
}

/** Of one pass over all queries, one after the other on one thread. */
export interface Searched {
  seconds: number;
  /** `[queries][k]`, nearest first. */
  neighbors: number[][];
}
