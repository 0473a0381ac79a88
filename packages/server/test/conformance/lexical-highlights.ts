import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add } from './documents.js';
import { inBody, unprocessable } from './errors.js';
import { create, field, own } from './indexes.js';
import { S, U } from './kinds.js';
import { legs } from './ranked.js';

const section = 'search 14';
const long = `${'Many other words. '.repeat(20)}A red dog. ${'Many other words. '.repeat(20)}One more dog.`;
const documents = [
  { _id: 'a', title: 'Dogs & <b>cats</b>', body: 'A red dog', v: { vector: [1, 0], content: '' } },
  { _id: 'b', title: 'Cats', body: long, v: { vector: [0, 1], content: '' } },
];
const words = (rest: object) => ({ q: 'dog', searchMethod: 'LEXICAL', limit: 1, filter: '_id:a', ...rest });
const deep = (lexicalHighlights: unknown) => words({ q: 'red dog', filter: '_id:b', lexicalHighlights });
const hybrid = (rest: object, hybridParameters: object = {}) => ({
  q: { customVector: { vector: [1, 0], content: 'dog' } },
  searchMethod: 'HYBRID',
  hybridParameters,
  limit: 1,
  ...rest,
});

const shows = (body: object, highlights: object, index: string = U): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { lexicalHighlights: true, ...body },
  status: 200,
  answer: expect.objectContaining({ hits: [expect.objectContaining({ _lexicalHighlights: highlights })] }),
});
const one = (about: string, ...exchanges: Exchange[]): Case => ({ section, about, exchanges });
const refuses = (about: string, body: object, problem: object): Case =>
  one(about, {
    request: `POST /indexes/${U}/search`,
    body,
    ...unprocessable(expect.objectContaining(problem) as never),
  });
const both = { title: ['<em>Dogs</em> & <b>cats</b>'], body: ['A red <em>dog</em>'] };
const told = (text: string) => ({ msg: expect.stringContaining(text) });

const cases: Case[] = [
  one('each field in which a word stands, its text as it was sent', shows(words({}), both)),
  one(
    'a structured index, the texts of a list too',
    shows(words({}), { title: ['<em>Dogs</em>'], tags: ['a <em>dog</em>'] }, S),
  ),
  one(
    'each text of a list',
    shows(
      words({ lexicalHighlights: { numberOfFragments: 0 } }),
      {
        title: ['<em>Dogs</em>'],
        tags: ['a <em>dog</em>', 'the <em>dog</em>'],
      },
      S,
    ),
  ),
  one(
    'the part of most words first, cut where words end',
    shows(deep({ fragmentSize: 25, numberOfFragments: 2 }), {
      body: ['words. A <em>red</em> <em>dog</em>. Many', 'words. One more <em>dog</em>.'],
    }),
  ),
  one(
    'the text as a whole',
    shows(deep({ numberOfFragments: 0 }), {
      body: [long.replace('red', '<em>red</em>').replaceAll('dog', '<em>dog</em>')],
    }),
  ),
  one(
    'tags of one’s own',
    shows(words({ lexicalHighlights: { preTag: '[', postTag: '' } }), {
      title: ['[Dogs & <b>cats</b>'],
      body: ['A red [dog'],
    }),
  ),
  one('fields that are named', shows(words({ lexicalHighlights: { fields: ['body'] } }), { body: both.body })),
  one('fields that are searched', shows(words({ searchableAttributes: ['title'] }), { title: both.title })),
  one('fields that are retrieved', shows(words({ attributesToRetrieve: ['body'] }), { body: both.body })),
  one('a phrase where it stands', shows(words({ q: '"red dog"' }), { body: ['A <em>red</em> <em>dog</em>'] })),
  one('words of a hybrid search', shows(hybrid({}), both), shows(hybrid({}, legs('tensor', 'lexical')), both)),
  one('no words in a hybrid search that weighs them 0', shows(hybrid({}, { alpha: 1 }), {})),
  one('every document', shows(words({ q: '*' }), {})),
  ...[false, null].map((lexicalHighlights) =>
    one(`lexicalHighlights ${lexicalHighlights} shows nothing`, {
      request: `POST /indexes/${U}/search`,
      body: words({ lexicalHighlights }),
      status: 200,
      answer: expect.objectContaining({
        hits: [expect.not.objectContaining({ _lexicalHighlights: expect.anything() })],
      }),
    }),
  ),
  one('a field that is not there', {
    request: `POST /indexes/${S}/search`,
    body: words({ lexicalHighlights: { fields: ['nowhere'] } }),
    status: 400,
    answer: expect.objectContaining({ message: expect.stringContaining('nowhere') }),
  }),
  refuses(
    'no words with TENSOR',
    { q: { customVector: { vector: [1, 0] } }, lexicalHighlights: true },
    told('lexicalHighlights'),
  ),
  refuses(
    'no words where vectors find and rank',
    hybrid({ lexicalHighlights: true }, legs('tensor', 'tensor')),
    told('lexicalHighlights'),
  ),
  ...Object.entries({
    fragmentSize: [0, 100_001],
    numberOfFragments: [-1, 101],
    preTag: ['x'.repeat(101)],
    fields: [[]],
  }).flatMap(([name, values]) =>
    values.map((value, at) =>
      refuses(`bound ${at + 1} of ${name}`, words({ lexicalHighlights: { [name]: value } }), {
        loc: inBody('lexicalHighlights', name),
      }),
    ),
  ),
  refuses('a member that it has not', words({ lexicalHighlights: { order: 1 } }), {
    loc: inBody('lexicalHighlights', 'order'),
  }),
];

const preparation = [
  create(U, own(2)),
  create(
    S,
    own(2, {
      type: 'structured',
      allFields: [
        field('title', 'text', 'lexical_search'),
        field('tags', 'array<text>', 'lexical_search'),
        field('s', 'text'),
      ],
      tensorFields: [],
    }),
  ),
  add(U, documents, { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } }),
  add(S, [{ _id: 'a', title: 'Dogs', tags: ['a dog', 'cats', 'the dog'], s: 'dog' }]),
];

export const lexicalHighlights: Part = { title: 'Lexical highlights', preparation, cases };
