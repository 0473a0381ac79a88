import { expect, it } from 'vitest';
import { recall } from './recall.ts';

it('is the share of true neighbors that were found, whatever their order', () => {
  expect(recall([[3, 2, 1]], [[1, 2, 3]])).toBe(1);
  expect(recall([[1, 9], [7]], [Uint32Array.of(1, 2), Uint32Array.of(7, 8)])).toBe(0.5);
});

it('counts a neighbor once, however often it was answered', () => {
  expect(recall([[1, 1, 1]], [[1, 2, 3]])).toBeCloseTo(1 / 3);
});

it('counts a query without an answer as a miss', () => {
  expect(recall([[1]], [[1], [2]])).toBe(0.5);
});
