import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { add } from './documents.js';
import { error, holding, invalidArgument, problems, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';

const dimensions = { customVector: { vector: [1, 0], content: 'dogs' } };
const v = (x: number, y: number) => ({ vector: [x, y], content: '' });

/** Nearest first, best by words first, and greatest number first: a to f. */
const documents = [
  { _id: 'a', title: 'dogs dogs dogs', kind: 'x', n: 6, v: v(1, 0) },
  { _id: 'b', title: 'dogs dogs', kind: 'y', n: 5, v: v(1, 0.2) },
  { _id: 'c', title: 'dogs', kind: 'x', n: 4, v: v(1, 0.4) },
  { _id: 'd', title: 'dogs and cats', kind: 'z', n: 3, v: v(1, 0.6) },
  { _id: 'e', title: 'dogs and cats and birds', kind: 'z', n: 2, v: v(1, 0.8) },
  { _id: 'f', title: 'dogs and cats and birds in a row', kind: 'y', n: 1, v: v(1, 1) },
];
const withVectors = { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } };

const near = { q: dimensions };
const words = { q: 'dogs', searchMethod: 'LEXICAL' };
const everything = { q: '*', searchMethod: 'LEXICAL', filter: 'n:[1 TO 6]' };
const hybrid = { q: dimensions, searchMethod: 'HYBRID' };
const lexical = { retrievalMethod: 'lexical', rankingMethod: 'lexical' };
const allWords = { q: 'dogs', searchMethod: 'HYBRID', hybridParameters: lexical };

/** Hits whose scores are at least so much of the best one's. */
const cutOff = (relativeScoreFactor: number) => ({
  ...allWords,
  relevanceCutoff: { method: 'relative_max_score', parameters: { relativeScoreFactor } },
  limit: 1,
  withCursor: true,
});

const post = (index: string, body: unknown, expected: Expected): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body,
  ...expected,
});

const page = (ids: string, cursor: unknown, rest: object = {}): Expected => ({
  status: 200,
  answer: expect.objectContaining({
    hits: [...ids].map((_id) => expect.objectContaining({ _id })),
    cursor,
    ...rest,
  }),
});
const aCursor = expect.stringMatching(/^[0-9a-f-]{36}\.\d+$/);
const next =
  (rest: object = {}) =>
  (cursor: string) => ({ cursor, ...rest });

/** The writes between two pages: every search would rank its hits anew. */
const writes = (index: string, rest: object): Exchange[] => [
  add(index, [{ _id: 'new', title: 'dogs dogs dogs dogs', kind: 'w', n: 6, v: v(1, 0) }], rest),
  add(index, [{ _id: 'd', title: 'birds', kind: 'z', n: 3, v: v(0, 1) }], rest),
  { request: `PATCH /indexes/${index}/documents`, body: { documents: [{ _id: 'e', n: 100 }] }, status: 200 },
  { request: `POST /indexes/${index}/documents/delete-batch`, body: ['a', 'f'], status: 200 },
];

/** An index of its own for a case that writes. */
const made = (index: string, kind: 'unstructured' | 'structured' = 'unstructured'): Exchange[] => {
  const fields = [
    field('title', 'text', 'lexical_search'),
    field('kind', 'text', 'filter'),
    field('n', 'int', 'filter', 'score_modifier'),
    field('v', 'custom_vector'),
  ];
  return kind === 'structured'
    ? [create(index, structured(fields, ['v'], own(2))), add(index, documents)]
    : [create(index, own(2, { collapseFields: [{ name: 'kind' }] })), add(index, documents, withVectors)];
};

const searches: readonly (readonly [about: string, body: object])[] = [
  ['by vectors', near],
  ['by words', words],
  ['by a filter alone', everything],
  ['by both', hybrid],
  ['sorted', { ...allWords, sortBy: { fields: [{ fieldName: 'n' }] } }],
  ['with score modifiers', { ...near, scoreModifiers: { add_to_score: [{ field_name: 'n', weight: 1 }] } }],
];

const paging: Case[] = [
  ...searches.map(([about, body], i): Case => {
    const index = `paged${i}`;
    return {
      section: 'search 12',
      about: `a search ${about} goes on as it began, whatever is written between its pages`,
      exchanges: [
        ...made(index),
        post(index, { ...body, limit: 2, withCursor: true }, page('ab', aCursor, { offset: 0 })),
        post(index, next(), page('cd', aCursor, { offset: 2, limit: 2 })),
        ...writes(index, withVectors),
        post(index, next(), page('ef', null, { offset: 4 })),
      ],
    };
  }),
  {
    section: 'search 12',
    about: 'a structured index is read the same way, its documents as they were',
    exchanges: [
      ...made('declared', 'structured'),
      post('declared', { ...near, limit: 4, withCursor: true }, page('abcd', aCursor)),
      ...writes('declared', {}),
      post('declared', next(), {
        status: 200,
        answer: expect.objectContaining({
          hits: [expect.objectContaining({ _id: 'e', n: 2 }), expect.objectContaining({ _id: 'f', n: 1 })],
          cursor: null,
        }),
      }),
    ],
  },
  {
    section: 'search 12',
    about: 'a group is on one page',
    exchanges: [
      post('a', { ...allWords, collapseFields: [{ name: 'kind' }], limit: 1, withCursor: true }, page('a', aCursor)),
      post('a', next(), page('b', aCursor)),
      post('a', next(), page('d', null)),
    ],
  },
  {
    section: 'search 12',
    about: 'a cut-off leaves all that there is',
    exchanges: [
      post('a', cutOff(1), page('a', null, { _relevantCandidates: 1, _postProcessCandidates: 1 })),
      post('a', cutOff(0), page('a', aCursor, { _relevantCandidates: 6, _postProcessCandidates: 6 })),
      post('a', next({ limit: 5 }), page('bcdef', null)),
    ],
  },
  {
    section: 'search 12',
    about: 'pages may have limits of their own, and one may be asked for again',
    exchanges: [
      post('a', { ...words, limit: 1, withCursor: true }, page('a', aCursor)),
      post('a', next({ limit: 3 }), page('bcd', aCursor, { limit: 3, offset: 1 })),
      post('a', next({ limit: 1 }), page('e', aCursor)),
      post('a', next({ limit: 1000 }), page('f', null, { limit: 1000, offset: 5 })),
    ],
  },
  {
    section: 'search 12',
    about: 'facets and total come with the first page, the query with all of them',
    exchanges: [
      post(
        'a',
        { ...hybrid, facets: { fields: { kind: { type: 'string' } } }, limit: 5, withCursor: true },
        page('abcde', aCursor, {
          totalHits: 6,
          facets: { kind: { x: { count: 2 }, y: { count: 2 }, z: { count: 2 } } },
          query: dimensions,
        }),
      ),
      post('a', next(), {
        status: 200,
        answer: {
          hits: [expect.objectContaining({ _id: 'f' })],
          query: dimensions,
          limit: 5,
          offset: 5,
          cursor: null,
          processingTimeMs: expect.any(Number),
        },
      }),
    ],
  },
  {
    section: 'search 12',
    about: 'a search that fits on its page has no cursor, and one without withCursor does not speak of it',
    exchanges: [
      post('a', { ...words, limit: 6, withCursor: true }, page('abcdef', null)),
      post('a', { ...words, q: 'nothing', withCursor: true }, page('', null)),
      post(
        'a',
        { ...words, limit: 1, withCursor: false, cursor: null },
        {
          status: 200,
          answer: expect.not.objectContaining({ cursor: expect.anything() }),
        },
      ),
    ],
  },
];

const unknown = (cursor: string) =>
  invalidArgument(holding(`There is no search of index a with the cursor '${cursor}'`));

const refusals: Case[] = [
  {
    section: 'search 12',
    about: 'a cursor of nothing, of another index and of a scan is refused',
    exchanges: [
      post('a', { cursor: 'x' }, unknown('x')),
      post('a', { cursor: '' }, unknown('')),
      post('a', { ...words, limit: 1, withCursor: true }, page('a', aCursor)),
      post('other', next(), invalidArgument(holding('There is no search of index other with the cursor'))),
      { request: 'POST /indexes/a/documents/scan', body: { limit: 1 }, status: 200 },
      post('a', next(), invalidArgument(holding('There is no search of index a'))),
      post('nope', next(), error(404, 'index_not_found', 'Index nope not found')),
    ],
  },
  {
    section: 'search 12',
    about: 'a search that was read to its end is over',
    exchanges: [
      post('a', { ...words, limit: 5, withCursor: true }, page('abcde', aCursor)),
      post('a', next(), page('f', null)),
      post('a', next(), invalidArgument(holding('It was read to its end'))),
    ],
  },
  {
    section: 'search 12',
    about: 'a search is over when its index is deleted, also for one of the same name',
    exchanges: [
      ...made('brief'),
      post('brief', { ...words, limit: 1, withCursor: true }, page('a', aCursor)),
      { request: 'DELETE /indexes/brief', status: 200 },
      post('brief', next(), error(404, 'index_not_found', 'Index brief not found')),
      ...made('brief'),
      post('brief', next(), invalidArgument(holding('There is no search of index brief'))),
    ],
  },
  ...(
    [
      ['q', 'dogs'],
      ['filter', 'n:1'],
      ['offset', 0],
      ['searchMethod', 'TENSOR'],
      ['withCursor', true],
      ['attributesToRetrieve', []],
    ] as const
  ).map(
    ([name, value]): Case => ({
      section: 'search 12',
      about: `${name} cannot be given with a cursor`,
      exchanges: [
        post(
          'a',
          { cursor: 'x', [name]: value },
          invalidArgument(`${name} cannot be given with a cursor: a search keeps what it was begun with`),
        ),
      ],
    }),
  ),
  {
    section: 'search 12',
    about: 'a search with a cursor begins with its first hit',
    exchanges: [
      post(
        'a',
        { ...words, offset: 3, withCursor: true },
        invalidArgument('offset cannot be given with withCursor: the first page has the first hits. Received 3'),
      ),
    ],
  },
  {
    section: 'search 12',
    about: 'a search with a cursor is not explained',
    exchanges: [
      post(
        'a',
        { ...words, explain: true, withCursor: true },
        invalidArgument('explain cannot be true with withCursor: only a page that is ranked by itself is explained'),
      ),
    ],
  },
  {
    section: 'search 12',
    about: 'a search with a cursor has no lexical highlights',
    exchanges: [
      post(
        'a',
        { ...words, lexicalHighlights: true, withCursor: true },
        invalidArgument(
          'lexicalHighlights cannot be given with withCursor: only a page that is ranked by itself has them',
        ),
      ),
    ],
  },
  {
    section: 'search 12',
    about: 'the limit of a page has the bounds of any',
    exchanges: [
      post('a', { cursor: 'x', limit: 0 }, error(400, 'illegal_requested_doc_count', holding('greater than 0'))),
      post('a', { cursor: 'x', limit: 1001 }, error(400, 'illegal_requested_doc_count', holding('limit of [1000]'))),
    ],
  },
  {
    section: 'search 12',
    about: 'a cursor is a text and withCursor a truth value',
    exchanges: [
      post('a', { cursor: {} }, unprocessable(problems.text(['body', 'cursor']))),
      post('a', { ...words, withCursor: 'maybe' }, unprocessable(problems.boolean(['body', 'withCursor']))),
    ],
  },
  {
    section: 'search 12',
    about: 'a page has a deadline as any search',
    exchanges: [
      post('a', { ...words, limit: 1, withCursor: true }, page('a', aCursor)),
      {
        ...post('a', next(), error(504, 'vector_store_timeout', holding('timed out'))),
        headers: { 'x-request-timeout-ms': '0' },
      },
      post('a', next(), page('b', aCursor)),
    ],
  },
];

/** Searches that are read page by page. */
export const cursors: Part = {
  title: 'cursors of searches',
  preparation: [...made('a'), ...made('other')],
  cases: [...paging, ...refusals],
};
