import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { catalogue } from '../server/catalogue.ts';
import { expected, scoresOf } from '../serving/exact.ts';
import { makeVectors, rowText, type Vectors } from '../serving/vectors.ts';

/** Documents with a title, a number and a vector; the id of a document is its place. */
export class Corpus {
  readonly count: number;
  readonly vectors: Vectors;
  readonly #titles = catalogue().map(({ title }) => title);

  constructor(count: number, queries: number) {
    this.count = count;
    this.vectors = makeVectors(count, queries);
  }

  get queryCount(): number {
    return this.vectors.queries.length / this.vectors.dim;
  }

  title(id: number): string {
    return this.#titles[id % this.#titles.length] ?? '';
  }

  /** A document as JSON, without its vector. */
  text(id: number): string {
    return JSON.stringify({ _id: `${id}`, title: this.title(id), number: id });
  }

  /** A document as it is sent. */
  document(id: number): string {
    const { rows, dim } = this.vectors;
    return `${this.text(id).slice(0, -1)},"embedding":{"content":"","vector":${rowText(rows, id, dim)}}}`;
  }

  /** Bytes a document that a database cannot do without: the numbers of its vector and its text. */
  get bytesPerDocument(): number {
    let text = 0;
    for (let id = 0; id < this.count; id += 1) text += Buffer.byteLength(this.text(id));
    return this.vectors.dim * 4 + text / this.count;
  }

  /** For each query the ids of the `k` nearest, nearest first. */
  nearest(k: number): number[][] {
    const { rows, queries, dim } = this.vectors;
    const ids = Array.from({ length: this.count }, (_, id) => id);
    return Array.from({ length: this.queryCount }, (_, query) => {
      const scores = scoresOf(rows, queries.subarray(query * dim, (query + 1) * dim));
      return expected(scores, ids, () => true, k);
    });
  }

  /** Writes what the drivers of the peers read, `[rows, dim]` f32 and the titles that take turns. */
  async writeTo(folder: string): Promise<void> {
    await writeFile(join(folder, 'base.f32'), this.vectors.rows);
    await writeFile(join(folder, 'queries.f32'), this.vectors.queries);
    await writeFile(join(folder, 'titles.txt'), this.#titles.join('\n'));
  }
}

/** The documents of one round of several: the places from `first` to before `end` of `count`. */
export function partOf(count: number, round: number, rounds: number): { first: number; end: number } {
  return { first: Math.floor((round * count) / rounds), end: Math.floor(((round + 1) * count) / rounds) };
}

/** The numbers from `first` to before `end`, `size` at a time. */
export function batches(first: number, end: number, size: number): number[][] {
  const count = Math.ceil((end - first) / size);
  return Array.from({ length: count }, (_, batch) => {
    const start = first + batch * size;
    return Array.from({ length: Math.min(size, end - start) }, (_, i) => start + i);
  });
}

/** A prime beyond any number of documents here: steps of it meet each of them once, far from the one before. */
const STRIDE = 1_000_003;

/** The `place`-th of `count` ids in an order that is not that in which they came. */
export function scattered(place: number, count: number): number {
  return (place * STRIDE) % count;
}
