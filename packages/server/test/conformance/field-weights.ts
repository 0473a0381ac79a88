import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, field, own } from './indexes.js';
import { S, U } from './kinds.js';
import { legs } from './ranked.js';

/** Texts of one length, so that a word counts the same wherever it stands. */
const documents = [
  { _id: 'a', title: 'storm', body: 'boat' },
  { _id: 'b', title: 'boat', body: 'storm' },
  { _id: 'c', title: 'storm', body: 'storm' },
];

const ids = (...found: string[]) => found.map((_id) => expect.objectContaining({ _id }));
const finds = (body: object, hits: unknown, index: string = U): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { q: 'storm', searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: expect.objectContaining({ hits }),
});
const refused = (status: number, body: object, answer: object): Exchange => ({
  request: `POST /indexes/${S}/search`,
  body: { q: 'storm', searchMethod: 'LEXICAL', ...body },
  status,
  answer: expect.objectContaining(answer),
});
const weights = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.11', about, exchanges });

/** The BM25 of a word that every document of three has, in a text of the mean length. */
const each = 0.13353139;
const scored = (found: Record<string, number>) =>
  Object.entries(found).map(([_id, share]) =>
    expect.objectContaining({ _id, _score: expect.closeTo(share * each, 5) }),
  );

const cases: Case[] = [
  weights('fields weigh 1 unless it is said', [
    ...[undefined, null, {}, { title: 1 }].map((fieldWeights) => finds({ fieldWeights }, scored({ c: 2, a: 1, b: 1 }))),
  ]),
  weights('a weight multiplies what the words of a field add', [
    finds({ fieldWeights: { title: 3 } }, scored({ c: 4, a: 3, b: 1 })),
    finds({ fieldWeights: { title: 0.5 } }, scored({ c: 1.5, b: 1, a: 0.5 })),
    finds({ fieldWeights: { title: 3, body: 3.5 } }, scored({ c: 6.5, b: 3.5, a: 3 })),
  ]),
  weights('fields that are searched, in a hybrid search too', [
    finds({ fieldWeights: { title: 0.5 }, searchableAttributes: ['body'] }, ids('b', 'c')),
    finds(
      {
        q: { customVector: { vector: [1, 0], content: 'storm' } },
        searchMethod: 'HYBRID',
        hybridParameters: legs('lexical', 'lexical'),
        fieldWeights: { body: 9 },
      },
      ids('c', 'b', 'a'),
    ),
  ]),
  weights('words that stand for others', [
    {
      ...finds({ q: 'stor', prefix: 'last', fieldWeights: { body: 9 } }, ids('c', 'b', 'a')),
      onCluster: { status: 400 },
    },
  ]),
  weights('an explanation tells them', [
    finds({ fieldWeights: { title: 3 }, limit: 1, explain: true }, [
      expect.objectContaining({
        _id: 'c',
        _explanation: expect.objectContaining({
          details: expect.arrayContaining([
            expect.objectContaining({
              field: 'title',
              description: expect.stringMatching(/^weight · count · idf/),
              details: expect.arrayContaining([
                expect.objectContaining({ value: 3, description: 'weight of the field' }),
              ]),
            }),
            expect.objectContaining({ field: 'body', description: expect.stringMatching(/^count · idf/) }),
          ]),
        }),
      }),
    ]),
  ]),
  weights('fields that are not there', [
    finds({ fieldWeights: { body: 2 } }, ids('c', 'b', 'a'), S),
    refused(400, { fieldWeights: { nowhere: 2 } }, { message: expect.stringContaining('nowhere') }),
    refused(400, { fieldWeights: { __chunks: 2 } }, { code: 'invalid_field_name' }),
    refused(400, { fieldWeights: { title: 2, nowhere: 1 } }, { code: 'invalid_field_name' }),
    ...[1, 2].map((weight) => ({
      ...refused(400, { fieldWeights: { nobody: weight } }, { code: 'invalid_field_name' }),
      request: `POST /indexes/${U}/search`,
    })),
  ]),
  ...[3, 'title', ['title'], { title: 'x' }, { title: null }, { title: 0 }, { title: -1 }, { title: 1001 }].map(
    (fieldWeights) =>
      weights(`no fieldWeights ${JSON.stringify(fieldWeights)}`, [
        refused(
          422,
          { fieldWeights },
          {
            detail: expect.arrayContaining([
              expect.objectContaining({ loc: expect.arrayContaining([...inBody('fieldWeights')]) }),
            ]),
          },
        ),
      ]),
  ),
  weights('not with TENSOR, nor where vectors find and rank', [
    ...[{}, { searchMethod: 'HYBRID', hybridParameters: legs('tensor', 'tensor') }].map((rest) =>
      refused(
        422,
        {
          q: { customVector: { vector: [1, 0], content: 'x' } },
          searchMethod: 'TENSOR',
          fieldWeights: { title: 2 },
          ...rest,
        },
        {
          detail: expect.arrayContaining([expect.objectContaining({ msg: expect.stringContaining('fieldWeights') })]),
        },
      ),
    ),
  ]),
];

const preparation = [
  create(U, own(2)),
  create(
    S,
    own(2, {
      type: 'structured',
      allFields: [field('title', 'text', 'lexical_search'), field('body', 'text', 'lexical_search')],
      tensorFields: [],
    }),
  ),
  add(U, documents, { tensorFields: [] }),
  add(S, documents),
];

export const fieldWeights: Part = { title: 'Weights of fields', preparation, cases };
