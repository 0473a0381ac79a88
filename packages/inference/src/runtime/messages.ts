import type { Pooling } from '../resolved-model.js';
import type { Device } from './device.js';

/** What a worker has to know to run a model. */
export interface SessionSpec {
  /** Unique for each time a model is loaded. */
  readonly id: number;
  /** What it runs on. */
  readonly device: Device;
  /** Path of the ONNX file. */
  readonly graph: string;
  /** Components of a vector. */
  readonly dimensions: number;
  /** Take the first `dimensions` components of wider vectors. */
  readonly truncates: boolean;
  readonly pooling: Pooling;
}

/** What a worker is asked to do. Tasks are done one after the other. */
export type Task =
  | { readonly kind: 'load'; readonly task: number; readonly spec: SessionSpec }
  | {
      readonly kind: 'run';
      readonly task: number;
      readonly spec: SessionSpec;
      /** Token ids of all texts of the batch, one text after the other. */
      readonly ids: Int32Array;
      /** Tokens of each text. */
      readonly lengths: Uint32Array;
      readonly normalize: boolean;
    }
  | { readonly kind: 'release'; readonly id: number }
  | { readonly kind: 'close' };

/** What became of a task. `vectors` is `[texts, dim]`, row-major; empty for a load. */
export type Outcome =
  | { readonly task: number; readonly vectors: Float32Array }
  | { readonly task: number; readonly error: string };
