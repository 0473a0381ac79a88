import { UnprocessableError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { planOf } from '../../src/search/plan.js';
import { checkShape } from '../../src/search/shape.js';
import { searchRequest, source, unstructured } from './requests.js';

const body = (facets: object, rest: object = {}) => ({ q: 'a', searchMethod: 'HYBRID', facets, ...rest });
const check = (request: object) => checkShape(searchRequest(request));
const field = (config: object, rest: object = {}) => body({ fields: { f: config } }, rest);
const ranges = (...of: object[]) => field({ type: 'number', ranges: of });
const dates = (...of: object[]) => field({ type: 'date', ranges: of });
const plan = (request: object) =>
  planOf(searchRequest(request), source(JSON.stringify(request)), unstructured, 2000, null, null).plan;

test.each<[object, string]>([
  [field({ type: 'string', maxResults: 0 }), "'maxResults' must be greater than 0"],
  [field({ type: 'string', maxResults: 10_001 }), "'maxResults' must be less than or equal to 10000"],
  [body({ fields: {}, maxResults: 10_001 }), "'maxResults' must be less than or equal to 10000"],
  [body({ fields: {}, maxDepth: 0 }), "'maxDepth' must be greater than 0"],
  [field({ type: 'array', ranges: [] }), "Ranges can only be used for 'number' facets"],
  [ranges({ from: 5, to: 5 }), "'to' value must be greater than 'from' value"],
  [ranges({ from: 5, to: 9 }, { from: 1, to: 6 }), 'Range configurations must not overlap'],
  [
    ranges({ from: 1 }, { from: 6, to: 7 }),
    "Open-ended ranges (missing 'to' value) will overlap with subsequent ranges",
  ],
  [ranges({ to: 6 }, { to: 7 }), "Open-ended ranges (missing 'from' value) will overlap with previous ranges"],
  [ranges({ to: 1, name: 'a' }, { from: 2, name: 'a' }), 'Names of ranges must not repeat'],
  [
    field({ type: 'string', excludeTerms: ['a:b'] }),
    'Exclude terms can only be used when a filter string is provided.',
  ],
  [
    field({ type: 'string', excludeTerms: ['a:b', 'a:c'] }, { filter: 'a:b' }),
    "Facet field 'f' has exclude terms ['a:c'] that do not appear in the filter string. All exclude terms must be present in the filter for proper filtering.",
  ],
  [ranges({ from: 'soon' }), 'value is not a valid float'],
  [field({ type: 'number', interval: 'day' }), "'interval' can only be used for 'date' facets"],
  [
    field({ type: 'date', interval: 'decade' }),
    "value is not a valid enumeration member; permitted: 'year', 'quarter'",
  ],
  [field({ type: 'date', interval: 'day', ranges: [] }), "'interval' cannot be used with 'ranges'"],
  [dates({ from: 'soon' }), "'from' must be a date such as 2024-02-29, received 'soon'"],
  [dates({ to: 20_240_229 }), "'to' must be a date such as 2024-02-29, received '20240229'"],
  [dates({ from: '2024-02', to: '2024-02-01' }), "'to' value must be greater than 'from' value"],
  [dates({ from: '2024', to: '2025' }, { from: '2024-12-31T23:59' }), 'Range configurations must not overlap'],
  [dates({ from: '2024' }, { from: '2025' }), "Open-ended ranges (missing 'to' value) will overlap"],
  [dates({ to: '2024', name: 'a' }, { from: '2025', name: 'a' }), 'Names of ranges must not repeat'],
  [field({ type: 'int' }), "value is not a valid enumeration member; permitted: 'string', 'array', 'number'"],
  [field({}), 'field required'],
  [field({ type: 'string', max_results: 5 }), 'extra fields not permitted'],
  [body({}), 'field required'],
])('%j has not the shape: %s', (request, text) => {
  const refused = () => check(request);
  expect(refused).toThrow(UnprocessableError);
  let problems: readonly { readonly msg: string }[] = [];
  try {
    refused();
  } catch (error) {
    problems = (error as UnprocessableError).problems;
  }
  expect(problems.map(({ msg }) => msg).join('\n')).toContain(text);
});

test('terms of long filters are looked up in bounded work, and told in few words', () => {
  const some = (count: number) => Array.from({ length: count }, (_, i) => `a:${i}`);
  const filter = `a:${'b'.repeat(2 ** 20)}`;
  const fields = { f: { type: 'string', excludeTerms: some(16) }, g: { type: 'string', excludeTerms: some(15) } };
  const problemsOf = (request: object) => {
    try {
      check(request);
      return [];
    } catch (error) {
      return (error as UnprocessableError).problems;
    }
  };
  expect(problemsOf(body({ fields }, { filter }))).toEqual([
    {
      loc: ['body', 'facets', 'fields'],
      msg: 'excludeTerms may name at most 15 different terms where the filter has 1048578 characters, received 16',
      type: 'value_error',
    },
  ]);
  // The same term in another field is looked up once.
  const fewer = { f: fields.g, g: fields.g };
  expect(problemsOf(body({ fields: fewer }, { filter })).map(({ msg }) => msg.slice(0, 40))).toEqual([
    "Facet field 'f' has exclude terms ['a:0'",
    "Facet field 'g' has exclude terms ['a:0'",
  ]);
  const long = { ['f'.repeat(10_000)]: { type: 'string', excludeTerms: ['x'.repeat(10_000), ...some(99)] } };
  expect(JSON.stringify(problemsOf(body({ fields: long }, { filter: 'b:1' }))).length).toBeLessThan(8192);
});

test.each([
  ranges({ from: 5, to: 9 }, { to: 5 }, { from: 9 }),
  ranges({ from: '5', to: ' 9.0 ' }),
  dates({ from: '2024-02', to: '2024-02-29T12:00+02:00' }, { to: '2024-02' }, { from: 2025 }),
  field({ type: 'date', interval: null, ranges: null }),
  field({ type: 'date', interval: 'week' }),
  field({ type: 'string', excludeTerms: ['a:b', '_id IN (1,2)'] }, { filter: 'a:b OR _id IN (1,  2)' }),
  field({ type: 'string', excludeTerms: ['_id IN (1, 2)'] }, { filter: '_id IN (1,2)' }),
  field({ type: 'string', excludeTerms: ['NOT (a:b)'] }, { filter: 'c:d AND NOT a:b' }),
  field({ type: 'string', excludeTerms: [], maxResults: null, order: null }),
  { q: 'a', trackTotalHits: false },
  { q: 'a', searchMethod: 'LEXICAL', trackTotalHits: null },
])('%j has the shape', (request) => {
  expect(() => check(request)).not.toThrow();
});

test('a field takes what it does not say from all facets, or the default', () => {
  const facets = { fields: { a: { type: 'string' }, b: { type: 'array', maxResults: 3, order: 'asc' } } };
  const none = { ranges: null, dates: null, excludeTerms: [] };
  expect(plan(body({ ...facets, maxResults: 7, maxDepth: 50 })).facets).toEqual({
    fields: [
      { field: 'a', kind: 'string', maxResults: 7, order: 'desc', ...none },
      { field: 'b', kind: 'array', maxResults: 3, order: 'asc', ...none },
    ],
    maxDepth: 50,
  });
  expect(plan(body(facets)).facets).toMatchObject({ fields: [{ maxResults: 100 }, { maxResults: 3 }], maxDepth: null });
});

test('ranges are planned in their order, with names like floats of other languages', () => {
  const planned = plan(ranges({ from: 1e16 }, { from: 0.5, to: 20 }, { to: -1e-5 }, { from: -1e-5, to: 0, name: 'x' }));
  expect(planned.facets?.fields[0]?.ranges).toEqual([
    { name: '-Inf:-1e-05', from: null, to: -1e-5 },
    { name: 'x', from: -1e-5, to: 0 },
    { name: '0.5:20.0', from: 0.5, to: 20 },
    { name: '1e+16:Inf', from: 1e16, to: null },
  ]);
});

test('limits of numbers that are texts are numbers', () => {
  const planned = plan(ranges({ from: '1e1', to: '20' }));
  expect(planned.facets?.fields[0]?.ranges).toEqual([{ name: '10.0:20.0', from: 10, to: 20 }]);
});

test('dates are planned by interval, by ranges in their order, or together', () => {
  const planned = (request: object) => plan(request).facets?.fields[0];
  expect(planned(field({ type: 'date' }))).toMatchObject({ kind: 'date', ranges: null, dates: null });
  expect(planned(field({ type: 'date', interval: 'quarter' }))).toMatchObject({
    kind: 'date',
    ranges: null,
    dates: { interval: 'quarter', ranges: null },
  });
  const some = [{ from: 2025 }, { from: '2023-12-31T23:00-02:00', to: '2025' }, { to: '2023', name: 'old' }];
  expect(planned(dates(...some))).toMatchObject({
    kind: 'date',
    ranges: null,
    dates: {
      interval: null,
      ranges: [
        { name: 'old', from: null, to: '2023' },
        { name: '2023-12-31T23:00-02:00:2025', from: '2023-12-31T23:00-02:00', to: '2025' },
        { name: '2025:Inf', from: '2025', to: null },
      ],
    },
  });
});

test('hits are counted unless the search says no, and only by HYBRID', () => {
  const counts = (request: object) => plan({ q: 'a', ...request }).trackTotalHits;
  expect(counts({ searchMethod: 'HYBRID' })).toBe(true);
  expect(counts({ searchMethod: 'HYBRID', trackTotalHits: null })).toBe(true);
  expect(counts({ searchMethod: 'HYBRID', trackTotalHits: false })).toBe(false);
  expect(counts({ searchMethod: 'LEXICAL' })).toBe(false);
  expect(counts({})).toBe(false);
});
