import { describe, expect, test } from 'vitest';
import { changesBetween } from '../../src/curation/version-changes.js';

const rule = (id: string, redirect = '/help') => ({ id, condition: { query: id }, consequence: { redirect } });
const withRules = (...ids: readonly string[]) => ({ rules: ids.map((id) => rule(id)), synonyms: [] });
const withSynonyms = (...synonyms: readonly { terms: readonly string[] }[]) => ({ rules: [], synonyms });

describe('rules', () => {
  test('additions, changes and removals are told', () => {
    const after = { rules: [rule('a', '/other'), rule('c')], synonyms: [] };
    expect(changesBetween(withRules('a', 'b'), after)).toEqual([
      'Rule b removed',
      'Rule a changed. When the query is “a”: send to /other.',
      'Rule c added. When the query is “c”: send to /help.',
    ]);
  });

  test('another order is told, and one that came or went changes none', () => {
    expect(changesBetween(withRules('a', 'b'), withRules('b', 'a'))).toEqual(['Order of the rules changed']);
    expect(changesBetween(withRules('a', 'b', 'c'), withRules('a', 'c'))).toEqual(['Rule b removed']);
  });

  test('the order of members does not matter, nor do members that are null', () => {
    const consequence = { hidden: null, redirect: '/help' };
    const after = { rules: [{ consequence, condition: { match: null, query: 'a' }, id: 'a' }], synonyms: [] };
    expect(changesBetween(withRules('a'), after)).toEqual([]);
  });
});

describe('synonyms', () => {
  const film = { terms: ['film', 'movie'] };
  const noir = { from: 'noir', terms: ['crime'], phrases: true };

  test('additions and removals are told by their words', () => {
    expect(changesBetween(withSynonyms(film), withSynonyms(noir))).toEqual([
      'Synonyms removed: film, movie',
      'Synonyms added: noir also crime (as phrases)',
    ]);
  });

  test('another order is told', () => {
    expect(changesBetween(withSynonyms(film, noir), withSynonyms(noir, film))).toEqual([
      'Order of the synonyms changed',
    ]);
  });
});
