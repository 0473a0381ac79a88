import { readFile } from 'node:fs/promises';
import { PelorusError } from '@pelorus/contract';
import { InputBatch, type Medium, Tokenizer, type Tower } from '@pelorus/node';
import type { Precision } from '../config.js';
import { isCheckpoint } from '../folder/checkpoint.js';
import { GRAPH } from '../folder/layout.js';
import type { ModelFolder } from '../folder/model-folder.js';
import { asPublished } from '../folder/open-clip-config.js';
import { hasUnitLength } from '../folder/unit-length.js';
import { OWL_TOKENS } from '../owl-input.js';
import { OwnEncoders } from '../own/own-encoders.js';
import { reasonOf } from '../reason.js';
import { unusableModel } from '../registry/model-error.js';
import type {
  CrossEncoderModel,
  DetectorModel,
  FieldModel,
  LoadableModel,
  Modality,
  OwlModel,
  PicturePreprocessing,
  ResolvedModel,
} from '../resolved-model.js';
import type { Device } from '../runtime/device.js';
import {
  type Embeddings,
  type EncodeOptions,
  type Encoder,
  ofInputs,
  type PartedEmbeddings,
  type Runtime,
  type TensorBatch,
  textInputs,
} from '../runtime/encoder.js';
import { type FieldVectors, fieldVectors } from '../runtime/field-vectors.js';
import type { InferencePool } from '../runtime/inference-pool.js';
import { type FieldTokens, fieldTokens } from './field-tokens.js';
import type { OnnxSpec } from './onnx-session.js';
import { detectorSession, owlSession, pairSession, tokenSession, towers } from './towers.js';

/** The module that a worker of the pool must run. */
export const ONNX_WORKER = new URL('./onnx-worker.js', import.meta.url);

interface EncoderFacts {
  readonly dimensions: number;
  readonly device: Device;
  readonly isUnitLength: boolean;
  readonly picture?: PicturePreprocessing | null;
  /** The towers that an encoder of our own runs, by their kind of input. */
  readonly own?: ReadonlyMap<Modality, Tower>;
  /** A model of a field, and its tokens. */
  readonly field?: { readonly model: FieldModel; readonly tokens: FieldTokens };
}

/** A model in ONNX files: its tokenizer here, its graphs on the workers of a pool, run by ONNX Runtime or as towers of our own. */
export class OnnxEncoder implements Encoder {
  readonly dimensions: number;
  readonly device: Device;
  readonly runtime: Runtime;
  readonly precision: Precision;
  readonly sharesWeights: boolean;
  readonly picture: PicturePreprocessing | null;
  /** Kept open, so that the weights stay for workers that join late. */
  readonly #own: ReadonlyMap<Modality, Tower>;
  readonly #pool: InferencePool;
  readonly #towers: ReadonlyMap<Modality, OnnxSpec>;
  readonly #tokenizer: Tokenizer | null;
  readonly #isUnitLength: boolean;
  readonly #field: EncoderFacts['field'];
  #callCount = 0;
  #whenIdle: (() => void) | null = null;

  private constructor(
    pool: InferencePool,
    specs: ReadonlyMap<Modality, OnnxSpec>,
    tokenizer: Tokenizer | null,
    { dimensions, device, isUnitLength, picture, own = new Map(), field }: EncoderFacts,
  ) {
    this.dimensions = dimensions;
    this.device = device;
    this.#own = own;
    this.sharesWeights = own.size === specs.size;
    this.runtime = runtimeOf(own.size, specs.size);
    this.precision = precisionOf(specs);
    this.#pool = pool;
    this.#towers = specs;
    this.#tokenizer = tokenizer;
    this.picture = picture ?? null;
    this.#isUnitLength = isUnitLength;
    this.#field = field;
  }

  /**
   * @throws PelorusError `bad_request` when the folder's files do not make this model, `service_unavailable` when the pool
   *   is closed or lost its workers.
   */
  static async open(
    pool: InferencePool,
    resolved: ResolvedModel,
    folder: ModelFolder,
    device: Device,
    copies?: number,
    ownEncoders = new OwnEncoders('onnxruntime'),
  ): Promise<OnnxEncoder> {
    const model = asPublished(resolved, folder.inputs);
    const { dimensions, picture } = model;
    const { cleaning, omitsSeparator, padId } = model.text;
    const isUnitLength = hasUnitLength(model, folder);
    return OnnxEncoder.#loaded(pool, model, folder, async (load) => {
      const file = await readFile(folder.tokenizer);
      const tokenizer = await Tokenizer.load(file, model.tokens, { cleaning, omitsSeparator });
      const padding = padId ?? tokenizer.padId;
      const own = await ownEncoders.openTowers(model, folder, padding);
      try {
        const precisions = new Map([...own.keys()].map((modality) => [modality, ownEncoders.towerPrecision]));
        const specs = towers(model, folder, device, padding, precisions);
        // Copies that have their weights in common are as many as there are workers.
        for (const spec of specs.values()) await load(spec, spec.own === undefined ? copies : undefined);
        return new OnnxEncoder(pool, specs, tokenizer, { dimensions, device, isUnitLength, picture, own });
      } catch (error) {
        for (const tower of own.values()) tower.close();
        throw error;
      }
    });
  }

  /** A detector, whose vectors are rows of `detection-rows.ts`. @throws PelorusError as `open` does */
  static openDetector(
    pool: InferencePool,
    model: DetectorModel,
    folder: ModelFolder,
    device: Device,
    copies?: number,
  ): Promise<OnnxEncoder> {
    const { dimensions } = model;
    return OnnxEncoder.#loaded(pool, model, folder, async (load) => {
      const spec = detectorSession(model, folder, device);
      await load(spec, copies);
      return new OnnxEncoder(pool, new Map([['image', spec]]), null, { dimensions, device, isUnitLength: false });
    });
  }

  /** An owl, whose tensors and vectors are those of `owl-input.ts`. @throws PelorusError as `open` does */
  static openOwl(
    pool: InferencePool,
    model: OwlModel,
    folder: ModelFolder,
    device: Device,
    copies?: number,
  ): Promise<OnnxEncoder> {
    const { dimensions } = model;
    return OnnxEncoder.#loaded(pool, model, folder, async (load) => {
      const tokenizer = await Tokenizer.load(await readFile(folder.tokenizer), OWL_TOKENS);
      const spec = owlSession(model, folder, device);
      await load(spec, copies);
      return new OnnxEncoder(pool, new Map([['image', spec]]), tokenizer, { dimensions, device, isUnitLength: false });
    });
  }

  /** A cross-encoder, whose vectors are scores. @throws PelorusError as `open` does */
  static openCrossEncoder(
    pool: InferencePool,
    model: CrossEncoderModel,
    folder: ModelFolder,
    device: Device,
    copies?: number,
  ): Promise<OnnxEncoder> {
    const { dimensions, tokens } = model;
    return OnnxEncoder.#loaded(pool, model, folder, async (load) => {
      const tokenizer = await Tokenizer.load(await readFile(folder.tokenizer), tokens);
      const { padId } = tokenizer;
      const spec = pairSession(model, folder, device, { padId, separator: tokenizer.pairSeparator() });
      await load(spec, copies);
      return new OnnxEncoder(pool, new Map([['text', spec]]), tokenizer, { dimensions, device, isUnitLength: false });
    });
  }

  /** A model of a field. @throws PelorusError as `open` does */
  static openField(
    pool: InferencePool,
    model: FieldModel,
    folder: ModelFolder,
    device: Device,
    copies?: number,
  ): Promise<OnnxEncoder> {
    return OnnxEncoder.#loaded(pool, model, folder, async (load) => {
      if (isCheckpoint(folder.graphs.text ?? '')) throw new Error(`it has no ${GRAPH}, and models of fields need one`);
      const tokens = await fieldTokens(model, folder.tokenizer);
      const spec = tokenSession(model, folder, device, tokens);
      await load(spec, copies);
      const { dimensions } = spec;
      const field = { model, tokens };
      return new OnnxEncoder(pool, new Map([['text', spec]]), null, { dimensions, device, isUnitLength: false, field });
    });
  }

  /** Runs `make`, which loads the sessions of an encoder; releases them where it fails. */
  static async #loaded(
    pool: InferencePool,
    model: LoadableModel,
    folder: ModelFolder,
    make: (load: (spec: OnnxSpec, copies: number | undefined) => Promise<void>) => Promise<OnnxEncoder>,
  ): Promise<OnnxEncoder> {
    const loaded: OnnxSpec[] = [];
    try {
      return await make((spec, copies) => {
        loaded.push(spec);
        return pool.load(spec, copies);
      });
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

  /**
   * The ids of one text, as many as the model takes.
   * @throws PelorusError `bad_request` where it has none
   */
  async ids(text: string): Promise<Int32Array> {
    const encoded = await this.#tokenizer?.encode(InputBatch.of(textInputs([text])));
    const [failure] = encoded?.failures ?? [];
    if (encoded === undefined || failure !== undefined) {
      throw unusableModel(`The text has no tokens: ${failure?.message ?? 'the model takes none'}`);
    }
    return encoded.ids;
  }

  encode(inputs: InputBatch, { telemetry, ...options }: EncodeOptions): Promise<PartedEmbeddings> {
    return this.#counted(async () => {
      const tower = this.#tower('text');
      if (this.#tokenizer === null) throw new TypeError('a graph that takes texts has a tokenizer');
      const started = performance.now();
      const encoded = await this.#tokenizer.encode(inputs);
      const tokenized = performance.now();
      const embeddings = await this.#pool.embed(tower, encoded, this.#runOptions(options));
      telemetry?.({ tokenizeMs: tokenized - started, inferMs: performance.now() - tokenized });
      return ofInputs(embeddings, encoded.parts);
    });
  }

  /** The outputs of a cross-encoder for a query and each of some texts, computed in batches. */
  encodePairs(
    query: string,
    texts: readonly string[],
    options: Pick<EncodeOptions, 'priority' | 'signal'>,
  ): Promise<Embeddings> {
    return this.#counted(async () => {
      const spec = this.#tower('text');
      if (this.#tokenizer === null) throw new TypeError('a graph that takes texts has a tokenizer');
      const encoded = await this.#tokenizer.encodePairs(query, [...texts]);
      return this.#pool.embed(spec, encoded, { ...options, normalize: false });
    });
  }

  /** The vectors of texts by a model of a field. */
  encodeField(
    texts: readonly string[],
    { priority, signal }: Pick<EncodeOptions, 'priority' | 'signal'>,
  ): Promise<FieldVectors[]> {
    return this.#counted(async () => {
      if (this.#field === undefined) throw new TypeError('a model of a field is opened as one');
      const { model, tokens } = this.#field;
      const encoded = await tokens.encode(texts, priority);
      // Its memory may be given away.
      const [ids, offsets] = [encoded.ids.slice(), encoded.offsets.slice()];
      const embeddings = await this.#pool.embed(this.#tower('text'), encoded, { priority, signal, normalize: false });
      const isSkipped = (row: number, token: number) => {
        const at = (offsets[row] ?? 0) + token;
        return priority === 'document' && at < (offsets[row + 1] ?? 0) && tokens.skipped.has(ids[at] ?? -1);
      };
      return fieldVectors(model, embeddings, texts.length, isSkipped);
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

  setCopies(count: number): void {
    for (const spec of this.#towers.values()) {
      if (spec.own === undefined) this.#pool.setCopies(spec, count);
    }
  }

  async release(): Promise<void> {
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    for (const spec of this.#towers.values()) this.#pool.release(spec);
    for (const tower of this.#own.values()) tower.close();
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

function runtimeOf(ownCount: number, count: number): Runtime {
  if (ownCount === 0) return 'onnxruntime';
  return ownCount === count ? 'pelorus' : 'both';
}

/** The numbers that towers of our own multiply in; those of ONNX Runtime are f32. */
function precisionOf(specs: ReadonlyMap<Modality, OnnxSpec>): Precision {
  return [...specs.values()].find(({ own }) => own !== undefined)?.own ?? 'f32';
}
