import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, field, own } from './indexes.js';
import { S, U } from './kinds.js';
import { legs } from './ranked.js';

const documents = [
  { _id: 'a', title: 'C++ primer' },
  { _id: 'b', title: 'C# primer' },
  { _id: 'c', title: 'red and very old shoes' },
  { _id: 'd', title: 'red shoes for the cold' },
  { _id: 'e', title: 'lamp', plot: 'kettle' },
  { _id: 'f', title: 'kettle', plot: 'lamp' },
];

/** The BM25 of a word that two of six documents have, in a title: 16 words in six of them. */
const inTitle = (length: number) => (Math.log(1 + 4.5 / 2.5) * 2.2) / (1 + 1.2 * (0.25 + 0.75 * (length / (16 / 6))));

const search = (body: object, status: number, answer: object, index: string = U): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status,
  answer: expect.objectContaining(answer),
});
const finds = (body: object, hits: readonly (readonly [id: string, score?: number])[], index: string = U): Exchange => {
  const hit = ([_id, score]: readonly [string, number?]) =>
    expect.objectContaining({ _id, ...(score !== undefined && { _score: expect.closeTo(score, 5) }) });
  return search(body, 200, { hits: hits.map(hit) }, index);
};
const refused = (body: object, problem: object): Exchange =>
  search(body, 422, { detail: expect.arrayContaining([expect.objectContaining(problem)]) });
const rankings = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.14', about, exchanges });

const both = 2 * inTitle(5);
const content = { customVector: { vector: [1, 0], content: 'red shoes' } };

const cases: Case[] = [
  rankings('texts rank nothing unless it is said', [
    ...[undefined, null, false].map((textRanking) =>
      finds({ q: 'red shoes', textRanking }, [
        ['c', both],
        ['d', both],
      ]),
    ),
  ]),
  rankings('words that stand as they were typed come first', [
    finds({ q: 'C#', textRanking: true }, [
      ['b', inTitle(2) * 1.5],
      ['a', inTitle(2) * 1.25],
    ]),
    finds({ q: 'c++', textRanking: { exactness: 1 } }, [
      ['a', inTitle(2) * 1.75],
      ['b', inTitle(2) * 1.5],
    ]),
  ]),
  rankings('of equal scores the more exact is first', [
    finds({ q: 'C#', textRanking: { exactness: 0 } }, [
      ['b', inTitle(2)],
      ['a', inTitle(2)],
    ]),
  ]),
  rankings('words that stand together come first', [
    finds({ q: 'red shoes', textRanking: { exactness: 0, proximity: 1 } }, [
      ['d', both * 2],
      ['c', both * 1.4],
    ]),
    finds({ q: 'red shoes', textRanking: true }, [
      ['d', both * 2],
      ['c', both * 1.7],
    ]),
  ]),
  rankings('the order of fields', [
    finds({ q: 'kettle', textRanking: { exactness: 0, fields: ['title', 'plot'] } }, [['f'], ['e']]),
    finds({ q: 'kettle', textRanking: { exactness: 0, fieldOrder: 9, fields: ['plot'] } }, [['e'], ['f']]),
  ]),
  rankings('the first candidates alone, whatever the page', [
    finds({ q: 'red shoes', textRanking: { candidates: 1 } }, [
      ['c', both * 1.7],
      ['d', both],
    ]),
    finds({ q: 'red shoes', textRanking: true, limit: 1, offset: 1 }, [['c', both * 1.7]]),
  ]),
  rankings('the lexical leg of a hybrid search', [
    finds(
      {
        q: content,
        searchMethod: 'HYBRID',
        hybridParameters: legs('lexical', 'lexical'),
        textRanking: { exactness: 0 },
      },
      [
        ['d', both * 1.5],
        ['c', both * 1.2],
      ],
    ),
    finds({ q: content, searchMethod: 'HYBRID', textRanking: true }, [['d'], ['c']]),
  ]),
  rankings('modifiers come before', [
    finds(
      {
        q: 'red shoes',
        textRanking: { exactness: 0 },
        scoreModifiers: { add_to_score: [{ field_name: 'nothing', weight: 1 }] },
      },
      [
        ['d', both * 1.5],
        ['c', both * 1.2],
      ],
    ),
  ]),
  rankings('an explanation tells the signals', [
    search({ q: 'red shoes', textRanking: true, limit: 1, explain: true }, 200, {
      hits: [
        expect.objectContaining({
          _id: 'd',
          _explanation: expect.objectContaining({
            value: expect.closeTo(both * 2, 5),
            operation: 'product',
            details: [
              expect.objectContaining({ value: expect.closeTo(both, 5) }),
              expect.objectContaining({
                value: 2,
                operation: 'sum',
                details: [
                  expect.objectContaining({ value: 1 }),
                  expect.objectContaining({ value: 0.5, description: 'weight · exactness' }),
                  expect.objectContaining({ value: 0.5, description: 'weight · proximity' }),
                  expect.objectContaining({ value: 0, description: 'weight · field order' }),
                ],
              }),
            ],
          }),
        }),
      ],
    }),
  ]),
  rankings('a field that is not there', [
    finds({ q: 'kettle', textRanking: { fields: ['title'] } }, [['f']], S),
    search({ q: 'x', textRanking: { fields: ['nowhere'] } }, 400, { code: 'invalid_field_name' }, S),
    search({ q: 'x', textRanking: { fields: ['__chunks'] } }, 400, { code: 'invalid_field_name' }),
  ]),
  ...[
    'maybe',
    [],
    { exactness: -1 },
    { proximity: 11 },
    { candidates: 0 },
    { candidates: 1001 },
    { fields: [] },
    { fieldOrder: 1 },
    { typos: 1 },
  ].map((textRanking) =>
    rankings(`no textRanking ${JSON.stringify(textRanking)}`, [
      refused({ q: 'x', textRanking }, { loc: expect.arrayContaining([...inBody('textRanking')]) }),
    ]),
  ),
  rankings('words find and rank', [
    refused(
      { q: { customVector: { vector: [1, 0] } }, searchMethod: 'TENSOR', textRanking: true },
      { msg: expect.stringContaining('textRanking') },
    ),
    ...[legs('tensor', 'lexical'), legs('lexical', 'tensor'), legs('tensor', 'tensor')].map((hybridParameters) =>
      refused(
        { q: content, searchMethod: 'HYBRID', hybridParameters, textRanking: true },
        { msg: expect.stringContaining('textRanking') },
      ),
    ),
    refused(
      { q: 'x', textRanking: true, sortBy: { fields: [{ fieldName: 'n' }] } },
      { msg: expect.stringContaining("'textRanking' cannot be used with 'sortBy'") },
    ),
    refused(
      {
        q: content,
        searchMethod: 'HYBRID',
        hybridParameters: { ...legs('lexical', 'lexical'), secondPhaseModifier: true },
        textRanking: true,
      },
      { msg: expect.stringContaining('secondPhaseModifier') },
    ),
  ]),
];

const preparation = [
  create(U, own(2)),
  create(
    S,
    own(2, {
      type: 'structured',
      allFields: [field('title', 'text', 'lexical_search'), field('plot', 'text')],
      tensorFields: [],
    }),
  ),
  add(U, documents, { tensorFields: [] }),
  add(S, [{ _id: 'f', title: 'kettle' }]),
];

export const textRanking: Part = { title: 'Ranking by texts', preparation, cases };
