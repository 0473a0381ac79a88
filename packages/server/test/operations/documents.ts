import { expect } from 'vitest';
import { members } from './bulk.js';
import type { Exchange } from './exchange.js';

type Expected = Omit<Exchange, 'title' | 'request' | 'body'>;

const add = (title: string, body: unknown, expected: Expected, index = 'plain', query = ''): Exchange => ({
  title,
  request: `POST /indexes/${index}/documents${query}`,
  body,
  ...expected,
});
const one = { documents: [{ a: 'x' }] };
const unprocessable = (loc: (string | number)[], type: string): Expected => ({
  status: 422,
  code: 'unprocessable_entity',
  answer: { detail: [{ loc: ['body', ...loc], type }] },
});
const refused = (code: string, message: string): Expected => ({ status: 400, code, message });
const item = (code: string, message: string): Expected => ({
  status: 200,
  answer: {
    errors: true,
    items: [{ status: 400, code, message: expect.stringContaining(message), error: expect.stringContaining(message) }],
  },
});
const copies = (count: number) => ({
  documents: Array.from({ length: count }, (_, i) => ({ _id: `copy${i}` })),
  tensorFields: [],
});
const tooLarge = (message: string): Expected => ({ status: 413, code: 'payload_too_large', message });
const vector = (value: unknown) => ({
  documents: [{ _id: 'v', c: value }],
  tensorFields: ['c'],
  mappings: { c: { type: 'custom_vector' } },
});

export const addDocuments: Exchange[] = [
  add('no body', undefined, unprocessable([], 'value_error.missing')),
  add('null', 'null', unprocessable([], 'value_error.missing')),
  add('malformed JSON', '{"documents": [{]}', unprocessable([16], 'value_error.jsondecode')),
  add('500,000 levels', '['.repeat(500_000), unprocessable([500_000], 'value_error.jsondecode')),
  add('no documents', {}, unprocessable(['documents'], 'value_error.missing')),
  add('documents that are none', { documents: 5 }, unprocessable(['documents'], 'type_error.sequence')),
  add('an unknown member', { ...one, batchSize: 3 }, unprocessable(['batchSize'], 'value_error.extra')),
  add('another content type', one, {
    ...unprocessable([], 'type_error.dict'),
    headers: { 'content-type': 'text/plain' },
  }),
  add('a body above the limit', ' '.repeat(33 * 1024 * 1024), {
    status: 413,
    code: 'payload_too_large',
    message: '33554432 bytes',
  }),
  add(
    'an unknown device',
    one,
    refused('invalid_argument', "doesn't start with a known device type"),
    'plain',
    '?device=gpu',
  ),
  add(
    'malformed JSON and an unknown device',
    '{"documents":',
    unprocessable([13], 'value_error.jsondecode'),
    'plain',
    '?device=gpu',
  ),
  add(
    'a misspelt word behind several lines',
    '{"documents": [\n {"ä": "ü"},\n {"a": nul}]}',
    unprocessable([39], 'value_error.jsondecode'),
  ),
  add(
    'an unknown device and another shape',
    [],
    refused('invalid_argument', 'known device type'),
    'plain',
    '?device=gpu',
  ),
  add(
    'headers by the hundred thousand',
    `{"documents":[{}],"imageDownloadHeaders":{${members(200_000, '""')}}}`,
    tooLarge('1048576 bytes'),
  ),
  add('members by the hundred thousand', `{"documents":[{}],${members(50_000)}}`, tooLarge('20000 names, texts')),
  add(
    '101 headers',
    `{"documents":[{}],"mediaDownloadHeaders":{${members(101, '""')}}}`,
    unprocessable(['mediaDownloadHeaders'], 'value_error.list.max_items'),
  ),
  add(
    '1,001 mappings',
    `{"documents":[{}],"mappings":{${members(1001)}}}`,
    unprocessable(['mappings'], 'value_error.list.max_items'),
  ),
  add(
    '1,001 tensor fields',
    { ...one, tensorFields: Array(1001).fill('a') },
    unprocessable(['tensorFields'], 'value_error.list.max_items'),
  ),
  add(
    'half a character in a name',
    String.raw`{"documents":[{}],"mappings":{"a\ud800":{}}}`,
    unprocessable(['mappings', 'a\ufffd'], 'value_error'),
  ),
  add(
    'half a character among the tensor fields',
    String.raw`{"documents":[{}],"tensorFields":["\ud800"]}`,
    unprocessable(['tensorFields', 0], 'value_error'),
  ),
  add(
    'a weight for what cannot be a field',
    { ...one, mappings: { m: { type: 'multimodal_combination', weights: { 'a b': 1 } } } },
    refused('invalid_field_name', '"a b": Field name must match'),
  ),
  add(
    'the largest mappings',
    {
      documents: [{ _id: 'mapped' }],
      mappings: Object.fromEntries(
        Array.from({ length: 1000 }, (_, i) => [`m${i}`, { type: 'multimodal_combination', weights: { a: 1, b: -1 } }]),
      ),
    },
    { status: 200, answer: { errors: false } },
  ),
  add('a device that is missing', one, refused('hardware_compatability_error', 'cuda'), 'plain', '?device=CUDA1'),
  add('an empty list', { documents: [] }, refused('bad_request', 'Received empty add documents request')),
  add('one document too many', copies(129), refused('bad_request', '(129) exceeds limit of 128')),
  add(
    'an index that is not there',
    one,
    { status: 404, code: 'index_not_found', message: 'Index nope not found' },
    'nope',
  ),
  add(
    'the id as tensor field',
    { ...one, tensorFields: ['_id'] },
    refused('bad_request', '`_id` field cannot be a tensor field'),
  ),
  add(
    'tensor fields on a structured index',
    { ...one, tensorFields: [] },
    refused('invalid_argument', "Cannot specify 'tensorFields'"),
    'shop',
  ),
  add(
    'mappings without a type',
    { ...one, mappings: { m: {} } },
    refused('invalid_argument', "Error validating mappings object. Reason: mappings.m: 'type' is a required property"),
  ),
  add('no credentials at all', { ...one, modelAuth: {} }, refused('invalid_argument', 'Missing authentication object')),
  add('a document that is none', { documents: [5] }, item('invalid_argument', 'Docs must be dicts')),
  add('an empty document', { documents: [{}] }, item('invalid_argument', "Can't index an empty dict")),
  add(
    'an id that is no text',
    { documents: [{ _id: 5 }] },
    item('invalid_document_id', 'Document _id must be a string type'),
  ),
  add('an empty id', { documents: [{ _id: '' }] }, item('invalid_document_id', "Document ID can't be empty")),
  add('a bad field name', { documents: [{ 'a.b': 1 }] }, item('invalid_field_name', 'a.b')),
  add('a null field', { documents: [{ a: null }] }, item('invalid_argument', 'NoneType')),
  add(
    'a document that is too large',
    { documents: [{ a: 'x'.repeat(100_001) }] },
    item('doc_too_large', 'exceeds the allowed document size'),
  ),
  add(
    'a tensor field that is no text',
    { documents: [{ a: 5 }], tensorFields: ['a'] },
    item('invalid_argument', "Invalid type <class 'int'> for tensor field a"),
  ),
  add('a vector of another length', vector({ vector: [1] }), item('invalid_argument', 'dimension of 2'), 'own'),
  add('a vector that is none', vector('text'), item('invalid_argument', 'vector'), 'own'),
  add('a vector of zeros', vector({ vector: [0, 0] }), item('invalid_argument', 'zero magnitude'), 'own'),
  add(
    'text for a model that embeds nothing',
    { documents: [{ a: 'x' }], tensorFields: ['a'] },
    item('invalid_argument', 'no_model'),
    'own',
  ),
  add(
    'a field that is not declared',
    { documents: [{ zzz: 1 }] },
    item('invalid_argument', 'zzz is not a valid field for structured index shop'),
    'shop',
  ),
  add('as many documents as one request may hold', copies(128), { status: 200, answer: { errors: false } }),
  add('names that JavaScript objects have', '{"documents":[{"_id":"proto","__proto__":"a","constructor":"b"}]}', {
    status: 200,
    answer: { errors: false },
  }),
  add('a 64-bit integer', '{"documents":[{"_id":"long","n":9007199254740993}]}', {
    status: 200,
    answer: { errors: false, index_name: 'plain' },
  }),
  add(
    'an id that needs encoding',
    { documents: [{ _id: 'a/b?c#d é' }] },
    { status: 200, answer: { items: [{ status: 200, _id: 'a/b?c#d é' }] } },
  ),
  ...[
    [{ a: 1 }, "Document missing required field 'sku'. All documents must contain this field for grouping."],
    [{ sku: 5 }, "Field 'sku' must be of type string. Got int: 5"],
    [{ sku: ' ' }, "Field 'sku' cannot be empty. Provide a non-empty string value for grouping."],
  ].map(([document, message]) =>
    add(
      `a document that cannot be grouped: ${JSON.stringify(document)}`,
      { documents: [document], tensorFields: [] },
      item('invalid_argument', message as string),
      'grouped',
    ),
  ),
];

const get = (title: string, target: string, expected: Expected): Exchange => ({
  title,
  request: `GET /indexes/plain/documents/${target}`,
  ...expected,
});

export const getDocument: Exchange[] = [
  get('no such document', 'nope', {
    status: 404,
    code: 'document_not_found',
    message: 'Document with ID nope not found in index plain',
  }),
  get('facets perhaps', 'known?expose_facets=perhaps', {
    status: 422,
    code: 'unprocessable_entity',
    answer: { detail: [{ loc: ['query', 'expose_facets'], type: 'type_error.bool' }] },
  }),
  { title: 'no such index', request: 'GET /indexes/nope/documents/known', status: 404, code: 'index_not_found' },
  get('a document', 'known', { status: 200, answer: { _id: 'known', title: 'red shoe' } }),
  get('a document with its chunks', 'known?expose_facets=TRUE', {
    status: 200,
    answer: { _tensor_facets: [{ title: 'red shoe', _embedding: expect.any(Array) }] },
  }),
  get('an id with an encoded slash', 'a%2Fb%3Fc%23d%20%C3%A9', { status: 200, answer: { _id: 'a/b?c#d é' } }),
  get('an id with a plain slash', 'a/b%3Fc%23d%20%C3%A9', { status: 200, answer: { _id: 'a/b?c#d é' } }),
  get('names that JavaScript objects have', 'proto', { status: 200, answer: { constructor: 'b' } }),
];

const many = (title: string, body: unknown, expected: Expected): Exchange => ({
  title,
  request: 'GET /indexes/plain/documents',
  body,
  ...expected,
});
const ids = (count: number) => Array.from({ length: count }, (_, i) => String(i));

export const getDocuments: Exchange[] = [
  many('no body', undefined, unprocessable([], 'value_error.missing')),
  many('an object', { documentIds: ['a'] }, unprocessable([], 'type_error.list')),
  many('malformed JSON', '["a"', unprocessable([4], 'value_error.jsondecode')),
  many('null among the ids', ['a', null], { status: 422, answer: { detail: [{ loc: ['body', 1] }] } }),
  many('half a character', String.raw`["a", "\ud800"]`, unprocessable([1], 'value_error')),
  many('ids by the hundred thousand', `[${'"",'.repeat(600_000)}""]`, tooLarge('50000 names, texts')),
  many('as many numbers', `[${'1,'.repeat(1_000_000)}1]`, tooLarge('50000 values')),
  many('no ids', [], refused('invalid_argument', "Can't get empty collection of IDs!")),
  many('too many ids', ids(10_001), refused('illegal_requested_doc_count', '10001 documents were requested')),
  many('a body above the limit', ' '.repeat(2 * 1024 * 1024 + 1), { status: 413, code: 'payload_too_large' }),
  { title: 'no such index', request: 'GET /indexes/nope/documents', body: ['a'], status: 404, code: 'index_not_found' },
  many('ids that are there, missing and empty, in their order', ['known', 'nope', '', 'known'], {
    status: 200,
    answer: {
      errors: true,
      results: [
        { _found: true, _id: 'known' },
        { _id: 'nope', status: 404, message: 'Document does not exist in the index', _found: false },
        { _id: '', status: 400, message: "Document ID can't be empty" },
        { _found: true, _id: 'known' },
      ],
    },
  }),
  many('a number as id', [5], { status: 200, answer: { results: [{ _id: '5', _found: false }] } }),
];

const batch = (title: string, body: unknown, expected: Expected, index = 'plain'): Exchange => ({
  title,
  request: `POST /indexes/${index}/documents/get-batch`,
  body,
  ...expected,
});

export const getDocumentsBatch: Exchange[] = [
  batch('a list', ['known'], unprocessable([], 'type_error.dict')),
  batch('no ids', { documentIds: [] }, unprocessable(['documentIds'], 'value_error.list.min_items')),
  batch('an unknown member', { documentIds: ['a'], ids: [] }, unprocessable(['ids'], 'value_error.extra')),
  batch('too many ids', { documentIds: ids(10_001) }, refused('illegal_requested_doc_count', '10001')),
  batch('a body above the limit', ' '.repeat(2 * 1024 * 1024 + 1), { status: 413, code: 'payload_too_large' }),
  batch('no such index', { documentIds: ['a'] }, { status: 404, code: 'index_not_found' }, 'nope'),
  batch(
    'a document',
    { documentIds: ['known'] },
    { status: 200, answer: { errors: false, results: [{ _found: true, _id: 'known' }] } },
  ),
];

const remove = (title: string, body: unknown, expected: Expected, index = 'plain'): Exchange => ({
  title,
  request: `POST /indexes/${index}/documents/delete-batch`,
  body,
  ...expected,
});

export const deleteDocuments: Exchange[] = [
  remove('no body', undefined, unprocessable([], 'value_error.missing')),
  remove('an object', { documentIds: ['a'] }, unprocessable([], 'type_error.list')),
  remove('an id that is none', [{}], unprocessable([0], 'type_error.str')),
  remove('half a character', String.raw`["\udead"]`, unprocessable([0], 'value_error')),
  remove('ids by the hundred thousand', `[${'"",'.repeat(600_000)}""]`, tooLarge('50000 names, texts')),
  remove('as many numbers', `[${'1,'.repeat(1_000_000)}1]`, tooLarge('50000 values')),
  remove('no ids', [], refused('invalid_document_id', "doc_ids can't be empty!")),
  remove('an empty id', ['a', ''], refused('invalid_document_id', "Document ID can't be empty")),
  remove('too many ids', ids(10_001), refused('invalid_argument', 'is greater than the limit `10000`')),
  remove('a body above the limit', ' '.repeat(2 * 1024 * 1024 + 1), { status: 413, code: 'payload_too_large' }),
  remove('as many ids as one request may name', ids(10_000), {
    status: 200,
    answer: { details: { deletedDocuments: 0 } },
  }),
  remove('no such index', ['a'], { status: 404, code: 'index_not_found' }, 'nope'),
  remove('one that is there and one that is not', ['copy0', 'nope'], {
    status: 200,
    answer: {
      index_name: 'plain',
      status: 'succeeded',
      type: 'documentDeletion',
      items: [
        { _id: 'copy0', status: 200, result: 'deleted' },
        { _id: 'nope', status: 404, result: 'not_found' },
      ],
      details: { receivedDocumentIds: 2, deletedDocuments: 1 },
      duration: expect.stringMatching(/^PT\d+\.\d+S$/),
    },
  }),
];

const scan = (title: string, body: unknown, expected: Expected, index = 'own'): Exchange => ({
  title,
  request: `POST /indexes/${index}/documents/scan`,
  body,
  ...expected,
});

export const scanDocuments: Exchange[] = [
  scan('no body', undefined, { status: 200, answer: { documents: expect.any(Array), cursor: null } }),
  scan('a list', [], unprocessable([], 'type_error.dict')),
  scan('an unknown member', { size: 1 }, unprocessable(['size'], 'value_error.extra')),
  scan('no documents a page', { limit: 0 }, unprocessable(['limit'], 'value_error.number.not_gt')),
  scan('too many a page', { limit: 10_001 }, unprocessable(['limit'], 'value_error.number.not_le')),
  scan('a body above the limit', ' '.repeat(70_000), tooLarge('65536 bytes')),
  scan('a filter that is none', { filter: '(' }, { status: 400, code: 'invalid_argument' }),
  scan('a field that is none', { attributesToRetrieve: ['_score'] }, refused('invalid_field_name', 'protected field')),
  scan('a cursor of no scan', { cursor: 'x' }, refused('invalid_argument', "with the cursor 'x'")),
  scan('a cursor with a filter', { cursor: 'x', filter: 'a:b' }, refused('invalid_argument', 'filter cannot be given')),
  scan('no such index', {}, { status: 404, code: 'index_not_found' }, 'nope'),
  scan('everything', {}, { status: 200, answer: { documents: expect.any(Array), cursor: null } }),
  scan(
    'the first page',
    { limit: 1, filter: null, cursor: null },
    {
      status: 200,
      answer: {
        documents: [{ _id: expect.any(String) }],
        cursor: expect.stringMatching(/^[0-9a-f-]{36}(\.\d+){1,2}$/),
      },
    },
  ),
  scan(
    'with a filter, some fields, and vectors',
    { filter: '_id:east', attributesToRetrieve: [], exposeFacets: true },
    {
      status: 200,
      answer: { documents: [{ _id: 'east', _tensor_facets: [{ c: '', _embedding: [1, 0] }] }], cursor: null },
    },
  ),
];

export const deleteAllDocuments: Exchange[] = [
  {
    title: 'of no index',
    request: 'DELETE /indexes/nope/documents/delete-all',
    status: 404,
    code: 'index_not_found',
  },
  {
    title: 'of an index',
    request: 'DELETE /indexes/grouped/documents/delete-all',
    status: 200,
    answer: { documentCount: expect.any(Number) },
  },
];

const list = (title: string, body: unknown, expected: Expected, query = '', index = 'oldest'): Exchange => ({
  title,
  request: `POST /indexes/${index}/documents${query}`,
  body,
  ...expected,
});
const outcome = (...items: [id: string, status: number, result?: string][]): Expected => ({
  status: 200,
  answer: { items: items.map(([_id, status, result]) => ({ _id, status, ...(result !== undefined && { result }) })) },
});

/** The form of clients before 2.0; the legacy form of the interface. */
export const addBareLists: Exchange[] = [
  list('an empty list', [], refused('bad_request', 'Received empty add documents request')),
  list('an end too soon', '[{"a": 1}', unprocessable([9], 'value_error.jsondecode')),
  list('a comma too many', '[{"a": 1},]', unprocessable([10], 'value_error.jsondecode')),
  list('members after the list', '[{"a": 1}], "tensorFields": []', { status: 422, code: 'unprocessable_entity' }),
  list('two lists', '[{"a": 1}][]', { status: 422, code: 'unprocessable_entity' }),
  list(
    'headers that are none',
    [{ a: 1 }],
    refused('invalid_argument', 'image_download_headers'),
    '?image_download_headers=x',
  ),
  list('a flag that is none', [{ a: 1 }], { status: 422 }, '?use_existing_tensors=maybe'),
  list('an index that cannot be', [{ a: 1 }], refused('invalid_argument', 'is not a valid index name'), '', '1st'),
  { title: 'none of these made an index', request: 'GET /indexes/oldest/status', status: 404, code: 'index_not_found' },
  list('an index that is not there', [{ _id: 'n', n: 5 }], outcome(['n', 201, 'created']), '', 'madeByList'),
  {
    title: 'which is made with the defaults of that time',
    request: 'GET /indexes/madeByList/settings',
    status: 200,
    answer: { model: 'hf/all_datasets_v4_MiniLM-L6', annParameters: { spaceType: 'cosinesimil' } },
  },
  list(
    'an index that is there',
    [
      { _id: 'b1', title: 'red', note: 'kept as it is', n: 5 },
      { _id: 'known', title: 'red shoe', color: 'red' },
    ],
    outcome(['b1', 201, 'created'], ['known', 200, 'updated']),
    '?refresh=true&batch_size=10&processes=1&non_tensor_fields=note&non_tensor_fields=color&image_download_headers=%7B%7D',
    'plain',
  ),
  {
    title: 'every text has a vector but for those of the fields named',
    request: 'GET /indexes/plain/documents/b1?expose_facets=true',
    status: 200,
    answer: { title: 'red', note: 'kept as it is', n: 5, _tensor_facets: [{ title: 'red' }] },
  },
  list(
    'a bad document among good ones',
    [{ _id: 'b2' }, { _id: 5 }],
    { status: 200, answer: { errors: true, items: [{ _id: 'b2', status: 201 }, { status: 400 }] } },
    '',
    'plain',
  ),
  list(
    'declared fields',
    [{ _id: 's1', title: 'red' }],
    outcome(['s1', 201, 'created']),
    '?non_tensor_fields=title',
    'shop',
  ),
];

const put = (title: string, body: unknown, expected: Expected, query = '', index = 'plain'): Exchange => ({
  title,
  request: `PUT /indexes/${index}/documents${query}`,
  body,
  ...expected,
});
const readAgain = (title: string, id: string, answer: object): Exchange => ({
  title,
  request: `GET /indexes/plain/documents/${id}?expose_facets=true`,
  status: 200,
  answer,
});

/** The partial update of clients before 2.0. */
export const addOrUpdateDocuments: Exchange[] = [
  put('no body', undefined, unprocessable([], 'value_error.missing')),
  put('null', 'null', unprocessable([], 'value_error.missing')),
  put('an object', { documents: [] }, unprocessable([], 'type_error.list')),
  put('a number', '5', unprocessable([], 'type_error.list')),
  put('an object of very many bytes', `{"a":"${'x'.repeat(2 ** 20)}"}`, { status: 413, code: 'payload_too_large' }),
  put('an end too soon', '[{"a": 1}', unprocessable([9], 'value_error.jsondecode')),
  put('two lists', '[{"a": 1}][]', { status: 422, code: 'unprocessable_entity' }),
  put('an empty list', [], refused('bad_request', 'Received empty add documents request')),
  put(
    'one document too many',
    Array(129).fill({}),
    refused('bad_request', 'Number of docs in add documents request (129) exceeds limit of 128.'),
  ),
  put(
    'headers that are none',
    [{}],
    refused('invalid_argument', 'image_download_headers'),
    '?image_download_headers=x',
  ),
  put('an index that cannot be', [{ a: 1 }], refused('invalid_argument', 'is not a valid index name'), '', '1st'),
  put('an index that is not there', [{ _id: 'n', n: 5 }], outcome(['n', 201, 'created']), '', 'madeByPut'),
  {
    title: 'which is made with the defaults of that time',
    request: 'GET /indexes/madeByPut/settings',
    status: 200,
    answer: { model: 'hf/all_datasets_v4_MiniLM-L6' },
  },
  put(
    'documents that are there and such that are not, in their order',
    [
      { _id: 'put1', title: 'green tea', note: 'kept as it is', n: 5 },
      { _id: 'known', n: 7 },
      { _id: 'put2', n: 1 },
    ],
    outcome(['put1', 201, 'created'], ['known', 200, 'updated'], ['put2', 201, 'created']),
    '?device=cpu&refresh=true&batch_size=10&processes=1&non_tensor_fields=note',
  ),
  readAgain('one that was added has vectors but for the fields named', 'put1', {
    title: 'green tea',
    note: 'kept as it is',
    n: 5,
    _tensor_facets: [{ title: 'green tea' }],
  }),
  readAgain('one that was changed keeps its other fields', 'known', { title: 'red shoe', color: 'red', n: 7 }),
  put('a document without an id', [{ n: 1 }], {
    status: 200,
    answer: { errors: false, items: [{ _id: expect.any(String), status: 201, result: 'created' }] },
  }),
  put(
    'the last of several with one id counts',
    [
      { _id: 'put2', n: 2 },
      { _id: 'put2', m: 3 },
    ],
    outcome(['put2', 200, 'updated']),
  ),
  readAgain('and the others do not', 'put2', { n: 1, m: 3 }),
  put(
    'bad documents among good ones',
    [
      { _id: 'put2', n: 3 },
      { _id: 5 },
      'text',
      { _id: 'put1', n: 'five', title: 'black tea' },
      { _id: 'new', f: { a: { b: 1 } } },
    ],
    {
      status: 200,
      answer: {
        errors: true,
        items: [
          { _id: 'put2', status: 200, result: 'updated' },
          { _id: '', status: 400 },
          { status: 400, message: expect.stringContaining('dict') },
          { _id: 'put1', status: 400, message: expect.stringContaining("'n'") },
          { _id: 'new', status: 400 },
        ],
      },
    },
  ),
  readAgain('a refused document is as it was', 'put1', { title: 'green tea' }),
  put('declared fields', [{ _id: 'p1', title: 'red' }], outcome(['p1', 201, 'created']), '', 'shop'),
  put(
    'a declared field of numbers, which changes',
    [
      { _id: 'lamp', count: 8 },
      { _id: 'nothing there', count: 9 },
    ],
    outcome(['lamp', 200, 'updated'], ['nothing there', 201, 'created']),
    '',
    'store',
  ),
];
