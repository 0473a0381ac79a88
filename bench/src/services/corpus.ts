import { readFileSync } from 'node:fs';
import { expected, scoresOf } from '../serving/exact.ts';
import { embeddedGlosses } from '../text/embedded-glosses.ts';
import { firstWords } from '../text/first-words.ts';

/** Hits of an answer. */
export const K = 10;
/** Every so many glosses one is a query and in no document. */
const HELD_OUT_EVERY = 118;
const CATEGORIES = 10;
const NUMBERS = 1000;
/** Numbers below it are a hundredth. */
const NUMBERS_BELOW = 10;
const CATEGORY = 3;

/** Documents that a search may find. */
export type Filter = 'none' | 'category' | 'number';

/** The filters as each service has to spell them. */
export const FILTERED = { category: `c${CATEGORY}`, numberMax: NUMBERS_BELOW - 1 } as const;

export interface Gloss {
  id: number;
  text: string;
  category: string;
  number: number;
  vector: Float32Array;
}

export interface GlossQuery {
  /** Some words of a gloss that no document has. */
  words: string;
  vector: Float32Array;
}

/** Glosses with their vectors, and a tenth and a hundredth of them to filter for. */
export class Corpus {
  readonly count: number;
  readonly dim: number;
  readonly queries: readonly GlossQuery[];
  readonly #texts: readonly string[];
  readonly #vectors: Float32Array;

  private constructor(texts: readonly string[], vectors: Float32Array, queries: readonly GlossQuery[], dim: number) {
    this.count = texts.length;
    this.dim = dim;
    this.queries = queries;
    this.#texts = texts;
    this.#vectors = vectors;
  }

  static async load(count: number, queryCount: number, say: (line: string) => void): Promise<Corpus> {
    const { texts, file, dim } = await embeddedGlosses(say);
    const { buffer, byteOffset, byteLength } = readFileSync(file);
    const all = new Float32Array(buffer, byteOffset, byteLength / 4);
    const vector = (at: number) => all.subarray(at * dim, (at + 1) * dim);
    const places = texts.map((_, at) => at);
    const kept = places.filter((at) => at % HELD_OUT_EVERY !== 0).slice(0, count);
    const heldOut = places.filter((at) => at % HELD_OUT_EVERY === 0).slice(0, queryCount);
    const vectors = new Float32Array(kept.length * dim);
    for (const [row, at] of kept.entries()) vectors.set(vector(at), row * dim);
    const queries = heldOut.map((at) => ({ words: firstWords(texts[at] ?? ''), vector: vector(at) }));
    return new Corpus(
      kept.map((at) => texts[at] ?? ''),
      vectors,
      queries,
      dim,
    );
  }

  gloss(id: number): Gloss {
    return {
      id,
      text: this.#texts[id] ?? '',
      category: `c${id % CATEGORIES}`,
      number: id % NUMBERS,
      vector: this.#vectors.subarray(id * this.dim, (id + 1) * this.dim),
    };
  }

  glosses(first: number, end: number): Gloss[] {
    return Array.from({ length: Math.min(end, this.count) - first }, (_, at) => this.gloss(first + at));
  }

  /** The nearest documents of each query among those that pass. */
  nearest(filter: Filter): number[][] {
    const rows = Array.from({ length: this.count }, (_, at) => at);
    return this.queries.map(({ vector }) =>
      expected(scoresOf(this.#vectors, vector), rows, (id) => passes(id, filter), K),
    );
  }
}

/** Tells whether a document passes a filter. */
export function passes(id: number, filter: Filter): boolean {
  if (filter === 'category') return id % CATEGORIES === CATEGORY;
  return filter === 'none' || id % NUMBERS < NUMBERS_BELOW;
}

/** A vector as the numbers of JSON. */
export const numbersOf = (vector: Float32Array) => `[${vector.join(',')}]`;
