import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, updating, written } from './documents.js';
import { create, field, own, structured } from './indexes.js';
import { inBothKinds, type Kind, S, U } from './kinds.js';

const long = 'a name of more characters than texts to filter by may have';

const catalogue = (index: Kind) => [
  { _id: 'a', brand: 'Acme', tags: ['New', 'Sale', 'New'], price: 10, title: 'red shoe', v: own2(1, 0) },
  { _id: 'b', brand: 'ACME', tags: ['New'], price: 20.5, title: 'red hat', v: own2(0, 1) },
  { _id: 'c', brand: 'Zed', price: 50, title: 'red coat', stock: { north: 4 } },
  { _id: 'd', brand: 'Zed', tags: ['Sale'], title: 'blue shoe', stock: { north: 6 } },
  { _id: 'e', ...(index === U ? { brand: long } : {}), price: -3, title: 'green' },
];

const own2 = (...vector: number[]) => ({ vector, content: '' });

const fields = [
  field('brand', 'text', 'filter'),
  field('tags', 'array<text>', 'filter'),
  field('price', 'double', 'filter'),
  field('stock', 'map<text, int>', 'score_modifier'),
  field('title', 'text', 'lexical_search'),
  field('v', 'custom_vector'),
];

const filled = (index: Kind, settings: object): Exchange[] => [
  create(index, settings),
  {
    request: `POST /indexes/${index}/documents`,
    body: {
      documents: catalogue(index),
      ...(index === U ? { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } } : {}),
    },
    status: 200,
    answer: expect.objectContaining({ errors: false }),
  },
];

const words = { retrievalMethod: 'lexical', rankingMethod: 'lexical' };
const vectors = { retrievalMethod: 'tensor', rankingMethod: 'tensor' };

const searching = (index: string, body: object) => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'HYBRID', q: '*', hybridParameters: words, ...body },
});

/** Facets and totals of a search by words, of every document where it does not say which. */
const counts = (index: string, body: object, answer: object): Exchange => ({
  ...searching(index, body),
  status: 200,
  answer: expect.objectContaining(answer),
});

const counted = { trackTotalHits: true, facets: { fields: { tags: { type: 'array' } } } };

const facets = (index: string, asked: object, answer: object, body: object = {}): Exchange =>
  counts(index, { facets: { fields: asked }, ...body }, { facets: answer });

const refused = (index: string, body: object, msg: string): Exchange => ({
  ...searching(index, body),
  status: 422,
  answer: expect.objectContaining({
    code: 'unprocessable_entity',
    detail: [expect.objectContaining({ msg: expect.stringContaining(msg) })],
  }),
});

/** The members of an object in the order in which they are written. */
const inOrder = (member: string, ...names: string[]): unknown =>
  expect.toSatisfy((text: string) => {
    const written = text.slice(text.indexOf(`"${member}":{`));
    const places = names.map((name) => written.indexOf(`"${name}":`));
    return places.every((place, i) => place >= 0 && place > (places[i - 1] ?? -1));
  }, `${member} with ${names}`);

const count = (number: number) => ({ count: number });
const string = { type: 'string' };

const kinds: Case[] = [
  ...inBothKinds('search 8.3', 'texts are counted as they are written', (index) => [
    facets(index, { brand: string }, { brand: { Acme: count(1), ACME: count(1), Zed: count(2) } }),
  ]),
  {
    section: 'search 8.3',
    about: 'a text is one whatever its encoding, shown as it was written first, and a filter finds all of it',
    exchanges: [
      create('encodings', own(2)),
      add('encodings', [
        { _id: 'nfd', brand: 'Citroe\u0308n', tags: ['Cafe\u0301', 'Caf\u00e9'] },
        { _id: 'nfc', brand: 'Citro\u00ebn', tags: ['Caf\u00e9'] },
        { _id: 'none', brand: 'Citroen' },
      ]),
      facets(
        'encodings',
        { brand: string, tags: { type: 'array' } },
        { brand: { 'Citroe\u0308n': count(2), Citroen: count(1) }, tags: { 'Cafe\u0301': count(2) } },
      ),
      ...['brand:Citro\u00ebn', 'brand:CITROE\u0308N', 'brand IN (Citroe\u0308n)', 'tags:caf\u00e9'].map((filter) =>
        counts('encodings', { filter }, { totalHits: 2 }),
      ),
      counts('encodings', { filter: '_id:nfd OR _id:nfc' }, { totalHits: 2 }),
    ],
  },
  ...inBothKinds('search 8.3', 'texts are ordered by their count, equal ones by themselves', (index) => [
    {
      ...searching(index, { facets: { fields: { brand: string } } }),
      status: 200,
      text: inOrder('brand', 'Zed', 'ACME', 'Acme'),
    },
    {
      ...searching(index, { facets: { fields: { brand: { ...string, order: 'asc' } } } }),
      status: 200,
      text: inOrder('brand', 'ACME', 'Acme', 'Zed'),
    },
  ]),
  ...inBothKinds('search 8.3', 'only so many texts are listed', (index) => [
    facets(index, { brand: { ...string, maxResults: 1 } }, { brand: { Zed: count(2) } }),
    counts(
      index,
      { facets: { fields: { brand: string, tags: { type: 'array', maxResults: 5 } }, maxResults: 1 } },
      { facets: { brand: { Zed: count(2) }, tags: { New: count(2), Sale: count(2) } } },
    ),
  ]),
  ...inBothKinds('search 8.3', 'an element counts once for each document', (index) => [
    facets(index, { tags: { type: 'array' } }, { tags: { New: count(2), Sale: count(2) } }),
  ]),
  ...inBothKinds('search 8.3', 'numbers have sum, avg, min, max and count', (index) => [
    facets(index, { price: { type: 'number' } }, { price: { sum: 77.5, avg: 19.375, min: -3, max: 50, count: 4 } }),
  ]),
  ...inBothKinds('search 8.3', 'entries of a map are numbers too', (index) => [
    facets(
      index,
      { 'stock.north': { type: 'number' } },
      { 'stock.north': { sum: 10, avg: 5, min: 4, max: 6, count: 2 } },
    ),
  ]),
  ...inBothKinds('search 8.3', 'a range has its lower end and not its upper one', (index) => [
    facets(
      index,
      {
        price: {
          type: 'number',
          ranges: [{ from: 20.5, to: 50 }, { to: 10, name: 'low' }, { from: 50 }, { from: 11, to: 12 }],
        },
      },
      {
        price: {
          low: { sum: -3, avg: -3, min: -3, max: -3, count: 1 },
          '20.5:50.0': { sum: 20.5, avg: 20.5, min: 20.5, max: 20.5, count: 1 },
          '50.0:Inf': { sum: 50, avg: 50, min: 50, max: 50, count: 1 },
        },
      },
    ),
  ]),
  ...inBothKinds('search 8.3', 'a facet of another type than its values is empty', (index) => [
    facets(
      index,
      { brand: { type: 'number' }, tags: string, price: { type: 'array' } },
      { brand: { count: 0 }, tags: {}, price: {} },
    ),
  ]),
  ...inBothKinds('search 8.3', 'neither limit nor offset changes what is counted', (index) => [
    facets(
      index,
      { brand: string },
      { brand: { Acme: count(1), ACME: count(1), Zed: count(2) } },
      { limit: 1, offset: 3 },
    ),
  ]),
  ...inBothKinds('search 8.3', 'a document that does not pass the filter is not counted', (index) => [
    facets(index, { brand: string }, { brand: { Acme: count(1), ACME: count(1) } }, { filter: 'brand:acme' }),
    facets(index, { brand: string }, { brand: {} }, { filter: 'brand:nobody' }),
  ]),
  ...inBothKinds('search 8.3', 'a field may leave terms out of the filter, and no other field with it', (index) => [
    facets(
      index,
      { brand: { ...string, excludeTerms: ['brand:zed'] }, tags: { type: 'array' }, price: { type: 'number' } },
      {
        brand: { Acme: count(1), ACME: count(1), Zed: count(1) },
        tags: {},
        price: { sum: 50, avg: 50, min: 50, max: 50, count: 1 },
      },
      { filter: 'brand:zed AND price:[0 TO 100]' },
    ),
  ]),
  ...inBothKinds('search 8.3', 'a negated term is left out by the term and by its negation', (index) => [
    facets(
      index,
      { brand: { ...string, excludeTerms: ['NOT (brand:zed)'] }, tags: { type: 'array', excludeTerms: ['brand:zed'] } },
      { brand: { Acme: count(1), ACME: count(1), Zed: count(2) }, tags: { New: count(2), Sale: count(2) } },
      { filter: 'NOT brand:zed' },
    ),
  ]),
  ...inBothKinds('search 8.3', 'a term of several values is left out as a whole', (index) => [
    facets(
      index,
      { brand: { ...string, excludeTerms: ['brand IN (zed, nobody)'] }, tags: { type: 'array' } },
      { brand: { Acme: count(1), ACME: count(1), Zed: count(1) }, tags: {} },
      { filter: 'brand IN (zed,  nobody) AND price:[0 TO 100]' },
    ),
  ]),
  ...inBothKinds('search 8.3', 'a term is left out however its letters are encoded', (index) => [
    facets(
      index,
      { brand: string, tags: { type: 'array', excludeTerms: ['brand:cafe\u0301'] } },
      { brand: {}, tags: { New: count(2), Sale: count(2) } },
      { filter: 'brand:caf\u00e9' },
    ),
  ]),
  ...inBothKinds('search 8.3', 'only the best documents are counted, as deep as maxDepth', (index) => [
    counts(
      index,
      { q: 'red shoe', facets: { fields: { brand: string }, maxDepth: 1 } },
      { facets: { brand: { Acme: count(1) } }, totalHits: 4 },
    ),
  ]),
  ...inBothKinds('search 8.3', 'words and candidates of the tensor leg are counted together', (index) => [
    counts(
      index,
      {
        q: { customVector: { vector: [1, 0], content: 'coat' } },
        hybridParameters: {},
        facets: { fields: { brand: string } },
      },
      { facets: { brand: { Acme: count(1), ACME: count(1), Zed: count(1) } }, totalHits: 3 },
    ),
  ]),
  ...inBothKinds('search 8.3', 'by vectors alone their candidates are counted', (index) => [
    counts(
      index,
      { q: { customVector: { vector: [1, 0] } }, hybridParameters: vectors, facets: { fields: { brand: string } } },
      { facets: { brand: { Acme: count(1), ACME: count(1) } }, totalHits: 2 },
    ),
  ]),
  ...inBothKinds('search 8.4', 'hits are counted whatever the page', (index) => [
    counts(index, { q: 'red', limit: 1 }, { totalHits: 3 }),
    counts(index, { q: 'red', limit: 1, offset: 2, trackTotalHits: true }, { totalHits: 3 }),
    counts(index, { q: 'red "shoe"' }, { totalHits: 2 }),
    counts(index, { q: 'red', filter: 'brand:acme' }, { totalHits: 2 }),
    counts(index, { q: 'nothing' }, { hits: [], totalHits: 0 }),
  ]),
  ...inBothKinds('search 8.4', 'a search may leave the count out', (index) => [
    {
      ...searching(index, { q: 'green', trackTotalHits: false, attributesToRetrieve: [] }),
      status: 200,
      answer: {
        hits: [{ _id: 'e', _score: expect.any(Number), _highlights: [] }],
        query: 'green',
        limit: 10,
        offset: 0,
        processingTimeMs: expect.any(Number),
      },
    },
  ]),
  ...inBothKinds('search 8.4', 'other methods count where they are asked to', (index) => [
    {
      ...searching(index, { searchMethod: 'LEXICAL', hybridParameters: null, q: 'green', attributesToRetrieve: [] }),
      status: 200,
      answer: expect.not.objectContaining({ totalHits: expect.anything() }),
    },
    ...[0, 1].map((offset) =>
      counts(
        index,
        { searchMethod: 'LEXICAL', hybridParameters: null, q: 'red', limit: 1, offset, ...counted },
        { totalHits: 3, facets: { tags: { New: { count: 2 }, Sale: { count: 1 } } } },
      ),
    ),
    ...[0, 1].map((offset) =>
      counts(
        index,
        {
          searchMethod: 'TENSOR',
          hybridParameters: null,
          q: { customVector: { vector: [1, 0] } },
          filter: 'NOT _id:b',
          limit: 1,
          offset,
          ...counted,
        },
        { totalHits: 1, facets: { tags: { New: { count: 1 }, Sale: { count: 1 } } } },
      ),
    ),
  ]),
];

const others: Case[] = [
  {
    section: 'search 8.3',
    about: 'texts that are too long to be filtered by are not counted',
    exchanges: [facets(U, { brand: string }, { brand: {} }, { q: 'green' })],
  },
  {
    section: 'search 8.3',
    about: 'a field that no document has is empty',
    exchanges: [
      facets(
        U,
        {
          none: string,
          nobody: { type: 'array' },
          nothing: { type: 'number' },
          never: { type: 'number', ranges: [{ from: 1 }] },
        },
        { none: {}, nobody: {}, nothing: { count: 0 }, never: {} },
      ),
    ],
  },
  {
    section: 'search 8.3',
    about: 'integers stay exact',
    exchanges: [
      add(U, [
        { _id: 'huge', size: 9007199254740992, title: 'huge' },
        { _id: 'vast', size: 9007199254740990, title: 'huge' },
      ]),
      {
        ...searching(U, { q: 'huge', facets: { fields: { size: { type: 'number' } } } }),
        status: 200,
        text: expect.stringContaining(
          '"size":{"sum":18014398509481982,"avg":9007199254740991.0,"min":9007199254740990,"max":9007199254740992,"count":2}',
        ),
      },
    ],
  },
  {
    section: 'search 8.3',
    about: 'a field that was changed is counted as it is now',
    exchanges: [
      add(U, [{ _id: 'changed', label: 'Old', title: 'changing' }]),
      { ...updating(U, [{ _id: 'changed', label: 'NEW' }]), ...written(U, { status: 200, _id: 'changed' }) },
      facets(U, { label: string }, { label: { NEW: count(1) } }, { q: 'changing' }),
    ],
  },
  {
    section: 'search 1.3',
    about: 'facets of a field that a structured index cannot filter by',
    exchanges: [
      {
        ...searching(S, { facets: { fields: { title: string } } }),
        status: 400,
        answer: {
          message:
            'Index structured has no filterable field title. Available filterable fields are: brand, tags, price, stock',
          code: 'invalid_field_name',
          type: 'invalid_request',
          link: null,
        },
      },
    ],
  },
  {
    section: 'search 1.3',
    about: 'terms that are not in the filter cannot be left out of it',
    exchanges: [
      refused(
        U,
        { facets: { fields: { brand: { ...string, excludeTerms: ['brand:zed'] } } } },
        'Exclude terms can only be used when a filter string is provided.',
      ),
      refused(
        U,
        { filter: 'brand:acme', facets: { fields: { brand: { ...string, excludeTerms: ['brand:zed'] } } } },
        "Facet field 'brand' has exclude terms ['brand:zed'] that do not appear in the filter string.",
      ),
    ],
  },
  ...[
    [{ ...string, maxResults: 0 }, "'maxResults' must be greater than 0"] as const,
    [{ ...string, maxResults: 10_001 }, "'maxResults' must be less than or equal to 10000"] as const,
    [{ ...string, ranges: [{ from: 1 }] }, "Ranges can only be used for 'number' facets"] as const,
    [{ type: 'number', ranges: [{ from: 2, to: 1 }] }, "'to' value must be greater than 'from' value"] as const,
    [
      {
        type: 'number',
        ranges: [
          { from: 1, to: 3 },
          { from: 2, to: 4 },
        ],
      },
      'must not overlap',
    ] as const,
    [
      {
        type: 'number',
        ranges: [
          { from: 1, to: 3, name: 'low' },
          { from: 3, to: 4, name: 'low' },
        ],
      },
      'Names of ranges must not repeat',
    ] as const,
    [{ type: 'integer' }, 'value is not a valid enumeration member'] as const,
    [{ ...string, min: 1 }, 'extra fields not permitted'] as const,
  ].map(
    ([config, message]): Case => ({
      section: 'search 8.3',
      about: `a facet like ${JSON.stringify(config)} is refused`,
      exchanges: [refused(U, { facets: { fields: { f: config } } }, message)],
    }),
  ),
];

export const countedHits: Part = {
  title: 'facets and totals',
  preparation: [...filled(U, own(2)), ...filled(S, structured(fields, ['v'], own(2)))],
  cases: [...kinds, ...others],
};
