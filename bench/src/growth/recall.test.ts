import { expect, it } from 'vitest';
import type { Vectors } from '../serving/vectors.ts';
import type { Searched } from './growth.ts';
import { recallByTenth } from './recall.ts';

/** Documents on a line; the query is the last of them, so that greater ids are nearer. */
const vectors: Vectors = {
  rows: Float32Array.from({ length: 20 * 4 }, (_, i) => (i % 4 === 0 ? i / 4 : 0)),
  queries: Float32Array.of(1, 0, 0, 0),
  dim: 4,
  title: '',
};
const ids = (first: number) => Array.from({ length: 10 }, (_, i) => first + i);
const added = {
  tenths: [0, 100, 200],
  batches: [
    { ids: ids(0), at: 50 },
    { ids: ids(10), at: 150 },
  ],
};
const search = (at: number, found: number[]): Searched => ({
  at,
  found,
  query: 0,
  filtered: false,
  milliseconds: 1,
  healthMs: 1,
});

it('asks for documents that were acknowledged before the search, and lets others be found', () => {
  const recall = (at: number, found: number[]) =>
    recallByTenth(vectors, added, [search(at, found)], 1)[at < 100 ? 0 : 1]?.unfiltered;
  expect(recall(60, ids(0))).toBe(1);
  expect(recall(60, [19, ...ids(1)].slice(0, 10))).toBe(1);
  expect(recall(60, ids(0).slice(1))).toBe(0.9);
  expect(recall(160, ids(10))).toBe(1);
  expect(recall(160, ids(9))).toBe(0.9);
});

it('counts searches with a filter apart', () => {
  const filtered = { ...search(160, [12]), filtered: true };
  const [, second] = recallByTenth(vectors, added, [search(160, ids(10)), filtered], 1);
  expect(second).toEqual({ unfiltered: 1, filtered: 0.1, compared: 2 });
});
