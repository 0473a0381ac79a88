import { readVector, splitSearch, type WrittenVector } from '@pelorus/engine';

/** A body that is no longer than this holds no vector that would take long to parse. */
const WHOLE_BYTES_MAX = 1024;

/** A vector of a body by its list, of whose numbers only the count is known. */
export class UnreadVector implements WrittenVector {
  readonly list: Buffer;
  readonly length: number;
  #isRead = false;

  constructor(list: Buffer, length: number) {
    this.list = list;
    this.length = length;
  }

  /** Tells whether it was read, and so is a vector. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** To be called where others read it from its list. */
  noteRead(): void {
    this.#isRead = true;
  }

  /**
   * The numbers, each finite.
   * @throws Error where it is no vector: the body is then to be parsed as a whole
   */
  read(): Float32Array<ArrayBuffer> {
    const numbers = readVector(this.list);
    if (numbers === null) throw notAVector();
    this.#isRead = true;
    return numbers;
  }

  /** Tells whether it is a vector. */
  check(): boolean {
    this.#isRead ||= readVector(this.list) !== null;
    return this.#isRead;
  }
}

/**
 * The vectors that a search brings, taken out of its body before that is parsed: their numbers never become numbers of
 * JavaScript, which costs ten times as much, and those of a single vector are read by the engine, beside the event loop.
 * In the parsed rest a list of one number stands for each: its row.
 */
export class ExtractedVectors {
  /** The body without its vectors. */
  readonly rest: Buffer;
  /** The query as it came; undefined where there is none. */
  readonly query: Buffer | undefined;
  readonly #rows: readonly UnreadVector[];

  private constructor(rest: Buffer, query: Buffer | undefined, rows: readonly UnreadVector[]) {
    this.rest = rest;
    this.query = query;
    this.#rows = rows;
  }

  /**
   * Takes the vectors out of `body`. Null where that is not worth it, and where anything about them is seen to be unusual:
   * such a body is parsed as a whole, and its checks say what is wrong. The rest is JSON only if the body is, and counts
   * only if {@link areVectors} says so in the end.
   */
  static of(body: Buffer): ExtractedVectors | null {
    const split = body.length > WHOLE_BYTES_MAX ? splitSearch(body) : null;
    if (split === null) return null;
    const { rest, vectors, qStart, qEnd } = split;
    const rows: UnreadVector[] = [];
    for (let at = 0; at < vectors.length; at += 3) {
      const [start, end, length] = [vectors[at] as number, vectors[at + 1] as number, vectors[at + 2] as number];
      rows.push(new UnreadVector(body.subarray(start, end), length));
    }
    return new ExtractedVectors(rest, qStart < qEnd ? body.subarray(qStart, qEnd) : undefined, rows);
  }

  /** The number of values that the rest has less than the body. */
  get valuesTaken(): number {
    return this.#rows.reduce((sum, { length }) => sum + length - 1, 0);
  }

  /** The vector that `list`, of the parsed rest, stands for. */
  at([row]: readonly number[]): UnreadVector {
    const vector = this.#rows[row as number];
    if (vector === undefined) throw new Error(`no vector was taken out as row ${row}`);
    return vector;
  }

  /** Tells whether all of them are vectors. Those that nobody has read are read for it. */
  areVectors(): boolean {
    return this.#rows.every((row) => row.isRead || row.check());
  }

  /** @throws Error where {@link areVectors} says no: the body is then to be parsed as a whole */
  requireVectors(): void {
    if (!this.areVectors()) throw notAVector();
  }
}

function notAVector(): Error {
  return new Error('the list was taken for a vector and is none');
}
