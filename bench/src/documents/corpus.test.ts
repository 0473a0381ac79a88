import { expect, it } from 'vitest';
import { batches, Corpus, partOf, scattered } from './corpus.ts';

it('sends each document with the vector that the peers read', () => {
  const corpus = new Corpus(20, 2);
  const sent = JSON.parse(corpus.document(7)) as { _id: string; number: number; embedding: { vector: number[] } };
  expect(sent).toMatchObject({ _id: '7', number: 7, title: corpus.title(7) });
  const { rows, dim } = corpus.vectors;
  // A text has no negative zero.
  expect(Float32Array.from(sent.embedding.vector)).toEqual(rows.slice(7 * dim, 8 * dim).map((value) => value + 0));
  expect(corpus.bytesPerDocument).toBeGreaterThan(dim * 4);
});

it('finds the nearest of every query', () => {
  const corpus = new Corpus(20, 2);
  const nearest = corpus.nearest(20);
  expect(nearest).toHaveLength(2);
  for (const ids of nearest) expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

it('gives each round its part and leaves nothing out', () => {
  expect([0, 1, 2].map((round) => partOf(10, round, 3))).toEqual([
    { first: 0, end: 3 },
    { first: 3, end: 6 },
    { first: 6, end: 10 },
  ]);
});

it('cuts a range into batches, the last one short', () => {
  expect(batches(3, 8, 2)).toEqual([[3, 4], [5, 6], [7]]);
  expect(batches(3, 3, 2)).toEqual([]);
});

it('meets each document once in scattered order', () => {
  const order = Array.from({ length: 12_800 }, (_, place) => scattered(place, 12_800));
  expect(new Set(order).size).toBe(12_800);
  expect(Math.abs((order[1] ?? 0) - (order[0] ?? 0))).toBeGreaterThan(128);
});
