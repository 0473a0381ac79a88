import { type EncoderInput, InputBatch } from '@pelorus/node';
import { type InferenceConfig, type InferenceSettings, inferenceSettings } from './config.js';
import type { CacheCounts, EmbedOptions, Inference } from './inference.js';
import { machineDevices } from './machine-devices.js';
import type { Location } from './owl-locator.js';
import { withProperties } from './registry/changed-properties.js';
import { resolveModel } from './registry/resolve.js';
import type { ResolvedModel } from './resolved-model.js';
import type { Device } from './runtime/device.js';
import type { Devices } from './runtime/devices.js';
import type { EncodeTimings, PartedEmbeddings, QueryEmbeddings } from './runtime/encoder.js';

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
}

/** A search for places in pictures as it crosses. */
export interface AskedPlaces {
  readonly reRanker: string;
  readonly text: string;
  readonly pictures: readonly string[];
  readonly options: Pick<PlainOptions, 'device' | 'media'>;
}

/** The calls of an inference that need its models. Arguments and results are values that can be sent to another thread. */
export interface InferenceCalls {
  embed(asked: AskedVectors, signal: AbortSignal | undefined): Promise<Told<PartedEmbeddings>>;
  embedQuery(asked: AskedVectors, signal: AbortSignal | undefined): Promise<Told<QueryEmbeddings>>;
  locate(asked: AskedPlaces, signal: AbortSignal | undefined): Promise<Location[]>;
}

/** The part of an inference that other threads than its own have. */
export type RemoteInference = Pick<Inference, 'resolve' | 'redefine' | 'device' | 'embed' | 'embedQuery' | 'locate'>;

/** Answers the calls of other threads by the inference of this one. */
export function inferenceCalls(inference: Inference): InferenceCalls {
  return {
    embed: ({ model, inputs, options }, signal) =>
      told(options, signal, (whole) => inference.embed(model, InputBatch.attach(inputs as number), whole)),
    embedQuery: ({ model, inputs, options }, signal) =>
      told(options, signal, (whole) => inference.embedQuery(model, inputs as readonly EncoderInput[], whole)),
    locate: ({ reRanker, text, pictures, options }, signal) =>
      inference.locate(reRanker, text, pictures, { ...options, signal }),
  };
}

async function told<Vectors>(
  options: PlainOptions,
  signal: AbortSignal | undefined,
  embed: (options: EmbedOptions) => Promise<Vectors>,
): Promise<Told<Vectors>> {
  const timings: EncodeTimings[] = [];
  const counts: CacheCounts[] = [];
  const vectors = await embed({
    ...options,
    signal,
    telemetry: (one) => timings.push(one),
    cacheTelemetry: (one) => counts.push(one),
  });
  return { vectors, timings, counts };
}

/**
 * An inference whose models another thread has: names are resolved here, vectors are asked for there.
 * @param config of the inference of that thread
 */
export function createRemoteInference(
  config: Pick<InferenceConfig, 'modelFile' | 'encoder'>,
  calls: InferenceCalls,
): RemoteInference {
  return new CallingInference(inferenceSettings(config), calls);
}

class CallingInference implements RemoteInference {
  readonly #modelFile: InferenceSettings['modelFile'];
  readonly #devices: Devices;
  readonly #calls: InferenceCalls;

  constructor(settings: InferenceSettings, calls: InferenceCalls) {
    this.#modelFile = settings.modelFile;
    this.#devices = machineDevices(settings);
    this.#calls = calls;
  }

  resolve(model: string, modelProperties?: object): ResolvedModel {
    return resolveModel(model, modelProperties, this.#modelFile);
  }

  redefine(model: string, modelProperties: object | undefined, given: object, isForced = false): ResolvedModel {
    return withProperties(model, modelProperties, given, { file: this.#modelFile, isForced });
  }

  device(name: string | undefined): Device {
    return this.#devices.named(name);
  }

  async embed(model: ResolvedModel, inputs: InputBatch, options: EmbedOptions): Promise<PartedEmbeddings> {
    options.signal?.throwIfAborted();
    const asked = { model, inputs: inputs.handOver(), options: plain(options) };
    return tell(options, await this.#calls.embed(asked, options.signal));
  }

  async embedQuery(
    model: ResolvedModel,
    inputs: readonly EncoderInput[],
    options: EmbedOptions,
  ): Promise<QueryEmbeddings> {
    const asked = { model, inputs, options: plain(options) };
    return tell(options, await this.#calls.embedQuery(asked, options.signal));
  }

  locate(
    reRanker: string,
    text: string,
    pictures: readonly string[],
    { device, media, signal }: Pick<EmbedOptions, 'device' | 'media' | 'signal'>,
  ): Promise<Location[]> {
    return this.#calls.locate({ reRanker, text, pictures, options: { device, media } }, signal);
  }
}

function plain({ signal, telemetry, cacheTelemetry, ...options }: EmbedOptions): PlainOptions {
  return options;
}

function tell<Vectors>({ telemetry, cacheTelemetry }: EmbedOptions, { vectors, timings, counts }: Told<Vectors>) {
  for (const one of timings) telemetry?.(one);
  for (const one of counts) cacheTelemetry?.(one);
  return vectors;
}
