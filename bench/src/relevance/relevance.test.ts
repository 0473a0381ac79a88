import { expect, test } from 'vitest';
import { entries } from './collection.ts';
import { ndcg } from './ndcg.ts';

test('entries have their members, lines joined', () => {
  const read = entries('.I 1\n.T\na title\nof two\n.W\n  words\n.I 7\n.W\nmore\n');
  expect(read.map(({ number, members }) => [number, ...members])).toEqual([
    [1, ['T', 'a title of two'], ['W', 'words']],
    [7, ['W', 'more ']],
  ]);
});

test('the best ranking has the gain 1, and deeper places gain less', () => {
  const grades = new Map([
    ['a', 3],
    ['b', 1],
  ]);
  expect(ndcg(['a', 'b', 'c'], grades, 10)).toBe(1);
  expect(ndcg(['b', 'a'], grades, 10)).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 12);
  expect(ndcg(['c', 'a'], grades, 1)).toBe(0);
  expect(ndcg([], grades, 10)).toBe(0);
});
