import { readFile } from 'node:fs/promises';
import {
  Cancellation,
  type EmbeddedTexts,
  EncoderThreads,
  type InputBatch,
  releaseMemory,
  type TokenEncoder,
  Tokenizer,
  type TokenPooling,
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
  readonly threads: EncoderThreads;
  readonly weights: TokenEncoder;
  readonly precision: Encoder['precision'];
  readonly device: Device;
  /** Told the faults for which the CPU computed in the place of the device. */
  readonly onFault: (fault: DeviceFault) => void;
  readonly tokenizer: Tokenizer;
  readonly pooling: TokenPooling;
  readonly isUnitLength: boolean;
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
  readonly #parts: TextEncoderParts;
  #callCount = 0;
  #whenIdle: (() => void) | null = null;

  private constructor(parts: TextEncoderParts) {
    this.dimensions = parts.weights.dimensions;
    this.precision = parts.precision;
    this.device = parts.device;
    this.#parts = parts;
  }

  /**
   * Takes the weights, which it closes where it fails.
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
      return new OwnTextEncoder({
        threads,
        weights,
        precision,
        device,
        onFault,
        tokenizer,
        pooling,
        isUnitLength: hasUnitLength(model, folder),
      });
    } catch (error) {
      weights.close();
      throw unusableModel(`Model ${model.name} in ${folder.path} cannot be loaded: ${reasonOf(error)}`, error);
    }
  }

  get isBusy(): boolean {
    return this.#callCount > 0;
  }

  async encode(inputs: InputBatch, options: EncodeOptions): Promise<PartedEmbeddings> {
    options.signal?.throwIfAborted();
    this.#callCount++;
    try {
      const { vectors, failures, parts, tokenizeMs, inferMs, deviceFault } = await this.#embed(inputs, options);
      if (deviceFault !== undefined) this.#parts.onFault(deviceFault);
      options.telemetry?.({ tokenizeMs, inferMs });
      return ofInputs({ vectors, failures }, parts);
    } finally {
      if (--this.#callCount === 0) this.#whenIdle?.();
    }
  }

  /** Models of texts have no other towers. */
  async encodeTensors(medium: string): Promise<Embeddings> {
    throw unusableModel(`The model does not take ${medium}`);
  }

  /** All threads have the weights in common. */
  setCopies(): void {}

  async release(): Promise<void> {
    if (this.isBusy) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    this.#parts.weights.close();
    await releaseMemory();
  }

  #embed(inputs: InputBatch, { normalize, priority, signal }: EncodeOptions): Promise<EmbeddedTexts> {
    const { threads, weights, tokenizer, pooling, isUnitLength } = this.#parts;
    const options = { pooling, isNormalized: normalize || isUnitLength, isQuery: priority === 'query' };
    const embed = (cancellation?: Cancellation) =>
      threads.embed(weights, tokenizer, inputs, options, cancellation).catch((error) => {
        throw asServed(error);
      });
    return signal === undefined ? embed() : untilAborted(signal, embed);
  }
}

/** Threads that end are no fault of the call. */
function asServed(error: unknown): unknown {
  const isClosed = error instanceof Error && 'code' in error && error.code === 'service_unavailable';
  return isClosed ? inferenceUnavailable(error.message) : error;
}

/** Runs a call until a signal is aborted: it then fails at once with the reason, and nothing more of it is computed. */
function untilAborted<T>(signal: AbortSignal, call: (cancellation: Cancellation) => Promise<T>): Promise<T> {
  const cancellation = Cancellation.after(Number.POSITIVE_INFINITY);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => {
    cancellation.cancel();
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort);
  call(cancellation)
    .then(resolve, reject)
    .finally(() => signal.removeEventListener('abort', abort));
  return promise;
}
