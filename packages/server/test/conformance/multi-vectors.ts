import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, adding, failure, finds, reads, refuse, success, unchanged, updating, written } from './documents.js';
import { error, holding, inBody, invalidArgument, root, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';
import { legs } from './ranked.js';

const v = { type: 'custom_vector' };
const m = { type: 'multi_vector', dimensions: 2 };
const rest = (index: string) => (index === U ? { tensorFields: ['v'], mappings: { v, m } } : {});

const documents = [
  { _id: 'east', name: 'storm', n: 1, v: { vector: [1, 0] }, m: [[2, 0]] },
  { _id: 'north', name: 'storm storm', n: 2, v: { vector: [0, 1] }, m: [[0, 0.5]] },
  {
    _id: 'both',
    name: 'storm calm calm calm',
    n: 3,
    v: { vector: [1, 1] },
    m: [
      [1, 0],
      [0, 1],
    ],
  },
  { _id: 'none', name: 'storm calm', n: 4, v: { vector: [1, 0.5] } },
];

/** Fields whose numbers alone are longer than a document may be. */
const many = Array.from({ length: 1024 }, () => [-0.1234567890123456, -0.9876543210987654]);
const long = { a: many, b: many, c: many };

const stored: Case[] = [
  ...inBothKinds('6.18', 'vectors come back in their order, in 32 bits', (index) => {
    const [sent, kept] = [
      [0.123456789012, 1e-3],
      [0.12345679, 0.001],
    ];
    return [
      add(index, [{ _id: 'one', m: [sent, [3, -4]] }], rest(index)),
      reads(index, { _id: 'one', m: [kept, [3, -4]] }),
      add(index, [{ _id: 'one', m: [[0, 0]] }], rest(index)),
      reads(index, { _id: 'one', m: [[0, 0]] }),
    ];
  }),
  ...inBothKinds('6.18', 'a PATCH sets, changes and removes vectors', (index) => [
    add(index, [{ _id: 'one', name: 'patched' }], rest(index)),
    ...[
      [[1, 0]],
      [
        [0, 2],
        [1, 1],
      ],
    ].flatMap((m) => [
      { ...updating(index, [{ _id: 'one', m }]), ...written(index, success('one')) },
      reads(index, { _id: 'one', name: 'patched', m }),
      ranked(index, { q: 'patched' }, [['one', m.length === 1 ? 0 : 1]], [[0, 1]]),
    ]),
    { ...updating(index, [{ _id: 'one', n: 7 }]), ...written(index, success('one')) },
    ranked(index, { q: 'patched' }, [['one', 1]], [[0, 1]]),
    { ...updating(index, [{ _id: 'one', m: null }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', name: 'patched', n: 7 }),
  ]),
  {
    section: '6.18',
    about: 'vectors do not count for the length of a document',
    exchanges: [
      add(U, [{ _id: 'long', name: 'long' }]),
      { ...adding(U, [{ _id: 'long', ...long }], { mappings: { a: m, b: m, c: m } }), ...written(U, success('long')) },
      { ...updating(U, [{ _id: 'long', ...long, n: 8 }]), ...written(U, success('long')) },
    ],
  },
  ...(
    [
      [[[1, 2], [1]], 'a vector has 2 numbers here, but vector 1 has 1'],
      [[[1, 2, 3]], 'a vector has 2 numbers here, but vector 0 has 3'],
      [[[1, '2']], 'a vector has finite numbers of 32 bits alone, but vector 0 has "2"'],
      [[[1, 1e39]], 'a vector has finite numbers of 32 bits, but vector 0 has another'],
      [[], 'there are 1 to 1024 vectors, but received 0'],
      [Array(1025).fill([1, 2]), 'there are 1 to 1024 vectors, but received 1025'],
    ] as const
  ).flatMap(([m, reason]) =>
    inBothKinds('6.18', reason, (index) => [
      refuse(index, { _id: 'bad', m }, failure('bad', `Field 'm': ${reason}`), rest(index)),
    ]),
  ),
  ...[[1, 2], 'x', { a: 1 }, [[1, 2], 3]].flatMap((m) =>
    inBothKinds('6.18', `the vectors ${JSON.stringify(m)}`, (index) => [
      refuse(
        index,
        { _id: 'bad', m },
        failure('bad', holding('is none. Expected a list of lists such as [[0.5, -1.25], [0.75, 2]]')),
        rest(index),
      ),
    ]),
  ),
  {
    section: '6.18',
    about: 'a PATCH cannot make vectors of another value, nor of other dimensions',
    exchanges: [
      add(U, [{ _id: 'text', m: 'text' }]),
      {
        ...updating(U, [{ _id: 'text', m: [[1, 2]] }]),
        ...written(
          U,
          unchanged(
            'text',
            holding("Field 'm' of this document is of type str, and an update cannot change that to multi_vector"),
          ),
        ),
      },
      add(U, [{ _id: 'other', m: [[1, 2]] }], rest(U)),
      {
        ...updating(U, [{ _id: 'other', m: [[1, 2, 3]] }]),
        ...written(
          U,
          unchanged(
            'other',
            holding("Field 'm' of this document has vectors of 2 numbers, and an update cannot change that to 3"),
          ),
        ),
      },
      {
        ...updating(S, [{ _id: 'both', m: [[1, 2, 3]] }]),
        ...written(S, unchanged('both', "Field 'm': a vector has 2 numbers here, but vector 0 has 3")),
      },
    ],
  },
  {
    section: '6.18',
    about: 'a document that brings its tensors, as a scan shows it',
    exchanges: [
      add(U, [{ _id: 'given', name: 'given', m: [[0, 3]], _tensors: [] }], { useGivenTensors: true }),
      reads(U, { _id: 'given', name: 'given', m: [[0, 3]] }),
      finds(U, { filter: '_id:given AND m EXISTS' }, 'given'),
      ranked(U, { q: 'given' }, [['given', 1]], [[0, 1]]),
    ],
  },
  {
    section: '6.18',
    about: 'declarations and mappings need dimensions, and fields of other types have none',
    exchanges: [
      ...[{}, { dimensions: 1 }, { dimensions: 1025 }, { dimensions: 'x' }, { dimensions: 2, x: 1 }].map((more) => ({
        ...adding(U, [{ _id: 'a' }], { mappings: { m: { type: 'multi_vector', ...more } } }),
        ...invalidArgument(holding('Error validating multi vector mappings object. Reason: mappings.m')),
      })),
      ...[
        [{ name: 'm', type: 'multi_vector' }, 'm: dimensions must be defined for a field of type multi_vector'],
        [
          { name: 'm', type: 'text', dimensions: 2 },
          'm: dimensions must only be defined for fields of type multi_vector',
        ],
        [
          { name: 'm', type: 'multi_vector', dimensions: 2, features: ['filter'] },
          'm: Cannot specify features for field of type multi_vector',
        ],
      ].map(([declared, msg]) => ({
        request: 'POST /indexes/late-declared',
        body: structured([declared as object], [], own(2)),
        ...unprocessable({ loc: inBody('allFields', 0, '__root__'), msg, type: 'value_error' }),
      })),
      {
        request: `GET /indexes/${S}/settings`,
        status: 200,
        answer: expect.objectContaining({
          allFields: expect.arrayContaining([{ name: 'm', type: 'multi_vector', features: [], dimensions: 2 }]),
        }),
      },
    ],
  },
];

/** A search of words whose first hits are ranked by vectors. */
function searching(index: string, body: object): Pick<Exchange, 'request' | 'body'> {
  return { request: `POST /indexes/${index}/search`, body: { searchMethod: 'LEXICAL', ...body } };
}

/** The hits with their scores, as far as they are said, in their order. */
function hits(...expected: readonly (readonly [string, number?])[]) {
  const hit = ([_id, score]: readonly [string, number?]) =>
    expect.objectContaining({ _id, ...(score !== undefined && { _score: expect.closeTo(score, 1) }) });
  return { status: 200, answer: expect.objectContaining({ hits: expected.map(hit) }) };
}

function ranked(
  index: string,
  body: object,
  expected: readonly (readonly [string, number?])[],
  vectors: readonly (readonly number[])[] = [
    [3, 0],
    [0, 1],
    [0, 2],
  ],
  more: object = {},
): Exchange {
  const lateInteraction = { fieldName: 'm', vectors, ...more };
  return { ...searching(index, { lateInteraction, ...body }), ...hits(...expected) };
}

const content = { customVector: { vector: [1, 0], content: 'storm' } };
const all: readonly (readonly [string, number?])[] = [['both', 3], ['north', 2], ['east', 1], ['none']];

const refused = (about: string, more: object, msg: unknown): Case => ({
  section: 'search 4.15',
  about,
  exchanges: [
    {
      ...searching(U, { q: 'storm', lateInteraction: { fieldName: 'm', vectors: [[1, 0]] }, ...more }),
      ...unprocessable({ loc: root, msg, type: 'value_error' }),
    },
  ],
});

const searches: Case[] = [
  ...inBothKinds('search 4.15', 'each vector of the query counts by its greatest product', (index) => [
    ranked(index, { q: 'storm', filter: 'n:[1 TO 4]' }, all),
    ranked(index, { q: content, searchMethod: 'TENSOR', filter: 'n:[1 TO 4]' }, all),
    ranked(index, { q: content, searchMethod: 'HYBRID', filter: 'n:[1 TO 4]' }, all),
    ...(['tensor', 'lexical'] as const).map((retrieval) =>
      ranked(
        index,
        {
          ...{ q: content, searchMethod: 'HYBRID', filter: 'n:[1 TO 4]' },
          hybridParameters: legs(retrieval, retrieval === 'tensor' ? 'lexical' : 'tensor'),
        },
        all,
      ),
    ),
  ]),
  ...inBothKinds('search 4.15', 'the first candidates alone, whatever the page', (index) => [
    ...[
      [0, 4, ['north', 'east', 'none', 'both']],
      [0, 1, ['north']],
      [1, 2, ['east', 'none']],
      [3, 1, ['both']],
    ].map(([offset, limit, ids]) =>
      // Words rank north, east, none, both.
      ranked(
        index,
        { q: 'storm', filter: 'n:[1 TO 4]', offset, limit },
        (ids as string[]).map((id) => [id] as const),
        [[0, 1]],
        { candidates: 3 },
      ),
    ),
  ]),
  {
    section: 'search 4.15',
    about: 'totals, facets, pinned documents and modifiers go along',
    exchanges: [
      {
        ...searching(U, {
          ...{ q: 'storm', filter: 'n:[1 TO 4]', limit: 1, trackTotalHits: true },
          lateInteraction: { fieldName: 'm', vectors: [[0, 1]] },
          facets: { fields: { n: { type: 'number' } } },
        }),
        status: 200,
        answer: expect.objectContaining({
          totalHits: 4,
          facets: { n: expect.objectContaining({ count: 4, sum: 10 }) },
        }),
      },
      ranked(U, { q: 'storm', filter: 'n:[1 TO 4]', pinned: [{ _id: 'none', position: 1 }] }, [
        ['none', 0],
        ['both', 3],
        ['north', 2],
        ['east', 1],
      ]),
      ranked(
        U,
        {
          ...{ q: 'storm', filter: 'n:[1 TO 4]' },
          scoreModifiers: { multiply_score_by: [{ field_name: 'n', weight: 9 }] },
        },
        all,
      ),
    ],
  },
  ...inBothKinds('search 4.15', 'an explanation tells the vectors that were nearest', (index) => [
    {
      ...searching(index, {
        ...{ q: 'storm', filter: 'n:3', explain: true },
        lateInteraction: {
          fieldName: 'm',
          vectors: [
            [0, 1],
            [5, 0],
          ],
        },
      }),
      status: 200,
      answer: expect.objectContaining({
        hits: [
          expect.objectContaining({
            _explanation: expect.objectContaining({
              value: expect.closeTo(2, 1),
              operation: 'sum',
              field: 'm',
              details: [
                expect.objectContaining({
                  value: expect.closeTo(1, 1),
                  description: 'greatest inner product of vector 0 of the query: with vector 1 of the document',
                }),
                expect.objectContaining({
                  value: expect.closeTo(1, 1),
                  description: 'greatest inner product of vector 1 of the query: with vector 0 of the document',
                }),
              ],
            }),
          }),
        ],
      }),
    },
  ]),
  ...(
    [
      ['sortBy', { fields: [{ fieldName: 'n' }] }],
      ['textRanking', true],
      ['diversity', {}],
      ['rerank', { model: 'cross-encoder/ms-marco-MiniLM-L6-v2', fields: ['name'] }],
    ] as const
  ).map(([name, value]) =>
    refused(
      `beside ${name}`,
      { [name]: value },
      `'lateInteraction' cannot be used with '${name}': it orders the first hits itself`,
    ),
  ),
  {
    section: 'search 4.15',
    about: 'vectors that are none, of other dimensions, and fields without any',
    exchanges: [
      {
        ...searching(U, {
          q: 'storm',
          lateInteraction: {
            fieldName: 'm',
            vectors: [
              [1, 2],
              [1, 2, 3],
            ],
          },
        }),
        ...unprocessable({
          loc: inBody('lateInteraction', 'vectors', 1),
          msg: 'ensure all vectors have as many numbers as the first: received 2 and 3',
          type: 'value_error',
        }),
      },
      ...[{ vectors: [] }, { vectors: [[1]] }, { vectors: [[1, 2]], candidates: 0 }, { vectors: [[1, 2]], x: 1 }].map(
        (more) => ({
          ...searching(U, { q: 'storm', lateInteraction: { fieldName: 'm', ...more } }),
          status: 422,
        }),
      ),
      {
        ...searching(S, { q: 'storm', lateInteraction: { fieldName: 'm', vectors: [[1, 2, 3]] } }),
        ...invalidArgument("Field 'm' has vectors of 2 numbers, but those of 'lateInteraction' have 3"),
      },
      {
        ...searching(U, { q: 'storm', lateInteraction: { fieldName: 'm', vectors: [[1, 2, 3]] } }),
        ...invalidArgument("Field 'm' has vectors of 2 numbers, but those of 'lateInteraction' have 3"),
        // There documents are ranked that were found, and no more is known of the others.
        onCluster: { status: 200 },
      },
      {
        ...searching(S, { q: 'storm', lateInteraction: { fieldName: 'name', vectors: [[1, 2]] } }),
        ...error(
          400,
          'invalid_field_name',
          `Index ${S} has no multi vector field name. Available multi vector fields are: m`,
        ),
      },
      {
        ...searching(U, { q: 'storm', lateInteraction: { fieldName: 'name', vectors: [[1, 2]] } }),
        status: 200,
        answer: expect.objectContaining({
          warnings: ["No document has a list of vectors in the field 'name', which 'lateInteraction' names"],
        }),
        onCluster: { status: 200 },
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
        { name: 'm', type: 'multi_vector', dimensions: 2 },
      ],
      ['v'],
      own(2),
    ),
  ),
  ...[U, S].map((index) => add(index, documents, rest(index))),
];

export const multiVectors: Part = { title: 'multi vectors', preparation, cases: [...searches, ...stored] };
