import type { Medium } from '@pelorus/node';
import { type Confine, findConfinement, findProgram, isPath } from './ffmpeg-confinement.js';
import { countFrames, type FilmFrame, framesOf, takenFrames } from './ffmpeg-frames.js';
import { type ConfinedProgram, outputOf } from './ffmpeg-process.js';
import { SAMPLE_BYTES, SAMPLE_RATE, samplesOf } from './ffmpeg-samples.js';
import { type RecordingScan, readScan } from './ffmpeg-scan.js';
import { MediaFailure } from './media-failure.js';

/** A film or a sound. */
export type RecordingMedium = Exclude<Medium, 'image'>;

/** A file that was fetched, in a folder of its own that nobody else can look into. */
export interface RecordingFile {
  readonly folder: string;
  /** Its name in the folder. Messages of ffmpeg show it. */
  readonly name: string;
}

/** A part of a film or sound, in seconds from its start. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The frames of a piece of a film: the frame at `places` is taken there, of {@link PIECE_FRAMES} places. */
export interface TakenFrame extends FilmFrame {
  readonly places: readonly number[];
}

/**
 * The containers that are read. None of them can name other files: playlists, lists of files to join and descriptions of
 * sessions can.
 */
const CONTAINERS = 'mov,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mp3,wav,w64,flac,aac,aiff,caf,amr,ac3,eac3'.split(
  ',',
);
/** Most pixels of a frame: 4096 x 2304, the largest format of cameras that is called 4K. */
const FRAME_PIXELS_MAX = 4096 * 2304;
const HEAD_BYTES = 32;
/** The largest block of memory that a decoder may ask for. */
const BLOCK_BYTES_MAX = 512 * 1024 * 1024;
const THREADS = 4;
/** A line that every release prints for a file of which nothing was mapped. */
const NO_STREAM = 'does not contain any stream';
const SCAN_MS = 60_000;
const SCAN_BYTES_MAX = 256 * 1024 * 1024;
/** The longest film or sound: with pieces of twenty seconds it has about 1000. */
const SECONDS_MAX = 6 * 3600;
/** The longest piece of a sound, whose samples are in memory at once. */
const PIECE_SECONDS_MAX = 1800;
/** A second of a film or sound may take so many to decode. */
const SLOWNESS_MAX = 10;
const DECODE_MS_MIN = 10_000;
const DECODE_MS_MAX = 600_000;
/**
 * Frames before the wanted time are decoded and left out. ffmpeg seeks by the time of decoding: so near the start it
 * may find nothing, and then misses the key frame by which the others are decoded.
 */
const SEEK_SECONDS_MIN = 1;

/**
 * Reads films and sounds by ffmpeg 5.1 or newer, as a program that is confined to one file: it opens no other and no
 * connection, knows none of our environment, and its time, memory and output are bounded. See `ffmpeg-process.ts` and
 * `ffmpeg-confinement.ts`.
 */
export class Ffmpeg {
  readonly #command: string | null;
  #found: Promise<{ readonly program: string; readonly confine: Confine }> | null = null;

  /** @param command a name on the path or a file; null to do without */
  constructor(command: string | null) {
    this.#command = command;
  }

  /** @throws MediaFailure when there is no ffmpeg, saying what to do about it */
  async admit(): Promise<void> {
    await this.#program();
  }

  /**
   * Reads the length of a film or sound, and the times of its frames.
   * @throws MediaFailure with what is wrong with it; the reason of the signal once it is aborted
   */
  async scan(file: RecordingFile, medium: RecordingMedium, signal?: AbortSignal): Promise<RecordingScan> {
    // The sound of a film counts for its length. Where nothing can be mapped, ffmpeg takes what it finds; not films as sounds.
    const streams = medium === 'video' ? ['-map', '0:V:0?', '-map', '0:a:0?'] : ['-map', '0:a:0?', '-vn'];
    const args = [...inputArgs(file), ...streams, '-c', 'copy', '-f', 'framecrc', 'pipe:1'];
    const program = await this.#confined(file, args, SCAN_MS, SCAN_BYTES_MAX);
    const nothing = medium === 'video' ? 'it has no frames' : 'it has no sound';
    const explain = (complaint: string) => (complaint.includes(NO_STREAM) ? nothing : null);
    const scan = await readScan(outputOf({ ...program, explain }, signal));
    if (scan.seconds > SECONDS_MAX) {
      throw new MediaFailure(
        `it is ${Math.round(scan.seconds)} seconds long, which exceeds the maximum of ${SECONDS_MAX}`,
      );
    }
    if (medium === 'video' && scan.frameSeconds.length === 0) throw new MediaFailure(nothing);
    if (scan.seconds === 0) throw new MediaFailure(medium === 'video' ? 'it is 0 seconds long' : nothing);
    return scan;
  }

  /**
   * The frames that are taken of a piece of a film, each once, in their order. Fewer may come than there seemed to be.
   * @throws as `scan` does
   */
  async *frames(
    file: RecordingFile,
    piece: Span,
    scan: RecordingScan,
    signal?: AbortSignal,
  ): AsyncGenerator<TakenFrame> {
    const count = countFrames(scan.frameSeconds, piece.start, piece.end);
    if (count === 0) return;
    const taken = takenFrames(count);
    const distinct = [...new Set(taken)];
    const start = piece.start.toFixed(6);
    const [seek, trim] = piece.start < SEEK_SECONDS_MIN ? [[], `trim=start=${start},`] : [['-ss', start], ''];
    const args = [
      ...inputArgs(file, [...seek, '-max_pixels', `${FRAME_PIXELS_MAX}`]),
      ...['-map', '0:V:0', '-vf', `${trim}select='${distinct.map((frame) => `eq(n,${frame})`).join('+')}'`],
      ...['-fps_mode', 'passthrough', '-frames:v', `${distinct.length}`],
      ...['-f', 'image2pipe', '-c:v', 'ppm', '-pix_fmt', 'rgb24', 'pipe:1'],
    ];
    const bytesMax = distinct.length * (FRAME_PIXELS_MAX * 3 + HEAD_BYTES);
    const program = await this.#confined(file, args, decodeMs(piece.end - piece.start), bytesMax);
    let at = 0;
    for await (const frame of framesOf(outputOf(program, signal))) {
      const places = taken.flatMap((number, place) => (number === distinct[at] ? [place] : []));
      at += 1;
      yield { ...frame, places };
    }
  }

  /**
   * The samples of the pieces of a sound, from -1 to 1, {@link SAMPLE_RATE} in a second: of its first channel, the only one
   * that the original filter bank hears.
   * @param pieces in the order of their starts
   * @throws as `scan` does
   */
  async *samples<Piece extends Span>(
    file: RecordingFile,
    pieces: readonly Piece[],
    signal?: AbortSignal,
  ): AsyncGenerator<{ readonly piece: Piece; readonly samples: Float32Array<ArrayBuffer> }> {
    const longest = Math.max(...pieces.map(({ start, end }) => end - start));
    if (longest > PIECE_SECONDS_MAX) {
      const maximum = `which exceeds the maximum of ${PIECE_SECONDS_MAX}`;
      throw new MediaFailure(`a piece of it is ${Math.round(longest)} seconds long, ${maximum}`);
    }
    const seconds = Math.max(...pieces.map(({ end }) => end));
    const raw = ['-af', 'pan=mono|c0=c0', '-ar', `${SAMPLE_RATE}`, '-f', 'f32le', 'pipe:1'];
    const args = [...inputArgs(file), '-map', '0:a:0', '-t', seconds.toFixed(6), ...raw];
    const bytesMax = (seconds + 1) * SAMPLE_RATE * SAMPLE_BYTES;
    const program = await this.#confined(file, args, decodeMs(seconds), bytesMax);
    yield* samplesOf(outputOf(program, signal), pieces);
  }

  async #confined(
    { folder }: RecordingFile,
    args: readonly string[],
    timeMs: number,
    outputBytesMax: number,
  ): Promise<ConfinedProgram> {
    const { program, confine } = await this.#program();
    const command = [...confine((timeMs / 1000) * THREADS), program, ...args];
    return { command, folder, timeMs, outputBytesMax };
  }

  #program(): Promise<{ readonly program: string; readonly confine: Confine }> {
    this.#found ??= this.#find().catch((error) => {
      // It may be installed while the server runs.
      this.#found = null;
      throw error;
    });
    return this.#found;
  }

  async #find() {
    const command = this.#command;
    const program = command === null ? null : await findProgram(command);
    if (program === null) {
      const missing = command === null ? 'this server does without' : notInstalled(command);
      throw new MediaFailure(`films and sounds are read by ffmpeg, which ${missing}`);
    }
    return { program, confine: await findConfinement() };
  }
}

function notInstalled(command: string): string {
  const place = isPath(command) ? '' : ' on the path';
  return `is not installed here: no program ${command}${place}. Install it, or name its file by --ffmpeg`;
}

function inputArgs({ name }: RecordingFile, options: readonly string[] = []): string[] {
  return [
    ...['-nostdin', '-hide_banner', '-v', 'error', '-max_alloc', `${BLOCK_BYTES_MAX}`],
    ...['-protocol_whitelist', 'file', '-format_whitelist', CONTAINERS.join(','), '-threads', `${THREADS}`],
    ...[...options, '-i', `file:${name}`],
  ];
}

const decodeMs = (seconds: number) =>
  Math.min(Math.max(Math.ceil(seconds * SLOWNESS_MAX * 1000), DECODE_MS_MIN), DECODE_MS_MAX);
