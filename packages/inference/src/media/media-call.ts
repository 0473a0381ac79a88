import type { MediaInput, Medium } from '@pelorus/node';
import type { ResolvedModel } from '../resolved-model.js';
import type { Embeddings, EncodeOptions, TensorBatch } from '../runtime/encoder.js';
import { FetchTurns } from './fetch-turns.js';
import { isDataUri, MediaFailure, mediaFailureText } from './media-failure.js';
import type { MediaFetcher } from './media-fetcher.js';
import type { MediaMemory } from './media-memory.js';
import type { MediaOptions } from './media-options.js';
import type { PreparationTask } from './preparation.js';
import type { PreparationPool } from './preparation-pool.js';
import type { Permit } from './semaphore.js';
import { TensorFeed } from './tensor-feed.js';

/** What became of a medium. */
export type MediaOutcome =
  /** `[rows, dimensions]`: one row, or one for each label of its parts. */
  | { readonly kind: 'vectors'; readonly vectors: Float32Array; readonly labels: readonly string[] | null }
  | { readonly kind: 'failure'; readonly message: string }
  /** The bytes are no medium: this is to be embedded instead. */
  | { readonly kind: 'text'; readonly text: string };

/** What a call is for. */
export interface MediaRequests extends Pick<EncodeOptions, 'priority' | 'signal'> {
  readonly model: ResolvedModel;
  readonly media: MediaOptions;
  /** Embeddings of tensors on that model. */
  readonly encodeTensors: (medium: Medium, tensors: TensorBatch) => Promise<Embeddings>;
}

/** What all calls share. */
export interface MediaResources {
  readonly fetcher: MediaFetcher;
  readonly memory: MediaMemory;
  readonly preparation: PreparationPool;
}

/** The bounds of a picture. */
export const PICTURE_LIMITS = { bytesMax: 64 * 1024 * 1024, pixelsMax: 100_000_000 } as const;

/** Fetches at once, where the call does not say; fewer of models whose media are mostly films and sounds. */
const CONNECTIONS = 20;
const CONNECTIONS_LANGUAGEBIND = 5;
/** Media of a call that wait for a thread or for the model, beside those that are being fetched. */
const WAITING_MAX = 16;
/** Tensors of the patch method `simple`. */
const PATCHES = 10;
const CHANNELS = 3;

/** A picture in memory: a file, or the base64 of one. */
interface Picture extends Permit {
  readonly data: PreparationTask['picture'];
}

/** The media of one call: each is fetched, prepared and encoded beside the others, as far as the bounds let it. */
export class MediaCall {
  readonly #call: MediaRequests;
  readonly #resources: MediaResources;
  readonly #turns: FetchTurns;
  readonly #pictures: TensorFeed;

  constructor(call: MediaRequests, resources: MediaResources) {
    const usual = call.model.type === 'languagebind' ? CONNECTIONS_LANGUAGEBIND : CONNECTIONS;
    const connections = call.media.connections ?? usual;
    this.#call = call;
    this.#resources = resources;
    this.#turns = new FetchTurns(connections, connections + WAITING_MAX);
    this.#pictures = new TensorFeed((tensors) => call.encodeTensors('image', tensors), call.model.dimensions);
  }

  /**
   * What becomes of inputs that have one pointer and one medium: it is fetched once.
   * @throws what the encoder throws, and the reason of the signal once it is aborted
   */
  async outcomes(pointer: string, medium: Medium | null, inputs: readonly MediaInput[]): Promise<MediaOutcome[]> {
    const failed = (reason: string): MediaOutcome => ({ kind: 'failure', message: mediaFailureText(pointer, reason) });
    return this.#turns.run(hostOf(pointer), async (fetched) => {
      this.#call.signal?.throwIfAborted();
      const tensorBytes = inputs.reduce((sum, input) => sum + this.#tensorBytes(input), 0);
      const picture = await orFailure(this.#picture(pointer, medium, tensorBytes));
      fetched();
      if (picture instanceof MediaFailure) return inputs.map(() => failed(picture.message));
      if (picture === null) return inputs.map(({ text }) => (text === undefined ? failed(NO_MEDIUM) : asText(text)));
      try {
        const made = inputs.map((input) => orFailure(this.#embed(picture, input, inputs.length > 1)));
        return (await Promise.all(made)).map((one) => (one instanceof MediaFailure ? failed(one.message) : one));
      } finally {
        picture.release();
      }
    });
  }

  /** The picture that a pointer leads to, with room for its tensors; null for what is no medium. */
  async #picture(pointer: string, medium: Medium | null, tensorBytes: number): Promise<Picture | null> {
    if (medium !== null) this.#admit(medium);
    const { fetcher, memory } = this.#resources;
    if (isDataUri(pointer)) {
      const data = base64Of(pointer);
      return { data, ...(await memory.reserve(data.length + tensorBytes, this.#call)) };
    }
    const { headers, fileBytesMax, treated } = this.#call.media;
    const { priority, signal } = this.#call;
    return fetcher.fetch({ url: pointer, headers, medium, fileBytesMax, priority, signal }, async (arriving) => {
      if (arriving.medium === null || (medium === null && !treated.includes(arriving.medium))) return null;
      this.#admit(arriving.medium);
      const { bytes, release } = await memory.collect(arriving, tensorBytes, this.#call);
      return { data: bytes, release };
    });
  }

  /** @throws MediaFailure for a medium that cannot be embedded */
  #admit(medium: Medium): void {
    const { name, modalities } = this.#call.model;
    if (!modalities.includes(medium)) throw unsupported(name, medium);
    // Here is where films and sounds part from pictures: this version has nothing that takes them to pieces.
    if (medium !== 'image') throw new MediaFailure(`this version takes no ${medium}`);
  }

  /** The vectors of a picture, whole or in patches. Takes its memory, unless others need it. */
  async #embed({ data }: Picture, { patches }: MediaInput, isShared: boolean): Promise<MediaOutcome> {
    const { name, picture: preparation } = this.#call.model;
    if (preparation === null) throw unsupported(name, 'image');
    const patchMethod = this.#patchMethod(patches);
    const picture = isShared && typeof data !== 'string' ? data.slice() : data;
    const task = { picture, preparation, patchMethod, limits: PICTURE_LIMITS };
    const { values, shape, boxes } = await this.#resources.preparation.prepare(task, this.#call);
    const { vectors, failures } = await this.#pictures.add({ values, shape });
    const [failure] = failures;
    if (failure !== undefined) throw new MediaFailure(failure.message);
    return { kind: 'vectors', vectors, labels: patchMethod === null ? null : boxes };
  }

  /** @throws MediaFailure for a method that this version cannot run */
  #patchMethod(patches: boolean): 'simple' | null {
    const { patchMethod } = this.#call.media;
    if (!patches || patchMethod === null) return null;
    if (patchMethod === 'simple') return patchMethod;
    throw new MediaFailure(`there is no model of the patch method ${patchMethod} here to find its patches`);
  }

  #tensorBytes({ patches }: MediaInput): number {
    const size = this.#call.model.picture?.size ?? 0;
    const count = patches && this.#call.media.patchMethod !== null ? PATCHES : 1;
    return count * CHANNELS * size * size * Float32Array.BYTES_PER_ELEMENT;
  }
}

const NO_MEDIUM = 'its first bytes are neither those of a picture nor of a film or sound';

const asText = (text: string): MediaOutcome => ({ kind: 'text', text });

/** Whose turn it is to be fetched from; data URIs are nobody's. */
function hostOf(pointer: string): string {
  return isDataUri(pointer) ? '' : (URL.parse(pointer)?.host ?? '');
}

/** @throws MediaFailure */
function base64Of(dataUri: string): string {
  const marker = dataUri.indexOf('base64,');
  if (marker === -1) throw new MediaFailure('it has no base64 data');
  const data = dataUri.slice(marker + 'base64,'.length);
  if ((data.length / 4) * 3 > PICTURE_LIMITS.bytesMax + 2) {
    throw new MediaFailure(`it has more than ${PICTURE_LIMITS.bytesMax} bytes`);
  }
  return data;
}

const unsupported = (model: string, medium: Medium) => new MediaFailure(`Model ${model} does not support ${medium}`);

/** What is wrong with a medium as a value: others go on. */
async function orFailure<T>(work: Promise<T>): Promise<T | MediaFailure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof MediaFailure) return error;
    throw error;
  }
}
