import {
  type MediaInput,
  type Medium,
  mediumOf,
  type PatchDetector,
  type PicturePreparation,
  pointedTo,
} from '@pelorus/node';
import type { LoadableModel, ResolvedModel } from '../resolved-model.js';
import type { Embeddings, EncodeOptions, TensorBatch } from '../runtime/encoder.js';
import { embedDetectedPatches } from './detected-patches.js';
import type { RecordingMedium } from './ffmpeg.js';
import { HostFairQueue } from './host-fair-queue.js';
import { isDataUri, MediaFailure, mediaFailureText, shownPointer } from './media-failure.js';
import type { Arriving, MediaFetcher } from './media-fetcher.js';
import type { MediaMemory } from './media-memory.js';
import type { MediaOptions } from './media-options.js';
import type { PictureTask } from './preparation.js';
import type { PreparationPool } from './preparation-pool.js';
import type { RecordingEmbedder } from './recording-embedder.js';
import type { RecordingFiles, StoredRecording } from './recording-files.js';
import type { Permit } from './semaphore.js';
import { TensorFeed } from './tensor-feed.js';

/** The outcome of a medium. */
export type MediaOutcome =
  /** `[rows, dimensions]`: one row, or one for each label of its parts. */
  | { readonly kind: 'vectors'; readonly vectors: Float32Array; readonly labels: readonly string[] | null }
  | { readonly kind: 'failure'; readonly message: string }
  /** The bytes are no medium: this is to be embedded instead. */
  | { readonly kind: 'text'; readonly text: string };

/** The model, options and callbacks of a call. */
export interface MediaRequests extends Pick<EncodeOptions, 'priority' | 'signal'> {
  readonly model: Pick<LoadableModel, 'name' | 'type' | 'dimensions' | 'modalities'> & Pick<ResolvedModel, 'picture'>;
  /** Pictures are made 240 x 240 before they are prepared, as their patches are, and labelled with their size. Default false. */
  readonly isSquared?: boolean;
  readonly media: MediaOptions;
  /** Embeddings of tensors on that model. */
  readonly encodeTensors: (medium: Medium, tensors: TensorBatch) => Promise<Embeddings>;
  /** Finds the parts of pictures that are prepared for a detector, a row of `detection-rows.ts` each. */
  readonly detect: (detector: PatchDetector, tensors: TensorBatch) => Promise<Embeddings>;
}

/** The resources that all calls share. */
export interface MediaResources {
  readonly fetcher: MediaFetcher;
  readonly memory: MediaMemory;
  readonly preparation: PreparationPool;
  readonly recordingFiles: RecordingFiles;
  readonly recordings: RecordingEmbedder;
  /** Told what went wrong where a call goes on without it. */
  readonly report: (message: string) => void;
}

/** The bounds of a picture. */
export const PICTURE_LIMITS = { bytesMax: 64 * 1024 * 1024, pixelsMax: 100_000_000 } as const;

/** Fetches at once, where the call does not say; fewer of models whose media are mostly films and sounds. */
const CONNECTIONS = 20;
const CONNECTIONS_LANGUAGEBIND = 5;
/** Media of a call that wait for a thread or for the model, beside those that are being fetched. */
const WAITING_MAX = 16;
/** Tensors of the patch method `simple`; of parts that were found, as many are prepared at once. */
const PATCHES = 10;
const CHANNELS = 3;

/** A picture in memory: a file, or the base64 of one. */
interface Picture extends Permit {
  readonly kind: 'picture';
  readonly data: PictureTask['picture'];
}

/** A film or sound on the disk. */
interface Recording extends StoredRecording {
  readonly kind: 'recording';
  readonly medium: RecordingMedium;
}

/** The media of one call: each is fetched, prepared and encoded beside the others, as far as the bounds let it. */
export class MediaCall {
  readonly #call: MediaRequests;
  readonly #resources: MediaResources;
  readonly #queue: HostFairQueue;
  readonly #feeds: Readonly<Record<Medium, TensorFeed>>;

  constructor(call: MediaRequests, resources: MediaResources) {
    const usual = call.model.type === 'languagebind' ? CONNECTIONS_LANGUAGEBIND : CONNECTIONS;
    const connections = call.media.connections ?? usual;
    this.#call = call;
    this.#resources = resources;
    this.#queue = new HostFairQueue(connections, connections + WAITING_MAX);
    const feed = (medium: Medium) =>
      new TensorFeed((tensors) => call.encodeTensors(medium, tensors), call.model.dimensions);
    this.#feeds = { image: feed('image'), video: feed('video'), audio: feed('audio') };
  }

  /**
   * Returns the outcomes of inputs that have one pointer and one medium: it is fetched once.
   * @throws what the encoder throws, and the reason of the signal once it is aborted
   */
  async outcomes(pointer: string, medium: Medium | null, inputs: readonly MediaInput[]): Promise<MediaOutcome[]> {
    const failed = (reason: string): MediaOutcome => ({ kind: 'failure', message: mediaFailureText(pointer, reason) });
    return this.#queue.run(hostOf(pointer), async (fetched) => {
      this.#call.signal?.throwIfAborted();
      const tensorBytes = inputs.reduce((sum, input) => sum + this.#tensorBytes(input), 0);
      const file = await orFailure(this.#file(pointer, medium, tensorBytes));
      fetched();
      if (file instanceof MediaFailure) return inputs.map(() => failed(file.message));
      if (file === null) return inputs.map(({ text }) => (text === undefined ? failed(NO_MEDIUM) : asText(text)));
      try {
        const made =
          file.kind === 'picture'
            ? inputs.map((input) => orFailure(this.#embedPicture(file, input, inputs.length > 1)))
            : shared(orFailure(this.#embedRecording(file, pointer)), inputs.length);
        return (await Promise.all(made)).map((one) => (one instanceof MediaFailure ? failed(one.message) : one));
      } finally {
        await file.release();
      }
    });
  }

  /** Fetches the file of a pointer, with room for the tensors of a picture; null for bytes that are no medium. */
  async #file(pointer: string, medium: Medium | null, tensorBytes: number): Promise<Picture | Recording | null> {
    if (medium !== null) await this.#admit(medium);
    const { fetcher, memory } = this.#resources;
    if (isDataUri(pointer)) {
      if (medium === 'video' || medium === 'audio') throw new MediaFailure(NO_RECORDING);
      if (medium === null) await this.#admit('image');
      const data = base64Of(pointer);
      if (medium === null) refuseRecording(data);
      return { kind: 'picture', data, ...(await memory.reserve(data.length + tensorBytes, this.#call)) };
    }
    if (medium === 'video' || medium === 'audio') requireName(pointer, medium);
    const { headers, fileBytesMax, treated } = this.#call.media;
    const { priority, signal } = this.#call;
    return fetcher.fetch({ url: pointer, headers, medium, fileBytesMax, priority, signal }, async (arriving) => {
      if (arriving.medium === null || (medium === null && !treated.includes(arriving.medium))) return null;
      await this.#admit(arriving.medium);
      if (arriving.medium !== 'image') return this.#store(arriving, arriving.medium);
      const { bytes, release } = await memory.collect(arriving, tensorBytes, this.#call);
      return { kind: 'picture', data: bytes, release };
    });
  }

  async #store(arriving: Arriving, medium: RecordingMedium): Promise<Recording> {
    const { fileBytesMax } = this.#call.media;
    const stored = await this.#resources.recordingFiles.store(arriving, fileBytesMax, this.#call);
    return { kind: 'recording', medium, ...stored };
  }

  /** @throws MediaFailure for a medium that cannot be embedded */
  async #admit(medium: Medium): Promise<void> {
    const { name, modalities } = this.#call.model;
    if (!modalities.includes(medium)) throw unsupported(name, medium);
    if (medium !== 'image') await this.#resources.recordings.admit();
  }

  /** The vectors of a picture, whole or in patches. Takes its memory, unless others need it. */
  async #embedPicture({ data }: Picture, { patches }: MediaInput, isShared: boolean): Promise<MediaOutcome> {
    const { name, picture: preparation } = this.#call.model;
    if (preparation === null) throw unsupported(name, 'image');
    if (this.#call.isSquared === true)
      return this.#embedSquared(isShared && typeof data !== 'string' ? data.slice() : data, preparation);
    const patchMethod = patches ? this.#call.media.patchMethod : null;
    const picture = isShared && typeof data !== 'string' ? data.slice() : data;
    if (patchMethod !== null && patchMethod !== 'simple') return this.#embedFound(picture, preparation, patchMethod);
    const task = { kind: 'picture', picture, preparation, patchMethod, limits: PICTURE_LIMITS } as const;
    const { values, shape, boxes } = await this.#resources.preparation.prepare(task, this.#call);
    const { vectors, failures } = await this.#feeds.image.add({ values, shape });
    const [failure] = failures;
    if (failure !== undefined) throw new MediaFailure(failure.message);
    return { kind: 'vectors', vectors, labels: patchMethod === null ? null : boxes };
  }

  /** The vectors of a film or sound, in pieces where the call says how. */
  async #embedRecording({ medium, file }: Recording, pointer: string): Promise<MediaOutcome> {
    const { media, priority, signal } = this.#call;
    const embedded = await this.#resources.recordings.embed(file, {
      medium,
      lengths: media[medium],
      priority,
      signal,
      encode: (tensors) => this.#feeds[medium].add(tensors),
      report: (reason) => this.#resources.report(`The ${medium} at ${shownPointer(pointer)}: ${reason}`),
    });
    return { kind: 'vectors', ...embedded };
  }

  /** The vector of a picture as its patches see it. */
  async #embedSquared(picture: Picture['data'], preparation: PicturePreparation): Promise<MediaOutcome> {
    const whole = { detections: new Float32Array(), first: 0, count: 1, limits: PICTURE_LIMITS };
    const task = { kind: 'patches', picture, preparation, ...whole } as const;
    const { values, shape, boxes } = await this.#resources.preparation.prepare(task, this.#call);
    const { vectors, failures } = await this.#feeds.image.add({ values, shape });
    const [failure] = failures;
    if (failure !== undefined) throw new MediaFailure(failure.message);
    return { kind: 'vectors', vectors, labels: boxes };
  }

  /** The vectors of a picture and of the parts that a detector finds in it. */
  async #embedFound(
    picture: Picture['data'],
    preparation: PicturePreparation,
    detector: PatchDetector,
  ): Promise<MediaOutcome> {
    const embedded = await embedDetectedPatches(picture, {
      detector,
      preparation,
      pool: this.#resources.preparation,
      claim: this.#call,
      limits: PICTURE_LIMITS,
      count: PATCHES,
      detect: this.#call.detect,
      encode: (tensors) => this.#feeds.image.add(tensors),
    });
    return { kind: 'vectors', ...embedded };
  }

  #tensorBytes({ patches }: MediaInput): number {
    const size = this.#call.model.picture?.size ?? 0;
    const count = patches && this.#call.media.patchMethod !== null ? PATCHES : 1;
    return count * CHANNELS * size * size * Float32Array.BYTES_PER_ELEMENT;
  }
}

/** One outcome for all inputs that share it. */
const shared = <T>(outcome: T, count: number): T[] => Array.from({ length: count }, () => outcome);

const NO_RECORDING = 'films and sounds are not taken from a data URI, expected the URL of one';

const NO_MEDIUM = 'its first bytes are neither those of a picture nor of a film or sound';

const asText = (text: string): MediaOutcome => ({ kind: 'text', text });

/**
 * A sound is no film, nor the reverse, where the name says so; ffmpeg finds the sound of a film too.
 * @throws MediaFailure
 */
function requireName(pointer: string, medium: RecordingMedium): void {
  const named = pointedTo(pointer);
  if (named === medium || named === 'text' || named === 'unknown') return;
  throw new MediaFailure(`its name is that of ${named}, expected ${medium}`);
}

/** The host in whose turn a pointer is fetched; data URIs have none. */
function hostOf(pointer: string): string {
  return isDataUri(pointer) ? '' : (URL.parse(pointer)?.host ?? '');
}

/** Longest type of a data URI, with its parameters, in characters. */
const DATA_TYPE_LENGTH_MAX = 1000;

/** @throws MediaFailure */
function base64Of(dataUri: string): string {
  const comma = dataUri.slice(0, DATA_TYPE_LENGTH_MAX).indexOf(',');
  const type = dataUri.slice(0, Math.max(comma, 0));
  if (!/; ?base64 ?$/i.test(type)) throw new MediaFailure('it has no base64 data');
  const data = dataUri.slice(comma + 1).trim();
  if ((data.length / 4) * 3 > PICTURE_LIMITS.bytesMax + 2) {
    throw new MediaFailure(`it has more than ${PICTURE_LIMITS.bytesMax} bytes`);
  }
  return data;
}

/** Characters of base64 whose bytes tell what they are. */
const SNIFFED_LENGTH = 4096;

/**
 * Refuses the bytes of a film or sound where the type of a data URI does not tell.
 * @throws MediaFailure
 */
function refuseRecording(base64: string): void {
  const medium = mediumOf(Buffer.from(base64.slice(0, SNIFFED_LENGTH), 'base64'));
  if (medium === 'video' || medium === 'audio') throw new MediaFailure(NO_RECORDING);
}

const unsupported = (model: string, medium: Medium) => new MediaFailure(`Model ${model} does not support ${medium}`);

/** Returns the failure of a medium as a value, so that others go on. */
async function orFailure<T>(work: Promise<T>): Promise<T | MediaFailure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof MediaFailure) return error;
    throw error;
  }
}
