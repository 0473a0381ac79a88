import { expect, it } from 'vitest';
import { Documents, SLOTS } from './documents.ts';
import { expected, recallOf } from './exact.ts';

it('adds, replaces and removes in turn, and knows every earlier state', () => {
  const documents = new Documents(4);
  const [added, replaced, removed] = [documents.next(2), documents.next(1), documents.next(1)];
  expect(added).toEqual({ documents: [4, 5], rows: [4, 5] });
  expect(replaced.rows).toEqual([6]);
  expect(removed.rows).toEqual([]);
  expect(documents.after(0)).toEqual([0, 1, 2, 3]);
  expect(documents.after(1)).toEqual([0, 1, 2, 3, 4, 5]);
  const [changed = -1] = replaced.documents;
  expect(documents.after(2)[changed]).toBe(6);
  const [gone = -1] = removed.documents;
  expect(documents.after(3)[gone]).toBe(-1);
  expect(documents.touched(0, 2)).toEqual(new Set([4, 5, changed]));
});

it('spreads documents evenly over slots', () => {
  const low = Array.from({ length: 10_000 }, (_, i) => Documents.slot(i)).filter((slot) => slot < SLOTS / 10);
  expect(low.length).toBeGreaterThan(900);
  expect(low.length).toBeLessThan(1100);
});

it('expects the best living documents that pass', () => {
  const scores = Float32Array.of(0.1, 0.9, 0.5, 0.7);
  const rows = [0, 1, 2, 3, -1];
  expect(expected(scores, rows, () => true, 2)).toEqual([1, 3]);
  expect(expected(scores, rows, (document) => document !== 1, 2)).toEqual([3, 2]);
  expect(expected(scores, [-1, 0], () => true, 2)).toEqual([1]);
});

it('takes what was being written during a search as neither right nor wrong', () => {
  expect(recallOf([1, 2, 3], [1, 2, 3], new Set())).toEqual({ hits: 3, wanted: 3 });
  expect(recallOf([9, 1, 2], [1, 2, 3], new Set([9]))).toEqual({ hits: 2, wanted: 2 });
  expect(recallOf([1, 4], [1, 2, 3], new Set())).toEqual({ hits: 1, wanted: 3 });
});
