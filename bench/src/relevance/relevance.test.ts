import { expect, test } from 'vitest';
import { entries } from './collection.ts';

test('entries have their members, lines joined', () => {
  const read = entries('.I 1\n.T\na title\nof two\n.W\n  words\n.I 7\n.W\nmore\n');
  expect(read.map(({ number, members }) => [number, ...members])).toEqual([
    [1, ['T', 'a title of two'], ['W', 'words']],
    [7, ['W', 'more ']],
  ]);
});
