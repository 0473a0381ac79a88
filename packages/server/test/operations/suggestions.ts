import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

type Rest = Omit<Exchange, 'title' | 'request' | 'body'>;

const exchange =
  (request: string) =>
  (title: string, body: unknown, expected: Rest): Exchange => ({ title, request, body, ...expected });
const suggest = exchange('POST /indexes/plain/suggestions');
const put = exchange('POST /indexes/plain/suggestions/queries');
const get = exchange('GET /indexes/plain/suggestions/queries');
const scan = exchange('POST /indexes/plain/suggestions/queries/scan');
const erase = exchange('DELETE /indexes/plain/suggestions/queries');

const unprocessable = (loc: (string | number)[], type: string): Rest => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const missing: Rest = { status: 404, code: 'index_not_found', message: 'Index nope not found' };
const tooMany: Rest = { status: 413, code: 'payload_too_large' };

/** Queries that are suggested. */
export const suggestions: Exchange[] = [
  put('no queries', { queries: [] }, { status: 400, code: 'invalid_argument', message: 'Received empty' }),
  put('queries that are none', { queries: 5 }, unprocessable(['queries'], 'type_error.list')),
  put(
    'numbers without end',
    { queries: [{ query: 'a', metadata: JSON.parse(`{${members(65)}}`) }] },
    unprocessable(['queries', 0, 'metadata'], 'value_error.list.max_items'),
  ),
  put(
    'metadata that are too long',
    { queries: [{ query: 'a', metadata: { ['k'.repeat(5_000)]: 1 } }] },
    { status: 200, answer: { indexed: 0, errors: [{ query: 'a', code: 400 }] } },
  ),
  put(
    'a popularity beyond all numbers',
    '{"queries":[{"query":"a","popularity":1e999}]}',
    unprocessable(['queries', 0, 'popularity'], 'type_error.float'),
  ),
  put('members by the hundred thousand', `{"queries":[{${members(80_000)}}]}`, tooMany),
  put('more bytes than a request may have', ' '.repeat(2_097_153), tooMany),
  put('a prototype among the metadata', '{"queries":[{"query":"proto","metadata":{"__proto__":1,"constructor":2}}]}', {
    status: 200,
    answer: { indexed: 1, errors: [] },
  }),
  get('the prototype', ['proto'], { status: 200, answer: { queries: [{ query: 'proto' }] } }),
  put('two', { queries: [{ query: 'red shoes', popularity: 3 }, { query: 'red hat' }] }, { status: 200 }),
  { ...put('of no index', { queries: [{ query: 'a' }] }, missing), request: 'POST /indexes/nope/suggestions/queries' },

  suggest('no text', {}, unprocessable(['q'], 'value_error.missing')),
  suggest('a text without end', { q: 'x'.repeat(2_000) }, { status: 400, code: 'invalid_argument', message: '2000' }),
  suggest('more bytes than a text may have', { q: 'x'.repeat(70_000) }, tooMany),
  suggest(
    'weights beyond all others',
    { q: 'red', popularityWeight: 1.7e308, bm25Weight: -1.7e308 },
    { status: 200, answer: { suggestions: [{ suggestion: 'red shoes' }, { suggestion: 'red hat' }] } },
  ),
  suggest(
    'as many edits as there are numbers',
    { q: 'rde', fuzzyEditDistance: 9_007_199_254_740_991, minFuzzyMatchLength: 0 },
    { status: 200, answer: { suggestions: [{ suggestion: 'red shoes' }, { suggestion: 'red hat' }] } },
  ),
  { ...suggest('for no index', { q: 'a' }, missing), request: 'POST /indexes/nope/suggestions' },

  get('not a list', {}, unprocessable([], 'type_error.list')),
  get('queries without end', Array(25_000).fill('a'), tooMany),
  get('more than may be read', Array(10_001).fill('a'), { status: 400, code: 'illegal_requested_doc_count' }),
  get('one', ['RED HAT'], { status: 200, answer: { queries: [{ query: 'red hat', queryWords: ['red', 'hat'] }] } }),
  { ...get('of no index', ['a'], missing), request: 'GET /indexes/nope/suggestions/queries' },

  scan('all queries', {}, { status: 200, answer: { cursor: null } }),
  scan(
    'one of them',
    { limit: 1, cursor: 'RED' },
    { status: 200, answer: { queries: [{ query: 'red hat' }], cursor: 'red hat' } },
  ),
  scan('pages of none', { limit: 0 }, unprocessable(['limit'], 'value_error.number.not_gt')),
  scan('a cursor without end', { cursor: 'a'.repeat(70_000) }, tooMany),
  { ...scan('of no index', {}, missing), request: 'POST /indexes/nope/suggestions/queries/scan' },

  erase('not a list', 5, unprocessable([], 'type_error.list')),
  erase('queries without end', Array(25_000).fill('a'), tooMany),
  erase('more than may be deleted', Array(10_001).fill('a'), { status: 400, code: 'invalid_argument' }),
  { ...erase('one', ['red hat'], { status: 200 }) },
  { ...erase('of no index', ['a'], missing), request: 'DELETE /indexes/nope/suggestions/queries' },

  {
    title: 'stats',
    request: 'GET /indexes/plain/suggestions/stats',
    status: 200,
    answer: { indexedQueries: 2 },
  },
  { title: 'stats of no index', request: 'GET /indexes/nope/suggestions/stats', ...missing },
  { title: 'all', request: 'DELETE /indexes/plain/suggestions/queries/delete-all', status: 200 },
  { title: 'all of no index', request: 'DELETE /indexes/nope/suggestions/queries/delete-all', ...missing },
  {
    title: 'stats of none',
    request: 'GET /indexes/plain/suggestions/stats',
    status: 200,
    answer: { indexedQueries: 0 },
  },
];
