import { expect, test } from 'vitest';
import { differences } from '../../src/pages/search/group-hits.js';
import { FIRST_QUERY, plainBody, shownBody } from '../../src/pages/search/request.js';

test('a group is searched for by its field, and counted where hits are shown', () => {
  const one = { ...FIRST_QUERY, group: { field: 'sku', limit: 1 } };
  const several = { ...FIRST_QUERY, group: { field: 'sku', limit: 5 } };
  expect(plainBody('HYBRID', FIRST_QUERY)).not.toHaveProperty('collapseFields');
  expect(shownBody('HYBRID', FIRST_QUERY, undefined)).not.toHaveProperty('collapseFields');
  expect(plainBody('HYBRID', one).collapseFields).toEqual([{ name: 'sku' }]);
  expect(plainBody('HYBRID', several).collapseFields).toEqual([{ name: 'sku', groupLimit: 5 }]);
  expect(shownBody('HYBRID', several, undefined).collapseFields).toEqual([
    { name: 'sku', groupLimit: 5, groupCount: true },
  ]);
  // The server groups HYBRID searches alone, one that finds and ranks by words among them.
  expect(shownBody('LEXICAL', several, undefined)).toMatchObject({
    ...{ searchMethod: 'HYBRID', hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' } },
    collapseFields: [{ name: 'sku', groupLimit: 5, groupCount: true }],
  });
  expect(plainBody('LEXICAL', FIRST_QUERY)).not.toHaveProperty('hybridParameters');
  expect(plainBody('TENSOR', several)).not.toHaveProperty('collapseFields');
});

test('a document of a group is told from the first by its short values that are others', () => {
  const first = { _id: 'a', title: 'boots', size: 41, tags: ['x'], text: 'short' };
  const other = { _id: 'b', title: 'shoes', size: 42, tags: ['x'], text: 'y'.repeat(99), colour: 'red' };
  expect(differences(other, first)).toEqual(['size', 'colour']);
});
