import { describe, expect, test } from 'vitest';
import { defaultSentence, memberInWords } from '../../src/curation/default-sentence.js';
import { defaultsOf, membersOf, otherMembers, withMembers } from '../../src/curation/search-defaults.js';
import { changesBetween } from '../../src/curation/version-changes.js';

const search = {
  searchMethod: 'HYBRID',
  fieldWeights: { title: 3 },
  prefix: null,
  didYouMean: false,
  scoreModifiers: { add_to_score: [] },
  hybridParameters: { alpha: 0, rrfK: null, retrievalMethod: 'disjunction' },
};

describe('the members of a search that an index can hold', () => {
  test('are told from the others, which say nothing left out', () => {
    expect(membersOf(search)).toEqual([
      { name: 'fieldWeights', value: { title: 3 } },
      { name: 'didYouMean', value: false },
      { name: 'hybridParameters.alpha', value: 0 },
    ]);
    expect(otherMembers(search)).toEqual(['searchMethod', 'scoreModifiers', 'hybridParameters.retrievalMethod']);
    expect([membersOf(undefined), otherMembers({})]).toEqual([[], []]);
  });

  test('take the places of defaults of the same names, and leave the others', () => {
    const before = { fieldWeights: { plot: 2 }, prefix: 'last', hybridParameters: { rrfK: 5, alpha: 1 } } as const;
    expect(withMembers(before, membersOf(search))).toEqual({
      fieldWeights: { title: 3 },
      prefix: 'last',
      didYouMean: false,
      hybridParameters: { rrfK: 5, alpha: 0 },
    });
    expect(defaultsOf(membersOf(before))).toEqual(before);
    expect(defaultsOf([])).toBeUndefined();
  });
});

test('members that no index holds are told in words, but for those that have none', () => {
  expect(memberInWords('searchMethod')).toBe('the method (searchMethod)');
  expect(memberInWords('hybridParameters.retrievalMethod')).toMatch(/^how a search by both finds/);
  expect(memberInWords('toString')).toBe('toString');
});

test.each([
  ['fieldWeights', { title: 3, plot: 0.5 }, 'Words count in title 3 times as much, in plot 0.5 times as much.'],
  ['fieldWeights', {}, 'Words count alike in all fields.'],
  ['stopWords', 'auto', 'Function words of the language of a query are left out of it.'],
  ['stopWords', 'de', 'Function words of the language de are left out of queries.'],
  ['stopWords', 'none', 'No words are left out of queries.'],
  ['stopWords', ['a', 'b'], 'These words are left out of queries: a, b.'],
  [
    'stopWords',
    Array.from('abcdefghijkl'),
    'These words are left out of queries: a, b, c, d, e, f, g, h, i, j, 2 more.',
  ],
  ['textRanking', true, 'The best hits are ranked anew by their texts.'],
  ['textRanking', false, 'Texts do not rank hits anew.'],
  [
    'textRanking',
    { proximity: 1, fields: ['title'] },
    'The best hits are ranked anew by their texts (proximity 1, fields ["title"]).',
  ],
  ['prefix', 'last', 'The last word also finds words that it begins.'],
  ['prefix', 'none', 'Words find whole words alone.'],
  ['prefix', { title: 'all' }, 'Words also find words that they begin, by field: title all.'],
  ['typoTolerance', { oneTypoFrom: 3 }, 'Typos are forgiven (oneTypoFrom 3).'],
  ['typoTolerance', false, 'Typos are not forgiven.'],
  ['splitJoinTokens', true, 'Words are also found in two parts, or in one.'],
  ['decompound', true, 'Words also find compounds that they end.'],
  ['didYouMean', false, 'Answers tell no other query.'],
  ['phraseSlop', 2, 'Words of a quoted phrase may be moved by 2.'],
  ['language', 'de', 'Words of queries are those of the language de.'],
  ['hybridParameters.alpha', 0.3, 'Meaning weighs 0.3 in a search by both: 0 goes by words alone, 1 by meaning alone.'],
  ['hybridParameters.rrfK', 10, 'Places in the two lists of a search by both are joined with k = 10.'],
])('%s %j is told in a sentence', (name, value, sentence) => {
  expect(defaultSentence({ name, value })).toBe(sentence);
});

test('changes of search defaults are told among those of rules and synonyms', () => {
  const none = { rules: [], synonyms: [] };
  const before = {
    ...none,
    searchDefaults: { prefix: 'last', didYouMean: true, fieldWeights: { a: 1, b: 2 } },
  } as const;
  const after = { ...none, searchDefaults: { prefix: 'all', fieldWeights: { b: 2, a: 1 }, phraseSlop: 1 } } as const;
  expect(changesBetween(before, after)).toEqual([
    'Search default of didYouMean removed',
    'Search default of prefix changed. Every word also finds words that it begins.',
    'Search default of phraseSlop added. Words of a quoted phrase may be moved by 1.',
  ]);
  expect(changesBetween(none, none)).toEqual([]);
  expect(changesBetween(after, none)).toHaveLength(3);
});
