import { splitSearch } from '@pelorus/engine';

/** A body that is no longer than this holds no vector that would take long to parse. */
const WHOLE_BYTES_MAX = 1024;

/**
 * The vectors that a search brings, taken out of its body before that is parsed: their numbers never become numbers of
 * JavaScript, which costs ten times as much. In the parsed rest a list of one number stands for each: its row.
 */
export class ExtractedVectors {
  /** The body without its vectors. */
  readonly rest: Buffer;
  /** The query as it came; undefined where there is none. */
  readonly query: Buffer | undefined;
  readonly #rows: readonly Float32Array[];

  private constructor(rest: Buffer, query: Buffer | undefined, rows: readonly Float32Array[]) {
    this.rest = rest;
    this.query = query;
    this.#rows = rows;
  }

  /**
   * Takes the vectors out of `body`. Null where that is not worth it, and where anything about them is unusual: such a
   * body is parsed as a whole, and its checks say what is wrong. The rest is JSON only if the body is.
   */
  static of(body: Buffer): ExtractedVectors | null {
    const split = body.length > WHOLE_BYTES_MAX ? splitSearch(body) : null;
    if (split === null) return null;
    const { rest, vectors, lengths, qStart, qEnd } = split;
    let start = 0;
    const rows = lengths.map((length) => {
      start += length;
      return vectors.subarray(start - length, start);
    });
    return new ExtractedVectors(rest, qStart < qEnd ? body.subarray(qStart, qEnd) : undefined, rows);
  }

  /** The number of values that the rest has less than the body. */
  get valuesTaken(): number {
    return this.#rows.reduce((sum, { length }) => sum + length - 1, 0);
  }

  /** The vector that `list`, of the parsed rest, stands for. */
  at([row]: readonly number[]): Float32Array {
    const vector = this.#rows[row as number];
    if (vector === undefined) throw new Error(`no vector was taken out as row ${row}`);
    return vector;
  }
}
