import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import { add, adding, failure, isMissing, reads, refuse, success, written } from './documents.js';
import { badRequest, holding, inBody, invalidArgument, noIndex, problems, root, unprocessable } from './errors.js';
import { create, field, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

const one = [{ _id: 'refused' }];
const envelope = (section: string, about: string, rest: object, expected: Expected, index: string = U): Case => ({
  section,
  about,
  exchanges: [{ ...adding(index, one, rest), ...expected }],
});
const taken = (section: string, about: string, rest: object) =>
  envelope(section, about, rest, written(U, success('refused')));
const post = (body: unknown, expected: Expected): Exchange => ({
  request: 'POST /indexes/unstructured/documents',
  body,
  ...expected,
});

const members: Case[] = [
  ...[undefined, 'null'].map((body) => ({
    section: '1.1',
    about: `${body ?? 'no body'} instead of documents`,
    exchanges: [post(body, unprocessable(problems.missing(['body'])))],
  })),
  ...['5', '"text"', 'true'].map((body) => ({
    section: '6.1',
    about: `${body} instead of an object with documents`,
    exchanges: [post(body, unprocessable(problems.object(['body'])))],
  })),
  {
    section: '7.3',
    about: 'a bare list that is not UTF-8',
    exchanges: [post(Buffer.from('[{"a": "\xff"}]', 'latin1'), { status: 422 })],
  },
  {
    section: '7.3',
    about: 'a bare list of documents, the legacy form',
    exchanges: [
      post([{ _id: 'of a list' }], {
        status: 200,
        answer: expect.objectContaining({ items: [{ _id: 'of a list', status: 201, result: 'created' }] }),
      }),
    ],
  },
  {
    section: '6.1',
    about: 'no documents',
    exchanges: [post({}, unprocessable(problems.missing(inBody('documents'))))],
  },
  ...[{}, 'text', 5, true].map((documents) => ({
    section: '6.1',
    about: `${JSON.stringify(documents)} as documents`,
    exchanges: [post({ documents }, unprocessable(problems.sequence(inBody('documents'))))],
  })),
  ...['tensor_fields', 'use_existing_tensors', 'non_tensor_fields', 'device', 'batchVectorisationMode'].map((name) =>
    envelope(
      '6.1',
      `the member ${name}, which there is none of`,
      { [name]: null },
      unprocessable(problems.extra(inBody(name))),
    ),
  ),
  envelope(
    '6.1',
    'tensorFields that are no list',
    { tensorFields: 'a' },
    unprocessable(problems.list(inBody('tensorFields'))),
  ),
  envelope(
    '6.1',
    'useExistingTensors that is no truth value',
    { useExistingTensors: 'perhaps' },
    unprocessable(problems.boolean(inBody('useExistingTensors'))),
  ),
  envelope(
    '6.1',
    'useExistingTensors that is null',
    { useExistingTensors: null },
    unprocessable(problems.null(inBody('useExistingTensors'))),
  ),
  envelope(
    '7.3',
    'a size of the batches of a client that is none',
    { clientBatchSize: 0 },
    unprocessable(problems.above(inBody('clientBatchSize'), 0)),
  ),
  envelope('6.1', 'mappings that are no object', { mappings: [] }, unprocessable(problems.object(inBody('mappings')))),
  envelope(
    '6.1',
    'a prefix that is no text',
    { textChunkPrefix: {} },
    unprocessable(problems.text(inBody('textChunkPrefix'))),
  ),
  envelope(
    '6.1',
    'a count of threads that is no number',
    { imageDownloadThreadCount: 'many' },
    unprocessable(problems.integer(inBody('imageDownloadThreadCount'))),
  ),
  envelope(
    '6.1',
    'both kinds of headers',
    { imageDownloadHeaders: { a: 'b' }, mediaDownloadHeaders: { a: 'b' } },
    unprocessable(problems.rule(root, holding('Cannot set both imageDownloadHeaders and mediaDownloadHeaders'))),
  ),
  envelope(
    '6.1',
    'both kinds of counts of threads',
    { imageDownloadThreadCount: 1, mediaDownloadThreadCount: 1 },
    unprocessable(problems.rule(root, 'Cannot set both imageDownloadThreadCount and mediaDownloadThreadCount')),
  ),
  taken('6.1', 'headers of one kind and none of the other', {
    imageDownloadHeaders: {},
    mediaDownloadHeaders: { a: 'b' },
  }),
  taken('6.1', 'counts of threads', { imageDownloadThreadCount: '2' }),
  taken('6.1', 'the members that the Python client always sends', {
    tensorFields: [],
    useExistingTensors: false,
    imageDownloadHeaders: {},
    mappings: null,
    modelAuth: null,
  }),
  taken('6.1', 'everything that may be null', {
    tensorFields: null,
    mappings: null,
    modelAuth: null,
    textChunkPrefix: null,
    mediaDownloadHeaders: null,
    mediaDownloadThreadCount: null,
  }),
  taken('7.3', 'members that the interface has besides', { imageDownloadHeaders: null, clientBatchSize: 100 }),
  taken('7.3', 'the size of the batches of a client that makes none', { clientBatchSize: null }),
  taken('6.2', 'no tensorFields, which stands for none', {}),
  taken('6.1', 'tensorFields that are named twice, unknown, and no names', {
    tensorFields: ['x', 'x', 'nope', 5, null],
  }),
  taken('6.1', 'useExistingTensors in words', { useExistingTensors: 'yes' }),
];

const secrets = { s3: { aws_access_key_id: 'a', aws_secret_access_key: 'b' }, hf: { token: 'c' } };
const credentials: Case[] = [
  envelope(
    '6.1',
    'modelAuth with nothing in it',
    { modelAuth: {} },
    invalidArgument(holding('Missing authentication object.')),
  ),
  envelope(
    '6.1',
    'modelAuth of two kinds',
    { modelAuth: secrets },
    invalidArgument('More than one model authentication was provided. Only one model authentication object is allowed'),
  ),
  envelope(
    '6.1',
    'modelAuth without its token',
    { modelAuth: { hf: {} } },
    unprocessable(problems.missing(inBody('modelAuth', 'hf', 'token'))),
  ),
  envelope(
    '6.1',
    'modelAuth without its secret',
    { modelAuth: { s3: { aws_access_key_id: 'a' } } },
    unprocessable(problems.missing(inBody('modelAuth', 's3', 'aws_secret_access_key'))),
  ),
  envelope(
    '6.1',
    'modelAuth of an unknown kind',
    { modelAuth: { ftp: {} } },
    {
      status: 422,
      answer: expect.objectContaining({ detail: [expect.objectContaining({ type: 'value_error.extra' })] }),
    },
  ),
  ...(['s3', 'hf'] as const).map((kind) =>
    taken('6.1', `modelAuth for ${kind}`, { modelAuth: { [kind]: secrets[kind] } }),
  ),
];

const copies = (count: number) => Array.from({ length: count }, (_, i) => ({ _id: `copy${i}` }));
const whole: Case[] = [
  ...inBothKinds('6.2', 'no documents', (index) => [
    { ...adding(index, []), ...badRequest('Received empty add documents request') },
  ]),
  ...inBothKinds('6.2', 'one document too many', (index) => [
    {
      ...adding(index, copies(129)),
      ...badRequest(holding('Number of docs in add documents request (129) exceeds limit of 128.')),
    },
    isMissing(index, 'copy0'),
  ]),
  ...inBothKinds('6.2', 'as many documents as one request may hold', (index) => [add(index, copies(128))]),
  {
    section: '6.2',
    about: 'adding makes no index',
    exchanges: [
      { ...adding('nope', one), ...noIndex('nope') },
      { request: 'GET /indexes/nope/settings', ...noIndex('nope') },
    ],
  },
  envelope(
    '6.2',
    'the id as a tensor field',
    { tensorFields: ['_id'] },
    badRequest('`_id` field cannot be a tensor field.'),
  ),
  ...[[], ['t']].map((tensorFields) =>
    envelope(
      '6.2',
      `tensorFields ${JSON.stringify(tensorFields)} on a structured index`,
      { tensorFields },
      invalidArgument(
        "Cannot specify 'tensorFields' when adding documents to a structured index. 'tensorFields' must be defined in structured index schema at index creation time",
      ),
      S,
    ),
  ),
  envelope('6.2', 'tensorFields null on a structured index', { tensorFields: null }, written(S, success('refused')), S),
  {
    section: '1.3',
    about: 'the shape comes before the number of documents',
    exchanges: [{ ...adding('nope', [], { batchSize: 1 }), ...unprocessable(problems.extra(inBody('batchSize'))) }],
  },
  {
    section: '1.3',
    about: 'the number of documents comes before the index',
    exchanges: [{ ...adding(U, []), ...badRequest('Received empty add documents request') }],
  },
  {
    section: '1.3',
    about: 'the index comes before what it takes',
    exchanges: [{ ...adding('nope', one, { tensorFields: ['_id'] }), ...noIndex('nope') }],
  },
];

const bad = { _id: 'bad', t: null };
const notContent = expect.stringContaining('Field content `None` \nof type `NoneType` is not of valid content type!');
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

const processing: Case[] = [
  ...inBothKinds('6.3', 'a document is read back as it was added', (index) => [
    add(index, [{ _id: 'back', t: 'text', n: 5, b: true }]),
    reads(index, { _id: 'back', t: 'text', n: 5, b: true }),
  ]),
  ...inBothKinds('6.3', 'an id alone is a document', (index) => [
    add(index, [{ _id: 'alone' }]),
    reads(index, { _id: 'alone' }),
  ]),
  ...inBothKinds('6.3', 'a document without an id gets one', (index) => [
    { ...adding(index, [{ t: 'x' }]), ...written(index, success(uuid)) },
  ]),
  ...inBothKinds('6.3', 'a document replaces the one of its id as a whole', (index) => [
    add(index, [{ _id: 'replaced', t: 'old', n: 1 }]),
    add(index, [{ _id: 'replaced', t: 'new' }]),
    reads(index, { _id: 'replaced', t: 'new' }),
  ]),
  ...inBothKinds('6.3', 'one bad document does not stop the others, and the order is that of the request', (index) => [
    {
      ...adding(index, [{ _id: 'first', n: 1 }, bad, { _id: 'last', n: 2 }]),
      ...written(index, success('first'), failure('bad', notContent), success('last')),
    },
    reads(index, { _id: 'first', n: 1 }),
    isMissing(index, 'bad'),
    reads(index, { _id: 'last', n: 2 }),
  ]),
  ...inBothKinds('6.3', 'the last of several documents with one id counts, and is the only item', (index) => [
    {
      ...adding(index, [
        { _id: 'repeated', n: 1 },
        { _id: 'other', n: 2 },
        { _id: 'repeated', n: 3 },
      ]),
      ...written(index, success('other'), success('repeated')),
    },
    reads(index, { _id: 'repeated', n: 3 }),
  ]),
  ...inBothKinds('6.3', 'the last of one id counts even where it is refused', (index) => [
    { ...adding(index, [{ _id: 'bad', n: 1 }, bad]), ...written(index, failure('bad', notContent)) },
    isMissing(index, 'bad'),
  ]),
  ...inBothKinds('6.3', 'a refused document leaves the one that is stored', (index) => [
    add(index, [{ _id: 'stays', n: 1 }]),
    refuse(index, { _id: 'stays', t: null }, failure('stays', notContent)),
    reads(index, { _id: 'stays', n: 1 }),
  ]),
  ...inBothKinds('6.3', 'documents without ids are all kept', (index) => [
    { ...adding(index, [{ n: 1 }, { n: 1 }]), ...written(index, success(uuid), success(uuid)) },
  ]),
];

const invalidId = (message: unknown) => failure('', message, 'invalid_document_id');
const documents: Case[] = [
  ...[5, 'text', true, null, [], [{}]].flatMap((document) =>
    inBothKinds('6.4', `${JSON.stringify(document)} is no document`, (index) => [
      { ...adding(index, [document]), ...written(index, failure('', 'Docs must be dicts')) },
    ]),
  ),
  ...inBothKinds('6.4', 'an empty document', (index) => [refuse(index, {}, failure('', "Can't index an empty dict."))]),
  ...(
    [
      [5, '5', 'int'],
      [1.5, '1.5', 'float'],
      [null, 'None', 'NoneType'],
      [true, 'True', 'bool'],
      [['a'], "['a']", 'list'],
      [{ a: 1 }, "{'a': 1}", 'dict'],
    ] as const
  ).flatMap(([id, echo, type]) =>
    inBothKinds('6.4', `an id of type ${type}`, (index) => [
      refuse(
        index,
        { _id: id },
        invalidId(`Document _id must be a string type! Received _id ${echo} of type \`${type}\``),
      ),
    ]),
  ),
  ...inBothKinds('6.4', 'an empty id', (index) => [
    refuse(index, { _id: '' }, invalidId("Document ID can't be empty")),
  ]),
  ...[
    'a/b',
    'a?b',
    'a#b',
    'a::b',
    '..',
    '.',
    ' ',
    'ä',
    '文',
    '\n\u0001',
    '%2F',
    '😀',
    'delete-all',
    '__proto__',
  ].flatMap((id) =>
    inBothKinds('12.9', `the id ${JSON.stringify(id)} is kept exactly`, (index) => [
      add(index, [{ _id: id }]),
      {
        request: `POST /indexes/${index}/documents/get-batch`,
        body: { documentIds: [id] },
        status: 200,
        answer: { errors: false, results: [{ _id: id, _found: true }] },
      },
    ]),
  ),
  ...inBothKinds('6.4', 'a document that is too large, with its id', (index) => [
    refuse(
      index,
      { _id: 'big', t: 'x'.repeat(100_000) },
      failure(
        'big',
        expect.stringMatching(
          /^Document _id:`big` with length `\d+` exceeds the allowed document size limit of \[100000\]\.$/,
        ),
        'doc_too_large',
      ),
    ),
  ]),
  ...inBothKinds('6.4', 'a document without an id that is too large', (index) => [
    refuse(
      index,
      { t: 'x'.repeat(100_000) },
      failure(
        '',
        expect.stringMatching(/^Document with length `\d+` exceeds the allowed document size limit of \[100000\]\.$/),
        'doc_too_large',
      ),
    ),
  ]),
  {
    section: '12.30',
    about: 'characters of other scripts count their bytes, no more',
    exchanges: [add(U, [{ _id: 'long', t: '文'.repeat(33_000) }])],
  },
  {
    section: '6.5',
    about: 'a name that no field may have is the item of its document',
    exchanges: [
      {
        ...adding(U, [{ _id: 'a', 'b c': 1 }, { _id: 'b' }]),
        ...written(U, failure('a', holding('"b c": Field name must match'), 'invalid_field_name'), success('b')),
      },
    ],
  },
];

const collapsing: Case[] = [
  [{}, "Document missing required field 'sku'. All documents must contain this field for grouping."] as const,
  [{ sku: 5 }, "Field 'sku' must be of type string. Got int: 5"] as const,
  [{ sku: '' }, "Field 'sku' cannot be empty. Provide a non-empty string value for grouping."] as const,
  [{ sku: '  ' }, "Field 'sku' cannot be empty. Provide a non-empty string value for grouping."] as const,
].map(([fields, message]) => ({
  section: '6.4',
  about: `a document that cannot be grouped: ${JSON.stringify(fields)}`,
  exchanges: [refuse('grouped', { _id: 'bad', ...fields }, failure('bad', message)), isMissing('grouped', 'bad')],
}));

const grouped: Case = {
  section: '6.4',
  about: 'a document that can be grouped',
  exchanges: [add('grouped', [{ _id: 'good', sku: 'A' }]), reads('grouped', { _id: 'good', sku: 'A' })],
};

/** Adding documents: the request, its documents as such, their ids. */
export const addingDocuments: Part = {
  title: 'adding documents',
  preparation: [
    create(U, small),
    create(
      S,
      structured([field('t', 'text', 'lexical_search'), field('n', 'int', 'filter'), field('b', 'bool', 'filter')]),
    ),
    create('grouped', { ...small, collapseFields: [{ name: 'sku' }] }),
  ],
  cases: [...members, ...credentials, ...whole, ...processing, ...documents, ...collapsing, grouped],
};
