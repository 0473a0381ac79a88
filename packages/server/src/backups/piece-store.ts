import { PelorusError } from '@pelorus/contract';
import { type Destination, faultOfObject } from './destination.js';
import type { Piece } from './manifest.js';

const FOLDER = 'pieces/';

/** The object of a piece: in one of 256 folders. */
export const pieceName = (sha256: string): string => `${FOLDER}${sha256.slice(0, 2)}/${sha256}`;

/** Digests of a few megabytes take milliseconds, which no event loop has: they are computed on a thread beside it. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(digest).toString('hex');
}

/** The pieces of a destination: bytes by their SHA-256, each once, whichever backups have them. */
export class PieceStore {
  readonly #destination: Destination;
  /** Bytes of the pieces that are known to be there, by their digests. */
  readonly #known = new Map<string, number>();
  /** Pieces that are being written. */
  readonly #writing = new Map<string, Promise<void>>();
  /** Bytes that were written, and were not there before. */
  newBytes = 0;

  constructor(destination: Destination) {
    this.#destination = destination;
  }

  /** Learns which pieces are there: none of these is written again. */
  async learn(): Promise<void> {
    for await (const { name, bytes } of this.#destination.list(FOLDER)) {
      this.#known.set(name.slice(name.lastIndexOf('/') + 1), bytes);
    }
  }

  /** All that are known. */
  get known(): ReadonlyMap<string, number> {
    return this.#known;
  }

  /** Stores a piece, unless it is there; one of another length was not written by us, and is replaced. */
  async put(bytes: Uint8Array): Promise<Piece> {
    const sha256 = await sha256Of(bytes);
    if (this.#known.get(sha256) !== bytes.length) {
      const writing = this.#writing.get(sha256) ?? this.#write(sha256, bytes);
      this.#writing.set(sha256, writing);
      await writing.finally(() => this.#writing.delete(sha256));
    }
    return [sha256, bytes.length];
  }

  async #write(sha256: string, bytes: Uint8Array): Promise<void> {
    await this.#destination.write(pieceName(sha256), bytes);
    this.newBytes += bytes.length;
    this.#known.set(sha256, bytes.length);
  }

  /**
   * The bytes of a piece.
   * @throws PelorusError `backup_damaged` where it is gone, cannot be read, or its bytes are others
   */
  async get([sha256, length]: Piece): Promise<Buffer> {
    const bytes = await this.#read(sha256);
    if (bytes === null) throw damaged(`Piece ${sha256} is missing`);
    if (bytes.length !== length || (await sha256Of(bytes)) !== sha256) {
      throw damaged(`Piece ${sha256} is damaged: its bytes are not those that were stored`);
    }
    return bytes;
  }

  async #read(sha256: string): Promise<Buffer | null> {
    try {
      return await this.#destination.read(pieceName(sha256));
    } catch (error) {
      const fault = faultOfObject(error);
      throw fault === undefined ? error : damaged(`Piece ${sha256} is damaged: it cannot be read: ${fault}`, error);
    }
  }

  /** Forgets a piece that is there: it is stored anew where a backup has it. */
  distrust(sha256: string): void {
    this.#known.delete(sha256);
  }

  async remove(pieces: readonly string[]): Promise<void> {
    for (const sha256 of pieces) this.#known.delete(sha256);
    await this.#destination.remove(pieces.map(pieceName));
  }
}

export function damaged(message: string, cause?: unknown): PelorusError {
  return new PelorusError('backup_damaged', message, { cause });
}
