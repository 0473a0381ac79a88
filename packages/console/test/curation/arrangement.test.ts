import { describe, expect, test } from 'vitest';
import { isSameQuery, movedDown, movedFirst, movedUp, type Pinned } from '../../src/curation/arrangement.js';

const at = (...places: [string, number][]): Pinned[] => places.map(([id, position]) => ({ id, position }));

test('queries are the same but for case, blanks and composition', () => {
  expect(isSameQuery('  Café  au lait', 'cafe\u0301 AU lait ')).toBe(true);
  expect(isSameQuery('boots', 'boot')).toBe(false);
});

describe('pinned in a row', () => {
  test('a document that is not pinned comes behind those that are', () => {
    expect(movedUp(at(['a', 1]), 'z', 9, 'inRow')).toEqual(at(['a', 1], ['z', 2]));
  });
  test('pinned ones change places', () => {
    expect(movedUp(at(['a', 1], ['b', 2]), 'b', 2, 'inRow')).toEqual(at(['b', 1], ['a', 2]));
    expect(movedDown(at(['a', 1], ['b', 2]), 'a', 1, 'inRow')).toEqual(at(['b', 1], ['a', 2]));
    expect(movedDown(at(['a', 1], ['b', 2]), 'b', 2, 'inRow')).toEqual(at(['a', 1], ['b', 2]));
  });
  test('one comes in front of all', () => {
    expect(movedFirst(at(['a', 1], ['b', 2]), 'b', 'inRow')).toEqual(at(['b', 1], ['a', 2]));
  });
});

describe('pinned at any place', () => {
  test('a hit goes one place up, and changes places with one that is pinned there', () => {
    expect(movedUp([], 'z', 5, 'any')).toEqual(at(['z', 4]));
    expect(movedUp(at(['a', 4]), 'z', 5, 'any')).toEqual(at(['z', 4], ['a', 5]));
    expect(movedUp(at(['z', 1]), 'z', 1, 'any')).toEqual(at(['z', 1]));
  });
  test('others stay at their places', () => {
    expect(movedDown(at(['a', 1], ['z', 4]), 'a', 1, 'any')).toEqual(at(['a', 2], ['z', 4]));
    expect(movedFirst(at(['a', 1], ['z', 4]), 'z', 'any')).toEqual(at(['z', 1], ['a', 1]));
  });
});
