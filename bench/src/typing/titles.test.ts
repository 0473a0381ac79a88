import { expect, test } from 'vitest';
import { randomNumbers } from '../serving/vectors.ts';
import { makeTitles, meantWords, mistyped, wordsOf } from './titles.ts';

test('titles are the same each time, of common words above all', () => {
  const [titles, again] = [makeTitles(1000, 10_000), makeTitles(1000, 10_000)];
  expect(again).toEqual(titles);
  expect(wordsOf(titles, 999)).toHaveLength(8);
  const [common, next] = [10, 100].map((end) => titles.places.filter((place) => place < end).length) as [
    number,
    number,
  ];
  expect(common / 8000).toBeCloseTo(1 / 4, 1);
  expect((next - common) / 8000).toBeCloseTo(1 / 4, 1);
  expect(Math.max(...titles.places)).toBeLessThan(10_000);
});

test('queries are words of a title, others for another seed', () => {
  const titles = makeTitles(1000, 10_000);
  const some = meantWords(titles, 50, 7);
  for (const { title, first, last } of some) expect(wordsOf(titles, title).slice(0, 2)).toEqual([first, last]);
  expect(meantWords(titles, 50, 8)).not.toEqual(some);
});

test('a word with a typo differs in one place behind its first letter', () => {
  const random = randomNumbers(1);
  const lengths = new Set<number>();
  for (let i = 0; i < 1000; i += 1) {
    const typed = mistyped('kettle', random);
    const [before, after] = [commonStart('kettle', typed), commonStart(reversed('kettle'), reversed(typed))];
    expect(typed).not.toBe('kettle');
    expect(before).toBeGreaterThan(0);
    // Two letters in a row are swapped, else one is put in, left out or replaced.
    expect(before + after).toBeGreaterThanOrEqual(4);
    lengths.add(typed.length);
  }
  expect([...lengths].sort()).toEqual([5, 6, 7]);
});

const reversed = (word: string) => [...word].reverse().join('');

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < Math.min(one.length, other.length) && one[at] === other[at]) at += 1;
  return at;
}
