import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { S, U } from './kinds.js';

const documents = [
  { _id: 'a', title: 'open water' },
  { _id: 'b', title: 'open cold water' },
  { _id: 'c', title: 'water open' },
  { _id: 'd', title: 'open the cold water' },
  { _id: 'e', title: 'open', body: 'water' },
  { _id: 'f', title: 't big shirt' },
];

const search = (body: object): Pick<Exchange, 'request' | 'body'> => ({
  request: `POST /indexes/${U}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
});
const finds = (body: object, found: string[], rest: object = {}): Exchange => ({
  ...search(body),
  status: 200,
  answer: expect.objectContaining({ hits: found.map((_id) => expect.objectContaining({ _id })), ...rest }),
});
const ofTags = { request: `POST /indexes/${S}/search` };
const refused = (body: object, problem: object): Exchange => ({
  ...search(body),
  status: 422,
  answer: expect.objectContaining({ detail: expect.arrayContaining([expect.objectContaining(problem)]) }),
});
const apart = (about: string, exchanges: Exchange[]): Case => ({ section: 'search 4.17', about, exchanges });

const q = '"open water"';
const total = (count: number) => ({ totalHits: count });

const cases: Case[] = [
  apart(
    'words of a phrase stand side by side unless it is said',
    [undefined, null, 0].map((phraseSlop) => finds({ q, phraseSlop, trackTotalHits: true }, ['a'], total(1))),
  ),
  apart('each move lets them stand further apart, the nearest first', [
    finds({ q, phraseSlop: 1, trackTotalHits: true }, ['a', 'b'], total(2)),
    finds({ q, phraseSlop: 2, trackTotalHits: true }, ['a', 'b', 'c', 'd'], total(4)),
    finds({ q: `${q} cold`, phraseSlop: 2 }, ['b', 'd', 'a', 'c']),
    finds({ q, phraseSlop: 100, filter: 'title:(water open)' }, ['c']),
  ]),
  apart('the texts of a list are one token apart', [
    { ...finds({ q: '"green lamp"' }, []), ...ofTags },
    { ...finds({ q: '"green lamp"', phraseSlop: 1 }, ['g']), ...ofTags },
    { ...finds({ q: '"big lamp"', phraseSlop: 1 }, []), ...ofTags },
  ]),
  apart('words outside of quotes are as without it', [
    finds({ q: 't-shirt', phraseSlop: 9 }, []),
    finds({ q: '"t-shirt"', phraseSlop: 9 }, ['f']),
    finds({ q: 'cold', phraseSlop: 9 }, ['b', 'd']),
  ]),
  apart('highlights mark its words, and an explanation has its frequency', [
    finds({ q, phraseSlop: 1, filter: 'title:(open cold water)', lexicalHighlights: true, explain: true }, ['b'], {
      hits: [
        expect.objectContaining({
          _lexicalHighlights: { title: ['<em>open</em> cold <em>water</em>'] },
          _explanation: expect.objectContaining({
            details: [
              expect.objectContaining({
                operation: 'bm25',
                term: 'open water',
                details: expect.arrayContaining([
                  expect.objectContaining({ value: 0.5, description: expect.stringContaining('frequency') }),
                ]),
              }),
            ],
          }),
        }),
      ],
    }),
  ]),
  apart('facets count what was found', [
    finds({ q, phraseSlop: 1, facets: { fields: { title: { type: 'string' } } } }, ['a', 'b'], {
      facets: { title: { 'open water': { count: 1 }, 'open cold water': { count: 1 } } },
    }),
  ]),
  apart('the words of a hybrid search have it', [
    finds(
      {
        searchMethod: 'HYBRID',
        hybridParameters: { queryLexical: q, retrievalMethod: 'lexical', rankingMethod: 'lexical' },
        phraseSlop: 1,
      },
      ['a', 'b'],
    ),
  ]),
  ...[-1, 101, 1.5, 'wide', true].map((phraseSlop) =>
    apart(`no phraseSlop ${JSON.stringify(phraseSlop)}`, [refused({ q, phraseSlop }, { loc: inBody('phraseSlop') })]),
  ),
  apart('not where words have no say', [
    refused(
      { searchMethod: 'TENSOR', q: { customVector: { vector: [1, 0] } }, phraseSlop: 1 },
      {
        msg: "phraseSlop can only be provided for 'LEXICAL' and 'HYBRID' search. Search method is TENSOR.",
      },
    ),
    refused(
      { q: undefined, sparseQuery: { fieldName: 's', indices: [1], values: [1] }, phraseSlop: 1 },
      { msg: "'phraseSlop' cannot be used with 'sparseQuery': it is about words, and a sparse vector has none" },
    ),
  ]),
];

const preparation = [
  create(U, own(2)),
  add(U, documents, { tensorFields: [] }),
  create(S, structured([field('tags', 'array<text>', 'lexical_search')])),
  add(S, [{ _id: 'g', tags: ['big green', 'lamp'] }]),
];

export const phraseSlop: Part = { title: 'Phrases whose words stand apart', preparation, cases };
