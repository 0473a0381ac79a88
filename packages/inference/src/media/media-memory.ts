import { type Claim, type Permit, Semaphore } from './semaphore.js';

/** The room that a body of unknown length gets at first. */
const UNANNOUNCED_BYTES = 2 * 1024 * 1024;
/** The number of bodies at once that may turn out larger. */
const LARGE_MAX = 2;

/** A body that is being collected. */
export interface Body {
  /** Bytes that were announced, null for a body of unknown length. */
  readonly length: number | null;
  /** No more than `length` where there is one. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Waits without counting that as time that the body takes. */
  readonly untimed: <T>(wait: () => Promise<T>) => Promise<T>;
}

/** Bytes in memory, counted until they are given back. */
export interface Held extends Permit {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The media that the whole process holds in memory, as files and as tensors. A medium that finds no room waits before
 * it is received. A body of unknown length may need more on the way: that room is kept apart, so that those who wait in
 * the middle wait only for others who do not.
 */
export class MediaMemory {
  readonly #bytes: Semaphore;
  readonly #large: Semaphore;

  /** At most `bytesMax`, and as much as {@link LARGE_MAX} times the largest picture beside it. */
  constructor(bytesMax: number) {
    this.#bytes = new Semaphore(bytesMax);
    this.#large = new Semaphore(LARGE_MAX);
  }

  /** Room for so many bytes. @throws the reason of the claim's signal once it is aborted */
  reserve(bytes: number, claim: Claim): Promise<Permit> {
    return this.#bytes.acquire(bytes, claim);
  }

  /**
   * Receives a body, for which its sender has to wait where there is no room.
   * @param extraBytes room for what is made of it
   * @throws what its chunks throw, and the reason of the claim's signal once it is aborted
   */
  async collect(body: Body, extraBytes: number, claim: Claim): Promise<Held> {
    const { length, chunks, untimed } = body;
    const permits = [await untimed(() => this.reserve((length ?? UNANNOUNCED_BYTES) + extraBytes, claim))];
    const release = () => {
      for (const permit of permits) permit.release();
    };
    const grow = async () => permits.push(await untimed(() => this.#large.acquire(1, claim)));
    try {
      const bytes = length === null ? await gathered(chunks, grow) : await filled(new Uint8Array(length), chunks);
      return { bytes, release };
    } catch (error) {
      release();
      throw error;
    }
  }
}

/** The bytes as far as they came: a body may end before its announced length where nobody noticed. */
async function filled(
  bytes: Uint8Array<ArrayBuffer>,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  let size = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, size);
    size += chunk.byteLength;
  }
  return bytes.subarray(0, size);
}

/** The bytes of a body of unknown length; `grow` is awaited once, when they pass the room given at first. */
async function gathered(
  chunks: AsyncIterable<Uint8Array>,
  grow: () => Promise<unknown>,
): Promise<Uint8Array<ArrayBuffer>> {
  const received: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const isOutgrown = size <= UNANNOUNCED_BYTES && size + chunk.byteLength > UNANNOUNCED_BYTES;
    if (isOutgrown) await grow();
    received.push(chunk);
    size += chunk.byteLength;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of received) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
