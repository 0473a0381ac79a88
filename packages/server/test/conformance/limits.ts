import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { add, adding, failure, refuse, success, updating, written } from './documents.js';
import { badRequest, error, holding, invalidArgument, problems, unprocessable } from './errors.js';
import { create, small } from './indexes.js';

const copies = (count: number) => Array.from({ length: count }, (_, i) => ({ _id: `copy${i}` }));
const ids = (count: number) => copies(count).map(({ _id }) => _id);
const one = (section: string, about: string, ...exchanges: readonly Exchange[]): Case => ({
  section,
  about,
  exchanges,
});
const search = (body: object) => ({ request: 'POST /indexes/a/search', body: { q: 'x', ...body } });

const lowered: Case[] = [
  one('9', 'MARQO_MAX_DOCUMENTS_BATCH_SIZE for documents that are added', add('a', copies(2)), {
    ...adding('a', copies(3)),
    ...badRequest(holding('Number of docs in add documents request (3) exceeds limit of 2.')),
  }),
  one('9', 'MARQO_MAX_DOCUMENTS_BATCH_SIZE for documents that are changed', {
    ...updating('a', copies(3)),
    ...badRequest(holding('Number of docs in update_documents request (3) exceeds limit of 2.')),
  }),
  one(
    '9',
    'MARQO_MAX_DOC_BYTES',
    add('a', [{ _id: 'small', t: 'x'.repeat(100) }]),
    refuse(
      'a',
      { _id: 'big', t: 'x'.repeat(200) },
      failure(
        'big',
        expect.stringMatching(
          /^Document _id:`big` with length `\d+` exceeds the allowed document size limit of \[200\]\.$/,
        ),
        'doc_too_large',
      ),
    ),
  ),
  one('9', 'MARQO_MAX_DOC_BYTES for a document that grows by a change', add('a', [{ _id: 'grows', t: 'x' }]), {
    ...updating('a', [{ _id: 'grows', t: 'x'.repeat(200) }]),
    status: 200,
    answer: expect.objectContaining({
      items: [
        expect.objectContaining({ status: 400, message: holding('exceeds the allowed document size limit of [200]') }),
      ],
    }),
  }),
  one(
    '9',
    'MARQO_MAX_DOC_BYTES counts no custom vectors',
    add('a', [{ _id: 'vector', c: { vector: Array(32).fill(0.123456789) } }], {
      tensorFields: ['c'],
      mappings: { c: { type: 'custom_vector' } },
    }),
  ),
  ...[
    ['GET', { request: 'GET /indexes/a/documents', body: ids(4) }] as const,
    ['get-batch', { request: 'POST /indexes/a/documents/get-batch', body: { documentIds: ids(4) } }] as const,
  ].map(([about, asked]) =>
    one('9', `MARQO_MAX_RETRIEVABLE_DOCS for ids: ${about}`, {
      ...asked,
      ...error(
        400,
        'illegal_requested_doc_count',
        '4 documents were requested, which is more than the allowed limit of [3], set by the environment variable `MARQO_MAX_RETRIEVABLE_DOCS`',
      ),
    }),
  ),
  one('9', 'MARQO_MAX_RETRIEVABLE_DOCS lets so many through', {
    request: 'GET /indexes/a/documents',
    body: ids(3),
    status: 200,
  }),
  one(
    '9',
    'MARQO_MAX_DELETE_DOCS_COUNT',
    {
      request: 'POST /indexes/a/documents/delete-batch',
      body: ids(3),
      ...invalidArgument(
        'The number of documentIds to delete `3` is greater than the limit `2` set by the env var `MARQO_MAX_DELETE_DOCS_COUNT`. ',
      ),
    },
    { request: 'POST /indexes/a/documents/delete-batch', body: ids(2), status: 200 },
  ),
  one('9', 'MARQO_MAX_SEARCH_LIMIT', {
    ...search({ limit: 3 }),
    ...error(400, 'illegal_requested_doc_count', holding('limit of [2]')),
  }),
  one('9', 'MARQO_MAX_SEARCH_OFFSET', {
    ...search({ limit: 1, offset: 2 }),
    ...error(400, 'illegal_requested_doc_count', holding('[1]')),
  }),
  one('9', 'MARQO_MAX_SEARCHABLE_TENSOR_ATTRIBUTES', {
    ...search({ limit: 1, searchableAttributes: ['t', 'u'] }),
    status: 400,
    answer: expect.objectContaining({ message: holding('MARQO_MAX_SEARCHABLE_TENSOR_ATTRIBUTES') }),
  }),
  one('9', 'MARQO_MAX_IN_FILTER_IDS', {
    ...search({ limit: 1, filter: '_id IN (a, b, c)' }),
    status: 400,
    answer: expect.objectContaining({ message: holding('MARQO_MAX_IN_FILTER_IDS') }),
  }),
  one('9', 'MARQO_MAX_SEARCH_CONTEXT_DOCS', {
    request: 'POST /indexes/a/search',
    body: { limit: 1, context: { documents: { ids: { a: 1, b: 1 } } } },
    ...error(400, 'illegal_requested_doc_count', holding("'MARQO_MAX_SEARCH_CONTEXT_DOCS'")),
  }),
  one(
    '9',
    'MARQO_MAX_LEXICAL_FIELD_COUNT_UNSTRUCTURED, as an item',
    create('words', small),
    add('words', [{ _id: 'one', a: 'x', b: 'y' }]),
    {
      ...adding('words', [
        { _id: 'two', c: 'z' },
        { _id: 'three', a: 'again', n: 1 },
      ]),
      ...written(
        'words',
        failure(
          'two',
          'Index words has 2 lexical fields. Your request to add c as a lexical field is rejected since it exceeds the limit of 2. Please set a larger limit in MARQO_MAX_LEXICAL_FIELD_COUNT_UNSTRUCTURED environment variable.',
          'bad_request',
        ),
        success('three'),
      ),
    },
  ),
  one(
    '9',
    'MARQO_MAX_TENSOR_FIELD_COUNT_UNSTRUCTURED, as an item',
    create('tensors', small),
    add('tensors', [{ _id: 'one', a: 'x' }], { tensorFields: ['a'] }),
    refuse(
      'tensors',
      { _id: 'two', b: 'x' },
      failure(
        'two',
        'Index tensors has 1 tensor fields. Your request to add b as a tensor field is rejected since it exceeds the limit of 1. Please set a larger limit in MARQO_MAX_TENSOR_FIELD_COUNT_UNSTRUCTURED environment variable.',
        'bad_request',
      ),
      {
        tensorFields: ['b'],
      },
    ),
  ),
];

const batchApis = 'MARQO_ENABLE_BATCH_APIS';
const guarded: readonly (readonly [request: string, variable: string])[] = [
  ['POST /batch/indexes/create', batchApis],
  ['POST /batch/indexes/delete', batchApis],
  ['DELETE /indexes/a/documents/delete-all', batchApis],
  ['POST /validate/index/a', 'MARQO_ENABLE_OPS_API'],
  ['GET /memory', 'MARQO_ENABLE_DEBUG_API'],
];

const switchedOff: Case[] = guarded.map(([request, variable]) => {
  const text = `This API endpoint is disabled. Please set ${variable} to true to enable it.`;
  return one('2', `${request} is not served until ${variable} is set`, {
    request,
    status: 403,
    answer: { detail: text, message: text, code: 'forbidden', type: 'invalid_request', link: null },
  });
});

const switchedOn: Case[] = [
  one(
    '2',
    'several indexes are made and deleted at once',
    {
      request: 'POST /batch/indexes/create',
      body: [
        { indexName: 'x', ...small },
        { indexName: 'y', ...small, filterStringMaxLength: 7 },
      ],
      status: 200,
      answer: { acknowledged: true, index_names: ['x', 'y'] },
    },
    { request: 'GET /indexes/y/settings', status: 200, answer: expect.objectContaining({ filterStringMaxLength: 7 }) },
    {
      request: 'POST /batch/indexes/delete',
      body: ['x', 'nope'],
      ...error(404, 'index_not_found', 'Index nope not found'),
    },
    {
      request: 'POST /batch/indexes/delete',
      body: ['x', 'y'],
      status: 200,
      answer: { acknowledged: true, index_names: ['x', 'y'] },
    },
    { request: 'GET /indexes/x/settings', ...error(404, 'index_not_found', 'Index x not found') },
  ),
  one(
    '2',
    'one of several that cannot be made leaves none',
    {
      request: 'POST /batch/indexes/create',
      body: [
        { indexName: 'fresh', ...small },
        { indexName: 'a', ...small },
      ],
      ...error(409, 'index_already_exists', 'Index a already exists'),
    },
    { request: 'GET /indexes/fresh/settings', ...error(404, 'index_not_found', 'Index fresh not found') },
  ),
  one('2', 'a fault of one of several is told with its place', {
    request: 'POST /batch/indexes/create',
    body: [
      { indexName: 'fresh', ...small },
      { indexName: 'other', modle: 1 },
    ],
    ...unprocessable(problems.extra(['body', 1, 'modle'])),
  }),
  one('2', 'and with its place in the form in which it was sent', {
    request: 'POST /batch/indexes/create',
    body: [{ indexName: 'fresh', index_defaults: { text_preprocessing: { split_length: 0 } } }],
    ...unprocessable(problems.above(['body', 0, 'index_defaults', 'text_preprocessing', 'split_length'], 0)),
  }),
  one(
    '2',
    'settings are checked without a creation',
    { request: 'POST /validate/index/fresh', body: small, status: 200, answer: { validated: true, index: 'fresh' } },
    { request: 'GET /indexes/fresh/settings', ...error(404, 'index_not_found', 'Index fresh not found') },
  ),
  one('2', 'a fault of settings that are checked is an argument, not a shape', {
    request: 'POST /validate/index/fresh',
    body: { modle: 1 },
    ...error(400, 'invalid_argument', holding('extra fields not permitted'), ''),
  }),
  one('2', 'and so is what is wrong with them in the oldest form, where it stands there', {
    request: 'POST /validate/index/fresh',
    body: { index_defaults: { text_preprocessing: { split_length: 2, split_overlap: 2 } } },
    ...error(400, 'invalid_argument', holding('["index_defaults", "text_preprocessing", "split_overlap"]'), ''),
  }),
  one('2', 'memory', {
    request: 'GET /memory',
    status: 200,
    answer: { memory_used: expect.any(Number), stats: expect.arrayContaining([expect.any(String)]) },
  }),
];

/** Limits that operators set by the environment, and calls that they switch on. */
export const limits: readonly Part[] = [
  {
    title: 'limits of the environment',
    environment: {
      MARQO_MAX_DOCUMENTS_BATCH_SIZE: '2',
      MARQO_MAX_DOC_BYTES: '200',
      MARQO_MAX_RETRIEVABLE_DOCS: '3',
      MARQO_MAX_DELETE_DOCS_COUNT: '2',
      MARQO_MAX_SEARCH_LIMIT: '2',
      MARQO_MAX_SEARCH_OFFSET: '1',
      MARQO_MAX_SEARCHABLE_TENSOR_ATTRIBUTES: '1',
      MARQO_MAX_IN_FILTER_IDS: '2',
      MARQO_MAX_SEARCH_CONTEXT_DOCS: '1',
      MARQO_MAX_LEXICAL_FIELD_COUNT_UNSTRUCTURED: '2',
      MARQO_MAX_TENSOR_FIELD_COUNT_UNSTRUCTURED: '1',
    },
    preparation: [create('a', small)],
    cases: lowered,
  },
  {
    title: 'no limits of the environment',
    environment: { MARQO_MAX_DOC_BYTES: '' },
    preparation: [create('a', small)],
    cases: [
      one('9', 'an empty MARQO_MAX_DOC_BYTES is no limit', add('a', [{ _id: 'big', t: 'x'.repeat(200_000) }])),
      ...switchedOff,
    ],
  },
  {
    title: 'calls that are switched on',
    environment: { MARQO_ENABLE_BATCH_APIS: 'TRUE', MARQO_ENABLE_OPS_API: 'True', MARQO_ENABLE_DEBUG_API: 'true' },
    preparation: [create('a', small)],
    cases: switchedOn,
  },
];
