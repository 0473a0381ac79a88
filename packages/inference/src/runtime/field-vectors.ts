import type { FieldModel } from '../resolved-model.js';
import type { Embeddings, Priority } from './encoder.js';

/** The vectors that a model of a field makes of a text, or the reason for which it makes none. */
export type FieldVectors =
  /** A weight above 0 for each of some words of the vocabulary, in the order of their indices. */
  | { readonly kind: 'sparse'; readonly indices: readonly number[]; readonly weights: readonly number[] }
  /** `[count, dimensions]`, row-major, each of length 1. */
  | { readonly kind: 'many'; readonly vectors: Float32Array }
  | { readonly kind: 'failure'; readonly message: string };

/** Most entries of a sparse vector, as fields and searches take them. */
const ENTRIES_MAX = 4096;

/** Numbers that are made at once for the texts of a field: 32 MB. */
const NUMBERS_MAX = 8 * 1024 * 1024;

/** Numbers that the graph of a model of a field makes of a text: those of each token, where these have a vector each. */
export function numbersOfText(model: FieldModel): number {
  if (model.type === 'splade') return model.dimensions;
  return Math.max(model.tokens, model.tokenVectors.queryTokens) * model.dimensions;
}

/** The vectors of texts, each with the prefix of the model and equal ones once, in groups whose numbers have room. */
export async function inGroups(
  model: FieldModel,
  texts: readonly string[],
  as: Priority,
  encode: (texts: readonly string[]) => Promise<readonly FieldVectors[]>,
): Promise<FieldVectors[]> {
  const prefix = (as === 'query' ? model.textQueryPrefix : model.textChunkPrefix) ?? '';
  const distinct = [...new Set(texts)];
  const count = Math.max(1, Math.floor(NUMBERS_MAX / numbersOfText(model)));
  const vectors = new Map<string, FieldVectors>();
  for (let first = 0; first < distinct.length; first += count) {
    const some = distinct.slice(first, first + count);
    const made = await encode(some.map((text) => prefix + text));
    for (const [at, text] of some.entries()) vectors.set(text, made[at] as FieldVectors);
  }
  return texts.map((text) => vectors.get(text) as FieldVectors);
}

/**
 * The vectors of texts from the numbers that the graph of the model made of them.
 * @param isSkipped tells whether the vector of a token does not count
 */
export function fieldVectors(
  { type, dimensions }: Pick<FieldModel, 'type' | 'dimensions'>,
  { vectors, failures }: Embeddings,
  count: number,
  isSkipped: (row: number, token: number) => boolean,
): FieldVectors[] {
  const reasons = new Map(failures.map(({ row, message }) => [row, message]));
  const size = count === 0 ? 0 : vectors.length / count;
  return Array.from({ length: count }, (_, row): FieldVectors => {
    const message = reasons.get(row);
    if (message !== undefined) return { kind: 'failure', message };
    const numbers = vectors.subarray(row * size, (row + 1) * size);
    if (type === 'splade') return sparse(numbers);
    return many(numbers, dimensions, (token) => isSkipped(row, token));
  });
}

/** The entries of the greatest weights; of equal ones those of the lower indices. */
function sparse(weights: Float32Array): FieldVectors {
  let indices: number[] = [];
  for (let word = 0; word < weights.length; word++) if ((weights[word] as number) > 0) indices.push(word);
  if (indices.length > ENTRIES_MAX) {
    indices.sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b);
    indices = indices.slice(0, ENTRIES_MAX).sort((a, b) => a - b);
  }
  return { kind: 'sparse', indices, weights: indices.map((word) => weights[word] as number) };
}

/** Vectors that are not of zeros, as those behind the last token are. */
function many(numbers: Float32Array, dimensions: number, isSkipped: (token: number) => boolean): FieldVectors {
  const kept: Float32Array[] = [];
  for (let token = 0; token * dimensions < numbers.length; token++) {
    if (isSkipped(token)) continue;
    const vector = numbers.subarray(token * dimensions, (token + 1) * dimensions);
    if (vector.some((number) => number !== 0)) kept.push(vector);
  }
  const vectors = new Float32Array(kept.length * dimensions);
  for (const [at, vector] of kept.entries()) vectors.set(vector, at * dimensions);
  if (kept.length === 0) return { kind: 'failure', message: 'the model makes no vector of its tokens' };
  return { kind: 'many', vectors };
}
