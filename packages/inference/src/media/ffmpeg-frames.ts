import { MediaFailure } from './media-failure.js';

/** A frame of a film. */
export interface FilmFrame {
  readonly width: number;
  readonly height: number;
  /** `[height, width, 3]`, row-major. */
  readonly rgb: Uint8Array<ArrayBuffer>;
}

/** Frames that a film tower takes of a piece. */
export const PIECE_FRAMES = 8;
/** `P6`, two numbers of at most ten digits, `255`, and a byte of white space behind each. */
const HEAD_BYTES_MAX = 32;
const HEAD = /^P6\s(\d{1,10})\s(\d{1,10})\s255\s/;

/**
 * The frames of a piece that are taken: {@link PIECE_FRAMES}, evenly spaced from the first to the last, as
 * `numpy.linspace(0, count - 1, 8, dtype=int)` has them. With few frames some are taken more than once.
 */
export function takenFrames(count: number): number[] {
  return Array.from({ length: PIECE_FRAMES }, (_, at) => Math.floor((at * (count - 1)) / (PIECE_FRAMES - 1)));
}

/** The number of frames shown from `start` until before `end`, of all that are shown at `frameSeconds`. */
export function countFrames(frameSeconds: Float64Array, start: number, end: number): number {
  return firstFrom(frameSeconds, end) - firstFrom(frameSeconds, start);
}

/** The place of the first frame that is shown at `seconds` or later, of which a microsecond may be lost in rounding. */
function firstFrom(frameSeconds: Float64Array, seconds: number): number {
  let low = 0;
  let high = frameSeconds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((frameSeconds[middle] ?? 0) < seconds - 1e-6) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Frames as they come, of a stream of binary PPM files, which say themselves how large they are. */
export async function* framesOf(output: AsyncIterable<Buffer>): AsyncGenerator<FilmFrame> {
  let head = Buffer.alloc(0);
  let frame: FilmFrame | null = null;
  let filled = 0;
  for await (let chunk of output) {
    while (chunk.byteLength > 0) {
      if (frame === null) {
        const seen: Buffer<ArrayBuffer> = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES_MAX)]);
        const [text, width, height] = HEAD.exec(seen.toString('latin1')) ?? [];
        if (text === undefined) {
          if (seen.byteLength >= HEAD_BYTES_MAX) throw new MediaFailure('its frames cannot be read');
          head = seen;
          break;
        }
        chunk = chunk.subarray(text.length - head.byteLength);
        head = Buffer.alloc(0);
        frame = emptyFrame(Number(width), Number(height));
        filled = 0;
      }
      const part = chunk.subarray(0, frame.rgb.byteLength - filled);
      frame.rgb.set(part, filled);
      filled += part.byteLength;
      chunk = chunk.subarray(part.byteLength);
      if (filled === frame.rgb.byteLength) {
        yield frame;
        frame = null;
      }
    }
  }
}

const emptyFrame = (width: number, height: number): FilmFrame => ({
  width,
  height,
  rgb: new Uint8Array(width * height * 3),
});
