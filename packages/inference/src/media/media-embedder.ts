import type { MediaInput } from '@pelorus/node';
import { Ffmpeg } from './ffmpeg.js';
import { MediaCall, type MediaOutcome, type MediaRequests, type MediaResources, PICTURE_LIMITS } from './media-call.js';
import { MediaFetcher } from './media-fetcher.js';
import { MediaMemory } from './media-memory.js';
import { PreparationPool } from './preparation-pool.js';
import { RecordingEmbedder } from './recording-embedder.js';
import { RecordingFiles } from './recording-files.js';
import { checkMediaHeaders } from './request-headers.js';

/** Bounds of media for the whole process. */
export interface MediaSettings {
  /** Networks (CIDR) that media may be fetched from although they are not public. */
  readonly mediaNetworks: readonly string[];
  /** Threads that prepare pictures. */
  readonly pictureThreads: number;
  /** The ffmpeg that reads films and sounds, a name on the path or a file; null to do without. */
  readonly ffmpegCommand: string | null;
  /** Films and sounds that are decoded at once. */
  readonly recordingsMax: number;
  /** Told what went wrong where a call goes on without it. */
  readonly report: (message: string) => void;
  /** Memory for files and tensors on their way to a model, in bytes. */
  readonly mediaMemoryBytes: number;
}

/** From pictures, films and sounds that clients point to, to their vectors; what every call shares. */
export class MediaEmbedder {
  readonly #resources: MediaResources;

  constructor({ mediaNetworks, mediaMemoryBytes, pictureThreads, ...settings }: MediaSettings) {
    const preparation = new PreparationPool(pictureThreads);
    const { ffmpegCommand, recordingsMax, report } = settings;
    this.#resources = {
      fetcher: new MediaFetcher({ allowedNetworks: mediaNetworks, pictureBytesMax: PICTURE_LIMITS.bytesMax }),
      memory: new MediaMemory(mediaMemoryBytes),
      preparation,
      recordingFiles: new RecordingFiles(),
      recordings: new RecordingEmbedder({ ffmpeg: new Ffmpeg(ffmpegCommand), preparation, recordingsMax }),
      report,
    };
  }

  /**
   * Returns the outcome of each input, in their order.
   * @throws PelorusError `invalid_argument` for headers that cannot be sent; what the encoder throws; the reason of the
   *   signal once it is aborted
   */
  async embed(inputs: readonly MediaInput[], requests: MediaRequests): Promise<MediaOutcome[]> {
    checkMediaHeaders(requests.media.headers);
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, ...(requests.signal === undefined ? [] : [requests.signal])]);
    const call = new MediaCall({ ...requests, signal }, this.#resources);
    const outcomes = new Array<MediaOutcome>(inputs.length);
    const embedAll = async ({ pointer, medium, members }: SamePointer) => {
      const made = await call.outcomes(
        pointer,
        medium,
        members.map(({ input }) => input),
      );
      for (const [i, { place }] of members.entries()) outcomes[place] = made[i] as MediaOutcome;
    };
    try {
      await Promise.all(samePointers(inputs).map(embedAll));
      return outcomes;
    } finally {
      // When one throws, the others are for nobody.
      ended.abort();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#resources.fetcher.close(), this.#resources.preparation.close()]);
  }
}

/** Inputs that one fetch is enough for. */
interface SamePointer {
  readonly pointer: string;
  readonly medium: NonNullable<MediaInput['medium']> | null;
  readonly members: { readonly place: number; readonly input: MediaInput }[];
}

function samePointers(inputs: readonly MediaInput[]): SamePointer[] {
  const groups = new Map<string, SamePointer>();
  for (const [place, input] of inputs.entries()) {
    const { pointer, medium = null } = input;
    const key = `${medium} ${pointer}`;
    const group = groups.get(key) ?? { pointer, medium, members: [] };
    group.members.push({ place, input });
    groups.set(key, group);
  }
  return [...groups.values()];
}
