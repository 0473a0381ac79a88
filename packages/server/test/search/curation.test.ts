import type { schemas } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { curatedSearch } from '../../src/search/curation.js';
import { oneOf, type Random, randomOf } from './random-bodies.js';
import { searchRequest } from './requests.js';

type Rule = schemas.SearchRule;

const NOW = Date.parse('2026-06-01T00:00:00Z');
const WORDS = ['red', 'shoe', 'RED  shoe', 'boot', 'shoes', 'red boot'];
const MOMENTS = [
  null,
  '2026-01-01T00:00:00Z',
  '2026-06-01T00:00:00Z',
  '2026-06-01T00:00:00.001Z',
  '2027-01-01T00:00:00Z',
];

const ruleOf = (random: Random, id: string): Rule => ({
  id,
  condition: {
    query: oneOf(random, [null, ...WORDS]),
    match: oneOf(random, [null, 'equals', 'contains', 'beginsWith'] as const),
    filter: oneOf(random, [null, null, null, 'a:b', ' c:d ']),
    from: oneOf(random, MOMENTS),
    until: oneOf(random, MOMENTS),
  },
  consequence: {
    pinned: oneOf(random, [null, [{ _id: oneOf(random, ['a', 'b', 'c']), position: 1 }]]),
    hidden: oneOf(random, [null, ['x'], ['y', 'z']]),
    filter: oneOf(random, [null, 'n:1', 'm:2']),
    query: oneOf(random, [null, 'other', 'hat']),
    redirect: oneOf(random, [null, '/a', '/b']),
  },
});

const words = (text: string) => text.trim().toLowerCase().split(/\s+/);

/** Says of a rule alone and in plain steps if its condition is met. */
function isMet({ condition }: Rule, q: string, filter: string | undefined): boolean {
  const { query, match, from, until } = condition;
  if (from != null && NOW < Date.parse(from)) return false;
  if (until != null && NOW >= Date.parse(until)) return false;
  if (condition.filter != null && condition.filter.trim() !== filter) return false;
  if (query == null) return true;
  const [asked, wanted] = [words(q), words(query)];
  const at = (start: number) => wanted.every((word, place) => asked[start + place] === word);
  if (match === 'contains') return asked.some((_, start) => at(start));
  return at(0) && (match === 'beginsWith' || asked.length === wanted.length);
}

test('a search follows the rules whose conditions it meets, the first one where one alone can count', () => {
  let met = 0;
  for (let seed = 0; seed < 500; seed += 1) {
    const random = randomOf(seed);
    const rules = Array.from({ length: 6 }, (_, at) => ruleOf(random, `r${at}`));
    const [q, filter] = [`${oneOf(random, WORDS)} ${oneOf(random, ['', ...WORDS])}`, oneOf(random, [undefined, 'a:b'])];
    const own = { pinned: oneOf(random, [[], [{ _id: 'c', position: 5 }]]), hidden: oneOf(random, [[], ['w']]) };
    const request = searchRequest({ q, searchMethod: 'LEXICAL', ...own, ...(filter !== undefined && { filter }) });
    const curation = { version: 1, updatedAt: null, rules, synonyms: [] };
    const applied = rules
      .filter((rule) => isMet(rule, q, filter))
      .map(({ id, consequence }) => ({ id, ...consequence }));
    met += applied.length;
    const pins = [own.pinned, ...applied.map(({ pinned }) => pinned ?? [])].flat();
    const found = curatedSearch(request, { curation }, NOW);
    const [redirect] = applied.flatMap((one) => one.redirect ?? []);
    const [replaced] = applied.flatMap((one) => one.query ?? []);
    expect(found.told, `${seed}`).toEqual({
      ...(applied.length > 0 && { rules: applied.map(({ id }) => id) }),
      ...(redirect !== undefined && { redirect }),
    });
    expect(found.addedFilters).toEqual(applied.flatMap((one) => one.filter ?? []));
    expect(found.request.q).toBe(replaced ?? q);
    expect(found.request.pinned).toEqual(pins.filter(({ _id }, at) => pins.findIndex((one) => one._id === _id) === at));
    expect(found.request.hidden).toEqual([...own.hidden, ...applied.flatMap(({ hidden }) => hidden ?? [])]);
    expect(found.request.filter).toBe(filter);
  }
  expect(met).toBeGreaterThan(150);
});

const pinning = (condition: object): Pick<schemas.Curation, 'rules' | 'synonyms'> => ({
  rules: [{ id: 'r', condition, consequence: { pinned: [{ _id: 'a', position: 1 }] } }],
  synonyms: [],
});

test('rules pin nothing where a reRanker ranks, and a long query has no words that are compared', () => {
  const curation = { version: 1, updatedAt: null, ...pinning({}) };
  const request = searchRequest({ q: 'red', searchMethod: 'LEXICAL', reRanker: 'owl/ViT-B/32' });
  expect(curatedSearch(request, { curation }, NOW)).toMatchObject({ request: { q: 'red' }, told: { rules: ['r'] } });
  expect(curatedSearch(request, { curation }, NOW).request.pinned).toBeUndefined();
  const long = searchRequest({ q: `red ${'a'.repeat(1021)}` });
  const begins = { version: 1, updatedAt: null, ...pinning({ query: 'red', match: 'beginsWith' }) };
  expect(curatedSearch(long, { curation: begins }, NOW).told).toEqual({});
  expect(curatedSearch(searchRequest({ q: 'red a' }), { curation: begins }, NOW).told).toEqual({ rules: ['r'] });
});
