import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { notOnCluster } from './cluster.js';
import { add } from './documents.js';
import { holding, invalidArgument } from './errors.js';
import { create, field, own } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const query = { customVector: { vector: [1, 0] } };
const v = (vector: number[], content = '') => ({ vector, content });
const search = (index: string, body: object, hits: readonly object[]): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { q: query, ...body },
  status: 200,
  answer: expect.objectContaining({ hits: hits.map((hit) => expect.objectContaining(hit)) }),
});
const of = (cosine: number) => 1 / (2 - cosine);
const hit = (_id: string, score: number, rest: object = {}) => ({ _id, _score: expect.closeTo(score, 5), ...rest });

const documents = [
  { _id: 'a', v: v([1, 0], 'first of a'), w: v([0, 1], 'second of a'), title: 'x', n: 1 },
  { _id: 'b', v: v([0.6, 0.8], 'first of b'), w: v([0.8, 0.6], 'second of b'), n: 2 },
  { _id: 'c', w: v([0.96, 0.28], 'second of c'), n: 3 },
  { _id: 'd', title: 'no vector' },
];

const ranking: Case[] = [
  ...inBothKinds('search 5.2', 'the nearest field of a document counts', (index) => [
    search(index, {}, [hit('a', of(1)), hit('c', of(0.96)), hit('b', of(0.8))]),
  ]),
  ...inBothKinds('search 5.1', 'only the fields that are named', (index) => [
    search(index, { searchableAttributes: ['v'] }, [hit('a', of(1)), hit('b', of(0.6))]),
    search(index, { searchableAttributes: ['w'] }, [hit('c', of(0.96)), hit('b', of(0.8)), hit('a', of(0))]),
    search(index, { searchableAttributes: ['v', 'w'], limit: 1 }, [hit('a', of(1))]),
  ]),
  ...inBothKinds('search 5.1', 'exact search answers the same', (index) => [
    search(index, { approximate: false }, [hit('a', of(1)), hit('c', of(0.96)), hit('b', of(0.8))]),
    search(index, { approximateThreshold: 1 }, [hit('a', of(1)), hit('c', of(0.96)), hit('b', of(0.8))]),
    search(index, { efSearch: 1 }, [hit('a', of(1)), hit('c', of(0.96)), hit('b', of(0.8))]),
  ]),
  ...inBothKinds('search 5.1', 'a filter never makes a page shorter than what passes it', (index) => [
    search(index, { filter: 'n:[2 TO 9]', limit: 2 }, [hit('c', of(0.96)), hit('b', of(0.8))]),
    search(index, { filter: 'NOT _id:a', limit: 1 }, [hit('c', of(0.96))]),
    search(index, { filter: '_id:d' }, []),
  ]),
  ...inBothKinds('search 11', 'pages join to one list', (index) =>
    ['a', 'c', 'b'].map((_id, offset) => search(index, { limit: 1, offset }, [{ _id }])),
  ),
  ...inBothKinds('search 11', 'a page behind the end is empty', (index) => [search(index, { offset: 3 }, [])]),
];

const highlighting: Case[] = [
  ...inBothKinds('search 5.3', 'the nearest chunk of the nearest field', (index) => [
    search(index, {}, [
      hit('a', of(1), { _highlights: [{ v: 'first of a' }] }),
      hit('c', of(0.96), { _highlights: [{ w: 'second of c' }] }),
      hit('b', of(0.8), { _highlights: [{ w: 'second of b' }] }),
    ]),
  ]),
  ...inBothKinds('search 5.3', 'only of a field that is returned', (index) => [
    search(index, { attributesToRetrieve: ['w'], limit: 2 }, [
      { _id: 'a', _highlights: [] },
      { _id: 'c', _highlights: [{ w: 'second of c' }] },
    ]),
  ]),
  ...inBothKinds('search 10', 'not unless they are shown, by the older name too', (index) => [
    {
      ...search(index, {}, []),
      body: { q: query, highlight: false, limit: 1 },
      answer: expect.objectContaining({ hits: [expect.not.objectContaining({ _highlights: expect.anything() })] }),
    },
    {
      ...search(index, {}, []),
      body: { q: query, highlight: true, limit: 1 },
      answer: expect.objectContaining({ hits: [expect.objectContaining({ _highlights: expect.anything() })] }),
    },
  ]),
  ...inBothKinds('search 5.3', 'not unless they are shown', (index) => [
    {
      ...search(index, {}, []),
      body: { q: query, showHighlights: false, limit: 1 },
      answer: expect.objectContaining({ hits: [expect.not.objectContaining({ _highlights: expect.anything() })] }),
    },
  ]),
];

const shown: Case[] = [
  ...inBothKinds('search 9', 'a hit has the fields of its document, a vector as its content', (index) => [
    {
      ...search(index, {}, []),
      body: { q: query, limit: 1 },
      answer: expect.objectContaining({
        hits: [
          {
            ...{ _id: 'a', v: 'first of a', w: 'second of a', title: 'x', n: 1 },
            ...{ _score: expect.closeTo(1, 5), _highlights: [{ v: 'first of a' }] },
          },
        ],
      }),
    },
  ]),
  ...inBothKinds('search 9', 'fields that are listed, or none', (index) => [
    {
      ...search(index, {}, []),
      body: { q: query, limit: 1, attributesToRetrieve: ['n'] },
      answer: expect.objectContaining({ hits: [{ _id: 'a', n: 1, _score: expect.closeTo(1, 5), _highlights: [] }] }),
    },
    {
      ...search(index, {}, []),
      body: { q: query, limit: 1, attributesToRetrieve: [] },
      answer: expect.objectContaining({ hits: [{ _id: 'a', _score: expect.closeTo(1, 5), _highlights: [] }] }),
    },
  ]),
  ...inBothKinds('search 10', 'every field', (index) => [
    search(index, { limit: 1, attributesToRetrieve: ['*'] }, [{ _id: 'a', n: 1, title: 'x' }]),
  ]),
  {
    section: 'search 9',
    about: 'entries of a map, where its name is listed',
    exchanges: [
      {
        request: 'POST /indexes/maps/search',
        body: { q: '*', searchMethod: 'LEXICAL', attributesToRetrieve: ['m'] },
        status: 200,
        answer: expect.objectContaining({ hits: [{ _id: 'a', 'm.k': 5, 'm.l': 0.5, _score: 0, _highlights: [] }] }),
      },
    ],
  },
  {
    section: 'search 9',
    about: 'integers of 64 bits are exact',
    exchanges: [
      {
        request: 'POST /indexes/maps/search',
        body: { q: '*', searchMethod: 'LEXICAL' },
        status: 200,
        text: expect.stringContaining('"big":9223372036854775807'),
      },
    ],
  },
];

const spaces: readonly (readonly [space: string, scores: readonly [string, number][]])[] = [
  [
    'prenormalized-angular',
    [
      ['same', 1],
      ['near', 1 / (2 - 0.8)],
      ['across', 0.5],
      ['away', 1 / 3],
    ],
  ],
  [
    'angular',
    [
      ['same', 1],
      ['near', 1 / (1 + Math.acos(0.8))],
      ['across', 1 / (1 + Math.PI / 2)],
      ['away', 1 / (1 + Math.PI)],
    ],
  ],
  [
    'euclidean',
    [
      ['same', 1],
      ['near', 1 / (1 + Math.hypot(0.2, 0.6))],
      ['across', 1 / (1 + Math.SQRT2)],
      ['away', 1 / 3],
    ],
  ],
  [
    'dotproduct',
    [
      ['same', 1],
      ['near', 0.8],
      ['across', 0],
      ['away', -1],
    ],
  ],
  [
    'hamming',
    [
      ['same', 1],
      ['away', 1 / 2],
      ['near', 1 / 3],
      ['across', 1 / 3],
    ],
  ],
];
const scored: Case[] = spaces.map(([space, scores]) => ({
  section: 'search 5.2',
  about: `scores in the space ${space}`,
  exchanges: inSpace(
    space,
    [true, false].map((approximate) =>
      search(
        `in_${space}`,
        { approximate },
        scores.map(([id, score]) => hit(id, score)),
      ),
    ),
  ),
}));

function inSpace(space: string, exchanges: readonly Exchange[]): readonly Exchange[] {
  return space === 'hamming' ? exchanges.map(notOnCluster('spaceType')) : exchanges;
}

const multimodal: Case[] = [
  {
    section: 'search 5.3',
    about: 'no chunk of a document whose field has none nearer',
    exchanges: [
      search(U, { filter: '_id:b', searchableAttributes: ['v'] }, [
        hit('b', of(0.6), { _highlights: [{ v: 'first of b' }] }),
      ]),
    ],
  },
  {
    section: 'search 1.3',
    about: 'a text where the index has no model',
    exchanges: [
      { ...search(U, {}, []), body: { q: 'dogs' }, status: 400, answer: expect.anything() },
      {
        ...search(U, {}, []),
        body: { q: { customVector: { vector: [1] } } },
        ...invalidArgument(holding('Expected dimension 2 but got 1')),
      },
    ],
  },
];

/** Searches by vectors: their hits, scores and highlights. */
export const nearest: Part = {
  title: 'searches by vectors',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: [
          field('v', 'custom_vector'),
          field('w', 'custom_vector'),
          field('title', 'text', 'lexical_search'),
          field('n', 'int', 'filter'),
        ],
        tensorFields: ['v', 'w'],
      }),
    ),
    create('maps', own(2)),
    add(U, documents, {
      tensorFields: ['v', 'w'],
      mappings: { v: { type: 'custom_vector' }, w: { type: 'custom_vector' } },
    }),
    add(S, documents),
    {
      request: 'POST /indexes/maps/documents',
      body: '{"documents":[{"_id":"a","m":{"k":5,"l":0.5},"big":9223372036854775807}]}',
      status: 200,
    },
    ...spaces.flatMap(([space]) =>
      inSpace(space, [
        create(
          `in_${space}`,
          own(2, {
            normalizeEmbeddings: false,
            annParameters: { spaceType: space, parameters: { efConstruction: 64, m: 8 } },
          }),
        ),
        add(
          `in_${space}`,
          [
            { _id: 'same', v: v([1, 0]) },
            { _id: 'near', v: v([0.8, 0.6]) },
            { _id: 'across', v: v([0, 1]) },
            { _id: 'away', v: v([-1, 0]) },
          ],
          { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } },
        ),
      ]),
    ),
  ],
  cases: [...ranking, ...highlighting, ...shown, ...scored, ...multimodal],
};
