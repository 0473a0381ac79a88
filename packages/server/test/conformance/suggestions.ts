import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { error, holding, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { create, drop, nameAfter, small } from './indexes.js';

interface Query {
  readonly query: string;
  readonly popularity?: number;
  readonly metadata?: Readonly<Record<string, number>>;
}

const ms = expect.any(Number);
const index = (name: string, body: unknown) => ({ request: `POST /indexes/${name}/suggestions/queries`, body });
const indexed = (count: number, ...errors: readonly unknown[]) => ({
  status: 200,
  answer: { indexed: count, errors, processingTimeMs: ms },
});
const refused = (query: string, message: unknown) => ({ query, message, code: 400 });
const put = (name: string, ...queries: readonly Query[]): Exchange => ({
  ...index(name, { queries }),
  ...indexed(queries.length),
});
const suggest = (name: string, body: unknown) => ({ request: `POST /indexes/${name}/suggestions`, body });
/** The texts that are suggested, in their order. */
const suggests = (name: string, body: object, ...texts: readonly string[]): Exchange => ({
  ...suggest(name, body),
  status: 200,
  answer: {
    suggestions: texts.map((suggestion) => ({ suggestion, _score: expect.any(Number), metadata: expect.any(Object) })),
    processingTimeMs: ms,
  },
});
const get = (name: string, body: unknown) => ({ request: `GET /indexes/${name}/suggestions/queries`, body });
const scan = (name: string, body: unknown, queries: readonly Query[], cursor: string | null) => ({
  request: `POST /indexes/${name}/suggestions/queries/scan`,
  body,
  status: 200,
  answer: {
    queries: queries.map(({ query, popularity = 0, metadata = {} }) => ({ query, popularity, metadata })),
    cursor,
  },
});
const erase = (name: string, body: unknown) => ({ request: `DELETE /indexes/${name}/suggestions/queries`, body });
const erased = { status: 200, answer: 'Queries deleted successfully' };
const eraseAll = (name: string) => ({ request: `DELETE /indexes/${name}/suggestions/queries/delete-all` });
const counts = (name: string, indexedQueries: number): Exchange => ({
  request: `GET /indexes/${name}/suggestions/stats`,
  status: 200,
  answer: { indexedQueries },
});
const byQuery = (a: Query, b: Query) => (a.query.toLowerCase() < b.query.toLowerCase() ? -1 : 1);
/** A case on an index of its own. */
const alone = (about: string, exchanges: (name: string) => readonly Exchange[]): Case => {
  const name = nameAfter(`suggests ${about}`);
  return { section: '5.7', about, exchanges: [create(name, small), ...exchanges(name), drop(name)] };
};
const one = (about: string, exchange: Exchange): Case => ({ section: '5.7', about, exchanges: [exchange] });

const shop: readonly Query[] = [
  { query: 'red shoes', popularity: 10, metadata: { clicks: 3, rate: 0.25 } },
  { query: 'red shirt', popularity: 500 },
  { query: 'redwood table', popularity: 2000 },
  { query: 'Blue Shoes', popularity: 50 },
  { query: 'jeans' },
];

const suggesting: Case[] = [
  one('the beginning of a word, the most popular first', {
    ...suggests('shop', { q: 'sho', fuzzyEditDistance: 0 }, 'Blue Shoes', 'red shoes'),
  }),
  one('metadata and a score come with each', {
    ...suggest('shop', { q: 'red shoes', limit: 1 }),
    status: 200,
    answer: {
      suggestions: [{ suggestion: 'red shoes', _score: expect.closeTo(8.9, 1), metadata: { clicks: 3, rate: 0.25 } }],
      processingTimeMs: ms,
    },
  }),
  one('a query without metadata has none', {
    ...suggest('shop', { q: 'jeans', fuzzyEditDistance: 0 }),
    status: 200,
    answer: { suggestions: [{ suggestion: 'jeans', _score: ms, metadata: {} }], processingTimeMs: ms },
  }),
  one('a whole word comes before a beginning', suggests('shop', { q: 'red s', limit: 2 }, 'red shirt', 'red shoes')),
  one('case and accents do not matter', suggests('shop', { q: 'JÉAN' }, 'jeans')),
  one('a word with a slip', suggests('shop', { q: 'jaens' }, 'jeans')),
  one('no slips where none are allowed', suggests('shop', { q: 'jaens', fuzzyEditDistance: 0 })),
  one('no slips in words below the least length', suggests('shop', { q: 'jaens', minFuzzyMatchLength: 6 })),
  one('more edits than are tried are as many as are', suggests('shop', { q: 'jaens', fuzzyEditDistance: 99 }, 'jeans')),
  one('exact matches before near ones', {
    ...suggests('shop', { q: 'sho' }, 'Blue Shoes', 'red shoes', 'red shirt'),
  }),
  one('one word that matches is enough', suggests('shop', { q: 'jeans zzz' }, 'jeans')),
  one('all words where all are asked for', suggests('shop', { q: 'jeans zzz', matchAllTokens: true })),
  one(
    'all words of one query',
    suggests('shop', { q: 'shoes bl', matchAllTokens: true, fuzzyEditDistance: 0 }, 'Blue Shoes'),
  ),
  one(
    'popularity counts as much as its weight says',
    suggests('shop', { q: 'sho', fuzzyEditDistance: 0, popularityWeight: 0, bm25Weight: 0 }, 'Blue Shoes', 'red shoes'),
  ),
  one('a negative weight turns popularity round', {
    ...suggests('shop', { q: 'sho', fuzzyEditDistance: 0, popularityWeight: -1 }, 'red shoes', 'Blue Shoes'),
  }),
  one('null stands for a default', {
    ...suggests(
      'shop',
      { q: 'sho', fuzzyEditDistance: 0, popularityWeight: null, bm25Weight: null },
      'Blue Shoes',
      'red shoes',
    ),
  }),
  one('a star asks for every query', {
    ...suggests('shop', { q: '*' }, 'redwood table', 'red shirt', 'Blue Shoes', 'red shoes', 'jeans'),
  }),
  one('no more than the limit', suggests('shop', { q: '*', limit: 2 }, 'redwood table', 'red shirt')),
  one(
    'the most popular where nothing was typed',
    suggests('shop', { q: ' ', limit: 3 }, 'redwood table', 'red shirt', 'Blue Shoes'),
  ),
  one(
    'popularity that outweighs what was typed',
    suggests('shop', { q: 'red shoes', limit: 1, popularityWeight: 1000, bm25Weight: 0 }, 'redwood table'),
  ),
  one('nothing for marks alone', suggests('shop', { q: '?!' })),
  one('nothing for a text that nobody searches for', suggests('shop', { q: 'zzzzzz' })),
  one('no text', { ...suggest('shop', {}), ...unprocessable(problems.missing(['body', 'q'])) }),
  one('null as the text', { ...suggest('shop', { q: null }), ...unprocessable(problems.null(['body', 'q'])) }),
  one('an object as the text', { ...suggest('shop', { q: {} }), ...unprocessable(problems.text(['body', 'q'])) }),
  one('a text that nobody types', {
    ...suggest('shop', { q: 'x'.repeat(1025) }),
    ...invalidArgument('q has 1025 characters, which is more than the allowed limit of [1024]'),
  }),
  one('no limit of none', {
    ...suggest('shop', { q: 'a', limit: 0 }),
    ...unprocessable(problems.above(['body', 'limit'], 0)),
  }),
  one('no limit beyond the largest', {
    ...suggest('shop', { q: 'a', limit: 1001 }),
    ...unprocessable(problems.atMost(['body', 'limit'], 1000)),
  }),
  one('no edits below none', {
    ...suggest('shop', { q: 'a', fuzzyEditDistance: -1, minFuzzyMatchLength: -1 }),
    ...unprocessable(
      problems.atLeast(['body', 'fuzzyEditDistance'], 0),
      problems.atLeast(['body', 'minFuzzyMatchLength'], 0),
    ),
  }),
  one('weights that are no numbers', {
    ...suggest('shop', { q: 'a', popularityWeight: 'x', bm25Weight: [] }),
    ...unprocessable(problems.float(['body', 'popularityWeight']), problems.float(['body', 'bm25Weight'])),
  }),
  one('a word where a yes or no belongs', {
    ...suggest('shop', { q: 'a', matchAllTokens: 'perhaps' }),
    ...unprocessable(problems.boolean(['body', 'matchAllTokens'])),
  }),
  one('a member that there is not', {
    ...suggest('shop', { q: 'a', fuzzy: true }),
    ...unprocessable(problems.extra(['body', 'fuzzy'])),
  }),
  one('suggestions of an index that is not there', { ...suggest('nope', { q: 'a' }), ...noIndex('nope') }),
];

const indexing: Case[] = [
  alone('a query is suggested at once, and counted', (name) => [
    counts(name, 0),
    put(name, { query: 'red shoes' }),
    suggests(name, { q: 'r' }, 'red shoes'),
    counts(name, 1),
  ]),
  alone('blanks around a query are dropped', (name) => [
    put(name, { query: '  red shoes ' }),
    suggests(name, { q: 'r' }, 'red shoes'),
  ]),
  alone('a query takes the place of one that differs in case and accents alone', (name) => [
    put(name, { query: 'CREME  BRULEE', popularity: 1 }),
    put(name, { query: 'crème brûlée', popularity: 2 }),
    suggests(name, { q: 'creme' }, 'crème brûlée'),
    counts(name, 1),
  ]),
  alone('the first of equal queries in one request counts, and the others are told', (name) => [
    {
      ...index(name, { queries: [{ query: 'red' }, { query: 'RED' }, { query: 'blue' }] }),
      ...indexed(2, refused('RED', 'Query is duplicate of red after normalisation, will ignore')),
    },
    counts(name, 2),
  ]),
  alone('a query without words is told', (name) => [
    { ...index(name, { queries: [{ query: '!!!' }] }), ...indexed(0, refused('!!!', 'No tokens generated for query')) },
  ]),
  alone('a query that is too long is told', (name) => [
    {
      ...index(name, { queries: [{ query: 'x'.repeat(257) }, { query: 'y'.repeat(256) }] }),
      ...indexed(1, refused(expect.any(String) as never, 'A query has at most 256 characters, but this one has 257')),
    },
  ]),
  alone('as many as one request may have', (name) => [
    put(name, ...Array.from({ length: 128 }, (_, i) => ({ query: `query ${i}` }))),
    counts(name, 128),
  ]),
  one('more than one request may have', {
    ...index('shop', { queries: Array.from({ length: 129 }, (_, i) => ({ query: `query ${i}` })) }),
    ...invalidArgument(
      'Number of queries in index request (129) exceeds limit of 128. Please break up your request into smaller batches.',
    ),
  }),
  one('none', { ...index('shop', { queries: [] }), ...invalidArgument('Received empty index queries request') }),
  one('a query of blanks', {
    ...index('shop', { queries: [{ query: 'a' }, { query: ' ' }] }),
    ...unprocessable(
      problems.rule(['body', 'queries', 1, 'query'], 'query is required and must not be an empty string'),
    ),
  }),
  one('no query', {
    ...index('shop', { queries: [{}] }),
    ...unprocessable(problems.missing(['body', 'queries', 0, 'query'])),
  }),
  one('a text in place of a query', {
    ...index('shop', { queries: ['red'] }),
    ...unprocessable(problems.object(['body', 'queries', 0])),
  }),
  one('a popularity that is no number', {
    ...index('shop', { queries: [{ query: 'a', popularity: 'high' }] }),
    ...unprocessable(problems.float(['body', 'queries', 0, 'popularity'])),
  }),
  one('metadata that are no numbers', {
    ...index('shop', { queries: [{ query: 'a', metadata: { color: 'red' } }] }),
    ...unprocessable(problems.float(['body', 'queries', 0, 'metadata', 'color'])),
  }),
  one('a member of a query that there is not', {
    ...index('shop', { queries: [{ query: 'a', boost: 2 }] }),
    ...unprocessable(problems.extra(['body', 'queries', 0, 'boost'])),
  }),
  one('a bare list of queries', { ...index('shop', [{ query: 'a' }]), ...unprocessable(problems.object(['body'])) }),
  one('nothing', { ...index('shop', undefined), ...unprocessable(problems.missing(['body'])) }),
  one('queries of an index that is not there', { ...index('nope', { queries: [{ query: 'a' }] }), ...noIndex('nope') }),
];

const reading: Case[] = [
  one('the stored queries, in the order of the request', {
    ...get('shop', ['RED SHOES', 'nothing', 'jeans']),
    status: 200,
    answer: {
      queries: [
        {
          query: 'red shoes',
          queryWords: ['red', 'shoes'],
          queryIndex: 'r re red s sh sho shoe shoes',
          popularity: 10,
          metadata: { clicks: 3, rate: 0.25 },
          lastUpdatedAt: expect.toSatisfy(Number.isSafeInteger, 'seconds'),
        },
        expect.objectContaining({ query: 'jeans', popularity: 0, metadata: {} }),
      ],
    },
  }),
  one('all queries, page by page', scan('shop', { limit: 2 }, [shop[3] as Query, shop[4] as Query], 'jeans')),
  one('the page after a cursor, which may differ in case', {
    ...scan(
      'shop',
      { cursor: 'JEANS' },
      [shop[1] as Query, shop[0] as Query, shop[2] as Query].toSorted(byQuery),
      null,
    ),
  }),
  one('all queries at once where nothing is said', scan('shop', undefined, [...shop].toSorted(byQuery), null)),
  one('a page beyond the largest', {
    request: 'POST /indexes/shop/suggestions/queries/scan',
    body: { limit: 1001 },
    ...unprocessable(problems.atMost(['body', 'limit'], 1000)),
  }),
  one('pages of an index that is not there', {
    request: 'POST /indexes/nope/suggestions/queries/scan',
    body: {},
    ...noIndex('nope'),
  }),
  one('none of none', { ...get('shop', []), status: 200, answer: { queries: [] } }),
  one('an object where a list belongs', { ...get('shop', { queries: [] }), ...unprocessable(problems.list(['body'])) }),
  one('no list', { ...get('shop', undefined), ...unprocessable(problems.missing(['body'])) }),
  one('null in the list', { ...get('shop', [null]), ...unprocessable(problems.null(['body', 0])) }),
  one('more than one request may ask for', {
    ...get('shop', Array(10_001).fill('a')),
    ...error(400, 'illegal_requested_doc_count', holding('10001 queries were requested')),
  }),
  one('queries of an index that is not there to read', { ...get('nope', ['a']), ...noIndex('nope') }),
  one('the number of queries of an index that is not there', {
    request: 'GET /indexes/nope/suggestions/stats',
    ...noIndex('nope'),
  }),
];

const deleting: Case[] = [
  alone('a deleted query is not suggested any more', (name) => [
    put(name, { query: 'red' }, { query: 'blue' }),
    { ...erase(name, ['RED', 'nothing']), ...erased },
    suggests(name, { q: '*' }, 'blue'),
    { ...get(name, ['red']), status: 200, answer: { queries: [] } },
    counts(name, 1),
    { ...erase(name, ['red']), ...erased },
    { ...erase(name, []), ...erased },
    put(name, { query: 'red' }),
    counts(name, 2),
  ]),
  alone('all of them', (name) => [
    put(name, { query: 'red' }, { query: 'blue' }),
    { ...eraseAll(name), status: 200, answer: 'All queries deleted successfully' },
    counts(name, 0),
    suggests(name, { q: '*' }),
    { ...eraseAll(name), status: 200, answer: 'All queries deleted successfully' },
    put(name, { query: 'green' }),
    suggests(name, { q: '*' }, 'green'),
  ]),
  one('an object where a list of what to delete belongs', {
    ...erase('shop', {}),
    ...unprocessable(problems.list(['body'])),
  }),
  one('no list of what to delete', { ...erase('shop', undefined), ...unprocessable(problems.missing(['body'])) }),
  one('more than one request may delete', {
    ...erase('shop', Array(10_001).fill('a')),
    ...invalidArgument(holding('The number of queries to delete `10001` is greater than the limit `10000`')),
  }),
  one('queries of an index that is not there to delete', { ...erase('nope', ['a']), ...noIndex('nope') }),
  one('all queries of an index that is not there', { ...eraseAll('nope'), ...noIndex('nope') }),
];

/** Queries that are suggested while somebody types. */
export const suggestions: Part = {
  title: 'suggestions',
  environment: { MARQO_ENABLE_BATCH_APIS: 'true' },
  preparation: [create('shop', small), put('shop', ...shop)],
  cases: [...suggesting, ...indexing, ...reading, ...deleting],
};

const off = 'This API endpoint is disabled. Please set MARQO_ENABLE_BATCH_APIS to true to enable it.';
const full = (most: string) => `The index suggests as many queries as it may: at most ${most}. Delete some first`;

/** The same under small bounds, and without the switch. */
export const boundedSuggestions: Part = {
  title: 'suggestions, bounded',
  environment: { PELORUS_MAX_SUGGESTIONS: '2', PELORUS_MAX_SUGGESTION_BYTES: '40' },
  preparation: [create('shop', small), put('shop', { query: 'red' })],
  cases: [
    alone('no more queries than the index may have, though others in place of them', (name) => [
      {
        ...index(name, { queries: [{ query: 'a' }, { query: 'b' }, { query: 'c' }, { query: 'B' }] }),
        ...indexed(
          2,
          refused('c', full('2 (PELORUS_MAX_SUGGESTIONS)')),
          refused('B', 'Query is duplicate of b after normalisation, will ignore'),
        ),
      },
      put(name, { query: 'B' }),
      { ...index(name, { queries: [{ query: 'c' }] }), ...indexed(0, refused('c', holding('Delete some first'))) },
      { ...erase(name, ['a']), ...erased },
      put(name, { query: 'c' }),
    ]),
    alone('no more bytes than the index may have', (name) => [
      put(name, { query: 'x'.repeat(30) }),
      {
        ...index(name, { queries: [{ query: 'long enough' }] }),
        ...indexed(0, refused('long enough', full('40 bytes of texts and metadata (PELORUS_MAX_SUGGESTION_BYTES)'))),
      },
      put(name, { query: 'short' }),
    ]),
    one('deleting all is switched off', {
      ...eraseAll('shop'),
      status: 403,
      answer: { detail: off, message: off, code: 'forbidden', type: 'invalid_request', link: null },
    }),
  ],
};
