import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, adding, failure, finds, reads, refuse, success, unchanged, updating, written } from './documents.js';
import { error, holding, inBody, invalidArgument, root, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const mappings = { s: { type: 'sparse_vector' } };
const rest = (index: string) => (index === U ? { tensorFields: ['v'], mappings: { ...mappings, v } } : {});
const v = { type: 'custom_vector' };
const sparse = (indices: readonly number[], values: readonly unknown[]) => ({ indices, values });

const documents = [
  { _id: 'storm', name: 'storm', n: 1, v: { vector: [1, 0] }, s: sparse([17, 204], [0.5, 1.25]) },
  { _id: 'calm', name: 'calm', n: 2, v: { vector: [0, 1] }, s: sparse([17, 9001], [2, 0.75]) },
  { _id: 'same', name: 'calm', n: 3, v: { vector: [0, 1] }, s: sparse([9001, 17], [0.75, 2]) },
  { _id: 'other', name: 'other', n: 4, v: { vector: [1, 1] }, s: sparse([1], [9]) },
  { _id: 'none', name: 'none', n: 5, v: { vector: [1, 1] } },
];

const stored: Case[] = [
  ...inBothKinds('6.17', 'a sparse vector comes back in the order of its indices, in 32 bits', (index) => [
    add(index, [{ _id: 'one', s: sparse([9, 4_294_967_295, 0, 3], [0.123456789012, 1e-3, 2, 0]) }], rest(index)),
    reads(index, { _id: 'one', s: sparse([0, 9, 4_294_967_295], [2, 0.12345679, 0.001]) }),
    add(index, [{ _id: 'one', s: sparse([], []) }], rest(index)),
    reads(index, { _id: 'one', s: sparse([], []) }),
  ]),
  ...inBothKinds('6.17', 'a PATCH sets, changes and removes a sparse vector', (index) => [
    add(index, [{ _id: 'one', name: 'one' }], rest(index)),
    ...[sparse([70], [1]), sparse([70, 71], [1.5, 1])].flatMap((s) => [
      { ...updating(index, [{ _id: 'one', s }]), ...written(index, success('one')) },
      reads(index, { _id: 'one', name: 'one', s }),
      { ...searching(index, [70], [2]), ...hits(['one', 2 * Number(s.values[0])]) },
    ]),
    { ...updating(index, [{ _id: 'one', name: 'uno' }]), ...written(index, success('one')) },
    { ...searching(index, [71], [2]), ...hits(['one', 2]) },
    { ...updating(index, [{ _id: 'one', s: null }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', name: 'uno' }),
    { ...searching(index, [70, 71], [2, 2]), ...hits() },
  ]),
  ...(
    [
      [sparse([1, 2], [1]), 'a sparse vector has as many indices as values, but received 2 and 1'],
      [sparse([-1], [1]), 'an index is an integer from 0 to 4294967295, but received -1'],
      [sparse([7, 7], [1, 2]), 'each index stands once, but received 7 more than once'],
      [sparse([7], [-0.5]), 'a weight is a finite number of at least 0, but received -0.5'],
      [sparse([7], ['1']), 'a weight is a number, but received "1"'],
      [
        sparse([...Array(4097).keys()], Array<number>(4097).fill(1)),
        'a sparse vector has at most 4096 entries, but received 4097',
      ],
    ] as const
  ).flatMap(([s, reason]) =>
    inBothKinds('6.17', reason, (index) => [
      refuse(index, { _id: 'bad', s }, failure('bad', `Field 's': ${reason}`), rest(index)),
    ]),
  ),
  ...[{ storm: 0.5 }, [1], 'x', { ...sparse([], []), more: 1 }].flatMap((s) =>
    inBothKinds('6.17', `the sparse vector ${JSON.stringify(s)}`, (index) => [
      refuse(
        index,
        { _id: 'bad', s },
        failure('bad', holding('is none. Expected an object such as {"indices": [17, 204], "values": [0.5, 1.25]}')),
        rest(index),
      ),
    ]),
  ),
  {
    section: '6.17',
    about: 'a PATCH cannot make a vector of another value',
    exchanges: [
      add(U, [{ _id: 'text', s: 'text' }]),
      {
        ...updating(U, [{ _id: 'text', s: sparse([1], [1]) }]),
        ...written(
          U,
          unchanged(
            'text',
            holding("Field 's' of this document is of type str, and an update cannot change that to sparse_vector"),
          ),
        ),
      },
    ],
  },
  {
    section: '6.17',
    about: 'a document that brings its tensors, as a scan shows it',
    exchanges: [
      add(U, [{ _id: 'given', s: sparse([80], [2]), _tensors: [] }], { useGivenTensors: true }),
      reads(U, { _id: 'given', s: sparse([80], [2]) }),
      finds(U, { filter: '_id:given AND s EXISTS' }, 'given'),
      { ...searching(U, [80], [2]), ...hits(['given', 4]) },
    ],
  },
  {
    section: '6.17',
    about: 'a mapping with more than its type',
    exchanges: [
      {
        ...adding(U, [{ _id: 'a' }], { mappings: { s: { type: 'sparse_vector', x: 1 } } }),
        ...invalidArgument(holding('Error validating sparse vector mappings object. Reason: mappings.s: ')),
      },
    ],
  },
];

function searching(
  index: string,
  indices: readonly number[],
  values: readonly number[],
  more: object = {},
): Pick<Exchange, 'request' | 'body'> {
  const sparseQuery = { fieldName: 's', indices, values };
  return { request: `POST /indexes/${index}/search`, body: { searchMethod: 'LEXICAL', sparseQuery, ...more } };
}

/** The hits with their scores, in their order. */
function hits(...expected: readonly (readonly [string, number])[]) {
  return {
    status: 200,
    answer: expect.objectContaining({
      hits: expected.map(([_id, score]) => expect.objectContaining({ _id, _score: expect.closeTo(score, 6) })),
    }),
  };
}

const refused = (about: string, more: object, msg: unknown): Case => ({
  section: 'search 4.13',
  about,
  exchanges: [{ ...searching(U, [1], [1], more), ...unprocessable({ loc: root, msg, type: 'value_error' }) }],
});

const searches: Case[] = [
  ...inBothKinds(
    'search 4.13',
    'documents score the inner product, equal ones in the order in which they came',
    (index) => [
      {
        ...searching(index, [204, 17], [2, 1]),
        ...hits(['storm', 3], ['calm', 2], ['same', 2]),
      },
      { ...searching(index, [9001, 5], [2, 1], { limit: 1 }), ...hits(['calm', 1.5]) },
      { ...searching(index, [9001], [2], { limit: 1, offset: 1 }), ...hits(['same', 1.5]) },
      { ...searching(index, [17], [0]), ...hits() },
      { ...searching(index, [17, 1], [1, 1], { filter: 'name:calm' }), ...hits(['calm', 2], ['same', 2]) },
      {
        ...searching(index, [17], [1], { trackTotalHits: true, limit: 1, attributesToRetrieve: ['name'] }),
        status: 200,
        answer: expect.objectContaining({
          totalHits: 3,
          hits: [{ _id: 'calm', _score: 2, name: 'calm', _highlights: expect.anything() }],
        }),
      },
    ],
  ),
  {
    section: 'search 4.13',
    about: 'sorts, facets and score modifiers go with it',
    exchanges: [
      {
        ...searching(U, [17], [1], { sortBy: { fields: [{ fieldName: 'n', order: 'desc' }] } }),
        ...hits(['same', 1], ['calm', 1 / 2], ['storm', 1 / 3]),
      },
      {
        ...searching(U, [17], [1], { scoreModifiers: { multiply_score_by: [{ field_name: 'n', weight: 1 }] } }),
        ...hits(['same', 6], ['calm', 4], ['storm', 0.5]),
      },
      {
        ...searching(U, [17], [1], { limit: 1, facets: { fields: { name: { type: 'string' } } } }),
        status: 200,
        answer: expect.objectContaining({ facets: { name: { calm: { count: 2 }, storm: { count: 1 } } } }),
      },
    ],
  },
  ...inBothKinds('search 4.13', 'its rank is fused with that of vectors', (index) => [
    {
      ...searching(index, [204], [1], {
        searchMethod: 'HYBRID',
        q: { customVector: { vector: [1, 0] } },
        filter: 'name:storm OR name:other',
        hybridParameters: { alpha: 0.25 },
      }),
      ...hits(['storm', 0.25 / 61 + 0.75 / 61], ['other', 0.25 / 62]),
    },
    {
      ...searching(index, [17], [1], {
        searchMethod: 'HYBRID',
        q: { customVector: { vector: [1, 0] } },
        hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'tensor' },
      }),
      ...hits(['storm', 1], ['calm', 0.5], ['same', 0.5]),
    },
  ]),
  refused(
    'beside q',
    { q: 'storm' },
    'sparseQuery stands in place of Query(q) in a LEXICAL search, so that only one can be provided',
  ),
  refused(
    'with TENSOR',
    { searchMethod: 'TENSOR', q: 'storm' },
    "sparseQuery can only be provided for 'LEXICAL' and 'HYBRID' search. Search method is TENSOR.",
  ),
  refused(
    'where words have no say',
    { searchMethod: 'HYBRID', q: 'storm', hybridParameters: { retrievalMethod: 'tensor', rankingMethod: 'tensor' } },
    "sparseQuery cannot be provided where words have no say: both retrievalMethod and rankingMethod are 'tensor'",
  ),
  ...[{ prefix: 'last' }, { language: 'de' }, { lexicalHighlights: true }, { searchableAttributes: ['name'] }].map(
    (member) => {
      const [name] = Object.keys(member);
      const msg = `'${name}' cannot be used with 'sparseQuery': it is about words, and a sparse vector has none`;
      return refused(`beside ${name}`, member, msg);
    },
  ),
  refused(
    'a score of BM25',
    { searchMethod: 'HYBRID', q: 'x', scoreModifiers: { add_to_score: [{ field_name: 'marqo__score_bm25_sum' }] } },
    "scoreModifiers cannot name a score of BM25 with 'sparseQuery': a sparse vector has no words",
  ),
  {
    section: 'search 4.13',
    about: 'vectors that are none, and fields without any',
    exchanges: [
      {
        ...searching(U, [1, 2], [1]),
        ...unprocessable({
          loc: inBody('sparseQuery', 'values'),
          msg: 'ensure there is one value for each index: received 2 indices and 1 values',
          type: 'value_error',
        }),
      },
      {
        ...searching(U, [7, 7], [1, 1]),
        ...invalidArgument("'sparseQuery': each index stands once, but received 7 more than once"),
      },
      {
        ...searching(S, [7], [1], { sparseQuery: { fieldName: 'name', indices: [1], values: [1] } }),
        ...error(
          400,
          'invalid_field_name',
          `Index ${S} has no sparse vector field name. Available sparse vector fields are: s`,
        ),
      },
      {
        ...searching(U, [7], [1], { sparseQuery: { fieldName: 'elsewhere', indices: [1], values: [1] } }),
        status: 200,
        answer: expect.objectContaining({
          hits: [],
          warnings: ["No document has a sparse vector in the field 'elsewhere', which 'sparseQuery' names"],
        }),
        // No more is known there of a field than the documents that are found.
        onCluster: { status: 200, answer: expect.objectContaining({ hits: [] }) },
      },
    ],
  },
];

const preparation = [
  create(U, own(2)),
  create(
    S,
    structured(
      [
        field('name', 'text', 'filter', 'lexical_search'),
        field('n', 'int', 'filter', 'score_modifier'),
        field('v', 'custom_vector'),
        field('s', 'sparse_vector'),
      ],
      ['v'],
      own(2),
    ),
  ),
  ...[U, S].map((index) => add(index, documents, rest(index))),
];

export const sparseVectors: Part = { title: 'sparse vectors', preparation, cases: [...searches, ...stored] };
