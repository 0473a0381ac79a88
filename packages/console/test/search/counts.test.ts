import { expect, test } from 'vitest';
import { countsLackOf } from '../../src/pages/search/counts.js';

test('where nothing is found no field is blamed for the lack of counts', () => {
  expect(countsLackOf({ hits: [] })).toBe('Nothing is found, so there is nothing to count.');
  expect(countsLackOf({ hits: [{ _id: 'a', _score: 1 }] as never })).toMatch(/^No field of this index/);
  expect(countsLackOf(undefined)).toMatch(/^No field of this index/);
});
