import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clsPool, meanPool, normalize } from '@pelorus/node';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Pooling } from '../resolved-model.js';
import type { Embeddings, InputFailure } from '../runtime/encoder.js';
import type { SessionSpec, TokenBatch } from '../runtime/messages.js';
import { reasonOf } from '../sources/source-failure.js';
import { scanOnnx } from './onnx-scan.js';

const OPTIONS: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'all',
  executionMode: 'sequential',
  // One core for each session: two sessions of one thread get more done than one of two.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // Plans kept for every shape of batch would only grow.
  enableMemPattern: false,
  extra: { session: { intra_op: { allow_spinning: '0' } } },
};

/** Inputs that encoders declare; each gets what it asks for and no more. */
const KNOWN_INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids']);

/** Outputs by preference: hidden states, so that pooling is ours, before ready-made vectors. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'];

/** What a worker has to know to open a session. */
export interface OnnxSpec extends SessionSpec {
  /** Path of the ONNX file. */
  readonly graph: string;
  /** Take the first `dimensions` components of wider vectors. */
  readonly truncates: boolean;
  readonly pooling: Pooling;
}

/** A text encoder's ONNX graph, ready to run on the calling thread. */
export class OnnxSession {
  readonly #session: InferenceSession;
  readonly #spec: OnnxSpec;
  readonly #output: string;
  /** Texts that must be run at once, where the graph fixes it or a text's vector would depend on the others. */
  readonly #batch: number | null;
  /** Tokens that every text must be padded to, where the graph fixes it. */
  readonly #length: number | null;

  private constructor(session: InferenceSession, spec: OnnxSpec, isBatchDependent: boolean) {
    this.#session = session;
    this.#spec = spec;
    this.#output = OUTPUTS.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? '';
    const [batch, length] = this.#inputShape();
    this.#batch = typeof batch === 'number' ? batch : isBatchDependent ? 1 : null;
    this.#length = typeof length === 'number' ? length : null;
  }

  /** @throws Error when the file is no such graph, or refers to files it may not. */
  static async open(spec: OnnxSpec): Promise<OnnxSession> {
    const { externalData, isBatchDependent } = scanOnnx(spec.graph);
    for (const name of externalData) {
      const state = lstatSync(join(dirname(spec.graph), name), { throwIfNoEntry: false });
      if (!state?.isFile()) throw new Error(`its graph refers to ${name}, which is not a file beside it`);
    }
    const session = await InferenceSession.create(spec.graph, OPTIONS);
    const opened = new OnnxSession(session, spec, isBatchDependent);
    opened.#check();
    return opened;
  }

  /** Vectors of the texts; one that the graph cannot take, or gives no finite vector for, fails alone. */
  async run(batch: TokenBatch, isNormalized: boolean): Promise<Embeddings> {
    const { dimensions } = this.#spec;
    const vectors = new Float32Array(batch.lengths.length * dimensions);
    const failures: InputFailure[] = [];
    for (const part of parts(batch, this.#batch ?? batch.lengths.length)) await this.#runPart(part, vectors, failures);
    return { vectors: isNormalized ? normalize(vectors, dimensions) : vectors, failures };
  }

  /** Runs some texts at once. Where that fails each is run by itself, to tell which of them it was. */
  async #runPart(part: Part, vectors: Float32Array, failures: InputFailure[]): Promise<void> {
    const { dimensions } = this.#spec;
    const { firstRow: row, batch } = part;
    const count = batch.lengths.length;
    try {
      const rows = await this.#vectors(batch);
      for (let at = 0; at < count; at++) {
        const vector = rows.subarray(at * dimensions, (at + 1) * dimensions);
        if (vector.every(Number.isFinite)) vectors.set(vector, (row + at) * dimensions);
        else failures.push({ row: row + at, message: 'its vector holds what is not a finite number' });
      }
    } catch (error) {
      if (count === 1) failures.push({ row, message: reasonOf(error) });
      else for (const one of parts(batch, 1, row)) await this.#runPart(one, vectors, failures);
    }
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  async #vectors(batch: TokenBatch): Promise<Float32Array> {
    const rows = this.#batch ?? batch.lengths.length;
    const longest = batch.lengths.reduce((most, length) => Math.max(most, length), 0);
    const length = this.#length ?? longest;
    if (longest > length) throw new Error(`its graph takes at most ${length} tokens, received ${longest}`);
    const { ids, mask } = padded(batch, rows, length);
    const outputs = await this.#session.run(this.#feeds(ids, mask, rows, length), [this.#output]);
    const output = outputs[this.#output] as Tensor;
    const hidden = output.data as Float32Array;
    const width = output.dims.at(-1) ?? 0;
    const pooled =
      output.dims.length === 2
        ? hidden
        : this.#spec.pooling === 'cls'
          ? clsPool(hidden, rows, length, width)
          : meanPool(hidden, mask, rows, length, width);
    output.dispose();
    return this.#fitted(pooled, rows, width);
  }

  #feeds(ids: BigInt64Array, mask: BigInt64Array, rows: number, length: number): Record<string, Tensor> {
    const values: Record<string, () => BigInt64Array> = {
      input_ids: () => ids,
      attention_mask: () => mask,
      token_type_ids: () => new BigInt64Array(ids.length),
    };
    const feeds: Record<string, Tensor> = {};
    for (const input of this.#session.inputMetadata) {
      const value = values[input.name]?.() ?? new BigInt64Array(ids.length);
      feeds[input.name] =
        input.isTensor && input.type === 'int32'
          ? new Tensor('int32', Int32Array.from(value, Number), [rows, length])
          : new Tensor('int64', value, [rows, length]);
    }
    return feeds;
  }

  #fitted(pooled: Float32Array, rows: number, width: number): Float32Array {
    const { dimensions, truncates } = this.#spec;
    if (width === dimensions) return pooled;
    if (!truncates || width < dimensions) throw new Error(this.#wrongWidth(width));
    const vectors = new Float32Array(rows * dimensions);
    for (let row = 0; row < rows; row++) {
      vectors.set(pooled.subarray(row * width, row * width + dimensions), row * dimensions);
    }
    return vectors;
  }

  #check(): void {
    const stray = this.#session.inputNames.find((name) => !KNOWN_INPUTS.has(name));
    if (stray !== undefined) throw new Error(`its graph asks for an input "${stray}", which text encoders do not have`);
    const output = this.#session.outputMetadata.find(({ name }) => name === this.#output);
    if (output === undefined || !output.isTensor || output.type !== 'float32') {
      throw new Error(`its output "${this.#output}" is not float32`);
    }
    const width = output.shape.at(-1);
    const { dimensions, truncates } = this.#spec;
    if (typeof width === 'number' && width !== dimensions && !(truncates && width > dimensions)) {
      throw new Error(this.#wrongWidth(width));
    }
  }

  #wrongWidth(width: number): string {
    return `its vectors have ${width} dimensions, its properties say ${this.#spec.dimensions}`;
  }

  #inputShape(): readonly (number | string)[] {
    const input = this.#session.inputMetadata.find(({ name }) => name === 'input_ids');
    return input?.isTensor === true ? input.shape : [];
  }
}

/** Texts of a batch that are run at once. */
interface Part {
  /** Where their vectors begin in the whole. */
  readonly firstRow: number;
  readonly batch: TokenBatch;
}

/** A batch, whose first text is row `firstRow`, in parts of `count` texts at most. Nothing is copied. */
function* parts({ ids, lengths }: TokenBatch, count: number, firstRow = 0): Generator<Part> {
  let start = 0;
  for (let first = 0; first < lengths.length; first += count) {
    const some = lengths.subarray(first, first + count);
    const end = some.reduce((sum, length) => sum + length, start);
    yield { firstRow: firstRow + first, batch: { ids: ids.subarray(start, end), lengths: some } };
    start = end;
  }
}

/** Rows of equal length, padded with id 0 and mask 0. Both are `[rows, length]`. */
function padded(batch: TokenBatch, rows: number, length: number): { ids: BigInt64Array; mask: BigInt64Array } {
  const ids = new BigInt64Array(rows * length);
  const mask = new BigInt64Array(rows * length);
  // Ids are small and not negative: written through the low halves, no BigInt is ever made.
  const idHalves = new Int32Array(ids.buffer);
  const maskHalves = new Int32Array(mask.buffer);
  let at = 0;
  for (const [row, count] of batch.lengths.entries()) {
    for (let i = 0; i < count; i++) {
      const half = (row * length + i) * 2;
      idHalves[half] = batch.ids[at + i] ?? 0;
      maskHalves[half] = 1;
    }
    at += count;
  }
  return { ids, mask };
}
