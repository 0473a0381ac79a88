import { recordingPieces } from '@pelorus/node';
import type { Embeddings, TensorBatch } from '../runtime/encoder.js';
import type { Ffmpeg, RecordingFile, RecordingMedium, Span } from './ffmpeg.js';
import type { RecordingScan } from './ffmpeg-scan.js';
import { filmTensor } from './film-tensor.js';
import { MediaFailure } from './media-failure.js';
import type { PieceLengths } from './media-options.js';
import type { PreparationPool } from './preparation-pool.js';
import { type Claim, Semaphore } from './semaphore.js';

/** The vectors of a film or sound. */
export interface RecordingVectors {
  /** `[pieces, dimensions]`. */
  readonly vectors: Float32Array;
  /** Start and end of each piece; null of a whole. */
  readonly labels: readonly string[] | null;
}

/** The pieces wanted of a film or sound, and the encoder that embeds them. */
export interface RecordingRequest extends Claim {
  readonly medium: RecordingMedium;
  /** Null for one vector of the whole. */
  readonly lengths: PieceLengths | null;
  readonly encode: (tensors: TensorBatch) => Promise<Embeddings>;
  /** Told why a piece was left out. */
  readonly report: (reason: string) => void;
}

export interface RecordingEmbedderParts {
  readonly ffmpeg: Ffmpeg;
  readonly preparation: PreparationPool;
  /** Films and sounds that are decoded at once. */
  readonly recordingsMax: number;
}

/** A piece, and the label that is stored and shown for it. */
interface Piece extends Span {
  readonly label: string;
}

/** As many as a field may have chunks. */
const PIECES_MAX = 1_000;
/** When so many pieces of a film have failed, it is not worth the time of the others. */
const FAILURES_MAX = 10;

/** Decodes films and sounds, each piece by piece, and embeds the pieces. */
export class RecordingEmbedder {
  readonly #ffmpeg: Ffmpeg;
  readonly #preparation: PreparationPool;
  readonly #decoding: Semaphore;

  constructor({ ffmpeg, preparation, recordingsMax }: RecordingEmbedderParts) {
    this.#ffmpeg = ffmpeg;
    this.#preparation = preparation;
    this.#decoding = new Semaphore(recordingsMax);
  }

  /** @throws MediaFailure when nothing here can decode films and sounds */
  async admit(): Promise<void> {
    await this.#ffmpeg.admit();
  }

  /**
   * The vectors of all pieces that have one. A piece that cannot be decoded or embedded is left out.
   * @throws MediaFailure when no piece has a vector; what `encode` throws; the reason of the signal once it is aborted
   */
  async embed(file: RecordingFile, request: RecordingRequest): Promise<RecordingVectors> {
    const permit = await this.#decoding.acquire(1, request);
    try {
      const scan = await this.#ffmpeg.scan(file, request.medium, request.signal);
      const pieces = piecesOf(scan.seconds, request.lengths);
      const rows = new PieceRows(request);
      if (request.medium === 'video') await this.#embedFilm(file, scan, pieces, rows);
      else await this.#embedSound(file, pieces, rows);
      return rows.joined();
    } finally {
      permit.release();
    }
  }

  async #embedFilm(file: RecordingFile, scan: RecordingScan, pieces: readonly Piece[], rows: PieceRows): Promise<void> {
    const { request } = rows;
    for (const piece of pieces) {
      if (rows.failureCount === FAILURES_MAX) return request.report(`the rest is left out from ${piece.label} on`);
      await rows.add(piece, () =>
        filmTensor(this.#ffmpeg.frames(file, piece, scan, request.signal), (frame) =>
          this.#preparation.prepareRecording({ kind: 'frame', frame }, request),
        ),
      );
    }
  }

  async #embedSound(file: RecordingFile, pieces: readonly Piece[], rows: PieceRows): Promise<void> {
    const { request } = rows;
    try {
      for await (const { piece, samples } of this.#ffmpeg.samples(file, pieces, request.signal)) {
        await rows.add(piece, () => this.#preparation.prepareRecording({ kind: 'sound', samples }, request));
      }
    } catch (error) {
      // The sound before the damage counts.
      rows.leaveOut('the rest', error);
    }
  }
}

/** The vectors of the pieces so far. */
class PieceRows {
  readonly request: RecordingRequest;
  failureCount = 0;
  readonly #vectors: Float32Array[] = [];
  readonly #labels: string[] = [];
  #failure: MediaFailure | null = null;

  constructor(request: RecordingRequest) {
    this.request = request;
  }

  /** Embeds a piece, or leaves it out. */
  async add({ label }: Piece, prepare: () => Promise<TensorBatch>): Promise<void> {
    try {
      const { values, shape } = await prepare();
      const { vectors, failures } = await this.request.encode({ values, shape });
      const [failure] = failures;
      if (failure !== undefined) throw new MediaFailure(failure.message);
      this.#vectors.push(vectors);
      this.#labels.push(label);
    } catch (error) {
      this.leaveOut(label, error);
    }
  }

  /** @throws the error where it is no failure of the medium */
  leaveOut(part: string, error: unknown): void {
    if (!(error instanceof MediaFailure)) throw error;
    this.#failure = error;
    this.failureCount += 1;
    this.request.report(`${part} is left out: ${error.message}`);
  }

  joined(): RecordingVectors {
    const [first, ...others] = this.#vectors;
    if (first === undefined) throw this.#failure ?? new MediaFailure('it has no pieces');
    const labels = this.request.lengths === null ? null : this.#labels;
    if (others.length === 0) return { vectors: first, labels };
    const vectors = new Float32Array(this.#vectors.length * first.length);
    for (const [at, row] of this.#vectors.entries()) vectors.set(row, at * first.length);
    return { vectors, labels };
  }
}

/** @throws MediaFailure when there is no piece, or there are too many */
function piecesOf(seconds: number, lengths: PieceLengths | null): Piece[] {
  if (lengths === null) return [{ start: 0, end: seconds, label: 'the whole' }];
  try {
    return recordingPieces(seconds, lengths.splitLength, lengths.splitOverlap, PIECES_MAX);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'invalid_argument')) throw error;
    throw new MediaFailure(error.message, { cause: error });
  }
}
