import type { IndexEntry } from './manifest.js';
import type { PieceStore } from './piece-store.js';

/** The data of a server at one moment, held until it is closed. */
export interface OpenedSource {
  /** The moment. */
  readonly at: Date;
  readonly indexes: readonly OpenedIndex[];
  readonly files: readonly OpenedFile[];
  close(): Promise<void>;
}

/** An index at that moment. */
export interface OpenedIndex {
  readonly name: string;
  /** Stores all its pieces, and tells what is stored after each. */
  store(pieces: PieceStore, tell: (stored: Stored) => void): Promise<IndexEntry>;
}

/** A part that came to be in a backup. */
export interface Stored {
  readonly bytes: number;
}

/** A file at that moment. */
export interface OpenedFile {
  /** Its place in the data directory, with slashes. */
  readonly path: string;
  /** Its bytes, some at a time. */
  read(): AsyncIterable<Uint8Array>;
}

/** An index of the engine, piece by piece. */
export interface PieceReading {
  readonly documents: number;
  /** Null after the last. */
  nextPiece(): Promise<Buffer | null>;
  close(): void;
}

/** Pieces that are written at once: storage far away answers each after a while. */
const WRITTEN_AT_ONCE = 4;

/** An index that this process has open. */
export function openedIndex(name: string, folder: string, reading: PieceReading): OpenedIndex {
  return {
    name,
    store: async (pieces, tell) => {
      async function* read(): AsyncGenerator<Uint8Array> {
        for (let piece = await reading.nextPiece(); piece !== null; piece = await reading.nextPiece()) yield piece;
      }
      const stored = await storedPieces(read(), pieces, tell);
      return { name, folder, documents: reading.documents, pieces: stored };
    },
  };
}

/** Stores pieces, a few at once; they are listed in their order. After an error none is being written any more. */
export async function storedPieces(
  parts: AsyncIterable<Uint8Array>,
  pieces: PieceStore,
  tell: (stored: Stored) => void,
): Promise<IndexEntry['pieces']> {
  const all: Promise<IndexEntry['pieces'][number]>[] = [];
  try {
    for await (const part of parts) {
      const stored = pieces.put(part).then((piece) => {
        tell({ bytes: part.length });
        return piece;
      });
      // Told where it is waited for.
      stored.catch(() => undefined);
      all.push(stored);
      await all.at(-WRITTEN_AT_ONCE);
    }
    return await Promise.all(all);
  } finally {
    await Promise.allSettled(all);
  }
}
