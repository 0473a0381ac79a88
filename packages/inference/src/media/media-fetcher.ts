import { echoed } from '@pelorus/contract';
import { type Medium, mediumOf, pointerFault } from '@pelorus/node';
import { Fetcher } from '../outbound/fetcher.js';
import { OutboundPolicy, OutsideNetworks } from '../outbound/outbound-policy.js';
import { reasonOf } from '../reason.js';
import { Connections } from './connections.js';
import { Countdown } from './countdown.js';
import { MediaFailure } from './media-failure.js';
import type { Body } from './media-memory.js';
import type { Claim } from './semaphore.js';

/** Bounds of fetching media, for the whole process. */
export interface MediaFetchSettings {
  /** Networks (CIDR) that may be reached although they are not public. */
  readonly allowedNetworks: readonly string[];
  /** Largest picture, in bytes. */
  readonly pictureBytesMax: number;
  /** Time for the whole of a picture, from the request to the last byte. Default 3 s. */
  readonly pictureMs?: number;
  /** Likewise of a film or sound. Default 20 s. */
  readonly fileMs?: number;
}

/** A medium to fetch, and its bounds. */
export interface MediaRequest extends Claim {
  readonly url: string;
  /** Sent to the origin of `url` and to no other. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its kind, where that is known. */
  readonly medium: Medium | null;
  /** Largest film or sound, in bytes. */
  readonly fileBytesMax: number;
}

/** A medium on its way; null for bytes that are none. */
export interface Arriving extends Body {
  readonly medium: Medium | null;
}

const CONNECTIONS_MAX = 64;
/** Half of all, so that one slow host does not hold up all others. */
const HOST_CONNECTIONS_MAX = 32;
const REDIRECTS_MAX = 10;
const PICTURE_MS = 3_000;
const FILE_MS = 20_000;
/** The advice that clients of this interface have always got about addresses that are not public. */
const ALLOWING =
  'If this destination is intended, add its network to the MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS environment variable';
/** The only encoding that is asked for: media are compressed by themselves, and a few bytes may stand for very many. */
const IDENTITY = 'identity';
/** As much as tells what bytes are. */
const SNIFFED_BYTES = 4096;

/** Fetches pictures, films and sounds that clients name by URL, within bounds of time, bytes and connections. */
export class MediaFetcher {
  readonly #fetcher: Fetcher;
  readonly #connections = new Connections({ max: CONNECTIONS_MAX, hostMax: HOST_CONNECTIONS_MAX });
  readonly #pictureBytesMax: number;
  readonly #pictureMs: number;
  readonly #fileMs: number;

  constructor(settings: MediaFetchSettings) {
    this.#fetcher = new Fetcher(new OutboundPolicy({ allowedNetworks: settings.allowedNetworks }), {
      redirectsMax: REDIRECTS_MAX,
      userAgent: 'Marqobot/1.0',
      crossOrigin: 'nothing',
    });
    this.#pictureBytesMax = settings.pictureBytesMax;
    this.#pictureMs = settings.pictureMs ?? PICTURE_MS;
    this.#fileMs = settings.fileMs ?? FILE_MS;
  }

  /**
   * Fetches a medium when there is a connection for it, and gives it to `receive`. Bytes that it does not read are
   * given up.
   * @throws MediaFailure with the failure of the URL, its server or its bytes; the errors of `receive`; the reason of the
   *   signal once it is aborted
   */
  async fetch<T>(request: MediaRequest, receive: (arriving: Arriving) => Promise<T>): Promise<T> {
    const fault = pointerFault(request.url);
    if (fault !== null) throw new MediaFailure(fault);
    const url = URL.parse(request.url);
    if (url === null) throw new MediaFailure('its host or port is none that a URL can have');
    return this.#connections.run(url.host, request, async () => {
      const countdown = new Countdown(isFile(request.medium) ? this.#fileMs : this.#pictureMs);
      const signal = AbortSignal.any([countdown.signal, ...(request.signal === undefined ? [] : [request.signal])]);
      try {
        return await this.#receive(url, request, countdown, signal, receive);
      } catch (error) {
        // Either end breaks off the transfer alike: its reason is asked for, not what the socket says.
        request.signal?.throwIfAborted();
        if (countdown.signal.aborted)
          throw new MediaFailure(`it did not arrive within ${countdown.totalMs / 1000} seconds`);
        throw error;
      } finally {
        countdown.end();
      }
    });
  }

  async close(): Promise<void> {
    await this.#fetcher.close();
  }

  async #receive<T>(
    url: URL,
    { headers, medium, fileBytesMax }: MediaRequest,
    countdown: Countdown,
    signal: AbortSignal,
    receive: (arriving: Arriving) => Promise<T>,
  ): Promise<T> {
    const { status, headers: received, body } = await failing(this.#fetcher.get(url.href, headers, signal));
    try {
      if (status !== 200) throw new MediaFailure(`the server answered with status ${status}`);
      const length = lengthOf(received);
      const stream = new ByteStream(body, length);
      const encoding = received['content-encoding'] || IDENTITY;
      // Servers call bytes encoded that are not: those that look like a medium are one.
      const seen = medium === null || encoding !== IDENTITY ? mediumOf(await stream.first(SNIFFED_BYTES)) : medium;
      if (seen === null && encoding !== IDENTITY) {
        throw new MediaFailure(
          `the server sent it in the encoding ${echoed(encoding)}, and was asked for '${IDENTITY}'`,
        );
      }
      const found = medium ?? seen;
      if (isFile(found)) countdown.extendTo(this.#fileMs);
      const bytesMax = isFile(found) ? fileBytesMax : this.#pictureBytesMax;
      if (found !== null && length !== null && length > bytesMax) throw tooLarge(bytesMax);
      return await receive({
        medium: found,
        length,
        chunks: stream.upTo(length ?? bytesMax),
        untimed: (wait) => countdown.without(wait),
      });
    } finally {
      // A body that is not read to its end would hold its connection.
      body.destroy();
    }
  }
}

/** Films and sounds are fetched as files, and may take longer than a picture. */
const isFile = (medium: Medium | null) => medium === 'video' || medium === 'audio';

/** The bytes of a body, of which the first may be looked at before. */
class ByteStream {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #seen: Uint8Array[] = [];
  readonly #length: number | null;
  #received = 0;

  /** @param length as it was announced */
  constructor(body: AsyncIterable<Uint8Array>, length: number | null) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#length = length;
  }

  /** The first bytes, about so many, fewer of a shorter body. @throws MediaFailure */
  async first(bytes: number): Promise<Uint8Array> {
    for (let size = 0; size < bytes; ) {
      const chunk = await this.#next();
      if (chunk === null) break;
      this.#seen.push(chunk);
      size += chunk.byteLength;
    }
    return Buffer.concat(this.#seen).subarray(0, bytes);
  }

  /** All bytes. @throws MediaFailure past `bytesMax` */
  async *upTo(bytesMax: number): AsyncGenerator<Uint8Array> {
    let size = 0;
    for (let chunk = this.#seen.shift() ?? (await this.#next()); chunk !== null; ) {
      size += chunk.byteLength;
      if (size > bytesMax) throw tooLarge(bytesMax);
      yield chunk;
      chunk = this.#seen.shift() ?? (await this.#next());
    }
  }

  async #next(): Promise<Uint8Array | null> {
    const { done, value } = await failing(this.#chunks.next().catch((error) => this.#brokenOff(error)));
    if (done === true) return null;
    this.#received += value.byteLength;
    return value;
  }

  #brokenOff(error: Error & { code?: unknown }): never {
    if (error.code !== 'UND_ERR_SOCKET' && error.code !== 'ECONNRESET') throw error;
    const announced = this.#length === null ? '' : ` of ${this.#length}`;
    throw new Error(`the transfer broke off after ${this.#received}${announced} bytes`, { cause: error });
  }
}

/** The announced length, null where there is none. */
function lengthOf(headers: Readonly<Record<string, string>>): number | null {
  const length = Number(headers['content-length'] ?? Number.NaN);
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}

/** An error of the network as a failure of the medium. */
async function failing<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    const remedy = error instanceof OutsideNetworks ? `. ${ALLOWING}` : '';
    throw new MediaFailure(`${reasonOf(error)}${remedy}`, { cause: error });
  }
}

const tooLarge = (bytesMax: number) => new MediaFailure(`it has more than ${bytesMax} bytes, the most that is fetched`);
