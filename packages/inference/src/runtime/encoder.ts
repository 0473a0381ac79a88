import { type engine, PelorusError } from '@pelorus/contract';
import type { EncoderInput, InputBatch } from '@pelorus/node';
import type { Device } from './device.js';

/** Texts as inputs. */
export function textInputs(texts: readonly string[]): EncoderInput[] {
  return texts.map((text) => ({ kind: 'text', text }));
}

/** Equal inputs have equal keys, and others do not. */
export function inputKey({ kind, text }: EncoderInput): string {
  return `${kind} ${text}`;
}

/** Queries are answered before documents. */
export type Priority = 'query' | 'document';

/** How long the parts of an encoding took, in milliseconds. */
export interface EncodeTimings {
  readonly tokenizeMs: number;
  /** Waiting for a worker and running. */
  readonly inferMs: number;
}

export interface EncodeOptions {
  /** Vectors of unit length. Models whose vectors always have it ignore this. */
  readonly normalize: boolean;
  readonly priority: Priority;
  /** Aborted when nobody waits for the vectors any more: what still waits for a worker is then not computed. */
  readonly signal?: AbortSignal | undefined;
  /** Told how long it took, when a model was run. */
  readonly telemetry?: ((timings: EncodeTimings) => void) | undefined;
}

/** The vectors of some inputs, in their order. */
export interface Embeddings {
  /** `[inputs, dimensions]`, row-major; zeros in the row of an input that failed. */
  readonly vectors: Float32Array;
  /** The inputs without a vector, ascending; as a rule none. */
  readonly failures: readonly InputFailure[];
}

/** An input without a vector: its row, and what is wrong with it. */
export type InputFailure = engine.InputFailure;

/**
 * A loaded model on a device: whatever computes vectors. Every implementation passes the suite in
 * `test/runtime/encoder-conformance.ts`.
 */
export interface Encoder {
  /** Components of a vector. */
  readonly dimensions: number;
  readonly device: Device;
  /** A call is being answered. */
  readonly isBusy: boolean;
  /**
   * A vector or a failure for each input; a vector does not depend on what else is asked for, beyond the last bits. Takes
   * what the batch holds.
   * @throws the reason of `signal` once it is aborted
   * @throws Error when all of it failed for a reason that is not in the inputs: a worker that was lost, or the end
   */
  encode(inputs: InputBatch, options: EncodeOptions): Promise<Embeddings>;
  /** Gives the memory back once the calls under way are answered. Nothing may be asked of it after that. */
  release(): Promise<void>;
}

/**
 * The vectors of a caller that needs all of them.
 * @throws PelorusError `invalid_argument` with the reason of the first failure
 */
export function allVectors({ vectors, failures }: Embeddings): Float32Array {
  const [first] = failures;
  if (first !== undefined) throw new PelorusError('invalid_argument', `The input cannot be embedded: ${first.message}`);
  return vectors;
}
