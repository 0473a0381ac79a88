import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { normalize, releaseMemory } from '@pelorus/node';
import { InferenceSession } from 'onnxruntime-node';
import { scanOnnx } from '../folder/onnx-scan.js';
import { reasonOf } from '../reason.js';
import type { Embeddings, InputFailure } from '../runtime/encoder.js';
import { type InputsBatch, isTensors, type SessionSpec, type TokenBatch } from '../runtime/messages.js';
import { DetectorGraph, type DetectorUse } from './detector-graph.js';
import { OwlGraph, type OwlUse } from './owl-graph.js';
import { TensorGraph, type TensorUse } from './tensor-graph.js';
import { TextGraph, type TextUse } from './text-graph.js';

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

/** The facts that a worker needs to open a session. */
export interface OnnxSpec extends SessionSpec {
  /** Path of the ONNX file. */
  readonly graph: string;
  readonly use: TextUse | TensorUse | DetectorUse | OwlUse;
}

/** The ONNX graph of a model, or of one tower of a joint model, ready to run on the calling thread. */
export class OnnxSession {
  readonly #session: InferenceSession;
  readonly #dimensions: number;
  readonly #batchSize: number | null;
  readonly #vectors: (batch: InputsBatch) => Promise<Float32Array>;

  private constructor(
    session: InferenceSession,
    { dimensions, fixedLength, use }: OnnxSpec,
    isBatchDependent: boolean,
  ) {
    this.#session = session;
    this.#dimensions = dimensions;
    if (use.medium === 'text') {
      const graph = new TextGraph(session, use, { dimensions, fixedLength }, isBatchDependent);
      this.#batchSize = graph.batchSize;
      this.#vectors = (batch) => graph.vectors(batch as TokenBatch);
    } else {
      const graph = tensorGraph(session, use, dimensions, isBatchDependent);
      this.#batchSize = graph.batchSize;
      this.#vectors = async (batch) => {
        if (isTensors(batch)) return graph.vectors(batch);
        throw new Error(`a graph for tensors takes no texts`);
      };
    }
  }

  /** @throws Error when the file is no such graph, or refers to files it may not. */
  static async open(spec: OnnxSpec): Promise<OnnxSession> {
    const { externalData, isBatchDependent } = scanOnnx(spec.graph);
    for (const name of externalData) {
      const state = lstatSync(join(dirname(spec.graph), name), { throwIfNoEntry: false });
      if (!state?.isFile()) throw new Error(`its graph refers to ${name}, which is not a file beside it`);
    }
    const session = await InferenceSession.create(spec.graph, OPTIONS);
    // Reading a graph takes about as much again as it has, which the allocator would keep.
    await releaseMemory();
    try {
      return new OnnxSession(session, spec, isBatchDependent);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  /** Vectors of the inputs; one that the graph cannot take, or gives no finite vector for, fails alone. */
  async run(batch: InputsBatch, isNormalized: boolean): Promise<Embeddings> {
    const count = countOf(batch);
    const vectors = new Float32Array(count * this.#dimensions);
    const failures: InputFailure[] = [];
    for (const part of parts(batch, this.#batchSize ?? count)) await this.#runPart(part, vectors, failures);
    return { vectors: isNormalized ? normalize(vectors, this.#dimensions) : vectors, failures };
  }

  async release(): Promise<void> {
    await this.#session.release();
    await releaseMemory();
  }

  /** Runs some inputs at once. Where that fails each is run by itself, to tell which of them it was. */
  async #runPart(part: Part, vectors: Float32Array, failures: InputFailure[]): Promise<void> {
    const { firstRow: row, batch } = part;
    const count = countOf(batch);
    const dimensions = this.#dimensions;
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
}

function tensorGraph(
  session: InferenceSession,
  use: TensorUse | DetectorUse | OwlUse,
  dimensions: number,
  isBatchDependent: boolean,
): TensorGraph | DetectorGraph | OwlGraph {
  if (use.medium === 'detector') return new DetectorGraph(session, use);
  if (use.medium === 'owl') return new OwlGraph(session, use);
  return new TensorGraph(session, use, dimensions, isBatchDependent);
}

/** Inputs of a batch that are run at once. */
interface Part {
  /** The first row of their vectors in the whole. */
  readonly firstRow: number;
  readonly batch: InputsBatch;
}

/** A batch, whose first input is row `firstRow`, in parts of `count` inputs at most. Nothing is copied. */
function* parts(batch: InputsBatch, count: number, firstRow = 0): Generator<Part> {
  let start = 0;
  for (let first = 0; first < countOf(batch); first += count) {
    if (isTensors(batch)) {
      const { values, shape } = batch;
      const length = values.length / countOf(batch);
      const some = values.subarray(first * length, (first + count) * length);
      yield { firstRow: firstRow + first, batch: { values: some, shape } };
      continue;
    }
    const lengths = batch.lengths.subarray(first, first + count);
    const end = lengths.reduce((sum, length) => sum + length, start);
    yield { firstRow: firstRow + first, batch: { ids: batch.ids.subarray(start, end), lengths } };
    start = end;
  }
}

function countOf(batch: InputsBatch): number {
  if (!isTensors(batch)) return batch.lengths.length;
  return batch.values.length / batch.shape.reduce((product, size) => product * size, 1);
}
