import { expect } from 'vitest';
import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

const put = (title: string, name: string, body: unknown, expected: Omit<Exchange, 'title' | 'request' | 'body'>) => ({
  title: `put: ${title}`,
  request: `PUT /judgement-sets/${name}`,
  body,
  ...expected,
});
const unprocessable = (loc: (string | number)[], type: string) => ({
  status: 422,
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const missing = { status: 404, code: 'judgement_set_not_found' };
const query = (q: string, judgements: object = {}) => ({ q, judgements });
const way = { index: 'gear', search: { searchMethod: 'LEXICAL' } };
const pair = (name: string) => ({ name, first: way, second: way });
const set = { queries: [query('warm jacket', { g1: 3, g2: 1 }), query('shelter', { g3: 0 })] };

/** Sets of judgements. */
export const judgements: Exchange[] = [
  { title: 'none', request: 'GET /judgement-sets', status: 200, answer: { results: [] } },
  { title: 'one that is not there', request: 'GET /judgement-sets/gear', ...missing },
  { title: 'a name that no set has', request: 'GET /judgement-sets/..%2Fkeys', ...missing },
  { title: 'delete: one that is not there', request: 'DELETE /judgement-sets/gear', ...missing },
  put('no body', 'gear', undefined, unprocessable([], 'value_error.missing')),
  put('no queries', 'gear', {}, unprocessable(['queries'], 'value_error.missing')),
  put('a member too many', 'gear', { queries: [], a: 1 }, unprocessable(['a'], 'value_error.extra')),
  put('a grade that is none', 'gear', { queries: [query('a', { g1: 4 })] }, { status: 422 }),
  put('half a grade', 'gear', { queries: [query('a', { g1: 1.5 })] }, { status: 422 }),
  put('a blank query', 'gear', { queries: [query(' ')] }, { status: 422 }),
  put('too long a query', 'gear', { queries: [query('a'.repeat(2049))] }, { status: 422 }),
  put('a query twice', 'gear', { queries: [query('a'), query('b'), query('a')] }, { status: 422, message: 'place 0' }),
  put('too long an id', 'gear', { queries: [query('a', { ['a'.repeat(2049)]: 1 })] }, { status: 422 }),
  put(
    'too many grades',
    'gear',
    { queries: [query('a', Object.fromEntries(Array.from({ length: 40_001 }, (_, at) => [`d${at}`, 1])))] },
    { status: 422, message: '40000 grades' },
  ),
  ...(
    [
      ['a configuration without a second way', { name: 'a', first: way }],
      ['a configuration without a name', pair(' ')],
      ['a configuration of too long a name', pair('a'.repeat(101))],
      ['a configuration of no index', { ...pair('a'), second: { index: '', search: {} } }],
      ['no hits of a configuration', { ...pair('a'), limit: 0 }],
      ['a search that is none', { ...pair('a'), first: { index: 'gear', search: [] } }],
      ['too long a search', { ...pair('a'), first: { index: 'gear', search: { filter: 'a'.repeat(16_384) } } }],
      ['a secret', { ...pair('a'), first: { index: 'gear', search: { media_download_headers: { a: 'b' } } } }],
    ] as const
  ).map(([title, one]) => put(title, 'gear', { queries: [], configurations: [one] }, { status: 422 })),
  put('a configuration twice', 'gear', { queries: [], configurations: [pair('a'), pair('a')] }, { status: 422 }),
  put(
    'too many configurations',
    'gear',
    { queries: [], configurations: Array.from({ length: 21 }, (_, at) => pair(`c${at}`)) },
    { status: 422 },
  ),
  put('too long a body', 'gear', `{${members(60_000)}}`, { status: 413, code: 'payload_too_large' }),
  put('a name with a capital', 'Gear', set, { status: 400, code: 'invalid_argument', message: 'lower-case' }),
  put('a name that leads elsewhere', '..%2Fgear', set, { status: 400, code: 'invalid_argument' }),
  put('another version', 'gear', { ...set, version: 1 }, { status: 412, code: 'version_conflict' }),
  put(
    'a new one',
    'gear',
    { ...set, version: 0 },
    { status: 200, answer: { setName: 'gear', version: 1, queryCount: 2, judgementCount: 3 } },
  ),
  put('the version before', 'gear', { ...set, version: 0 }, { status: 412, message: 'of version 1, not 0' }),
  put(
    'any version, with ids that objects have members of',
    'gear',
    '{"queries":[{"q":"a","judgements":{"__proto__":2,"constructor":1}}]}',
    { status: 200, answer: { version: 2, judgementCount: 2 } },
  ),
  {
    title: 'the set',
    request: 'GET /judgement-sets/gear',
    status: 200,
    answer: {
      setName: 'gear',
      version: 2,
      queries: [{ q: 'a', judgements: JSON.parse('{"__proto__":2,"constructor":1}') }],
    },
  },
  {
    title: 'the list',
    request: 'GET /judgement-sets',
    status: 200,
    answer: { results: [{ setName: 'gear', version: 2, updatedAt: expect.any(String), queryCount: 1 }] },
  },
  { title: 'delete', request: 'DELETE /judgement-sets/gear', status: 200, answer: { acknowledged: true } },
  { title: 'it is gone', request: 'GET /judgement-sets/gear', ...missing },
];
