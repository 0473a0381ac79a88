import { expect, test } from 'vitest';
import { countedOf, countsLackOf, countsOf, hitsCounted, noHitsOf } from '../../src/pages/search/counts.js';
import { FIRST_QUERY } from '../../src/pages/search/request.js';
import type { Answer, MethodResult } from '../../src/pages/search/searches.js';

test('where nothing is found no field is blamed for the lack of counts', () => {
  expect(countsLackOf({ hits: [] })).toBe('Nothing is found, so there is nothing to count.');
  expect(countsLackOf({ hits: [{ _id: 'a', _score: 1 }] as never })).toMatch(/^No field of this index/);
  expect(countsLackOf(undefined)).toMatch(/^No field of this index/);
});

const hits = [{ _id: 'a', _score: 1 }] as never;
const answered = (answer: Partial<Answer>): MethodResult =>
  ({ answer: { facets: {}, hits, ...answer }, failure: undefined, isLoading: false }) as MethodResult;

test('words find so many documents; of the nearest those that are shown count', () => {
  expect(hitsCounted('LEXICAL', { hits, totalHits: 1_234 })).toBe('1,234 found');
  expect(hitsCounted('TENSOR', { hits, totalHits: 1_234 })).toBe('The nearest one');
  expect(hitsCounted('HYBRID', { hits: [hits, hits].flat() as never, totalHits: 1_234 })).toBe('The nearest 2');
});

test('fewer words are no advice for a query of one', () => {
  const told = (q: string, filter = '') => noHitsOf('LEXICAL', { q, filter });
  expect(told(' Pfannenwender ')).toBe('No document has this word.');
  expect(told('pfanne rot')).toBe('No document has these words. Fewer may find something.');
  expect(told('pfanne', 'preis:[* TO 5]')).toMatch(/^No document that passes the filter/);
});

test('documents that have the words are counted where they are shown and there are any', () => {
  const all = { HYBRID: answered({}), TENSOR: answered({}), LEXICAL: answered({}) };
  const none = { ...all, LEXICAL: answered({ hits: [] }) };
  expect(countedOf(['HYBRID', 'TENSOR', 'LEXICAL'], all).method).toBe('LEXICAL');
  expect(countedOf(['HYBRID', 'TENSOR', 'LEXICAL'], none).method).toBe('HYBRID');
  expect(countedOf(['TENSOR'], all).method).toBe('TENSOR');
  expect(countedOf(['LEXICAL'], none).answer?.hits).toEqual([]);
});

test('counts say of which documents they are', () => {
  const kettle = { ...FIRST_QUERY, q: 'kettle' };
  expect(countsOf('LEXICAL', kettle)).toBe('Of all documents that are found by words.');
  expect(countsOf('HYBRID', kettle)).toMatch(/^Of the nearest documents/);
  expect(countsOf('LEXICAL', FIRST_QUERY)).toBe('Of all documents.');
  expect(countsOf('LEXICAL', { ...FIRST_QUERY, filter: 'a:1' })).toBe('Of all documents that pass the filter.');
});
