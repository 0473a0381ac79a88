import { expect, test } from 'vitest';
import { nameDoubtOf } from '../../src/pages/operations/key-names.js';

test.each([
  [['produckte'], 'No index has the name “produckte” yet: the key reaches nothing by it.'],
  [['produkte', ' a', 'b', 'a'], 'No index has the name “a” or “b” yet: the key reaches nothing by it.'],
  [['produkte', 'current '], undefined],
  [[], undefined],
  [undefined, undefined],
])('of the names %j those are told that nothing has', (names, told) => {
  expect(nameDoubtOf(names, ['produkte', 'current'])).toBe(told);
});

test('no name is in doubt before the known ones are there', () => {
  expect(nameDoubtOf(['produckte'], undefined)).toBeUndefined();
});
