import { readFile } from 'node:fs/promises';
import { PelorusError } from '@pelorus/contract';
import { type InputBatch, type Medium, Tokenizer } from '@pelorus/node';
import type { ModelFolder } from '../folder/model-folder.js';
import { unusableModel } from '../registry/model-error.js';
import type { Modality, ResolvedModel } from '../resolved-model.js';
import type { Device } from '../runtime/device.js';
import type { Embeddings, EncodeOptions, Encoder, TensorBatch } from '../runtime/encoder.js';
import type { InferencePool } from '../runtime/inference-pool.js';
import { reasonOf } from '../sources/source-failure.js';
import type { OnnxSpec } from './onnx-session.js';
import { towers } from './towers.js';

/** What a worker of the pool must run. */
export const ONNX_WORKER = new URL('./onnx-worker.js', import.meta.url);

/** A model on ONNX Runtime: its tokenizer here, its graphs on the workers of a pool. */
export class OnnxEncoder implements Encoder {
  readonly dimensions: number;
  readonly device: Device;
  readonly #pool: InferencePool;
  readonly #towers: ReadonlyMap<Modality, OnnxSpec>;
  readonly #tokenizer: Tokenizer;
  readonly #isUnitLength: boolean;
  #callCount = 0;
  #whenIdle: (() => void) | null = null;

  private constructor(
    pool: InferencePool,
    specs: ReadonlyMap<Modality, OnnxSpec>,
    tokenizer: Tokenizer,
    { dimensions, device, isUnitLength }: { dimensions: number; device: Device; isUnitLength: boolean },
  ) {
    this.dimensions = dimensions;
    this.device = device;
    this.#pool = pool;
    this.#towers = specs;
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
    const { cleaning, omitsSeparator, padId } = model.text;
    const loaded: OnnxSpec[] = [];
    try {
      const file = await readFile(folder.tokenizer);
      const tokenizer = await Tokenizer.load(file, model.tokens, { cleaning, omitsSeparator });
      const specs = towers(model, folder, device, padId ?? tokenizer.padId);
      for (const spec of specs.values()) {
        loaded.push(spec);
        await pool.load(spec);
      }
      const isUnitLength = model.unitLength || folder.unitLength;
      return new OnnxEncoder(pool, specs, tokenizer, { dimensions: model.dimensions, device, isUnitLength });
    } catch (error) {
      for (const spec of loaded) pool.release(spec);
      // Inference that ends, or a worker that was lost, is no fault of the model.
      if (error instanceof PelorusError) throw error;
      throw unusableModel(`Model ${model.name} in ${folder.path} cannot be loaded: ${reasonOf(error)}`, error);
    }
  }

  get isBusy(): boolean {
    return this.#callCount > 0;
  }

  encode(inputs: InputBatch, { telemetry, ...options }: EncodeOptions): Promise<Embeddings> {
    return this.#counted(async () => {
      const started = performance.now();
      const encoded = await this.#tokenizer.encode(inputs);
      const tokenized = performance.now();
      const embeddings = await this.#pool.embed(this.#tower('text'), encoded, this.#runOptions(options));
      telemetry?.({ tokenizeMs: tokenized - started, inferMs: performance.now() - tokenized });
      return embeddings;
    });
  }

  encodeTensors(medium: Medium, tensors: TensorBatch, { telemetry, ...options }: EncodeOptions): Promise<Embeddings> {
    return this.#counted(async () => {
      const started = performance.now();
      const embeddings = await this.#pool.embedTensors(this.#tower(medium), tensors, this.#runOptions(options));
      telemetry?.({ tokenizeMs: 0, inferMs: performance.now() - started });
      return embeddings;
    });
  }

  async release(): Promise<void> {
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    for (const spec of this.#towers.values()) this.#pool.release(spec);
  }

  #runOptions({ normalize, priority, signal }: Omit<EncodeOptions, 'telemetry'>) {
    return { priority, normalize: normalize || this.#isUnitLength, signal };
  }

  #tower(modality: Modality): OnnxSpec {
    const spec = this.#towers.get(modality);
    if (spec === undefined) throw unusableModel(`The model does not take ${modality}`);
    return spec;
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#callCount++;
    try {
      return await work();
    } finally {
      if (--this.#callCount === 0) this.#whenIdle?.();
    }
  }
}
