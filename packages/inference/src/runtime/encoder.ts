import { type engine, PelorusError } from '@pelorus/contract';
import type { DevicePrecision, EncoderInput, InputBatch, Medium } from '@pelorus/node';
import type { Precision } from '../config.js';
import type { PicturePreprocessing } from '../resolved-model.js';
import type { Device } from './device.js';

/** Texts as inputs. */
export function textInputs(texts: readonly string[]): EncoderInput[] {
  return texts.map((text) => ({ kind: 'text', text }));
}

/** Equal inputs have equal keys, and others do not. */
export function inputKey(input: EncoderInput): string {
  return input.kind === 'text' ? `text ${input.text}` : JSON.stringify(input);
}

/** Queries are answered before documents. */
export type Priority = 'query' | 'document';

/** The times of the parts of an encoding, in milliseconds. */
export interface EncodeTimings {
  readonly tokenizeMs: number;
  /** Waiting for a worker and running. */
  readonly inferMs: number;
}

/** The work of threads that compute vectors, since they were made. */
export interface EncoderWork {
  /** Inputs that were computed in one go. */
  readonly batches: number;
  readonly inputs: number;
  /** Tokens of these; of pictures patches of 16 x 16 pixels. */
  readonly tokens: number;
  /** Inputs that wait. */
  readonly waiting: number;
}

export interface EncodeOptions {
  /** Vectors of unit length. Models whose vectors always have it ignore this. */
  readonly normalize: boolean;
  readonly priority: Priority;
  /** Aborted when nobody waits for the vectors any more: what still waits for a worker is then not computed. */
  readonly signal?: AbortSignal | undefined;
  /** The use of the texts, for services that tell them apart; that of `priority` when absent. */
  readonly textsAs?: Priority | undefined;
  /** The caller's own key for a service, instead of the operator's. */
  readonly serviceKey?: string | null | undefined;
  /** Told how long it took, when a model was run. */
  readonly telemetry?: ((timings: EncodeTimings) => void) | undefined;
}

/** The vectors of some inputs, one for each, in their order. */
export interface Embeddings {
  /** `[inputs, dimensions]`, row-major; zeros in the row of an input that failed. */
  readonly vectors: Float32Array;
  /** The inputs without a vector, ascending; as a rule none. */
  readonly failures: readonly InputFailure[];
}

/** The vectors of the inputs of a query. */
export interface QueryEmbeddings extends Embeddings {
  /** The inputs that turned out to be pictures, films or sounds, ascending. */
  readonly media: readonly number[];
}

/** The vectors of some inputs, of which long chunks, pictures, films and sounds may have several. */
export interface PartedEmbeddings extends Embeddings {
  /** `[rows, dimensions]`: an input among `parts` has as many rows as it has parts, every other one. */
  readonly vectors: Float32Array;
  /** The inputs that have a vector for each of their parts, ascending. */
  readonly parts: readonly InputParts[];
}

/** An input with a vector for each of its parts: its row, and what is stored and shown for each. */
export type InputParts = engine.InputParts;

/** Tensors of one shape, as a tower takes them. */
export interface TensorBatch {
  /** `[count, ...shape]`, row-major. */
  readonly values: Float32Array;
  /** Shape of one tensor, such as `[3, 224, 224]`. */
  readonly shape: readonly number[];
}

/** An input without a vector: its row, and its failure. */
export type InputFailure = engine.InputFailure;

/**
 * The program that computes vectors: an encoder of Pelorus itself, ONNX Runtime, each for some kinds of input, or a
 * service that is asked by HTTP.
 */
export type Runtime = 'pelorus' | 'onnxruntime' | 'both' | 'service';

/**
 * A loaded model on a device: whatever computes vectors. Every implementation passes the suite in
 * `test/runtime/encoder-conformance.ts`.
 */
export interface Encoder {
  /** Components of a vector. */
  readonly dimensions: number;
  readonly device: Device;
  readonly runtime: Runtime;
  /** The numbers that it multiplies in. */
  readonly precision: Precision | DevicePrecision;
  /** All its copies have their weights in common: another takes no memory that counts. */
  readonly sharesWeights: boolean;
  /** The preparation of its pictures, where its files say more than its name; null otherwise. */
  readonly picture?: PicturePreprocessing | null;
  /** A call is being answered. */
  readonly isBusy: boolean;
  /**
   * A vector or a failure for each text of a batch that holds nothing else, and for each part of a chunk that the model
   * does not read whole; a vector does not depend on what else is asked for, beyond the last bits. Takes the contents
   * of the batch.
   * @throws the reason of `signal` once it is aborted
   * @throws Error when all of it failed for a reason that is not in the inputs: a worker that was lost, or the end
   */
  encode(inputs: InputBatch, options: EncodeOptions): Promise<PartedEmbeddings>;
  /**
   * A vector or a failure for each tensor of a medium among the model's modalities, prepared as the model asks for. Takes
   * the tensors' memory.
   * @throws as `encode` does
   */
  encodeTensors(medium: Medium, tensors: TensorBatch, options: EncodeOptions): Promise<Embeddings>;
  /**
   * Sets the number of copies, at least one, that compute at once from now on. Calls under way are answered all the
   * same.
   */
  setCopies(count: number): void;
  /** Gives the memory back once the calls under way are answered. Nothing may be asked of it after that. */
  release(): Promise<void>;
}

/** Turns failures of rows into those of inputs, of which some were computed in parts: an input fails with its parts. */
export function ofInputs({ vectors, failures }: Embeddings, parts: readonly InputParts[]): PartedEmbeddings {
  if (parts.length === 0 || failures.length === 0) return { vectors, failures, parts };
  const messages = new Map<number, string>();
  for (const { row, message } of failures) {
    const input = inputOf(row, parts);
    if (!messages.has(input)) messages.set(input, message);
  }
  return { vectors, failures: [...messages].map(([row, message]) => ({ row, message })), parts };
}

function inputOf(row: number, parts: readonly InputParts[]): number {
  let before = 0;
  for (const { row: input, chunks } of parts) {
    if (row < input + before) break;
    if (row < input + before + chunks.length) return input;
    before += chunks.length - 1;
  }
  return row - before;
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
