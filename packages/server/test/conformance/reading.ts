import type { Case, Exchange, Part } from './case.js';
import { add, facet, isMissing, reads, readsFacets } from './documents.js';
import { error, holding, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const red = { _id: 'red', t: 'red shoe', n: 1 };
const blue = { _id: 'blue', t: 'blue hat', n: 2 };
const words = [
  ...['true', 'True', 'TRUE', '1', 'yes', 'on', 't', 'Y'].map((word) => [word, true] as const),
  ...['false', 'False', '0', 'no', 'OFF', 'f', 'n'].map((word) => [word, false] as const),
];

const one: Case[] = [
  ...inBothKinds('8.1', 'a document, without what only facets show', (index) => [reads(index, red)]),
  ...inBothKinds('8.1', 'a document with its chunks and their vectors', (index) => [
    readsFacets(index, red, facet('t', 'red shoe')),
  ]),
  ...inBothKinds('8.1', 'a document without vectors has an empty list of chunks', (index) => [
    readsFacets(index, { _id: 'none', n: 3 }),
  ]),
  ...inBothKinds('8.1', 'a document that is not there', (index) => [isMissing(index, 'zz')]),
  {
    section: '8.1',
    about: 'an index that is not there',
    exchanges: [{ request: 'GET /indexes/nope/documents/red', ...noIndex('nope') }],
  },
  ...words.map(
    ([word, shown]): Case => ({
      section: '1.1',
      about: `expose_facets=${word}`,
      exchanges: [
        {
          request: `GET /indexes/${U}/documents/red?expose_facets=${word}`,
          status: 200,
          answer: shown ? { ...red, _tensor_facets: [facet('t', 'red shoe')] } : red,
        },
      ],
    }),
  ),
  ...['perhaps', '2', ''].map(
    (word): Case => ({
      section: '8.1',
      about: `expose_facets=${word}`,
      exchanges: [
        {
          request: `GET /indexes/${U}/documents/red?expose_facets=${word}`,
          ...unprocessable(problems.boolean(['query', 'expose_facets'])),
        },
      ],
    }),
  ),
  {
    section: '12.9',
    about: 'an id with a slash, encoded and plain',
    exchanges: ['a%2Fb', 'a/b', 'a%2fb'].map((path) => ({
      request: `GET /indexes/${U}/documents/${path}`,
      status: 200,
      answer: { _id: 'a/b' },
    })),
  },
  ...['a?b', 'a#b', 'a b', 'ä', '%41', '+'].map(
    (id): Case => ({
      section: '12.9',
      about: `the id '${id}' in a path`,
      exchanges: [reads(U, { _id: id })],
    }),
  ),
];

const missingEntry = (_id: string) => ({
  _id,
  status: 404,
  message: 'Document does not exist in the index',
  _found: false,
});
const emptyEntry = { _id: '', status: 400, message: "Document ID can't be empty" };
const countsOf = (success: number, failure: number) => ({
  'x-count-success': String(success),
  'x-count-failure': String(failure),
  'x-count-error': '0',
});

/** The two ways to ask for many documents. */
const forms = [
  [
    'a list in the body of GET',
    (index: string, ids: unknown, query = '') => ({
      request: `GET /indexes/${index}/documents${query}`,
      body: ids,
    }),
  ],
  [
    'get-batch',
    (index: string, documentIds: unknown, query = '') => ({
      request: `POST /indexes/${index}/documents/get-batch${query}`,
      body: { documentIds },
    }),
  ],
] as const;

const many: Case[] = forms.flatMap(([form, ask]) => [
  ...inBothKinds('8.2', `documents in the order of the request, repeated as they are there: ${form}`, (index) => [
    {
      ...ask(index, ['blue', 'red', 'blue']),
      status: 200,
      answer: {
        errors: false,
        results: [
          { ...blue, _found: true },
          { ...red, _found: true },
          { ...blue, _found: true },
        ],
      },
      answerHeaders: countsOf(3, 0),
    },
  ]),
  ...inBothKinds('8.2', `documents that are there, missing and without an id: ${form}`, (index) => [
    {
      ...ask(index, ['red', 'zz', '']),
      status: 200,
      answer: { errors: true, results: [{ ...red, _found: true }, missingEntry('zz'), emptyEntry] },
      answerHeaders: countsOf(1, 2),
    },
  ]),
  ...inBothKinds('8.2', `documents with their chunks: ${form}`, (index) => [
    {
      ...ask(index, ['red'], '?expose_facets=True'),
      status: 200,
      answer: { errors: false, results: [{ ...red, _found: true, _tensor_facets: [facet('t', 'red shoe')] }] },
    },
  ]),
  {
    section: '8.2',
    about: `numbers become texts: ${form}`,
    exchanges: [
      { ...ask(U, [5, 1.5]), status: 200, answer: { errors: true, results: [missingEntry('5'), missingEntry('1.5')] } },
    ],
  },
  {
    section: '8.2',
    about: `more ids than one request may have: ${form}`,
    exchanges: [
      {
        ...ask(
          U,
          Array.from({ length: 10_001 }, (_, i) => `${i}`),
        ),
        ...error(
          400,
          'illegal_requested_doc_count',
          '10001 documents were requested, which is more than the allowed limit of [10000], set by the environment variable `MARQO_MAX_RETRIEVABLE_DOCS`',
        ),
      },
    ],
  },
  {
    section: '8.2',
    about: `an index that is not there: ${form}`,
    exchanges: [{ ...ask('nope', ['a']), ...noIndex('nope') }],
  },
  {
    section: '8.2',
    about: `facets perhaps: ${form}`,
    exchanges: [
      {
        ...ask(U, ['red'], '?expose_facets=perhaps'),
        ...unprocessable(problems.boolean(['query', 'expose_facets'])),
      },
    ],
  },
]);

const [[, ofGet], [, ofBatch]] = forms;
const shapes: Case[] = [
  {
    section: '8.2',
    about: 'a GET of many has a body without a content type',
    exchanges: [
      {
        ...ofGet(U, ['red']),
        headers: { 'content-type': '' },
        status: 200,
        answer: { errors: false, results: [{ ...red, _found: true }] },
      },
    ],
  },
  {
    section: '8.2',
    about: 'a GET of no ids',
    exchanges: [{ ...ofGet(U, []), ...invalidArgument("Can't get empty collection of IDs!") }],
  },
  {
    section: '8.2',
    about: 'a GET without a body',
    exchanges: [{ ...ofGet(U, undefined), ...unprocessable(problems.missing(['body'])) }],
  },
  {
    section: '8.2',
    about: 'a GET with an object',
    exchanges: [{ ...ofGet(U, { documentIds: ['a'] }), ...unprocessable(problems.list(['body'])) }],
  },
  {
    section: '8.2',
    about: 'a GET with null among the ids',
    exchanges: [{ ...ofGet(U, ['a', null]), ...unprocessable(problems.null(['body', 1])) }],
  },
  {
    section: '8.2',
    about: 'a GET with a list among the ids',
    exchanges: [{ ...ofGet(U, [['a']]), ...unprocessable(problems.text(['body', 0])) }],
  },
  {
    section: '8.2',
    about: 'a batch of no ids',
    exchanges: [
      {
        ...ofBatch(U, []),
        ...unprocessable({
          loc: ['body', 'documentIds'],
          msg: 'ensure this value has at least 1 items',
          type: 'value_error.list.min_items',
          ctx: { limit_value: 1 },
        }),
      },
    ],
  },
  {
    section: '8.2',
    about: 'a batch without ids',
    exchanges: [{ ...ofBatch(U, undefined), ...unprocessable(problems.missing(['body', 'documentIds'])) }],
  },
  {
    section: '8.2',
    about: 'a batch of null',
    exchanges: [{ ...ofBatch(U, null), ...unprocessable(problems.null(['body', 'documentIds'])) }],
  },
  {
    section: '8.2',
    about: 'a batch with null among the ids',
    exchanges: [{ ...ofBatch(U, [null]), ...unprocessable(problems.null(['body', 'documentIds', 0])) }],
  },
  {
    section: '8.2',
    about: 'a batch with an unknown member',
    exchanges: [
      {
        request: `POST /indexes/${U}/documents/get-batch`,
        body: { documentIds: ['a'], ids: [] },
        ...unprocessable(problems.extra(['body', 'ids'])),
      },
    ],
  },
];

const hidden: Case = {
  section: '8.1',
  about: 'the weights of combinations are not shown among the fields',
  exchanges: [
    add(U, [{ _id: 'combined', a: 'x' }], {
      mappings: { m: { type: 'multimodal_combination', weights: { a: 1 } } },
    }),
    readsFacets(U, { _id: 'combined', a: 'x' }, facet('m', holding('"a"'))),
  ],
};

const prepared = (index: string, rest: object): Exchange[] => [
  add(index, [red, blue], rest),
  add(index, [{ _id: 'none', n: 3 }]),
];

/** Documents read by their ids. */
export const reading: Part = {
  title: 'reading documents',
  preparation: [
    create(U, small),
    create(S, structured([field('t', 'text', 'lexical_search'), field('n', 'int', 'filter')], ['t'])),
    ...prepared(U, { tensorFields: ['t'] }),
    ...prepared(S, {}),
    add(
      U,
      ['a/b', 'a?b', 'a#b', 'a b', 'ä', '%41', '+'].map((_id) => ({ _id })),
    ),
  ],
  cases: [...one, ...many, ...shapes, hidden],
};
