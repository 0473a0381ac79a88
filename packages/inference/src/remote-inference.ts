import { type EncoderInput, InputBatch } from '@pelorus/node';
import { type InferenceConfig, type InferenceSettings, inferenceSettings } from './config.js';
import { type CacheCounts, deviceFor, type EmbedOptions, type FieldOptions, type Inference } from './inference.js';
import { machineDevices } from './machine-devices.js';
import type { Location } from './owl-locator.js';
import { SharedModels } from './own/shared-models.js';
import { withProperties } from './registry/changed-properties.js';
import { modelOfField, modelOfIndex } from './registry/field-models.js';
import { vectorKey } from './registry/model-key.js';
import { resolveModel } from './registry/resolve.js';
import type { FieldModel, ResolvedModel } from './resolved-model.js';
import { cachedVectors } from './runtime/cached-vectors.js';
import type { Device } from './runtime/device.js';
import type { Devices } from './runtime/devices.js';
import type { EncodeOptions, EncodeTimings, PartedEmbeddings, QueryEmbeddings } from './runtime/encoder.js';
import type { FieldVectors } from './runtime/field-vectors.js';
import { QueryCache } from './runtime/query-cache.js';

/** The options of a call that cross to another thread. */
type PlainOptions = Omit<EmbedOptions, 'signal' | 'telemetry' | 'cacheTelemetry'>;

/** A call as it crosses to the thread with the models. */
export interface AskedVectors {
  readonly model: ResolvedModel;
  /** The inputs of a query, or the token of a batch that is handed over. */
  readonly inputs: readonly EncoderInput[] | number;
  readonly options: PlainOptions;
}

/** Vectors, and the measurements that a call is told. */
export interface Told<Vectors> {
  readonly vectors: Vectors;
  readonly timings: readonly EncodeTimings[];
  readonly counts: readonly CacheCounts[];
  /** The number of the model for threads that ask it themselves; null where they cannot. */
  readonly number: number | null;
}

/** A search for places in pictures as it crosses. */
export interface AskedPlaces {
  readonly reRanker: string;
  readonly text: string;
  readonly pictures: readonly string[];
  readonly options: Pick<PlainOptions, 'device' | 'media'>;
}

/** Texts to score as they cross. */
export interface AskedScores {
  readonly model: string;
  readonly query: string;
  readonly texts: readonly string[];
  readonly options: Pick<PlainOptions, 'device'>;
}

/** Texts of a field as they cross. */
export interface AskedField {
  readonly model: FieldModel;
  readonly texts: readonly string[];
  readonly options: Omit<FieldOptions, 'signal'>;
}

/** The calls of an inference that need its models. Arguments and results are values that can be sent to another thread. */
export interface InferenceCalls {
  embed(asked: AskedVectors, signal: AbortSignal | undefined): Promise<Told<PartedEmbeddings>>;
  embedQuery(asked: AskedVectors, signal: AbortSignal | undefined): Promise<Told<QueryEmbeddings>>;
  locate(asked: AskedPlaces, signal: AbortSignal | undefined): Promise<Location[]>;
  score(asked: AskedScores, signal: AbortSignal | undefined): Promise<Float32Array>;
  fieldVectors(asked: AskedField, signal: AbortSignal | undefined): Promise<FieldVectors[]>;
  /** Notes that a model was used by a thread that asked it itself. */
  noteModelUse(model: ResolvedModel): void;
}

/** The part of an inference that other threads than its own have. */
export type RemoteInference = Pick<
  Inference,
  'resolve' | 'resolveField' | 'redefine' | 'device' | 'embed' | 'embedQuery' | 'locate' | 'score' | 'fieldVectors'
>;

/** Answers the calls of other threads by the inference of this one. */
export function inferenceCalls(inference: Inference): InferenceCalls {
  return {
    embed: ({ model, inputs, options }, signal) =>
      told(inference, model, { ...options, signal }, (whole) =>
        inference.embed(model, InputBatch.attach(inputs as number), whole),
      ),
    embedQuery: ({ model, inputs, options }, signal) =>
      told(inference, model, { ...options, signal }, (whole) =>
        inference.embedQuery(model, inputs as readonly EncoderInput[], whole),
      ),
    locate: ({ reRanker, text, pictures, options }, signal) =>
      inference.locate(reRanker, text, pictures, { ...options, signal }),
    score: ({ model, query, texts, options }, signal) => inference.score(model, query, texts, { ...options, signal }),
    fieldVectors: ({ model, texts, options }, signal) => inference.fieldVectors(model, texts, { ...options, signal }),
    noteModelUse: (model) => inference.noteUse(model),
  };
}

async function told<Vectors>(
  inference: Inference,
  model: ResolvedModel,
  options: Omit<EmbedOptions, 'telemetry' | 'cacheTelemetry'>,
  embed: (options: EmbedOptions) => Promise<Vectors>,
): Promise<Told<Vectors>> {
  const timings: EncodeTimings[] = [];
  const counts: CacheCounts[] = [];
  const vectors = await embed({
    ...options,
    telemetry: (one) => timings.push(one),
    cacheTelemetry: (one) => counts.push(one),
  });
  return { vectors, timings, counts, number: inference.sharedModel(model, options.device) };
}

/**
 * An inference whose models another thread has. Names are resolved here. Texts are embedded here, too, by what that thread
 * has loaded on encoders of Pelorus on the CPU; it is asked for all other vectors.
 * @param config of the inference of that thread
 * @param queries the token of its cache of query vectors
 */
export function createRemoteInference(
  config: Pick<InferenceConfig, 'modelFile' | 'encoder'>,
  queries: number,
  calls: InferenceCalls,
): RemoteInference {
  return new CallingInference(inferenceSettings(config), QueryCache.attach(queries), calls);
}

class CallingInference implements RemoteInference {
  readonly #modelFile: InferenceSettings['modelFile'];
  readonly #devices: Devices;
  readonly #cache: QueryCache;
  readonly #calls: InferenceCalls;
  readonly #shared = new SharedModels();

  constructor(settings: InferenceSettings, cache: QueryCache, calls: InferenceCalls) {
    this.#modelFile = settings.modelFile;
    this.#devices = machineDevices(settings);
    this.#cache = cache;
    this.#calls = calls;
  }

  resolve(model: string, modelProperties?: object): ResolvedModel {
    return modelOfIndex(resolveModel(model, modelProperties, this.#modelFile));
  }

  resolveField(model: string, modelProperties?: object): FieldModel {
    return modelOfField(resolveModel(model, modelProperties, this.#modelFile));
  }

  redefine(model: string, modelProperties: object | undefined, given: object, isForced = false): ResolvedModel {
    return modelOfIndex(withProperties(model, modelProperties, given, { file: this.#modelFile, isForced }));
  }

  device(name: string | undefined): Device {
    return this.#devices.named(name);
  }

  async embed(model: ResolvedModel, inputs: InputBatch, options: EmbedOptions): Promise<PartedEmbeddings> {
    options.signal?.throwIfAborted();
    const device = deviceFor(this.#devices, model, options.device);
    const here = inputs.hasMedia ? null : this.#embedHere(model, device, inputs, { ...options, priority: 'document' });
    if (here !== null) return here;
    const asked = { model, inputs: inputs.handOver(), options: plain(options) };
    return this.#take(model, options, await this.#calls.embed(asked, options.signal));
  }

  async embedQuery(
    model: ResolvedModel,
    inputs: readonly EncoderInput[],
    options: EmbedOptions,
  ): Promise<QueryEmbeddings> {
    const device = deviceFor(this.#devices, model, options.device);
    const areTexts = inputs.every(({ kind }) => kind === 'text');
    // Credentials are for the loading of a model.
    if (!areTexts || options.modelAuth != null) return this.#askQuery(model, inputs, options);
    const vectors = await cachedVectors(this.#cache, { model, device, inputs, options }, async (missing, signal) => {
      const as = { ...options, signal };
      const here = this.#embedHere(model, device, InputBatch.of(missing), { ...as, priority: 'query' });
      // This thread counts the finds in the cache.
      return here ?? this.#askQuery(model, missing, { ...as, cacheTelemetry: undefined });
    });
    return { ...vectors, media: [] };
  }

  locate(
    reRanker: string,
    text: string,
    pictures: readonly string[],
    { device, media, signal }: Pick<EmbedOptions, 'device' | 'media' | 'signal'>,
  ): Promise<Location[]> {
    return this.#calls.locate({ reRanker, text, pictures, options: { device, media } }, signal);
  }

  score(
    model: string,
    query: string,
    texts: readonly string[],
    { device, signal }: Pick<EmbedOptions, 'device' | 'signal'>,
  ): Promise<Float32Array> {
    return this.#calls.score({ model, query, texts, options: { device } }, signal);
  }

  fieldVectors(
    model: FieldModel,
    texts: readonly string[],
    { signal, ...options }: FieldOptions,
  ): Promise<FieldVectors[]> {
    return this.#calls.fieldVectors({ model, texts, options }, signal);
  }

  /** Vectors of texts from a model that the other thread has loaded; null, and the batch as it was, where that is asked. */
  #embedHere(model: ResolvedModel, device: Device, inputs: InputBatch, options: EncodeOptions) {
    if (device !== 'cpu') return null;
    const tell = () => this.#calls.noteModelUse(model);
    return this.#shared.embed(vectorKey(model), model.name, inputs, options, tell);
  }

  async #askQuery(model: ResolvedModel, inputs: readonly EncoderInput[], options: EmbedOptions) {
    const asked = { model, inputs, options: plain(options) };
    return this.#take(model, options, await this.#calls.embedQuery(asked, options.signal));
  }

  #take<Vectors>(
    model: ResolvedModel,
    { telemetry, cacheTelemetry }: EmbedOptions,
    { vectors, timings, counts, number }: Told<Vectors>,
  ): Vectors {
    this.#shared.attach(vectorKey(model), number);
    for (const one of timings) telemetry?.(one);
    for (const one of counts) cacheTelemetry?.(one);
    return vectors;
  }
}

function plain({ signal, telemetry, cacheTelemetry, ...options }: EmbedOptions): PlainOptions {
  return options;
}
