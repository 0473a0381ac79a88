import { t } from '../../../strings/strings.js';
import type { Encoding } from './encoding.js';

/** One row of a file: its fields, or the reason for which it cannot be a document. */
export interface FileRow {
  /** Its number in the file, from 1: for texts the line that it begins in. */
  readonly row: number;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly fault?: string;
}

/** A file that cannot be read, told with what to do. */
export class FileFault extends Error {}

/** So little that the bytes that were read so far tell how many rows were. */
const PIECE_BYTES = 4 * 1024;

/** The text of a file in pieces. @throws FileFault where it is in another encoding, or is gone */
export async function* textPieces(
  file: Blob,
  onRead?: (bytes: number) => void,
  encoding: Encoding = 'utf-8',
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let bytes = 0;
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new FileFault(t.data.faults.gone);
      });
      if (done) break;
      for (let start = 0; start < value.length; start += PIECE_BYTES) {
        const piece = value.subarray(start, start + PIECE_BYTES);
        bytes += piece.length;
        const text = decoded(() => decoder.decode(piece, { stream: true }));
        onRead?.(bytes);
        if (text !== '') yield text;
      }
    }
    const rest = decoded(() => decoder.decode());
    if (rest !== '') yield rest;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new FileFault(t.data.faults.encoding);
  }
}
