import { expect, test } from 'vitest';
import { termsOf, withEntry, wordsOf } from '../../src/curation/synonyms.js';

test('commas, semicolons and line breaks stand between words, blanks within them', () => {
  expect(termsOf('sofa, couch;  big  settee\r\nlounge\n;,')).toEqual(['sofa', 'couch', 'big  settee', 'lounge']);
  expect(termsOf(' ; ')).toEqual([]);
});

test('a changed entry takes the place of the former one, also in entries that were loaded anew', () => {
  const entries = [{ terms: ['a', 'b'] }, { from: 'c', terms: ['d'] }];
  const change = { from: 'c', terms: ['d', 'e'] };
  expect(withEntry(entries, change, structuredClone(entries[1]))).toEqual([entries[0], change]);
  // Somebody else has removed it meanwhile.
  expect(withEntry(entries, change, { terms: ['x', 'y'] })).toEqual([...entries, change]);
  expect(withEntry(entries, change, undefined)).toEqual([...entries, change]);
  expect(entries.map(wordsOf)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});
