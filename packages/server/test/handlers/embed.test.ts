import { expect, test } from 'vitest';
import { combine } from '../../src/handlers/embed.js';

const rows = Float32Array.from([3, 4, 1, 0, 0, 1]);

test('a text has its own vector, weighted texts the mean of theirs', () => {
  expect(combine(['a', { b: 2, c: -4 }], rows, 2, false)).toEqual([
    [3, 4],
    [1, -2],
  ]);
});

test('the mean is scaled to unit length where embeddings are', () => {
  const [, vector = []] = combine(['a', { b: 3, c: 4 }], rows, 2, true);
  expect(vector[0]).toBeCloseTo(0.6, 12);
  expect(vector[1]).toBeCloseTo(0.8, 12);
});

test('weights that cancel out leave the zero vector', () => {
  expect(combine([{ b: 1, c: -1 }], Float32Array.from([1, 0, 1, 0]), 2, true)).toEqual([[0, 0]]);
});
