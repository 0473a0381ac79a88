import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { add } from './documents.js';
import { badRequest, inBody, invalidArgument, root } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { S, U } from './kinds.js';

/** An index whose vectors are of any length. */
const long = 'long';
const v = (...vector: number[]) => ({ vector, content: '' });

/** Best by words, and nearest to (1, 0), first. The vectors of `a` and `b` are one; `d` has none. */
const documents = [
  { _id: 'a', title: 'red red red hat', v: v(1, 0) },
  { _id: 'b', title: 'red red hat hat', v: v(1, 0) },
  { _id: 'c', title: 'red hat hat hat', v: v(0.8, 0.6) },
  { _id: 'd', title: 'red hat hat hat hat' },
  { _id: 'e', title: 'green', v: v(0, 1) },
];

const near = { q: { customVector: { vector: [1, 0], content: 'red' } } };
const words = { q: 'red', searchMethod: 'LEXICAL' };
const hybrid = { ...near, searchMethod: 'HYBRID' };

const finds = (body: object, shown: string, rest: object = {}, index: string = U): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body,
  status: 200,
  answer: expect.objectContaining({ hits: [...shown].map((_id) => expect.objectContaining({ _id })), ...rest }),
});
const refused = (body: object, expected: Expected, index: string = U): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { ...near, ...body },
  ...expected,
});
const problem = (loc: readonly (string | number)[], msg: unknown = expect.any(String)): Expected => ({
  status: 422,
  answer: expect.objectContaining({ detail: [expect.objectContaining({ loc, msg })] }),
});
const of = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 8.7', about, exchanges });
const unlike = { lambda: 0.3 };

const cases: Case[] = [
  of('the ranking stays as it is without it, and where relevance alone counts', [
    finds(near, 'abce'),
    finds({ ...near, diversity: null }, 'abce'),
    finds({ ...near, diversity: { lambda: 1 } }, 'abce'),
  ]),
  of('a hit that is like the first makes way, and keeps its score', [
    {
      ...finds(near, ''),
      body: { ...near, diversity: unlike },
      answer: expect.objectContaining({
        hits: [
          ['a', 1],
          ['e', 0.5],
          ['c', 1 / (2 - 0.8)],
          ['b', 1],
        ].map(([_id, score]) => expect.objectContaining({ _id, _score: expect.closeTo(score as number, 5) })),
      }),
    },
  ]),
  of('the hits behind the candidates follow', [
    finds({ ...near, diversity: { ...unlike, candidates: 2 } }, 'abce'),
    finds({ ...near, diversity: { lambda: 0, candidates: 3 } }, 'acbe'),
  ]),
  of('pages are cut from one order', [
    ...[...'aecb', ''].map((shown, offset) => finds({ ...near, diversity: unlike, limit: 1, offset }, shown)),
    finds({ ...near, diversity: unlike, limit: 2, offset: 1 }, 'ec'),
  ]),
  of('a search by words, and one by both, go by the same vectors; a document without any is like no other', [
    finds({ ...words, diversity: { lambda: 0 } }, 'adcb'),
    finds({ ...hybrid, diversity: { lambda: 0 } }, 'adecb', { totalHits: 5 }),
  ]),
  of('one leg finds and the other ranks', [
    finds(
      {
        ...hybrid,
        hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'tensor' },
        ...{ diversity: { lambda: 0 }, limit: 2, offset: 2 },
      },
      'cb',
    ),
  ]),
  of('pinned documents keep their places', [
    finds({ ...near, diversity: unlike, pinned: [{ _id: 'd', position: 2 }] }, 'adecb'),
  ]),
  of('vectors of any length are compared by their directions', [
    finds({ q: { customVector: { vector: [1, 0.1] } }, diversity: { lambda: 0.6 } }, 'pqr', {}, long),
    finds({ q: { customVector: { vector: [1, 0.1] } }, diversity: { lambda: 0.5 } }, 'prq', {}, long),
  ]),
  of('a document is compared by the mean of its vectors', [
    // The mean of `y` is (0.5, 0.5), nearer to `x` than `z` is.
    finds({ q: 'grey', searchMethod: 'LEXICAL', diversity: { lambda: 0 } }, 'xzy', {}, 'means'),
  ]),
  of('shares and counts outside their bounds, and other members', [
    refused({ diversity: { lambda: 1.5 } }, problem(inBody('diversity', 'lambda'))),
    refused({ diversity: { lambda: -0.1 } }, problem(inBody('diversity', 'lambda'))),
    refused({ diversity: { candidates: 0 } }, problem(inBody('diversity', 'candidates'))),
    refused({ diversity: { candidates: 1001 } }, problem(inBody('diversity', 'candidates'))),
    refused({ diversity: { share: 1 } }, problem(inBody('diversity', 'share'))),
  ]),
  of('an order of fields beside it', [
    refused(
      { diversity: {}, sortBy: { fields: [{ fieldName: 'n' }] } },
      problem(root, "'diversity' cannot be used with 'sortBy': hits have the order of the fields then"),
    ),
  ]),
  of('a ranker of pictures beside it', [
    refused(
      { ...{ q: 'red', diversity: {}, reRanker: 'owl/ViT-B/32' }, searchableAttributes: ['v'] },
      badRequest('reRanker cannot be given with diversity: it puts every hit at another place'),
    ),
  ]),
  of('an index that will never have vectors', [
    refused(
      { ...words, diversity: {} },
      invalidArgument(
        `Index ${S} has no tensor fields, thus 'diversity' cannot tell which hits are alike. Please create an index with a tensor field, or search without it.`,
      ),
      S,
    ),
  ]),
];

const vectors = { tensorFields: ['v', 'w'], mappings: { v: { type: 'custom_vector' }, w: { type: 'custom_vector' } } };

export const diversity: Part = {
  title: 'hits apart from those like them',
  preparation: [
    create(U, own(2)),
    add(U, documents, vectors),
    create(long, own(2, { normalizeEmbeddings: false, annParameters: { spaceType: 'dotproduct' } })),
    add(
      long,
      [
        { _id: 'p', v: v(10, 0) },
        { _id: 'q', v: v(9, 0) },
        { _id: 'r', v: v(0, 5) },
      ],
      vectors,
    ),
    create('means', own(2)),
    add(
      'means',
      [
        { _id: 'x', title: 'grey grey grey', v: v(1, 0) },
        { _id: 'y', title: 'grey grey cat', v: v(1, 0), w: v(0, 1) },
        { _id: 'z', title: 'grey cat cat', v: v(0.5, 0.8660254) },
      ],
      vectors,
    ),
    create(S, structured([field('title', 'text', 'lexical_search')])),
  ],
  cases,
};
