import { expect, test } from 'vitest';
import { entries, type Query } from './collection.ts';
import { mistypedQueries, TYPO_KINDS } from './typos.ts';

test('entries have their members, lines joined', () => {
  const read = entries('.I 1\n.T\na title\nof two\n.W\n  words\n.I 7\n.W\nmore\n');
  expect(read.map(({ number, members }) => [number, ...members])).toEqual([
    [1, ['T', 'a title of two'], ['W', 'words']],
    [7, ['W', 'more ']],
  ]);
});

test('queries get as many typos as their kind says, in words that are long enough', () => {
  const query = (text: string): Query => ({ text, grades: new Map() });
  const queries = [query('what similarity laws must be obeyed'), query('heated wing'), query('an x')];
  const [one, two, long, all] = TYPO_KINDS.map((kind) => mistypedQueries(queries, kind));
  const words = (some: typeof one) => some?.map((each) => each.words.map(({ meant }) => meant));
  expect(words(one)?.every(({ length }) => length === 1)).toBe(true);
  // Three drawings of the two queries that have words of four letters.
  expect([one?.length, two?.length, long?.length, all?.length]).toEqual([6, 6, 3, 6]);
  expect(words(long)).toEqual([['similarity'], ['similarity'], ['similarity']]);
  expect(words(all)?.[0]).toEqual(['what', 'similarity', 'laws', 'must', 'obeyed']);
  expect(words(two)?.[1]).toEqual(['heated', 'wing']);
  for (const { text, query: meant, words: changed } of [one, two, long, all].flatMap((some) => some ?? [])) {
    expect(changed.reduce((sum, each) => sum.replace(each.typed, each.meant), text)).toBe(meant.text);
    expect(text).not.toBe(meant.text);
  }
});
