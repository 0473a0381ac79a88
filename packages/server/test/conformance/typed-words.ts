import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody } from './errors.js';
import { create, field, own } from './indexes.js';
import { S, U } from './kinds.js';
import { legs } from './ranked.js';

/** An index of words that are a typo or two apart. */
const near = 'near';

const documents = [
  { _id: 'a', title: 'Kettle', body: 'for water', price: 3 },
  { _id: 'b', title: 'Kettlebells', body: 'for running', price: 5 },
  { _id: 'c', title: 'Water', body: 'a ket', price: 7 },
  { _id: 'd', title: 'Reddish', body: 'red shoes, 🎈 and Übungen x200', price: 9 },
];

/** A cluster has no list of words to complete or to correct. */
const onCluster = {
  status: 400,
  answer: expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('prefix') }),
};
const ids = (...found: string[]) => found.map((_id) => expect.objectContaining({ _id }));
const whole = (body: object, found: string[], rest: object = {}): Exchange => ({
  request: `POST /indexes/${U}/search`,
  body: { searchMethod: 'LEXICAL', ...body },
  status: 200,
  answer: expect.objectContaining({ hits: ids(...found), ...rest }),
});
const finds = (...search: Parameters<typeof whole>): Exchange => ({ ...whole(...search), onCluster });
const of =
  (section: string) =>
  (about: string, exchanges: Exchange[]): Case => ({ section, about, exchanges });
const prefixes = of('search 4.6');
const typos = of('search 4.7');
const spellings = of('search 4.8');
const refused = (body: object, problem: object): Exchange => ({
  request: `POST /indexes/${U}/search`,
  body,
  status: 422,
  answer: expect.objectContaining({ detail: expect.arrayContaining([expect.objectContaining(problem)]) }),
});

const cases: Case[] = [
  prefixes('words are whole unless it is said', [
    whole({ q: 'kettl' }, ['a']),
    whole({ q: 'kett' }, []),
    ...[null, 'none', {}, { title: 'none' }].map((prefix) => whole({ q: 'kett', prefix }, [])),
  ]),
  prefixes('the word itself comes before words that it begins', [finds({ q: 'ket', prefix: 'last' }, ['c', 'a', 'b'])]),
  prefixes('a beginning is that of a word, whatever its stem is', [
    finds({ q: 'runnin', prefix: 'last' }, ['b']),
    finds({ q: 'KETTLEBELL', prefix: 'last' }, ['b']),
    finds({ q: 'übunge', prefix: 'last' }, ['d']),
  ]),
  prefixes('the last word, or all', [
    finds({ q: 'kett redd', prefix: 'last' }, ['d']),
    finds({ q: 'kett redd', prefix: 'all' }, ['d', 'a', 'b']),
  ]),
  prefixes('words in quotes are whole', [
    finds({ q: '"kett"', prefix: 'all' }, []),
    finds({ q: 'kett "water"', prefix: 'all' }, ['a', 'c']),
    finds({ q: 'kett "running"', prefix: 'last' }, ['b']),
  ]),
  prefixes('fields that are named', [
    finds({ q: 'ket', prefix: { title: 'last' } }, ['c', 'a', 'b']),
    finds({ q: 'sho', prefix: { title: 'last' } }, []),
    finds({ q: 'ket', prefix: 'last', searchableAttributes: ['title'] }, ['a', 'b']),
  ]),
  prefixes('filters, totals and facets take part', [
    finds(
      {
        q: 'ket',
        prefix: 'last',
        filter: 'price:[4 TO 8]',
        trackTotalHits: true,
        facets: { fields: { price: { type: 'number' } } },
      },
      ['c', 'b'],
      { totalHits: 2 },
    ),
  ]),
  prefixes('a hybrid search completes the words of its lexical leg', [
    finds(
      {
        q: { customVector: { vector: [1, 0], content: 'kettleb' } },
        searchMethod: 'HYBRID',
        hybridParameters: legs('lexical', 'lexical'),
        prefix: 'last',
      },
      ['b'],
    ),
  ]),
  prefixes('highlights mark the words that were found', [
    finds({ q: 'kettleb', prefix: 'last', lexicalHighlights: true }, ['b'], {
      hits: [expect.objectContaining({ _lexicalHighlights: { title: ['<em>Kettlebells</em>'] } })],
    }),
  ]),
  prefixes('an explanation names the word', [
    finds({ q: 'kettleb', prefix: 'last', explain: true }, ['b'], {
      hits: [
        expect.objectContaining({
          _explanation: expect.objectContaining({
            details: [
              expect.objectContaining({
                operation: 'idfShare',
                field: 'title',
                details: expect.arrayContaining([
                  expect.objectContaining({ description: expect.stringContaining('"kettlebells"') }),
                ]),
              }),
            ],
          }),
        }),
      ],
    }),
  ]),
  prefixes('pages of a cursor', [
    {
      ...finds({ q: 'ket', prefix: 'last', limit: 2, withCursor: true }, ['c', 'a']),
    },
    {
      request: `POST /indexes/${U}/search`,
      body: (cursor: unknown) => ({ cursor }),
      status: 200,
      answer: expect.objectContaining({ hits: ids('b') }),
      onCluster: { status: 400 },
    },
  ]),
  prefixes('a structured index', [
    { ...finds({ q: 'ket', prefix: { title: 'last' } }, ['a']), request: `POST /indexes/${S}/search` },
    {
      request: `POST /indexes/${S}/search`,
      body: { q: 'ket', searchMethod: 'LEXICAL', prefix: { nowhere: 'last' } },
      status: 400,
      answer: expect.objectContaining({ message: expect.stringContaining('nowhere') }),
    },
  ]),
  prefixes('a name that no field has', [
    {
      request: `POST /indexes/${U}/search`,
      body: { q: 'ket', searchMethod: 'LEXICAL', prefix: { __chunks: 'last' } },
      status: 400,
      answer: expect.objectContaining({ code: 'invalid_field_name' }),
    },
  ]),
  typos('words are exact unless it is said', [
    whole({ q: 'kettel' }, []),
    ...[null, false].map((typoTolerance) => whole({ q: 'kettel', typoTolerance }, [])),
  ]),
  typos('a character too many, too few, another one, or two swapped', [
    ...['kkettle', 'ketle', 'kittle', 'ketlte'].map((q) => finds({ q, typoTolerance: true }, ['a'])),
    finds({ q: 'runing', typoTolerance: true }, ['b']),
  ]),
  typos('one from four characters on, two from eight', [
    finds({ q: 'wtr', typoTolerance: true }, []),
    finds({ q: 'wter', typoTolerance: true }, ['a', 'c']),
    finds({ q: 'kitel', typoTolerance: true }, []),
    finds({ q: 'kettebels', typoTolerance: true }, ['b']),
  ]),
  typos('a word that is too short by one may lack a character, where nothing is written or begins so', [
    finds({ q: 'wate', typoTolerance: { oneTypoFrom: 5 } }, ['a', 'c']),
    finds({ q: 'waer', typoTolerance: { oneTypoFrom: 6 } }, []),
    finds({ q: 'kettle', typoTolerance: { oneTypoFrom: 7 } }, ['a']),
    finds({ q: 'wtaer', typoTolerance: { oneTypoFrom: 6 } }, []),
  ]),
  typos('lengths that are said', [
    finds({ q: 'ktt', typoTolerance: { oneTypoFrom: 3 } }, ['c']),
    finds({ q: 'ketel', typoTolerance: true }, []),
    finds({ q: 'ketel', typoTolerance: { twoTyposFrom: 5 } }, ['c', 'a']),
    finds({ q: 'kettel', typoTolerance: { oneTypoFrom: 7 } }, []),
    finds({ q: 'kettel', typoTolerance: {} }, ['a']),
  ]),
  typos('the word itself comes first, then one typo, then two', [
    { ...finds({ q: 'kettlebell', typoTolerance: true }, ['z', 'y', 'x']), request: `POST /indexes/${near}/search` },
  ]),
  typos('numbers, codes and words in quotes are exact', [
    finds({ q: 'x2000', typoTolerance: true }, []),
    finds({ q: '"kettel"', typoTolerance: true }, []),
  ]),
  typos('fields that are exact', [
    finds({ q: 'kettel', typoTolerance: { fields: { title: false, body: true } } }, []),
    finds({ q: 'wtaer', typoTolerance: { fields: { title: false } } }, ['a']),
  ]),
  typos('the last word as a beginning with a typo', [
    finds({ q: 'kettelb', prefix: 'last', typoTolerance: true }, ['b']),
    finds({ q: 'shose ketleb', prefix: 'last', typoTolerance: true }, ['b', 'd']),
  ]),
  typos('highlights mark the word, and an explanation tells the edits', [
    finds({ q: 'kittle', typoTolerance: true, lexicalHighlights: true, explain: true }, ['a'], {
      hits: [
        expect.objectContaining({
          _lexicalHighlights: { title: ['<em>Kettle</em>'] },
          _explanation: expect.objectContaining({
            details: [
              expect.objectContaining({
                operation: 'idfShare',
                term: 'kettl',
                details: expect.arrayContaining([
                  expect.objectContaining({ description: expect.stringContaining('"kettle", which is one edit away') }),
                ]),
              }),
            ],
          }),
        }),
      ],
    }),
  ]),
  typos('a structured index', [
    { ...finds({ q: 'kettel', typoTolerance: true }, ['a']), request: `POST /indexes/${S}/search` },
    {
      request: `POST /indexes/${S}/search`,
      body: { q: 'ket', searchMethod: 'LEXICAL', typoTolerance: { fields: { nowhere: false } } },
      status: 400,
      answer: expect.objectContaining({ message: expect.stringContaining('nowhere') }),
    },
  ]),
  ...(
    [
      [prefixes, 'prefix', 'last'],
      [typos, 'typoTolerance', true],
      [spellings, 'splitJoinTokens', true],
    ] as const
  ).flatMap(([part, name, value]) => [
    part(`no ${name} with TENSOR`, [
      refused({ q: { customVector: { vector: [1, 0] } }, [name]: value }, { msg: expect.stringContaining(name) }),
    ]),
    part(`no ${name} where vectors find and rank`, [
      refused(
        {
          q: { customVector: { vector: [1, 0], content: 'x' } },
          searchMethod: 'HYBRID',
          hybridParameters: legs('tensor', 'tensor'),
          [name]: value,
        },
        { msg: expect.stringContaining(name) },
      ),
    ]),
  ]),
  ...[1, true, 'first', ['last'], { title: 'first' }, { title: null }].map((prefix) =>
    prefixes(`no prefix ${JSON.stringify(prefix)}`, [
      refused({ q: 'x', searchMethod: 'LEXICAL', prefix }, { loc: expect.arrayContaining([...inBody('prefix')]) }),
    ]),
  ),
  ...[
    'all',
    [],
    { oneTypoFrom: 0 },
    { twoTyposFrom: 129 },
    { oneTypoFrom: 5, twoTyposFrom: 4 },
    { oneTypoFrom: 'x' },
    { fields: { title: 'x' } },
    { numbers: true },
  ].map((typoTolerance) =>
    typos(`no typoTolerance ${JSON.stringify(typoTolerance)}`, [
      refused(
        { q: 'x', searchMethod: 'LEXICAL', typoTolerance },
        { loc: expect.arrayContaining([...inBody('typoTolerance')]) },
      ),
    ]),
  ),
];

const preparation = [
  create(U, own(2)),
  create(
    S,
    own(2, {
      type: 'structured',
      allFields: [field('title', 'text', 'lexical_search'), field('s', 'text')],
      tensorFields: [],
    }),
  ),
  create(near, own(2)),
  add(
    near,
    [
      { _id: 'x', title: 'kettlbull' },
      { _id: 'y', title: 'kettlebull' },
      { _id: 'z', title: 'kettlebell' },
    ],
    { tensorFields: [] },
  ),
  add(U, documents, { tensorFields: [] }),
  add(S, [{ _id: 'a', title: 'Kettle', s: 'kettle' }]),
];

export const typedWords: Part = { title: 'Words while they are typed', preparation, cases };
