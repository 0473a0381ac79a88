import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { releaseMemory } from '@pelorus/node';
import { InferenceSession } from 'onnxruntime-node';
import type { Precision } from '../config.js';
import { scanOnnx } from '../folder/onnx-scan.js';
import type { Embeddings } from '../runtime/encoder.js';
import { type InputsBatch, isTensors, type SessionSpec, type TokenBatch } from '../runtime/messages.js';
import { embedApart, type VectorSource } from './apart.js';
import { DetectorGraph, type DetectorUse } from './detector-graph.js';
import { OwlGraph, type OwlUse } from './owl-graph.js';
import { PairGraph, type PairUse } from './pair-graph.js';
import { TensorGraph, type TensorUse } from './tensor-graph.js';
import { TextGraph, type TextUse } from './text-graph.js';
import { TokenGraph, type TokenUse } from './token-graph.js';

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
  readonly use: TextUse | PairUse | TokenUse | TensorUse | DetectorUse | OwlUse;
  /** The precision of an encoder of our own that runs it; absent: ONNX Runtime does. */
  readonly own?: Precision | undefined;
}

/** The ONNX graph of a model, or of one tower of a joint model, ready to run on the calling thread. */
export class OnnxSession {
  readonly #session: InferenceSession;
  readonly #source: VectorSource;

  private constructor(
    session: InferenceSession,
    { dimensions, fixedLength, use }: OnnxSpec,
    isBatchDependent: boolean,
  ) {
    this.#session = session;
    if (use.medium === 'text' || use.medium === 'pair' || use.medium === 'tokens') {
      const graph = graphOfTexts(session, use, { dimensions, fixedLength }, isBatchDependent);
      const { batchSize } = graph;
      this.#source = { dimensions, batchSize, vectors: (batch) => graph.vectors(batch as TokenBatch) };
    } else {
      const graph = tensorGraph(session, use, dimensions, isBatchDependent);
      const vectors = async (batch: InputsBatch) => {
        if (isTensors(batch)) return graph.vectors(batch);
        throw new Error(`a graph for tensors takes no texts`);
      };
      this.#source = { dimensions, batchSize: graph.batchSize, vectors };
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
  run(batch: InputsBatch, isNormalized: boolean): Promise<Embeddings> {
    return embedApart(this.#source, batch, isNormalized);
  }

  async release(): Promise<void> {
    await this.#session.release();
    await releaseMemory();
  }
}

function graphOfTexts(
  session: InferenceSession,
  use: TextUse | PairUse | TokenUse,
  spec: Pick<OnnxSpec, 'dimensions' | 'fixedLength'>,
  isBatchDependent: boolean,
): TextGraph | PairGraph | TokenGraph {
  if (use.medium === 'pair') return new PairGraph(session, use, isBatchDependent);
  if (use.medium === 'tokens') return new TokenGraph(session, use, spec.dimensions, isBatchDependent);
  return new TextGraph(session, use, spec, isBatchDependent);
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
