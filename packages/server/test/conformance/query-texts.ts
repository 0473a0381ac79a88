import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { holding, invalidArgument } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const documents = [
  { _id: 'dogs', title: 'dogs bark' },
  { _id: 'cats', title: 'cats purr' },
  { _id: 'prefixed', title: 'query: dogs bark' },
  { _id: 'chunks', title: 'One sentence. Another one. The last words are here.' },
];

const search = (index: string, body: unknown, expected: object): Exchange =>
  ({ request: `POST /indexes/${index}/search`, body, ...expected }) as Exchange;
/** A search whose first hit is this one, exactly where its vector is. */
const finds = (index: string, body: object, _id: string, rest: object = {}): Exchange =>
  search(
    index,
    { limit: 1, ...body },
    {
      status: 200,
      answer: expect.objectContaining({
        hits: [expect.objectContaining({ _id, _score: expect.closeTo(1, 4), ...rest })],
      }),
    },
  );
const hybrid = (hybridParameters: object) => ({ searchMethod: 'HYBRID', hybridParameters });

const plain: Case[] = [
  ...inBothKinds('search 2.1', 'a text finds the same text', (index) => [
    finds(index, { q: 'dogs bark' }, 'dogs'),
    finds(index, { q: 'cats purr', searchMethod: null }, 'cats'),
  ]),
  ...inBothKinds('search 2.1', 'a prefix stands before the text', (index) => [
    finds(index, { q: 'dogs bark', textQueryPrefix: 'query: ' }, 'prefixed'),
    finds(index, { q: 'dogs bark', textQueryPrefix: '' }, 'dogs'),
  ]),
  ...inBothKinds('search 2.1', 'words have no prefix', (index) => [
    search(
      index,
      { q: 'cats', searchMethod: 'HYBRID', textQueryPrefix: 'dogs bark', hybridParameters: { alpha: 0 } },
      { status: 200, answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: 'cats' })] }) },
    ),
  ]),
  ...inBothKinds('search 5.3', 'the chunk of a long text that is nearest is highlighted', (index) => [
    finds(index, { q: 'The last words are here.' }, 'chunks', { _highlights: [{ title: 'The last words are here.' }] }),
    finds(index, { q: 'One sentence. Another one.' }, 'chunks', {
      _highlights: [{ title: 'One sentence. Another one.' }],
    }),
  ]),
];

const weighted: Case[] = [
  ...inBothKinds('search 2.3', 'texts by their weights', (index) => [
    finds(index, { q: { 'dogs bark': 2 } }, 'dogs'),
    finds(index, { q: { 'dogs bark': 1, 'cats purr': 0 } }, 'dogs'),
    finds(index, { q: { 'cats purr': 1e-3, 'dogs bark': -1e-9 } }, 'cats'),
  ]),
  ...inBothKinds('search 2.3', 'an empty text is a text', (index) => [
    search(index, { q: { '': 1 }, limit: 1 }, { status: 200 }),
  ]),
  ...inBothKinds('search 2.3', 'weighted texts of a hybrid search', (index) => [
    search(
      index,
      { ...hybrid({ queryTensor: { 'dogs bark': 1 }, queryLexical: 'cats' }), limit: 4 },
      {
        status: 200,
        answer: expect.objectContaining({
          query: null,
          hits: expect.arrayContaining([
            expect.objectContaining({ _id: 'dogs', _tensor_score: expect.closeTo(1, 4) }),
            expect.objectContaining({ _id: 'cats', _lexical_score: expect.any(Number) }),
          ]),
        }),
      },
    ),
  ]),
  ...inBothKinds('search 2.7', 'texts for each leg', (index) => [
    search(
      index,
      { ...hybrid({ queryTensor: 'dogs bark', queryLexical: 'cats' }), limit: 1 },
      {
        status: 200,
        answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: expect.any(String) })] }),
      },
    ),
  ]),
];

const missing: Case[] = [
  {
    section: 'search 2.7',
    about: 'no text for a leg that needs one',
    exchanges: [
      search(U, hybrid({ queryLexical: 'cats' }), { status: 400 }),
      search(
        U,
        hybrid({ queryTensor: 'cats' }),
        invalidArgument(holding("Either 'hybridParameters.queryLexical' or just 'q' must be present")),
      ),
    ],
  },
];

const echoed: Case[] = inBothKinds('search 9', 'a query is told as it was spelt', (index) => [
  search(index, '{"q":"d\\u006fgs","limit":1}', {
    status: 200,
    answer: expect.objectContaining({ query: 'dogs', limit: 1, offset: 0 }),
  }),
  search(
    index,
    { q: { 'dogs bark': 1, 'cats purr': 0.5 }, limit: 1 },
    {
      status: 200,
      answer: expect.objectContaining({ query: { 'dogs bark': 1, 'cats purr': 0.5 } }),
    },
  ),
]);

/** Texts that a model makes vectors of. */
export const queryTexts: Part = {
  title: 'texts of a query',
  preparation: [
    create(U, small),
    create(S, structured([field('title', 'text', 'lexical_search')], ['title'])),
    add(U, documents, { tensorFields: ['title'] }),
    add(S, documents),
  ],
  cases: [...plain, ...weighted, ...missing, ...echoed],
};
