import { readFile } from 'node:fs/promises';
import { PelorusError } from '@pelorus/contract';
import { type InputBatch, type Medium, Tokenizer } from '@pelorus/node';
import type { ModelFolder } from '../folder/model-folder.js';
import { unusableModel } from '../registry/model-error.js';
import type { ResolvedModel } from '../resolved-model.js';
import type { Device } from '../runtime/device.js';
import type { Embeddings, EncodeOptions, Encoder } from '../runtime/encoder.js';
import type { InferencePool } from '../runtime/inference-pool.js';
import { reasonOf } from '../sources/source-failure.js';
import type { OnnxSpec } from './onnx-session.js';

/** What a worker of the pool must run. */
export const ONNX_WORKER = new URL('./onnx-worker.js', import.meta.url);

let nextSession = 0;

/** A text model on ONNX Runtime: its tokenizer here, its graph on the workers of a pool. */
export class OnnxEncoder implements Encoder {
  readonly #pool: InferencePool;
  readonly #spec: OnnxSpec;
  readonly #tokenizer: Tokenizer;
  readonly #isUnitLength: boolean;
  #callCount = 0;
  #whenIdle: (() => void) | null = null;

  private constructor(pool: InferencePool, spec: OnnxSpec, tokenizer: Tokenizer, isUnitLength: boolean) {
    this.#pool = pool;
    this.#spec = spec;
    this.#tokenizer = tokenizer;
    this.#isUnitLength = isUnitLength;
  }

  /**
   * @throws PelorusError `bad_request` when the folder's files do not make this model, `service_unavailable` when the pool
   *   is closed or lost its workers.
   */
  static async open(
    pool: InferencePool,
    model: ResolvedModel,
    folder: ModelFolder,
    device: Device,
  ): Promise<OnnxEncoder> {
    const spec: OnnxSpec = {
      id: nextSession++,
      device,
      graph: folder.graphs.text ?? '',
      dimensions: model.dimensions,
      truncates: model.type === 'test',
      pooling: model.pooling ?? folder.pooling ?? 'mean',
    };
    try {
      const tokenizer = await Tokenizer.load(await readFile(folder.tokenizer), model.tokens);
      await pool.load(spec);
      return new OnnxEncoder(pool, spec, tokenizer, model.unitLength || folder.unitLength);
    } catch (error) {
      // Inference that ends, or a worker that was lost, is no fault of the model.
      if (error instanceof PelorusError) throw error;
      throw unusableModel(`Model ${model.name} in ${folder.path} cannot be loaded: ${reasonOf(error)}`, error);
    }
  }

  get dimensions(): number {
    return this.#spec.dimensions;
  }

  get device(): Device {
    return this.#spec.device;
  }

  get isBusy(): boolean {
    return this.#callCount > 0;
  }

  async encode(inputs: InputBatch, { normalize, priority, signal, telemetry }: EncodeOptions): Promise<Embeddings> {
    this.#callCount++;
    try {
      const started = performance.now();
      const encoded = await this.#tokenizer.encode(inputs);
      const tokenized = performance.now();
      const embeddings = await this.#pool.embed(this.#spec, encoded, {
        priority,
        normalize: normalize || this.#isUnitLength,
        signal,
      });
      telemetry?.({ tokenizeMs: tokenized - started, inferMs: performance.now() - tokenized });
      return embeddings;
    } finally {
      if (--this.#callCount === 0) this.#whenIdle?.();
    }
  }

  encodeTensors(medium: Medium): Promise<Embeddings> {
    return Promise.reject(unusableModel(`A text model does not take ${medium}`));
  }

  async release(): Promise<void> {
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    this.#pool.release(this.#spec);
  }
}
