import { join } from 'node:path';
import { echoed, PelorusError } from '@pelorus/contract';
import {
  type EncoderInput,
  type EncoderThreads,
  InputBatch,
  type MediaInput,
  type PatchDetector,
  type QueryVectorsUse,
} from '@pelorus/node';
import { type InferenceConfig, type InferenceSettings, inferenceSettings } from './config.js';
import type { ModelFolder } from './folder/model-folder.js';
import { machineDevices } from './machine-devices.js';
import type { MediaOutcome } from './media/media-call.js';
import { MediaEmbedder } from './media/media-embedder.js';
import type { MediaOptions } from './media/media-options.js';
import { embedMixed } from './media/mixed-inputs.js';
import { ONNX_WORKER, OnnxEncoder } from './onnx/onnx-encoder.js';
import { type Location, locations, owlPicture, owlTensors, pictureInputs } from './owl-locator.js';
import { ONLY_TEXTS, OwnEncoders } from './own/own-encoders.js';
import { encoderThreads, loadTokenizer, OwnTextEncoder } from './own/text-encoder.js';
import { reasonOf } from './reason.js';
import { withProperties } from './registry/changed-properties.js';
import { CROSS_ENCODER_NAMES, crossEncoderModel } from './registry/cross-encoders.js';
import { detectorModel } from './registry/detectors.js';
import { isFieldModelType, modelOfField, modelOfIndex } from './registry/field-models.js';
import { unusableModel } from './registry/model-error.js';
import { vectorKey } from './registry/model-key.js';
import { OWL_NAMES, owlModel } from './registry/owl.js';
import { resolveModel } from './registry/resolve.js';
import type { CrossEncoderModel, DetectorModel, FieldModel, OwlModel, ResolvedModel } from './resolved-model.js';
import { cachedVectors, cacheSpace } from './runtime/cached-vectors.js';
import { type CudaRow, cudaRows } from './runtime/cuda-devices.js';
import type { Device } from './runtime/device.js';
import { type DeviceFault, DevicePlaces, DeviceRefusal } from './runtime/device-places.js';
import type { DeviceLimits, Devices } from './runtime/devices.js';
import {
  type Embeddings,
  type EncodeOptions,
  type Encoder,
  type EncoderWork,
  type PartedEmbeddings,
  type QueryEmbeddings,
  type TensorBatch,
  textInputs,
} from './runtime/encoder.js';
import { type FieldVectors, inGroups } from './runtime/field-vectors.js';
import { InferencePool } from './runtime/inference-pool.js';
import { LoadedModels, type LoadedRow, type OpenEncoder, openRandom } from './runtime/loaded-models.js';
import { QueryCache } from './runtime/query-cache.js';
import { WorkerSlot } from './runtime/worker-slot.js';
import { EmbeddingServices } from './service/embedding-services.js';
import { ServiceEncoder, ServiceWork } from './service/service-encoder.js';
import { parseModelAuth, type RequestedAuth } from './sources/model-auth.js';
import { ModelStore } from './sources/model-store.js';

export interface EmbedOptions extends Omit<EncodeOptions, 'priority' | 'serviceKey'> {
  /** The device to run on, as `Inference.device` gave it; the CPU when absent. */
  readonly device?: Device | undefined;
  /** The rules by which pictures, films and sounds are fetched and taken apart; needed where there are any. */
  readonly media?: MediaOptions | undefined;
  /** Told what was found in the cache of query vectors, where there are texts of a query. */
  readonly cacheTelemetry?: ((counts: CacheCounts) => void) | undefined;
  /** `modelAuth` of the request: credentials in case the model has to be fetched. */
  readonly modelAuth?: RequestedAuth | null | undefined;
}

/** The use of the texts of a field, and the surroundings of their computation. */
export interface FieldOptions
  extends Pick<EmbedOptions, 'device' | 'modelAuth' | 'signal'>,
    Pick<EncodeOptions, 'priority'> {}

/** Distinct texts of a query. */
export interface CacheCounts {
  /** Texts whose vectors were known, or are being computed for somebody else. */
  readonly hits: number;
  /** Texts whose vectors were computed. */
  readonly misses: number;
}

/** The work of the threads of a device. */
export interface DeviceWork extends EncoderWork {
  readonly device: Device;
  readonly encoder: 'pelorus' | 'onnxruntime' | 'service';
}

type AnyModel = ResolvedModel | CrossEncoderModel | DetectorModel | OwlModel;

/** Models by name, and their vectors. */
export interface Inference {
  /**
   * Resolves a model name, with an index's own `modelProperties` if it has any. Nothing is fetched or loaded.
   * @throws PelorusError `invalid_argument`, `bad_request`
   */
  resolve(model: string, modelProperties?: object): ResolvedModel;
  /**
   * Resolves the model of a field: a name, or a label with `modelProperties`, of one that makes a sparse vector or many
   * vectors of a text. Nothing is fetched or loaded.
   * @throws PelorusError as `resolve` does, and `invalid_argument` for a model that makes other vectors
   */
  resolveField(model: string, modelProperties?: object): FieldModel;
  /** Resolves a model of either use, as `resolve` and `resolveField` do. */
  resolveAny(model: string, modelProperties?: object): ResolvedModel;
  /**
   * Resolves the model of an index after `given` replaces its `modelProperties`, if it has any. How the model is
   * fetched and run may change, and nothing else that its vectors depend on; unless `isForced`, when only what an index
   * cannot work without has to stay.
   * @throws PelorusError `invalid_argument` naming the member that cannot be changed, and as `resolve` does
   */
  redefine(model: string, modelProperties: object | undefined, given: object, isForced?: boolean): ResolvedModel;
  /**
   * The device that the `device` of a request means; the CPU when absent.
   * @throws PelorusError `invalid_argument` for what names no device, `hardware_compatability_error` for one that this
   *   machine does not have
   */
  device(name: string | undefined): Device;
  /**
   * Vectors or a failure for each input of documents, in their order. Prefixes are the caller's. Media are fetched and
   * prepared while the model computes others.
   * @throws PelorusError `invalid_argument` for a model without vectors or bad credentials,
   *   `hardware_compatability_error` for a device that is not there, `bad_request` when the model cannot be had or run,
   *   `model_cache_management_error`, `service_unavailable` when a worker was lost: trying again helps.
   */
  embed(model: ResolvedModel, inputs: InputBatch, options: EmbedOptions): Promise<PartedEmbeddings>;
  /**
   * As `embed`, for the inputs of a query: they go before those of documents, equal ones are computed once, and their
   * vectors are kept for a while; of media none are, since what a URL shows may change.
   */
  embedQuery(model: ResolvedModel, inputs: readonly EncoderInput[], options: EmbedOptions): Promise<QueryEmbeddings>;
  /**
   * The vectors of texts, or a failure for each, by the model of a field; equal texts are computed once. Nothing is kept.
   * @throws PelorusError as `embed` does
   */
  fieldVectors(model: FieldModel, texts: readonly string[], options: FieldOptions): Promise<FieldVectors[]>;
  /**
   * Finds the place where a text fits best in each picture, by the model that `reRanker` names. Vectors of nothing are
   * kept.
   * @throws PelorusError `bad_request` when there is no such model, or it cannot be had or run, or a picture cannot be had
   *   or read; otherwise as `embed` does
   */
  locate(
    reRanker: string,
    text: string,
    pictures: readonly string[],
    options: Pick<EmbedOptions, 'device' | 'media' | 'signal'>,
  ): Promise<Location[]>;
  /**
   * How relevant each text is to a query, from 0 to 1, by the cross-encoder of a name, in batches. Nothing is kept.
   * @throws PelorusError `bad_request` when there is no such model, it cannot be had or run, or cannot read a text;
   *   otherwise as `embed` does
   */
  score(
    model: string,
    query: string,
    texts: readonly string[],
    options: Pick<EmbedOptions, 'device' | 'signal'>,
  ): Promise<Float32Array>;
  /**
   * Loads a model before anyone waits for it.
   * @throws PelorusError as `embed` does.
   */
  load(model: ResolvedModel, device?: Device): Promise<void>;
  /**
   * Loads the model that a patch method asks before anyone waits for it.
   * @throws PelorusError as `load` does.
   */
  loadDetector(method: PatchDetector): Promise<void>;
  /**
   * The CUDA devices of this machine, with their state at this moment.
   * @throws PelorusError `hardware_compatability_error` with the reason where there is none
   */
  cudaDevices(): Promise<CudaRow[]>;
  /** Models in memory: one row for each name and device, with the program that runs it. */
  loaded(): LoadedRow[];
  /** Faults of devices that no later call mends, for people; as a rule none. */
  problems(): string[];
  /** The numbers that a model is computed in; undefined while it is not loaded. Never throws, never loads. */
  precisionOf(model: ResolvedModel): Encoder['precision'] | undefined;
  /** Bytes that models hold in memory, all their copies counted. */
  modelBytes(): number;
  /** The work of each device's threads, by the program that runs on them. */
  work(): DeviceWork[];
  /** The use of the cache of query vectors by all threads, and what it holds. */
  queryCache(): QueryVectorsUse;
  /**
   * Unloads the models of a name, else of the first that starts so, from one device or from all, and forgets their query
   * vectors. Says the name and where it was; null when it is not loaded there.
   */
  eject(name: string, device?: string): Promise<{ name: string; devices: readonly Device[] } | null>;
  /** Unloads a model that an index has no use for any more, as `eject` does; whoever still uses it has it loaded again. */
  release(model: ResolvedModel): Promise<void>;
  /** Offers the cache of query vectors to one other thread. */
  shareQueries(): number;
  /** The number by which other threads may ask a model themselves; null where it is not loaded, or only this thread can. */
  sharedModel(model: ResolvedModel, device?: Device): number | null;
  /** Notes that another thread used a model that it has by its number. */
  noteUse(model: ResolvedModel): void;
  /** Ends the worker threads. Calls under way fail or finish; later ones fail. */
  close(): Promise<void>;
}

/** Makes the inference of a server. Threads start with the first model. */
export function createInference(config: InferenceConfig = {}): Inference {
  return new LocalInference(inferenceSettings(config));
}

/** The folder of compiled kernels, beside those of models. */
const KERNELS = '.kernels';

/** Models that run in threads of this process. */
class LocalInference implements Inference {
  readonly #modelFile: InferenceSettings['modelFile'];
  readonly #devices: Devices;
  readonly #pool: InferencePool;
  /** Those of our own encoders, by device. */
  readonly #threads: ReadonlyMap<Device, EncoderThreads>;
  readonly #places: DevicePlaces;
  readonly #store: ModelStore;
  readonly #swept: Promise<void>;
  readonly #models: LoadedModels<AnyModel>;
  readonly #cache: QueryCache;
  readonly #mediaEmbedder: MediaEmbedder;
  readonly #services: EmbeddingServices;
  readonly #serviceWork = new ServiceWork();

  constructor(settings: InferenceSettings) {
    const { threads, modelFile } = settings;
    const devices = machineDevices(settings);
    const { batchPolicy } = devices.limits('cpu');
    const workers = Array.from({ length: threads }, () => new WorkerSlot(ONNX_WORKER));
    const pool = new InferencePool({ workers, batchPolicy });
    this.#modelFile = modelFile;
    this.#devices = devices;
    this.#places = new DevicePlaces(settings.report);
    this.#pool = pool;
    this.#store = new ModelStore(settings);
    this.#swept = this.#store.sweep();
    const own = new OwnEncoders(settings.encoder, settings.encoderPrecision, settings.reportEncoder, (model) =>
      this.#store.calibrationOf(model),
    );
    const threadsOf = ({ index, batchPolicy }: DeviceLimits) =>
      encoderThreads(index === undefined ? threads : 1, batchPolicy);
    this.#threads = new Map(this.#devices.all.map((device) => [device, threadsOf(this.#devices.limits(device))]));
    const kernels = join(settings.modelDir, KERNELS);
    const open: OpenEncoder<AnyModel> = async (model, folder, device, copies) => {
      const { index } = this.#devices.limits(device);
      if (index !== undefined) {
        if (model.type === 'detector' || model.type === 'owl' || model.type === 'cross_encoder' || isOfField(model)) {
          throw new DeviceRefusal(ONLY_TEXTS, false);
        }
        const { weights, precision } = await own.openOn(model, folder, { device, index, kernels });
        const onFault = (fault: DeviceFault) => {
          if (this.#places.fault(device, fault)) this.#leave(device, settings.report);
        };
        return OwnTextEncoder.open(this.#threadsOf(device), model, folder, weights, precision, { device, onFault });
      }
      if (model.type === 'detector') return OnnxEncoder.openDetector(pool, model, folder, device, copies);
      if (model.type === 'owl') return OnnxEncoder.openOwl(pool, model, folder, device, copies);
      if (model.type === 'cross_encoder') return OnnxEncoder.openCrossEncoder(pool, model, folder, device, copies);
      if (isOfField(model)) return OnnxEncoder.openField(pool, model, folder, device, copies);
      const told: string[] = [];
      const encoder = await openOnCpu(
        model,
        folder,
        copies,
        own.tellingTo((message) => told.push(message)),
      );
      // A model that nobody can run runs nowhere: whoever asked for it is told why, each time.
      for (const message of told) settings.reportEncoder(message);
      return encoder;
    };
    const openOnCpu = async (model: ResolvedModel, folder: ModelFolder, copies: number, own: OwnEncoders) => {
      const tokenizer = own.mayRun(model, folder) ? loadTokenizer(model, folder) : undefined;
      // Whoever waits for it is told of its failure.
      tokenizer?.catch(() => undefined);
      const weights = await own.open(model, folder);
      if (weights === null) return OnnxEncoder.open(pool, model, folder, 'cpu', copies, own);
      return OwnTextEncoder.open(this.#threadsOf('cpu'), model, folder, weights, own.precision, undefined, tokenizer);
    };
    this.#services = new EmbeddingServices(settings);
    const openFileless = (model: AnyModel, device: Device) => {
      const { weights, name, dimensions } = model;
      if (weights.kind !== 'service') return openRandom(model, device);
      const { service } = weights;
      return new ServiceEncoder({
        ...{ name, service, dimensions, device, services: this.#services, work: this.#serviceWork },
      });
    };
    this.#models = new LoadedModels(
      open,
      this.#store,
      this.#devices,
      (model, folder) => own.has(model, folder),
      openFileless,
    );
    this.#cache = QueryCache.of({
      bytesMax: settings.queryCacheBytes,
      countMax: settings.queryCacheCount,
      policy: settings.queryCachePolicy,
    });
    this.#mediaEmbedder = new MediaEmbedder(settings);
  }

  resolve(model: string, modelProperties?: object): ResolvedModel {
    return modelOfIndex(this.resolveAny(model, modelProperties));
  }

  resolveField(model: string, modelProperties?: object): FieldModel {
    return modelOfField(this.resolveAny(model, modelProperties));
  }

  resolveAny(model: string, modelProperties?: object): ResolvedModel {
    return resolveModel(model, modelProperties, this.#modelFile);
  }

  redefine(model: string, modelProperties: object | undefined, given: object, isForced = false): ResolvedModel {
    return modelOfIndex(withProperties(model, modelProperties, given, { file: this.#modelFile, isForced }));
  }

  device(name: string | undefined): Device {
    return this.#devices.named(name);
  }

  async embed(model: ResolvedModel, inputs: InputBatch, options: EmbedOptions): Promise<PartedEmbeddings> {
    const device = this.#deviceFor(model, options);
    const as = { ...options, priority: 'document' } as const;
    const media = inputs.takeMedia();
    if (media.length === 0) return this.#compute(model, device, inputs, as);
    const { count } = inputs;
    return embedMixed(count, media, model.dimensions, options.signal, {
      texts: (signal) => this.#compute(model, device, inputs, { ...as, signal }),
      media: (signal) => this.#computeMedia(model, device, media, { ...as, signal }),
      lateTexts: (texts) => this.#compute(model, device, InputBatch.of(textInputs(texts)), as),
    });
  }

  async embedQuery(
    model: ResolvedModel,
    inputs: readonly EncoderInput[],
    options: EmbedOptions,
  ): Promise<QueryEmbeddings> {
    const device = this.#deviceFor(model, options);
    const as = { ...options, priority: 'query' } as const;
    const texts = inputs.filter(({ kind }) => kind === 'text');
    if (texts.length === inputs.length) {
      return { ...(await this.#throughCache(model, device, inputs, options)), media: [] };
    }
    const media = inputs.flatMap((input, row): MediaInput[] => (input.kind === 'media' ? [{ ...input, row }] : []));
    return embedMixed(inputs.length, media, model.dimensions, options.signal, {
      texts: (signal) => this.#throughCache(model, device, texts, { ...options, signal }),
      media: (signal) => this.#computeMedia(model, device, media, { ...as, signal }),
      lateTexts: (late) => this.#throughCache(model, device, textInputs(late), options),
    });
  }

  async fieldVectors(model: FieldModel, texts: readonly string[], options: FieldOptions): Promise<FieldVectors[]> {
    const { priority, signal } = options;
    const device = this.#devices.orDefault(options.device);
    return inGroups(model, texts, priority, async (some) => {
      // Asked for anew each time: between two groups it is not busy, and may be unloaded.
      const encoder = await this.#encoderOf(model, device, options);
      if (!(encoder instanceof OnnxEncoder)) throw new TypeError('a model of a field runs on ONNX Runtime');
      signal?.throwIfAborted();
      return encoder.encodeField(some, { priority, signal });
    });
  }

  async locate(
    reRanker: string,
    text: string,
    pictures: readonly string[],
    { device, media, signal }: Pick<EmbedOptions, 'device' | 'media' | 'signal'>,
  ): Promise<Location[]> {
    const owl = owlModel(reRanker, this.#modelFile);
    if (owl === null) throw unknownReRanker(reRanker);
    if (media === undefined) throw new TypeError('pictures need the options of media');
    return this.#locate(owl, text, pictures, this.#devices.orDefault(device), media, signal);
  }

  async score(
    model: string,
    query: string,
    texts: readonly string[],
    { device, signal }: Pick<EmbedOptions, 'device' | 'signal'>,
  ): Promise<Float32Array> {
    const crossEncoder = crossEncoderModel(model, this.#modelFile);
    if (crossEncoder === null) throw unknownCrossEncoder(model);
    const encoder = await this.#encoderOf(crossEncoder, this.#devices.orDefault(device), {});
    if (!(encoder instanceof OnnxEncoder)) throw new TypeError('a cross-encoder runs on ONNX Runtime');
    signal?.throwIfAborted();
    const { vectors, failures } = await encoder.encodePairs(query, texts, { priority: 'query', signal });
    const [failure] = failures;
    if (failure !== undefined) throw unusableModel(`Model ${model} cannot read a text: ${failure.message}`);
    return vectors;
  }

  async load(model: ResolvedModel, device?: Device): Promise<void> {
    await this.#encoderOf(model, this.#deviceFor(model, { device }), {});
  }

  async loadDetector(method: PatchDetector): Promise<void> {
    await this.#encoderOf(detectorModel(method, this.#modelFile), this.#devices.orDefault(undefined), {});
  }

  cudaDevices(): Promise<CudaRow[]> {
    return cudaRows();
  }

  loaded(): LoadedRow[] {
    return this.#models.list();
  }

  problems(): string[] {
    return this.#places.problems();
  }

  work(): DeviceWork[] {
    const own = [...this.#threads].map(([device, threads]): DeviceWork => {
      const { passes: batches, texts: inputs, tokens, waiting } = threads.work();
      return { device, encoder: 'pelorus', batches, inputs, tokens, waiting };
    });
    return [
      ...own,
      { device: 'cpu', encoder: 'onnxruntime', ...this.#pool.work() },
      { device: 'cpu', encoder: 'service', ...this.#serviceWork.now() },
    ];
  }

  queryCache(): QueryVectorsUse {
    return this.#cache.usage();
  }

  precisionOf(model: ResolvedModel): Encoder['precision'] | undefined {
    return this.#models.precisionOf(vectorKey(model));
  }

  modelBytes(): number {
    return this.#models.bytes();
  }

  async eject(name: string, device?: string): Promise<{ name: string; devices: readonly Device[] } | null> {
    const place = device === undefined ? undefined : this.#devices.known(device);
    const ejected = place === null ? null : await this.#models.eject(name, place);
    if (ejected === null) return null;
    for (const key of ejected.keys) this.#forgetQueries(key);
    return { name: ejected.name, devices: ejected.devices };
  }

  async release(model: ResolvedModel): Promise<void> {
    const key = vectorKey(model);
    await this.#models.release(key);
    this.#forgetQueries(key);
  }

  shareQueries(): number {
    return this.#cache.share();
  }

  sharedModel(model: ResolvedModel, device?: Device): number | null {
    // Where a device that was asked for refused a model, it may take it later.
    if (this.#devices.orDefault(device) !== 'cpu') return null;
    const encoder = this.#models.find(vectorKey(model), 'cpu')?.encoder;
    return encoder instanceof OwnTextEncoder ? encoder.number : null;
  }

  noteUse(model: ResolvedModel): void {
    this.#models.noteUse(vectorKey(model), 'cpu', model.name);
  }

  async close(): Promise<void> {
    const parts = [this.#mediaEmbedder, this.#pool, ...this.#threads.values(), this.#services, this.#store];
    const ends = parts.map((part) => part.close());
    await Promise.all([...ends, this.#swept]);
  }

  #threadsOf(device: Device): EncoderThreads {
    const threads = this.#threads.get(device);
    if (threads === undefined) throw new TypeError(`there are no threads for ${device}`);
    return threads;
  }

  /** The device on which a model is to run. Refuses a model without vectors before anything is fetched. */
  #deviceFor(model: ResolvedModel, { device }: Pick<EmbedOptions, 'device'>): Device {
    return deviceFor(this.#devices, model, device);
  }

  #forgetQueries(key: string): void {
    for (const device of this.#devices.all) {
      for (const isNormalized of [true, false]) {
        for (const textsAs of ['query', 'document'] as const) {
          this.#cache.forget(cacheSpace(key, isNormalized, device, textsAs));
        }
      }
    }
  }

  /** Unloads the models of a device that is lost, whose calls run on the CPU from now on. */
  #leave(device: Device, report: (message: string) => void): void {
    // Not before each call that has one of them at this moment has begun, and so is waited for.
    setImmediate(() => {
      this.#models.releaseDevice(device).catch((error) => {
        report(`Models of ${device} were not unloaded: ${reasonOf(error)}.`);
      });
    });
  }

  /** The encoder of a model on a device, or on the CPU where the device does not take it or is lost. */
  async #encoderOf(model: AnyModel, device: Device, { modelAuth }: Pick<EmbedOptions, 'modelAuth'>): Promise<Encoder> {
    const auth = modelAuth == null ? undefined : parseModelAuth(modelAuth);
    const key = vectorKey(model);
    const place = this.#places.placeOf(key, device);
    try {
      return (await this.#models.get(model, place, auth)).encoder;
    } catch (error) {
      if (!(error instanceof DeviceRefusal)) throw error;
      // Those that waited for the same load find it refused, too.
      if (this.#places.placeOf(key, device) !== 'cpu') this.#places.refuse(key, model.name, device, error);
      return (await this.#models.get(model, 'cpu', auth)).encoder;
    }
  }

  /** Vectors of texts alone. */
  async #compute(model: ResolvedModel, device: Device, inputs: InputBatch, options: EmbedOptions & EncodeOptions) {
    const encoder = await this.#encoderOf(model, device, options);
    const { serviceKey } = parseModelAuth(options.modelAuth);
    return encoder.encode(inputs, { ...options, serviceKey });
  }

  async #computeMedia(
    model: ResolvedModel,
    device: Device,
    inputs: readonly MediaInput[],
    options: EmbedOptions & EncodeOptions,
  ): Promise<MediaOutcome[]> {
    const { media, priority, signal } = options;
    if (media === undefined) throw new TypeError('inputs that are media need the options of media');
    // A model that cannot run is refused before anything is fetched. Later the model is asked for anew each time: while
    // pictures are on their way it is not busy, and may be unloaded.
    const { picture } = await this.#encoderOf(model, device, options);
    return this.#mediaEmbedder.embed(inputs, {
      model: { ...model, picture: picture ?? model.picture },
      media,
      priority,
      signal,
      encodeTensors: async (medium, tensors) =>
        (await this.#encoderOf(model, device, options)).encodeTensors(medium, tensors, options),
      detect: (detector, tensors) => this.#detect(device, detector, tensors, { priority, signal }),
    });
  }

  async #detect(
    device: Device,
    detector: PatchDetector,
    tensors: TensorBatch,
    options: Pick<EncodeOptions, 'priority' | 'signal'>,
  ): Promise<Embeddings> {
    const found = await this.#encoderOf(detectorModel(detector, this.#modelFile), device, {});
    return found.encodeTensors('image', tensors, { ...options, normalize: false });
  }

  async #locate(
    owl: OwlModel,
    text: string,
    pictures: readonly string[],
    device: Device,
    media: MediaOptions,
    signal: AbortSignal | undefined,
  ): Promise<Location[]> {
    const as = { priority: 'query', signal, normalize: false } as const;
    const encoder = await this.#encoderOf(owl, device, {});
    if (!(encoder instanceof OnnxEncoder)) throw new TypeError('an owl runs on ONNX Runtime');
    const ids = await encoder.ids(text);
    const outcomes = await this.#mediaEmbedder.embed(pictureInputs(pictures), {
      ...as,
      model: { ...owl, modalities: ['image'], picture: owlPicture(owl) },
      isSquared: true,
      media,
      encodeTensors: async (_, { values }) =>
        (await this.#encoderOf(owl, device, {})).encodeTensors('image', owlTensors(values, owl, ids), as),
      detect: (detector, tensors) => this.#detect(device, detector, tensors, as),
    });
    return locations(outcomes);
  }

  /** Vectors of a query's texts, from the cache where they are known. */
  async #throughCache(
    model: ResolvedModel,
    device: Device,
    inputs: readonly EncoderInput[],
    options: EmbedOptions,
  ): Promise<Embeddings> {
    // A service may refuse one key and not another: nobody is to have what his own would not give him.
    if (model.weights.kind === 'service' && options.modelAuth != null) {
      return this.#compute(model, device, InputBatch.of(inputs), { ...options, priority: 'query' });
    }
    // Equal queries are computed once, and a load that fails for the credentials of one must not fail for those of another.
    if (options.modelAuth != null) await this.#encoderOf(model, device, options);
    return cachedVectors(this.#cache, { model, device, inputs, options }, (missing, signal) =>
      this.#compute(model, device, InputBatch.of(missing), { ...options, signal, priority: 'query' }),
    );
  }
}

const isOfField = (model: AnyModel): model is FieldModel => isFieldModelType(model.type);

const unknownCrossEncoder = (name: string) =>
  unusableModel(
    `The model of rerank must be one of ${CROSS_ENCODER_NAMES.join(', ')}, or a name of the model file that begins with cross-encoder/, received ${echoed(name)}`,
  );

const unknownReRanker = (name: string) =>
  unusableModel(`reRanker must be one of ${OWL_NAMES.join(', ')}, received ${echoed(name)}`);

/**
 * The device on which a model is to run.
 * @throws PelorusError `invalid_argument` for a model without vectors, `hardware_compatability_error` for a device that is
 *   not there
 */
export function deviceFor(devices: Devices, model: ResolvedModel, device: Device | undefined): Device {
  const chosen = devices.orDefault(device);
  if (model.embeds) return chosen;
  throw new PelorusError(
    'invalid_argument',
    `Model ${model.name} makes no vectors: documents and queries have to bring their own.`,
  );
}
