import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { add } from './documents.js';
import { badRequest, inBody, problems, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const v = (x: number, y: number) => ({ vector: [x, y], content: '' });

/** Best by words first, nearest first, greatest number first: a to f. Nothing that is searched for finds g and h. */
const documents = [
  { _id: 'a', title: 'dogs dogs dogs', kind: 'x', n: 6, v: v(1, 0) },
  { _id: 'b', title: 'dogs dogs', kind: 'y', n: 5, v: v(1, 0.2) },
  { _id: 'c', title: 'dogs', kind: 'x', n: 4, v: v(1, 0.4) },
  { _id: 'd', title: 'dogs and cats', kind: 'z', n: 3, v: v(1, 0.6) },
  { _id: 'e', title: 'dogs and cats and birds', kind: 'z', n: 2, v: v(1, 0.8) },
  { _id: 'f', title: 'dogs and cats and birds in a row', kind: 'w', n: 1, v: v(1, 1) },
  { _id: 'g', title: 'fish', kind: 'y', n: 9 },
  { _id: 'h', title: 'fish', kind: 'x', n: 0 },
];

const words = { q: 'dogs', searchMethod: 'LEXICAL', trackTotalHits: true };
const near = { q: { customVector: { vector: [1, 0], content: 'dogs' } }, trackTotalHits: true };
const hybrid = { ...near, searchMethod: 'HYBRID' };
const byWords = { ...hybrid, hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' } };
const pins = (...places: readonly (readonly [id: string, position: number])[]) => ({
  pinned: places.map(([_id, position]) => ({ _id, position })),
});

const search = (index: string, body: unknown, expected: Expected): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body,
  ...expected,
});

/** The hits, of which those in capital letters are pinned. */
const hits = (shown: string, rest: object = {}): Expected => ({
  status: 200,
  answer: expect.objectContaining({
    hits: [...shown].map((letter) => {
      const _id = letter.toLowerCase();
      if (letter === _id) return expect.not.objectContaining({ _pinned: true });
      return expect.objectContaining({ _id, _pinned: true, _score: 0 });
    }),
    ...rest,
  }),
});
/** The same, and the ids of all of them. */
const shows = (index: string, body: object, shown: string, rest: object = {}): Exchange[] => [
  search(index, body, hits(shown, rest)),
  search(index, body, {
    status: 200,
    answer: expect.objectContaining({
      hits: [...shown].map((letter) => expect.objectContaining({ _id: letter.toLowerCase() })),
    }),
  }),
];

const both = (about: string, exchanges: (index: string) => readonly Exchange[]): Case[] =>
  inBothKinds('search 16', about, exchanges);
const one = (about: string, ...exchanges: readonly Exchange[]): Case => ({ section: 'search 16', about, exchanges });

const facet = { fields: { n: { type: 'number' } } };
const statistics = (...numbers: number[]) => {
  const sum = numbers.reduce((total, number) => total + number, 0);
  const [min, max, count] = [Math.min(...numbers), Math.max(...numbers), numbers.length];
  return { n: { sum, avg: sum / count, min, max, count } };
};

const cases: Case[] = [
  ...both('a pinned document stands at its position, whether the query finds it or not', (index) => [
    ...shows(index, { ...words, ...pins(['g', 1], ['b', 3]) }, 'GaBcdef', { totalHits: 7 }),
    ...shows(index, { ...near, ...pins(['g', 2], ['f', 3]) }, 'aGFbcde'),
    ...shows(index, { ...hybrid, ...pins(['f', 1]) }, 'Fabcde', { totalHits: 6 }),
  ]),
  ...both(
    'one that is not there or does not pass the filter is not shown, and the others keep their positions',
    (index) => [
      ...shows(index, { ...words, ...pins(['nobody', 1], ['g', 2]) }, 'aGbcdef', { totalHits: 7 }),
      ...shows(index, { ...words, filter: 'n:[2 TO 8]', ...pins(['g', 1], ['e', 2]) }, 'aEbcd', { totalHits: 5 }),
    ],
  ),
  ...both('where hits end before a position, the document follows the last one', (index) => [
    ...shows(index, { ...words, filter: 'n:[5 TO 9]', ...pins(['g', 50]) }, 'abG', { totalHits: 3 }),
    ...shows(index, { ...words, q: 'nothing', ...pins(['h', 9], ['g', 4]) }, 'GH', { totalHits: 2 }),
  ]),
  ...both('documents of one position follow each other in the order of the list', (index) => [
    ...shows(index, { ...words, ...pins(['h', 1], ['nobody', 1], ['g', 1], ['a', 2]) }, 'HGAbcdef', { totalHits: 8 }),
    ...shows(index, { ...words, ...pins(['h', 3], ['g', 2], ['f', 2]), limit: 3, offset: 1 }, 'GFH'),
  ]),
  ...both('pages join to one list', (index) => {
    const body = { ...words, ...pins(['g', 2], ['a', 4], ['h', 100]), limit: 3 };
    return [
      ...shows(index, { ...body, offset: 0 }, 'bGc', { totalHits: 8 }),
      ...shows(index, { ...body, offset: 3 }, 'Ade', { totalHits: 8 }),
      ...shows(index, { ...body, offset: 6 }, 'fH', { totalHits: 8 }),
      ...shows(index, { ...body, offset: 9 }, '', { totalHits: 8 }),
      ...shows(index, { ...body, offset: 1, limit: 2 }, 'Gc', { totalHits: 8 }),
    ];
  }),
  ...both('hidden documents are no hits, pinned or not, and are not counted', (index) => [
    ...shows(index, { ...words, hidden: ['a', 'c', 'nobody'] }, 'bdef', { totalHits: 4 }),
    ...shows(index, { ...words, hidden: ['b', 'g'], ...pins(['b', 1], ['g', 2], ['h', 3]) }, 'acHdef', {
      totalHits: 6,
    }),
    ...shows(index, { ...near, hidden: ['a'], limit: 2 }, 'bc'),
  ]),
  one(
    'hidden documents stand for no group, are sorted nowhere, and leave no gap between pages',
    ...shows(U, { ...byWords, collapseFields: [{ name: 'kind' }], hidden: ['a', 'd'] }, 'bcef', { totalHits: 4 }),
    ...shows(U, { ...byWords, collapseFields: [{ name: 'kind' }], hidden: ['f'] }, 'abd', { totalHits: 3 }),
    ...shows(U, { ...byWords, sortBy: { fields: [{ fieldName: 'n', order: 'asc' }] }, hidden: ['f', 'c'] }, 'edba'),
    ...shows(U, { ...words, hidden: ['a', 'd'], limit: 2 }, 'bc', { totalHits: 4 }),
    ...shows(U, { ...words, hidden: ['a', 'd'], limit: 2, offset: 2 }, 'ef', { totalHits: 4 }),
    ...shows(U, { ...hybrid, hidden: ['a', 'b', 'c', 'd', 'e'] }, 'f'),
    ...shows(U, { ...words, hidden: ['a', 'b', 'c', 'd', 'e', 'f'] }, '', { totalHits: 0 }),
  ),
  ...both('facets count pinned documents, and no hidden ones', (index) => [
    search(
      index,
      { ...words, facets: facet, hidden: ['a', 'b'], ...pins(['g', 1], ['c', 5]) },
      {
        status: 200,
        answer: expect.objectContaining({ facets: statistics(9, 4, 3, 2, 1), totalHits: 5 }),
      },
    ),
  ]),
  ...both('null is none', (index) =>
    shows(index, { ...words, pinned: null, hidden: null }, 'abcdef', { totalHits: 6 }),
  ),
  one(
    'no sort and no score modifiers move a pinned document',
    ...shows(
      U,
      { ...byWords, sortBy: { fields: [{ fieldName: 'n', order: 'asc' }] }, ...pins(['a', 2], ['g', 3]) },
      'fAGedcb',
    ),
    ...shows(
      U,
      { ...words, scoreModifiers: { add_to_score: [{ field_name: 'n', weight: 100 }] }, ...pins(['f', 1], ['g', 7]) },
      'FabcdeG',
    ),
  ),
  one(
    'a cut-off leaves pinned documents',
    ...shows(
      U,
      {
        ...byWords,
        relevanceCutoff: { method: 'relative_max_score', parameters: { relativeScoreFactor: 1 }, affectFacets: true },
        ...pins(['f', 1], ['g', 9]),
      },
      'FaG',
      { totalHits: 3, _postProcessCandidates: 3 },
    ),
  ),
  one(
    'a pinned document is the hit of its group, and of two pinned ones the one in front',
    ...shows(U, { ...byWords, collapseFields: [{ name: 'kind' }] }, 'abdf', { totalHits: 4 }),
    ...shows(U, { ...byWords, collapseFields: [{ name: 'kind' }], ...pins(['h', 2], ['c', 3], ['e', 4]) }, 'bHfE', {
      totalHits: 4,
    }),
    ...shows(U, { ...byWords, collapseFields: [{ name: 'kind' }], limit: 2, offset: 1, ...pins(['h', 1]) }, 'bd'),
  ),
  one(
    'the explanation of a pinned document says so',
    search(
      U,
      { ...words, explain: true, limit: 1, ...pins(['a', 1]) },
      {
        status: 200,
        answer: expect.objectContaining({
          hits: [
            expect.objectContaining({
              _explanation: {
                value: 0,
                operation: 'value',
                description: 'pinned: no score gives it its place',
                details: [],
              },
            }),
          ],
        }),
      },
    ),
  ),
  one(
    'with a cursor both hold for all pages',
    search(
      U,
      { ...words, withCursor: true, limit: 3, hidden: ['b'], ...pins(['g', 2], ['d', 4]) },
      hits('aGc', { totalHits: 7 - 1 }),
    ),
    { ...search(U, undefined, hits('Def')), body: (cursor: string) => ({ cursor }) },
  ),
  one('they hold for one search of several', {
    request: 'POST /multi-search',
    body: {
      queries: [
        { indexName: U, ...words, ...pins(['g', 1]), limit: 2 },
        { indexName: S, ...words, hidden: ['a'], limit: 1 },
      ],
    },
    status: 200,
    answer: expect.objectContaining({
      results: ['ga', 'b'].map((ids) =>
        expect.objectContaining({
          response: expect.objectContaining({ hits: [...ids].map((_id) => expect.objectContaining({ _id })) }),
        }),
      ),
    }),
  }),
  one(
    'a document twice',
    search(
      U,
      { ...words, ...pins(['a', 1], ['b', 1], ['a', 2]) },
      unprocessable(problems.rule(inBody('pinned', 2, '_id'), 'Each document can be pinned only once')),
    ),
    search(
      U,
      { ...words, ...pins(['\u00e9', 1], ['e\u0301', 2]) },
      unprocessable(problems.rule(inBody('pinned', 1, '_id'), 'Each document can be pinned only once')),
    ),
  ),
  one(
    'positions that no page has, members that are missing or unknown',
    search(U, { ...words, ...pins(['a', 0]) }, unprocessable(problems.atLeast(inBody('pinned', 0, 'position'), 1))),
    search(
      U,
      { ...words, ...pins(['a', 10_001]) },
      unprocessable(problems.atMost(inBody('pinned', 0, 'position'), 10_000)),
    ),
    search(U, { ...words, pinned: [{ _id: 'a' }] }, unprocessable(problems.missing(inBody('pinned', 0, 'position')))),
    search(U, { ...words, pinned: [{ position: 1 }] }, unprocessable(problems.missing(inBody('pinned', 0, '_id')))),
    search(
      U,
      { ...words, pinned: [{ _id: 'a', position: 1, id: 'a' }] },
      unprocessable(problems.extra(inBody('pinned', 0, 'id'))),
    ),
    search(U, { ...words, hidden: 'a' }, unprocessable(problems.list(inBody('hidden')))),
  ),
  one(
    'more than there may be',
    ...(['pinned', 'hidden'] as const).map((name) =>
      search(
        U,
        name === 'pinned'
          ? { ...words, ...pins(...Array.from({ length: 101 }, (_, at) => [`d${at}`, at + 1] as const)) }
          : { ...words, hidden: Array.from({ length: 1001 }, (_, at) => `d${at}`) },
        { status: 422, answer: expect.objectContaining({ detail: [expect.objectContaining({ loc: inBody(name) })] }) },
      ),
    ),
  ),
  one(
    'pinned documents beside a reRanker',
    search(
      U,
      {
        q: 'dogs',
        searchMethod: 'LEXICAL',
        searchableAttributes: ['title'],
        reRanker: 'owl/ViT-B/32',
        ...pins(['a', 1]),
      },
      badRequest('reRanker cannot be given with pinned: it puts every hit at another place'),
    ),
  ),
];

const declared = [
  field('title', 'text', 'lexical_search'),
  field('kind', 'text', 'filter'),
  field('n', 'int', 'filter', 'score_modifier'),
  field('v', 'custom_vector'),
];

/** Documents that are pinned to places of their own, and those that are hidden. */
export const pinning: Part = {
  title: 'pinned and hidden documents',
  preparation: [
    create(U, own(2, { collapseFields: [{ name: 'kind' }] })),
    add(U, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
    create(S, structured(declared, ['v'], own(2))),
    add(S, documents),
  ],
  cases,
};
