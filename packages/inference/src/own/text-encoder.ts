import { readFile } from 'node:fs/promises';
import {
  Cancellation,
  EncoderThreads,
  type InputBatch,
  releaseMemory,
  TextModel,
  type TokenEncoder,
  Tokenizer,
} from '@pelorus/node';
import type { ModelFolder } from '../folder/model-folder.js';
import { hasUnitLength } from '../folder/unit-length.js';
import { reasonOf } from '../reason.js';
import { unusableModel } from '../registry/model-error.js';
import type { ResolvedModel } from '../resolved-model.js';
import type { BatchPolicy } from '../runtime/batch-policy.js';
import type { Device } from '../runtime/device.js';
import type { DeviceFault } from '../runtime/device-places.js';
import {
  type Embeddings,
  type EncodeOptions,
  type Encoder,
  ofInputs,
  type PartedEmbeddings,
} from '../runtime/encoder.js';
import { inferenceUnavailable } from '../runtime/unavailable.js';

interface TextEncoderParts {
  readonly model: TextModel;
  readonly dimensions: number;
  readonly precision: Encoder['precision'];
  readonly device: Device;
  /** Told the faults for which the CPU computed in the place of the device. */
  readonly onFault: (fault: DeviceFault) => void;
}

const ON_CPU = { device: 'cpu', onFault: () => undefined } as const;

/** Reads the tokenizer of a model, which may be done while its weights are loaded. */
export async function loadTokenizer({ tokens, text }: ResolvedModel, folder: ModelFolder): Promise<Tokenizer> {
  const { cleaning, omitsSeparator } = text;
  return Tokenizer.load(await readFile(folder.tokenizer), tokens, { cleaning, omitsSeparator });
}

/** The threads of encoders of our own, by the rule that batches of other models have. */
export function encoderThreads(count: number, { tokensMax, inputsMax, ...rule }: BatchPolicy): EncoderThreads {
  return EncoderThreads.of(count, { ...rule, tokensMax, ...(Number.isFinite(inputsMax) && { textsMax: inputsMax }) });
}

/**
 * A model of texts on an encoder of our own. A call crosses to native threads once, which make tokens, wait, compute and
 * pool; the event loop has the vectors back.
 */
export class OwnTextEncoder implements Encoder {
  readonly dimensions: number;
  readonly device: Device;
  readonly runtime = 'pelorus';
  readonly precision: Encoder['precision'];
  readonly sharesWeights = true;
  readonly picture = null;
  readonly #model: TextModel;
  readonly #onFault: TextEncoderParts['onFault'];

  private constructor({ model, dimensions, precision, device, onFault }: TextEncoderParts) {
    this.dimensions = dimensions;
    this.precision = precision;
    this.device = device;
    this.#model = model;
    this.#onFault = onFault;
  }

  /**
   * Takes the weights, which it closes.
   * @param loading the tokenizer, where that was begun before
   * @throws PelorusError `bad_request` when the folder's files do not make this model
   */
  static async open(
    threads: EncoderThreads,
    model: ResolvedModel,
    folder: ModelFolder,
    weights: TokenEncoder,
    precision: Encoder['precision'],
    { device, onFault }: Pick<TextEncoderParts, 'device' | 'onFault'> = ON_CPU,
    loading: Promise<Tokenizer> = loadTokenizer(model, folder),
  ): Promise<OwnTextEncoder> {
    try {
      const tokenizer = await loading;
      const pooling = model.pooling ?? folder.pooling ?? 'mean';
      const isUnitLength = hasUnitLength(model, folder);
      const { dimensions } = weights;
      const own = TextModel.of(threads, weights, tokenizer, { pooling, isUnitLength });
      return new OwnTextEncoder({ model: own, dimensions, precision, device, onFault });
    } catch (error) {
      throw unusableModel(`Model ${model.name} in ${folder.path} cannot be loaded: ${reasonOf(error)}`, error);
    } finally {
      weights.close();
    }
  }

  /** The number by which other threads may ask the model themselves. */
  get number(): number {
    return this.#model.number;
  }

  get isBusy(): boolean {
    return this.#model.isBusy;
  }

  async encode(inputs: InputBatch, options: EncodeOptions): Promise<PartedEmbeddings> {
    options.signal?.throwIfAborted();
    const embedded = embedTexts(this.#model, inputs, options, this.#onFault);
    if (embedded === null) throw new TypeError('the model was released');
    return embedded;
  }

  /** Models of texts have no other towers. */
  async encodeTensors(medium: string): Promise<Embeddings> {
    throw unusableModel(`The model does not take ${medium}`);
  }

  /** All threads have the weights in common. */
  setCopies(): void {}

  async release(): Promise<void> {
    await this.#model.close();
    await releaseMemory();
  }
}

/** Vectors of a batch of texts from a model of any thread; null, and the batch as it was, where it is released. */
export function embedTexts(
  model: TextModel,
  inputs: InputBatch,
  { normalize, priority, signal, telemetry }: EncodeOptions,
  onFault?: (fault: DeviceFault) => void,
): Promise<PartedEmbeddings> | null {
  const cancellation = signal === undefined ? undefined : Cancellation.after(Number.POSITIVE_INFINITY);
  const wanted = { isNormalized: normalize, isQuery: priority === 'query' };
  const embedded = model.embed(inputs, wanted, cancellation);
  if (embedded === null) return null;
  const served = embedded.then(
    ({ vectors, failures, parts, tokenizeMs, inferMs, deviceFault }) => {
      if (deviceFault !== undefined) onFault?.(deviceFault);
      telemetry?.({ tokenizeMs, inferMs });
      return ofInputs({ vectors, failures }, parts);
    },
    (error) => {
      throw asServed(error);
    },
  );
  return cancellation === undefined || signal === undefined ? served : untilAborted(signal, cancellation, served);
}

/** Threads that end are no fault of the call. */
function asServed(error: unknown): unknown {
  const isClosed = error instanceof Error && 'code' in error && error.code === 'service_unavailable';
  return isClosed ? inferenceUnavailable(error.message) : error;
}

/** Waits for a call until a signal is aborted: it then fails at once with the reason, and nothing more of it is computed. */
function untilAborted<T>(signal: AbortSignal, cancellation: Cancellation, call: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => {
    cancellation.cancel();
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort);
  call.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  return promise;
}
