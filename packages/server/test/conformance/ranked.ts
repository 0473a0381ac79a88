import { expect } from 'vitest';
import type { Case, Exchange } from './case.js';
import { add } from './documents.js';
import { create, field, own } from './indexes.js';
import { S, U } from './kinds.js';

export const day = 86_400;
export const now = 20_000 * day;
const v = (...vector: number[]) => ({ vector, content: '' });
const documents = [
  { _id: 'a', v: v(1, 0), title: 'dogs', n: 3, m: { k: 2, 'x.y': 4 }, t: now },
  { _id: 'b', v: v(0.6, 0.8), title: 'dogs dogs dogs', n: -2, f: 0.5, t: now - 3.5 * day },
  { _id: 'c', v: v(0, 1), title: 'cats', f: 2, t: now - 70 * day },
  { _id: 'd', title: 'dogs cats', n: 5, s: '9', t: now + 2 * day },
];

type Hit = readonly [id: string, score?: number | undefined, rest?: object];
export const hitOf = ([_id, score, rest]: Hit) =>
  expect.objectContaining({
    _id,
    ...(score !== undefined && { _score: expect.closeTo(score, 6) }),
    ...rest,
  });

/** A search that answers just these hits, in this order. */
export const ranks = (index: string, body: object, hits: readonly Hit[], besides: object = {}): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body,
  status: 200,
  answer: expect.objectContaining({ hits: hits.map(hitOf), ...besides }),
});

export const add_ = (field_name: string, weight?: number) => ({ add_to_score: [{ field_name, weight }] });
export const times = (field_name: string, weight?: number) => ({ multiply_score_by: [{ field_name, weight }] });
export const words = (rest: object) => ({ q: '*', searchMethod: 'LEXICAL', ...rest });
export const vector = { customVector: { vector: [1, 0], content: 'dogs' } };
export const near = (rest: object) => ({ q: vector, ...rest });
export const hybrid = (rest: object, hybridParameters?: object) => ({
  q: vector,
  searchMethod: 'HYBRID',
  ...(hybridParameters && { hybridParameters }),
  ...rest,
});
export const legs = (retrievalMethod: string, rankingMethod: string, rest: object = {}) => ({
  retrievalMethod,
  rankingMethod,
  ...rest,
});
export const rrf = (...ranks: number[]) => ranks.reduce((sum, rank) => sum + 0.5 / (60 + rank), 0);
export const wholly = 1 / (2 - 0.6);

/** Hits by every word of the query, and by nothing else. */
export const everything = legs('lexical', 'lexical');

export const refused = (section: string, about: string, body: object, expected: object, index: string = U): Case => ({
  section,
  about,
  exchanges: [{ request: `POST /indexes/${index}/search`, body, status: 422, ...expected }],
});

/** The same documents in both kinds. */
export const preparation = [
  create(U, own(2)),
  create(
    S,
    own(2, {
      type: 'structured',
      allFields: [
        field('title', 'text', 'lexical_search'),
        field('v', 'custom_vector'),
        field('s', 'text'),
        ...['n', 'f', 'm', 't'].map((name) =>
          field(name, { n: 'int', f: 'float', m: 'map<text, int>', t: 'double' }[name] ?? '', 'score_modifier'),
        ),
      ],
      tensorFields: ['v'],
    }),
  ),
  add(U, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
  add(S, documents),
];
