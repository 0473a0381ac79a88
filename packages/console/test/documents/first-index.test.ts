import { expect, test } from 'vitest';
import { firstIndex } from '../../src/documents/first-index.js';

test('the index that was chosen last comes first where it still is, else the only one', () => {
  expect(firstIndex(['a', 'b'], 'b')).toBe('b');
  expect(firstIndex(['a', 'b'], 'gone')).toBeUndefined();
  expect(firstIndex(['a'], 'gone')).toBe('a');
  expect(firstIndex([], 'gone')).toBeUndefined();
});
