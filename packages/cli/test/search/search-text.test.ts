import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { barOf, explanationText } from '../../src/search/explanation.js';
import { MARK_END, MARK_START } from '../../src/search/hits-table.js';
import { readHits, searchText } from '../../src/search/search.js';

// Whoever runs the tests may ask for colours.
vi.stubEnv('FORCE_COLOR', undefined);

const file = new PassThrough();
const answer = { query: 'q', limit: 10, offset: 0, processingTimeMs: 3 };

test('a hit shows its rank, score, id, first text, the words that were found, and the rest', () => {
  const hit = {
    ...{ _id: 'one', _score: 0.123456, title: 'Tomatoes', text: 'Water at the root.', minutes: 15 },
    ...{ _highlights: [], _lexicalHighlights: { text: [`Water at the ${MARK_START}root${MARK_END}.`] } },
  };
  expect(searchText({ ...answer, offset: 4, hits: [hit] }, file)).toBe(
    [
      '#   score  _id  document',
      '5  0.1235  one  Tomatoes',
      '                text: Water at the *root*.',
      '                minutes: 15',
      '1 hit in 3 ms',
      '',
    ].join('\n'),
  );
});

test('a text that is called a title stands first, before others ahead of it', () => {
  const hit = (fields: object) => ({ _id: 'a', _score: 1, _highlights: [], ...fields });
  const shown = (fields: object) => searchText({ ...answer, hits: [hit(fields)] as any }, file).split('\n')[1];
  expect(shown({ sku: 'a4', title: 'Rain coat' })).toMatch(/ {2}Rain coat$/);
  expect(shown({ sku: 'a4', Dish_name: 'Ribollita' })).toMatch(/ {2}Ribollita$/);
  expect(shown({ text: 'Some words', renamed: 'x' })).toMatch(/ {2}Some words$/);
});

test('a title that was found is shown once, with its marks', () => {
  const highlights = { title: [`Red ${MARK_START}boots${MARK_END}`] };
  const hit = { _id: 'a', _score: 1, title: 'Red boots', _highlights: [], _lexicalHighlights: highlights };
  expect(searchText({ ...answer, hits: [hit] }, file)).toMatch(/ {2}Red \*boots\*\n1 hit in/);
});

test('a hit by meaning shows its nearest chunk, and one without fields its id', () => {
  const near = { _id: 'a', _score: 1, title: 'T', _highlights: [{ text: 'the chunk' }] };
  const bare = { _id: 'b', _score: 0.5, _highlights: [] };
  const text = searchText({ ...answer, hits: [near, bare] }, file);
  expect(text).toContain('text: the chunk');
  expect(text).toMatch(/^2 {2}0\.5000 {2}b$/m);
});

test('scores that JavaScript rounds are shown, and integers of documents as they are spelt', () => {
  const explanation = (value: string) => `{"value": ${value}, "operation": "sum", "description": "all", "details": []}`;
  const hit = (score: string) =>
    `{"_id": "a", "_score": ${score}, "_highlights": [], "big": ${score}, "_explanation": ${explanation(score)}}`;
  const scores = ['9007199254740993', '-12345678901234567890', '1e300', '2'];
  const body = `{"query": "q", "limit": 10, "offset": 0, "processingTimeMs": 3, "hits": [${scores.map(hit)}]}`;
  const text = searchText(readHits({ status: 200, body: Buffer.from(body) }, 'http://x'), file);
  expect(text).toMatch(/^1 +9007199254740992\.0000 +a +big: 9007199254740993$/m);
  expect(text).toMatch(/^2 +-12345678901234567168\.0000 +a +big: -12345678901234567890$/m);
  expect(text).toMatch(/^3 +1e\+300 +a +big: 1e300$/m);
  expect(text).toMatch(/^9007200000000000 +all$/m);
  expect(text).toMatch(/^1e\+300 +all$/m);
});

test('a search without hits says so', () => {
  expect(searchText({ ...answer, hits: [] }, file)).toBe('No hit in 3 ms\n');
});

test('each part of a sum has a bar for its share, and no other number has one', () => {
  const leaf = { operation: 'value', details: [] };
  const sum = {
    ...{ value: 4, operation: 'sum', description: 'all' },
    details: [
      {
        value: 3,
        operation: 'reciprocalRank',
        description: 'most',
        details: [{ ...leaf, value: 60, description: 'k' }],
      },
      { value: 1, operation: 'bm25', description: 'formula', field: 'text', term: 'root', details: [] },
    ],
  };
  expect(explanationText('1 one', sum, file).split('\n')).toEqual([
    '1 one',
    `4${' '.repeat(29)}all`,
    `  3     ${'█'.repeat(15)}       most`,
    `    60${' '.repeat(24)}k`,
    `  1     ${'█'.repeat(5)}${' '.repeat(17)}text: root, BM25`,
    '',
  ]);
});

test.each([
  [0, ''],
  [-1, ''],
  [2, '█'.repeat(20)],
  [0.5, '█'.repeat(10)],
  [1 / 160, '▏'],
])('the bar of %d is %s', (share, bar) => {
  expect(barOf(share)).toBe(bar);
});
