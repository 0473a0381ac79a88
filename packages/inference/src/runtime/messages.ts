import type { Device } from './device.js';
import type { Embeddings } from './encoder.js';

/** What tells the sessions of models apart. What a worker needs to open one besides is the runtime's own. */
export interface SessionSpec {
  /** Unique for each time a model is loaded. */
  readonly id: number;
  /** What it runs on. */
  readonly device: Device;
  /** Components of a vector. */
  readonly dimensions: number;
}

/** Some texts as token ids. */
export interface TokenBatch {
  /** Token ids, one text after the other. */
  readonly ids: Int32Array;
  /** Tokens of each text. */
  readonly lengths: Uint32Array;
}

/** What a worker is asked to do. Tasks are done one after the other. */
export type Task<Spec extends SessionSpec = SessionSpec> =
  | { readonly kind: 'load'; readonly task: number; readonly spec: Spec }
  | {
      readonly kind: 'run';
      readonly task: number;
      readonly spec: Spec;
      readonly batch: TokenBatch;
      readonly normalize: boolean;
    }
  | { readonly kind: 'release'; readonly id: number }
  | { readonly kind: 'close' };

/** What became of a task. A load has no vectors; an error failed all of it. */
export type Outcome = ({ readonly task: number } & Embeddings) | { readonly task: number; readonly error: string };
