import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { caseNotOnCluster, notOnCluster } from './cluster.js';
import { add, finds } from './documents.js';
import { inBody, problems, unprocessable } from './errors.js';
import { create, field, hasSettings, own, structured, unstructuredDefaults } from './indexes.js';

const member = 'filterFolding';
const folding = { [member]: 'caseAndAccents' };
const decomposed = 'Cafe\u0301';

const documents = [
  { _id: 'a', brand: 'Café', tags: ['Crème', 'creme', 'neu'], kind: 'x' },
  { _id: 'b', brand: 'CAFE', tags: ['CREME'], kind: 'x' },
  { _id: 'c', brand: decomposed, kind: 'y' },
  { _id: 'd', brand: 'Cafeteria', tags: ['Straße'], kind: 'x' },
  { _id: 'e', brand: 'ガーデン', tags: ['мой'], kind: 'x' },
  { _id: 'f', brand: 'カーデン', tags: ['мои'], kind: 'y' },
];
const FOLDED = ['folded', 'folded_declared'];

const everywhere = (filter: string, ids: string[]): Exchange[] =>
  FOLDED.map((index) => finds(index, { filter }, ...ids));
const folded = (about: string, exchanges: Exchange[]): Case =>
  caseNotOnCluster(member, { section: 'search 3.2', about, exchanges });
const passes = (filter: string, ids: string[]): Case =>
  folded(`accents do not count in ${filter}`, everywhere(filter, ids));

const facets = (index: string, rest: object, counted: object): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: {
    searchMethod: 'LEXICAL',
    q: '*',
    facets: { fields: { brand: { type: 'string' }, tags: { type: 'array' } } },
    ...rest,
  },
  status: 200,
  answer: expect.objectContaining({ facets: counted }),
});

const cases: Case[] = [
  {
    section: 'search 3.2',
    about: 'accents count unless an index was made otherwise',
    exchanges: [
      finds('told', { filter: 'brand:café' }, 'a', 'c'),
      finds('told', { filter: 'brand:cafe' }, 'b'),
      finds('told', { filter: 'brand:cafe*' }, 'b', 'd'),
    ],
  },
  passes('brand:cafe', ['a', 'b', 'c']),
  passes('brand:(CAFÉ)', ['a', 'b', 'c']),
  passes(`brand:${decomposed}`, ['a', 'b', 'c']),
  passes('brand IN (café, nothing)', ['a', 'b', 'c']),
  passes('brand:cafe*', ['a', 'b', 'c', 'd']),
  passes('brand:CAFÉT*', ['d']),
  passes('NOT brand:cafe', ['d', 'e', 'f']),
  passes('tags:creme', ['a', 'b']),
  passes('tags IN (STRASSE)', ['d']),
  folded('signs that make another word count in every script', [
    ...everywhere('brand:ガーデン', ['e']),
    ...everywhere('tags:мой', ['e']),
    ...everywhere('tags:мои', ['f']),
  ]),
  folded(
    'facets count texts of one form once, under the spelling that most documents have',
    FOLDED.flatMap((index) => [
      facets(
        index,
        {},
        {
          brand: { Café: { count: 3 }, Cafeteria: { count: 1 }, カーデン: { count: 1 }, ガーデン: { count: 1 } },
          tags: {
            CREME: { count: 2 },
            Straße: { count: 1 },
            neu: { count: 1 },
            мои: { count: 1 },
            мой: { count: 1 },
          },
        },
      ),
      facets(
        index,
        { filter: 'brand:cafe AND NOT kind:y' },
        {
          brand: { CAFE: { count: 2 } },
          tags: { CREME: { count: 2 }, neu: { count: 1 } },
        },
      ),
    ]),
  ),
  folded('a changed text is found by its new form alone', [
    {
      request: 'PATCH /indexes/folded/documents',
      body: { documents: [{ _id: 'f', brand: 'CAFÈ' }] },
      status: 200,
      answer: expect.objectContaining({ errors: false }),
    },
    finds('folded', { filter: 'brand:cafe' }, 'a', 'b', 'c', 'f'),
    finds('folded', { filter: 'brand:カーデン' }),
  ]),
  folded('the settings show it', [
    hasSettings('folded', {
      ...unstructuredDefaults,
      model: 'no_model',
      modelProperties: { type: 'no_model', dimensions: 2 },
      ...folding,
    }),
  ]),
  {
    section: 'search 3.2',
    about: 'another value is refused',
    exchanges: ['accents', 1].map((value) => ({
      request: 'POST /indexes/other',
      body: own(2, { [member]: value }),
      ...unprocessable(problems.oneOf(inBody(member), ['case', 'caseAndAccents'])),
    })),
  },
];

const preparation = [
  create('told', own(2, { [member]: 'case' })),
  add('told', documents, { tensorFields: [] }),
  ...[
    create('folded', own(2, folding)),
    create('folded_declared', {
      ...structured([
        field('brand', 'text', 'filter'),
        field('tags', 'array<text>', 'filter'),
        field('kind', 'text', 'filter', 'lexical_search'),
      ]),
      ...folding,
    }),
    add('folded', documents, { tensorFields: [] }),
    add('folded_declared', documents),
  ].map(notOnCluster(member)),
];

export const filterFolding: Part = { title: 'Filters without accents', preparation, cases };
