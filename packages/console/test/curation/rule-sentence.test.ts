import { expect, test } from 'vitest';
import { ruleSentence } from '../../src/curation/rule-sentence.js';
import { formatZoned } from '../../src/parts/moment.js';

test('a rule is told by its searches, its times and what becomes of them', () => {
  const rule = {
    id: 'storms',
    condition: { query: 'storm', match: 'contains', until: '2027-01-01T00:00:00Z' },
    consequence: { pinned: [{ _id: 'm7', position: 1 }], hidden: ['m9', 'm10'], filter: 'year:[1990 TO *]' },
  };
  expect(ruleSentence(rule)).toBe(
    `When the query contains “storm”, until ${formatZoned('2027-01-01T00:00:00Z')}: ` +
      'pin m7 at 1, hide m9, m10, show only documents of year:[1990 TO *].',
  );
});

test.each([
  [{}, 'For every search: send to /help.'],
  [{ query: 'help', match: null }, 'When the query is “help”: send to /help.'],
  [{ query: 'help', match: 'equals' }, 'When the query is “help”: send to /help.'],
  [{ query: 'how', match: 'beginsWith' }, 'When the query begins with “how”: send to /help.'],
  [
    { query: 'how', match: 'contains', filter: 'a:b' },
    'When the query contains “how” and the search has the filter a:b: send to /help.',
  ],
  [{ from: '2026-12-01T00:00:00Z' }, `For every search, from ${formatZoned('2026-12-01T00:00:00Z')}: send to /help.`],
])('the condition %j is told', (condition, sentence) => {
  expect(ruleSentence({ id: 'help', condition, consequence: { redirect: '/help' } })).toBe(sentence);
});

test('documents behind the first ten are counted, and not named', () => {
  const ids = Array.from({ length: 12 }, (_, at) => `d${at}`);
  const pinned = ids.map((_id, at) => ({ _id, position: at + 1 }));
  const sentence = ruleSentence({ id: 'many', condition: {}, consequence: { pinned, hidden: ids, query: 'x' } });
  expect(sentence).toMatch(/pin d9 at 10, pin 2 further documents, hide d0, .*, d9, 2 more, search for “x” instead\.$/);
});
