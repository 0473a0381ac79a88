import type { Device } from './device.js';
import type { Embeddings, TensorBatch } from './encoder.js';

/** The identity and shape of a session. A runtime adds the facts with which its workers open one. */
export interface SessionSpec {
  /** Unique for each time a model is loaded. */
  readonly id: number;
  /** The device that it runs on. */
  readonly device: Device;
  /** Components of a vector. */
  readonly dimensions: number;
  /** Tokens that every text is padded to; absent: those of the longest in its batch. */
  readonly fixedLength?: number | undefined;
}

/** Some texts as token ids. */
export interface TokenBatch {
  /** Token ids, one text after the other. */
  readonly ids: Int32Array;
  /** Tokens of each text. */
  readonly lengths: Uint32Array;
}

/** The inputs that a session runs at once: texts, or pictures, films or sounds. */
export type InputsBatch = TokenBatch | TensorBatch;

export const isTensors = (batch: InputsBatch): batch is TensorBatch => 'values' in batch;

/** A job for a worker. Tasks are done one after the other. */
export type Task<Spec extends SessionSpec = SessionSpec> =
  | { readonly kind: 'load'; readonly task: number; readonly spec: Spec }
  | {
      readonly kind: 'run';
      readonly task: number;
      readonly spec: Spec;
      readonly batch: InputsBatch;
      readonly normalize: boolean;
    }
  | { readonly kind: 'release'; readonly id: number }
  | { readonly kind: 'close' };

/** The outcome of a task. A load has no vectors; an error failed all of it. */
export type Outcome = ({ readonly task: number } & Embeddings) | { readonly task: number; readonly error: string };
