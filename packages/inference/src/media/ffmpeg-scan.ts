import { MediaFailure } from './media-failure.js';

/** The contents of a film or sound, as a scan found them. */
export interface RecordingScan {
  /** From its start to the end of the last packet of any stream, in seconds. */
  readonly seconds: number;
  /** The time at which each frame of the film is shown, in seconds from the start, ascending; empty for a sound. */
  readonly frameSeconds: Float64Array;
}

const FRAMES_MAX = 2_000_000;
/** The time that ffmpeg writes where nobody knows one. */
const NO_TIME = '-9223372036854775808';

/**
 * Reads what ffmpeg's `framecrc` says of the packets of a file: a head of lines such as `#tb 0: 1/12800` (the unit of
 * time of a stream) and `#media_type 0: video`, then `stream, dts, pts, duration, size, checksum` of each packet. Only
 * packets count: a length that headers claim plays no part.
 * @throws MediaFailure when there are too many frames
 */
export async function readScan(output: AsyncIterable<Buffer>): Promise<RecordingScan> {
  const scan = new Scan();
  let rest = '';
  for await (const chunk of output) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) scan.add(line);
  }
  return { seconds: scan.seconds, frameSeconds: scan.frameSeconds() };
}

class Scan {
  seconds = 0;
  readonly #unitSeconds = new Map<string, number>();
  #filmStream: string | null = null;
  readonly #frames: number[] = [];

  add(line: string): void {
    if (line.startsWith('#')) this.#addHead(line);
    else this.#addPacket(line);
  }

  frameSeconds(): Float64Array {
    // Frames that others are predicted from are stored before them.
    return Float64Array.from(this.#frames).sort();
  }

  #addPacket(line: string): void {
    const [stream = '', dts, pts, duration] = line.split(',').map((part) => part.trim());
    const unit = this.#unitSeconds.get(stream);
    // AVI says when a frame is decoded, and not when it is shown, which is hardly later.
    const start = Number(pts === NO_TIME ? dts : pts) * (unit ?? Number.NaN);
    if (dts === NO_TIME && pts === NO_TIME) return;
    if (unit === undefined || !Number.isFinite(start)) return;
    this.seconds = Math.max(this.seconds, start + Math.max(0, Number(duration)) * unit);
    if (stream !== this.#filmStream) return;
    if (this.#frames.length === FRAMES_MAX) throw new MediaFailure(`it has more than ${FRAMES_MAX} frames`);
    this.#frames.push(start);
  }

  #addHead(line: string): void {
    const unit = /^#tb (\d+): (\d+)\/(\d+)$/.exec(line);
    if (unit !== null) this.#unitSeconds.set(unit[1] ?? '', Number(unit[2]) / Number(unit[3]));
    const medium = /^#media_type (\d+): video$/.exec(line);
    if (medium !== null) this.#filmStream = medium[1] ?? null;
  }
}
