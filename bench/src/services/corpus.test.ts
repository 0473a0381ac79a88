import { expect, it } from 'vitest';
import { FILTERED, numbersOf, passes } from './corpus.ts';

it('lets a tenth, a hundredth or all documents pass', () => {
  const ids = Array.from({ length: 10_000 }, (_, id) => id);
  const passing = (filter: 'none' | 'category' | 'number') => ids.filter((id) => passes(id, filter));
  expect(passing('none')).toHaveLength(10_000);
  expect(passing('category')).toHaveLength(1000);
  expect(passing('number')).toHaveLength(100);
  expect(passing('category').every((id) => `c${id % 10}` === FILTERED.category)).toBe(true);
  expect(passing('number').every((id) => id % 1000 <= FILTERED.numberMax)).toBe(true);
});

it('writes the numbers of a vector so that they are read again bit by bit', () => {
  const vector = Float32Array.of(0.1, -1 / 3, 1e-20, 0);
  expect(Float32Array.from(JSON.parse(numbersOf(vector)) as number[])).toEqual(vector);
});
