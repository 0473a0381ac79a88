import { endianness } from 'node:os';

/** Samples of a second. */
export const SAMPLE_RATE = 16_000;
/** Bytes of a sample, an `f32`. */
export const SAMPLE_BYTES = 4;

/** A part of a sound, in seconds. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** The samples of a piece that is being filled. */
interface Filling<Piece> {
  readonly piece: Piece;
  readonly firstByte: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  filled: number;
}

/**
 * Cuts pieces out of a stream of little-endian `f32` samples, each given as soon as its last sample is there. A sound may
 * turn out shorter than it seemed: its last pieces then have fewer samples, maybe none.
 * @param pieces in the order of their starts
 */
export async function* samplesOf<Piece extends Span>(
  output: AsyncIterable<Buffer>,
  pieces: readonly Piece[],
): AsyncGenerator<{ readonly piece: Piece; readonly samples: Float32Array<ArrayBuffer> }> {
  if (endianness() !== 'LE')
    throw new Error('samples are read as the machine has numbers, which must be little-endian');
  const waiting = [...pieces];
  let open: Filling<Piece>[] = [];
  let at = 0;
  for await (const chunk of output) {
    const end = at + chunk.byteLength;
    for (let next = waiting[0]; next !== undefined && byteAt(next.start) < end; next = waiting[0]) {
      open.push(emptyPiece(next));
      waiting.shift();
    }
    for (const filling of open) fill(filling, chunk, at);
    const full = open.filter(({ filled, bytes }) => filled === bytes.byteLength);
    open = open.filter((filling) => !full.includes(filling));
    for (const filling of full) yield samplesIn(filling);
    at = end;
  }
  for (const filling of [...open, ...waiting.map(emptyPiece)]) yield samplesIn(filling);
}

const byteAt = (seconds: number) => Math.round(seconds * SAMPLE_RATE) * SAMPLE_BYTES;

function emptyPiece<Piece extends Span>(piece: Piece): Filling<Piece> {
  const firstByte = byteAt(piece.start);
  return { piece, firstByte, bytes: new Uint8Array(byteAt(piece.end) - firstByte), filled: 0 };
}

/** Copies what a piece has of a chunk, whose first byte is byte `at` of the sound. */
function fill(filling: Filling<unknown>, chunk: Buffer, at: number): void {
  const { firstByte, bytes, filled } = filling;
  const from = firstByte + filled - at;
  const part = chunk.subarray(from, from + bytes.byteLength - filled);
  bytes.set(part, filled);
  filling.filled += part.byteLength;
}

const samplesIn = <Piece>({ piece, bytes, filled }: Filling<Piece>) => ({
  piece,
  samples: new Float32Array(bytes.buffer, 0, Math.floor(filled / SAMPLE_BYTES)),
});
