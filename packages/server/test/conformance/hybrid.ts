import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { holding, inBody, invalidArgument, problems, unprocessable } from './errors.js';
import { create, field, own } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const v = (...vector: number[]) => ({ vector, content: '' });
const documents = [
  { _id: 'a', v: v(1, 0), title: 'dogs' },
  { _id: 'b', v: v(0.8, 0.6), title: 'dogs dogs dogs' },
  { _id: 'c', v: v(0, 1), title: 'cats' },
  { _id: 'd', title: 'dogs are not cats' },
];
const vector = { customVector: { vector: [1, 0], content: 'dogs' } };
const search = (index: string, hybridParameters: object | null, rest: object, expected: object): Exchange =>
  ({
    request: `POST /indexes/${index}/search`,
    body: { searchMethod: 'HYBRID', q: vector, ...(hybridParameters && { hybridParameters }), ...rest },
    ...expected,
  }) as Exchange;
type Hit = readonly [id: string, score: number, rest?: object];
const ranks = (index: string, hybridParameters: object | null, rest: object, ...hits: readonly Hit[]): Exchange =>
  search(index, hybridParameters, rest, {
    status: 200,
    answer: expect.objectContaining({
      hits: hits.map(([_id, score, besides]) =>
        expect.objectContaining({ _id, _score: expect.closeTo(score, 6), ...besides }),
      ),
    }),
  });
/** Fused ranks of both legs, either of which may be missing. */
const rrf = (near: number | null, word: number | null, alpha = 0.5, k = 60) =>
  (near === null ? 0 : alpha / (k + near)) + (word === null ? 0 : (1 - alpha) / (k + word));
const legs = (retrievalMethod: string, rankingMethod: string, rest: object = {}) => ({
  retrievalMethod,
  rankingMethod,
  ...rest,
});
const near = 1 / (2 - 0.8);
const number = expect.any(Number);

const fusing: Case[] = [
  ...inBothKinds('search 6.2', 'both legs have half a say', (index) => [
    ranks(index, null, {}, ['a', rrf(1, 2)], ['b', rrf(2, 1)], ['c', rrf(3, null)], ['d', rrf(null, 3)]),
    ranks(
      index,
      legs('disjunction', 'rrf'),
      {},
      ['a', rrf(1, 2)],
      ['b', rrf(2, 1)],
      ['c', rrf(3, null)],
      ['d', rrf(null, 3)],
    ),
  ]),
  ...[0.2, 0.7, 0.9].flatMap((alpha) =>
    inBothKinds('search 6.2', `alpha ${alpha}`, (index) => {
      const order = [
        ['a', rrf(1, 2, alpha)],
        ['b', rrf(2, 1, alpha)],
        ['c', rrf(3, null, alpha)],
        ['d', rrf(null, 3, alpha)],
      ] as const;
      return [ranks(index, { alpha }, {}, ...order.toSorted(([, one], [, other]) => other - one))];
    }),
  ),
  ...inBothKinds('search 6.2', 'a leg without a say does not find', (index) => [
    ranks(index, { alpha: 1 }, {}, ['a', 1 / 61], ['b', 1 / 62], ['c', 1 / 63]),
    ranks(index, { alpha: 0 }, {}, ['b', 1 / 61], ['a', 1 / 62], ['d', 1 / 63]),
  ]),
  ...[0, 1, 600].flatMap((rrfK) =>
    inBothKinds('search 6.2', `rrfK ${rrfK}`, (index) => [
      ranks(
        index,
        { rrfK },
        {},
        ['a', rrf(1, 2, 0.5, rrfK)],
        ['b', rrf(2, 1, 0.5, rrfK)],
        ['c', rrf(3, null, 0.5, rrfK)],
        ['d', rrf(null, 3, 0.5, rrfK)],
      ),
    ]),
  ),
  ...inBothKinds('search 6.2', 'hits tell the score of each leg that found them', (index) => [
    ranks(
      index,
      null,
      {},
      ['a', rrf(1, 2), { _tensor_score: expect.closeTo(1, 5), _lexical_score: number }],
      ['b', rrf(2, 1), { _tensor_score: expect.closeTo(near, 5), _lexical_score: number }],
      ['c', rrf(3, null), { _tensor_score: expect.closeTo(0.5, 5) }],
      ['d', rrf(null, 3), { _lexical_score: number, _highlights: [] }],
    ),
  ]),
  ...inBothKinds('search 6.2', 'pages are cut from one ranking', (index) =>
    (['a', 'b', 'c', 'd'] as const).map((id, offset) =>
      ranks(index, null, { limit: 1, offset }, [
        id,
        { a: rrf(1, 2), b: rrf(2, 1), c: rrf(3, null), d: rrf(null, 3) }[id],
      ]),
    ),
  ),
  ...inBothKinds('search 6.2', 'a filter holds for both legs', (index) => [
    ranks(index, null, { filter: 'NOT _id:a' }, ['b', rrf(1, 1)], ['c', rrf(2, null)], ['d', rrf(null, 2)]),
  ]),
  ...inBothKinds('search 6.1', 'fields of each leg', (index) => [
    ranks(index, { searchableAttributesTensor: ['v'], searchableAttributesLexical: ['title'] }, { limit: 1 }, [
      'a',
      rrf(1, 2),
    ]),
    ranks(index, { searchableAttributesTensor: [] }, { limit: 1 }, ['b', rrf(null, 1)]),
    ranks(index, { searchableAttributesLexical: [] }, { limit: 1 }, ['a', rrf(1, null)]),
  ]),
  ...inBothKinds('search 9', 'method scores are dropped from hits whose fields are listed', (index) => [
    search(
      index,
      null,
      { limit: 1, attributesToRetrieve: ['title'] },
      {
        status: 200,
        answer: expect.objectContaining({
          hits: [
            index === U
              ? { _id: 'a', title: 'dogs', _score: number, _highlights: [] }
              : {
                  _id: 'a',
                  title: 'dogs',
                  _score: number,
                  _highlights: [],
                  _tensor_score: number,
                  _lexical_score: number,
                },
          ],
        }),
      },
    ),
  ]),
];

const total = (totalHits: unknown) => ({ status: 200, answer: expect.objectContaining({ totalHits }) });
const totals: Case[] = [
  {
    section: 'search 8.4',
    about: 'all that was found is counted, unless nobody asks',
    exchanges: [
      search(U, null, { limit: 1 }, total(4)),
      search(U, null, { limit: 1, trackTotalHits: true }, total(4)),
      search(U, legs('lexical', 'lexical'), { limit: 1 }, total(3)),
      search(
        U,
        null,
        { limit: 1, trackTotalHits: false },
        {
          status: 200,
          answer: expect.not.objectContaining({ totalHits: expect.anything() }),
        },
      ),
    ],
  },
];

const single: Case[] = [
  ...inBothKinds('search 6.3', 'vectors find and rank', (index) => [
    ranks(index, legs('tensor', 'tensor'), {}, ['a', 1], ['b', near], ['c', 0.5]),
  ]),
  ...inBothKinds('search 6.3', 'one leg tells no score of its own', (index) => [
    search(
      index,
      legs('tensor', 'tensor'),
      { limit: 1 },
      {
        status: 200,
        answer: expect.objectContaining({ hits: [expect.not.objectContaining({ _tensor_score: expect.anything() })] }),
      },
    ),
  ]),
  ...inBothKinds('search 6.3', 'words find, vectors rank, also what has none', (index) => [
    ranks(index, legs('lexical', 'tensor'), {}, ['a', 1], ['b', near], ['d', 0]),
  ]),
  ...inBothKinds('search 6.3', 'vectors find, words rank, also what has none of them', (index) => [
    search(
      index,
      legs('tensor', 'lexical'),
      {},
      {
        status: 200,
        answer: expect.objectContaining({
          hits: ['b', 'a', 'c'].map((_id) => expect.objectContaining({ _id })),
        }),
      },
    ),
  ]),
  ...inBothKinds('search 6.3', 'words find and rank as a LEXICAL search does', (index) => [
    search(
      index,
      legs('lexical', 'lexical'),
      {},
      {
        status: 200,
        answer: expect.objectContaining({ hits: ['b', 'a', 'd'].map((_id) => expect.objectContaining({ _id })) }),
      },
    ),
  ]),
];

const routing: Case[] = [
  ...inBothKinds('search 2.7', 'words of their own beside a context', (index) => [
    ranks(
      index,
      { queryLexical: 'cats' },
      { q: null, context: { tensor: [{ vector: [1, 0], weight: 1 }] }, limit: 2 },
      ['c', rrf(3, 1)],
      ['a', rrf(1, null)],
    ),
  ]),
  ...inBothKinds('search 2.7', 'a context alone, where vectors find and rank', (index) => [
    ranks(
      index,
      legs('tensor', 'tensor'),
      { q: null, context: { tensor: [{ vector: [0, 1], weight: 1 }] }, limit: 1 },
      ['c', 1],
    ),
  ]),
  {
    section: 'search 2.7',
    about: 'a context alone, where words find',
    exchanges: [
      search(
        U,
        null,
        { q: null, context: { tensor: [{ vector: [0, 1], weight: 1 }] } },
        invalidArgument(holding("Query cannot be 'None' for hybrid search unless: (1) ")),
      ),
      search(
        U,
        legs('lexical', 'lexical', { queryTensor: 'x', queryLexical: 'dogs' }),
        { q: null },
        invalidArgument(holding("'hybridParameters.queryTensor' cannot be provided when")),
      ),
      search(
        U,
        legs('tensor', 'tensor', { queryLexical: 'x' }),
        { q: null, context: { tensor: [{ vector: [0, 1], weight: 1 }] } },
        invalidArgument(holding("'hybridParameters.queryLexical' cannot be provided when")),
      ),
    ],
  },
];

const hybridRoot = inBody('hybridParameters', '__root__');
const rules: readonly (readonly [about: string, hybridParameters: object, message: unknown])[] = [
  [
    'disjunction ranked by vectors',
    legs('disjunction', 'tensor'),
    'For retrievalMethod: disjunction, rankingMethod must be: rrf',
  ],
  [
    'disjunction ranked by words',
    legs('disjunction', 'lexical'),
    'For retrievalMethod: disjunction, rankingMethod must be: rrf',
  ],
  [
    'vectors ranked by fusion',
    legs('tensor', 'rrf'),
    'For retrievalMethod: tensor or lexical, rankingMethod must be: tensor or lexical',
  ],
  [
    'words ranked by fusion',
    { retrievalMethod: 'lexical' },
    'For retrievalMethod: tensor or lexical, rankingMethod must be: tensor or lexical',
  ],
  [
    'alpha of one leg',
    legs('tensor', 'tensor', { alpha: 0.5 }),
    "'alpha' can only be defined for 'rrf' ranking method",
  ],
  ['alpha above 1', { alpha: 1.1 }, 'alpha can only be between 0 and 1'],
  ['alpha below 0', { alpha: -0.1 }, 'alpha can only be between 0 and 1'],
  ['rrfK of one leg', legs('lexical', 'lexical', { rrfK: 60 }), "'rrfK' can only be defined for 'rrf' ranking method"],
  ['rrfK below 0', { rrfK: -1 }, 'rrfK can only be greater than or equal to 0'],
  [
    'fields of vectors where words do all',
    legs('lexical', 'lexical', { searchableAttributesTensor: ['v'] }),
    "'searchableAttributesTensor' can only be defined for 'tensor', 'disjunction' retrieval methods or 'tensor' ranking method",
  ],
  [
    'fields of words where vectors do all',
    legs('tensor', 'tensor', { searchableAttributesLexical: ['title'] }),
    "'searchableAttributesLexical' can only be defined for 'lexical', 'disjunction' retrieval methods or 'lexical' ranking method",
  ],
  ['rerankDepthTensor below 0', { rerankDepthTensor: -1 }, 'rerankDepthTensor cannot be negative.'],
  [
    'weakAndParameters alone',
    { weakAndParameters: { stopwordLimit: 0.5 } },
    "'weakAndParameters' can only be set when 'rerankDepthLexical' is set",
  ],
  [
    'secondPhaseModifier where vectors rank',
    legs('lexical', 'tensor', { secondPhaseModifier: true }),
    "'secondPhaseModifier' can only be set to True when 'retrievalMethod' is 'disjunction' or both 'retrievalMethod' and 'rankingMethod' are 'lexical'",
  ],
];
const refusals: Case[] = [
  ...rules.map(([about, hybridParameters, message]) => ({
    section: 'search 6.1',
    about,
    exchanges: [search(U, hybridParameters, {}, unprocessable(problems.rule(hybridRoot, message)))],
  })),
  ...(
    [
      ['retrievalMethod', 'normalize_linear', ['disjunction', 'tensor', 'lexical']],
      ['rankingMethod', 'normalize_linear', ['rrf', 'tensor', 'lexical']],
    ] as const
  ).map(([name, value, permitted]) => ({
    section: 'search 6.1',
    about: `${name} ${value}`,
    exchanges: [
      search(U, { [name]: value }, {}, unprocessable(problems.oneOf(inBody('hybridParameters', name), permitted))),
    ],
  })),
  {
    section: 'search 6.1',
    about: 'rrfK with a fraction',
    exchanges: [search(U, { rrfK: 60.1 }, {}, { status: 422 })],
  },
  {
    section: 'search 6.1',
    about: 'depths of 0',
    exchanges: [
      search(U, { rerankDepthLexical: 0 }, {}, { status: 422 }),
      search(U, { rerankCount: 0 }, {}, { status: 422 }),
      search(U, { rerankDepthTensor: 0 }, { limit: 1 }, { status: 200 }),
    ],
  },
  {
    section: 'search 6.1',
    about: 'members that are taken and change nothing here',
    exchanges: [
      ranks(
        U,
        {
          verbose: true,
          rerankDepthLexical: 100,
          weakAndParameters: { stopwordLimit: 0.5, adjustTarget: 0.1, filterThreshold: 0.1, allowDropAll: false },
        },
        { limit: 1 },
        ['a', rrf(1, 2)],
      ),
    ],
  },
  ...['or', 'and', 'weakAnd'].map((lexicalOperand) => ({
    section: 'search 4.2',
    about: `the operand ${lexicalOperand}`,
    exchanges: [
      search(
        U,
        legs('lexical', 'lexical', { lexicalOperand }),
        { q: 'dogs cats' },
        {
          status: 200,
          answer: expect.objectContaining({
            hits: expect.toSatisfy((hits: object[]) => hits.length === (lexicalOperand === 'and' ? 1 : 4)),
          }),
        },
      ),
    ],
  })),
];

/** Searches by vectors and words together. */
export const hybrid: Part = {
  title: 'hybrid searches',
  preparation: [
    create(U, own(2)),
    create(
      S,
      own(2, {
        type: 'structured',
        allFields: [field('v', 'custom_vector'), field('title', 'text', 'lexical_search')],
        tensorFields: ['v'],
      }),
    ),
    add(U, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
    add(S, documents),
  ],
  cases: [...fusing, ...totals, ...single, ...routing, ...refusals],
};
