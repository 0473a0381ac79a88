import { expect, test } from 'vitest';
import { firstIndex } from '../../src/documents/first-index.js';

test('the index that was chosen last comes first where it still is, else the only one', () => {
  expect(firstIndex(['a', 'b'], ['b'])).toBe('b');
  expect(firstIndex(['a', 'b'], ['gone'])).toBeUndefined();
  expect(firstIndex(['a'], ['gone'])).toBe('a');
  expect(firstIndex([], ['gone'])).toBeUndefined();
});

test('the last index of a set comes before the last one at all, unless it is gone', () => {
  expect(firstIndex(['a', 'b'], ['a', 'b'])).toBe('a');
  expect(firstIndex(['a', 'b'], ['gone', 'b'])).toBe('b');
  expect(firstIndex(['a', 'b'], [undefined, 'b'])).toBe('b');
});
