import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import { caseNotOnCluster } from './cluster.js';
import {
  add,
  adding,
  addingText,
  facet,
  failure,
  finds,
  isMissing,
  near,
  reads,
  readsFacets,
  success,
  unchanged,
  updating,
  written,
} from './documents.js';
import { badRequest, error, holding, inBody, invalidArgument, noIndex, problems, unprocessable } from './errors.js';
import { counts, create, drop, field, hasSettings, own, small, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

/** A field of texts for each number up to `count`. */
const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 'x']));
const ofTwo = own(2, { vectorNumericType: 'bfloat16' });
const asVector = { tensorFields: ['v'], mappings: { v: { type: 'custom_vector' } } };
const generic = holding("Marqo vector store couldn't update the document.");

/** The surprises of the original, and their outcome here: row by row of their table. */
const rows: Case[] = [
  {
    section: '12.1',
    about: 'new fields of every kind need no step of their own, document by document',
    exchanges: [
      create('growing', small),
      ...Array.from({ length: 10 }, (_, i): Exchange => {
        const [text, list, vector] = [`text${i}`, `list${i}`, `vector${i}`];
        const document = { _id: `${i}`, [text]: 'x', [list]: ['x'], [vector]: 'x', [`number${i}`]: i };
        return add('growing', [document], { tensorFields: [vector] });
      }),
      counts('growing', 10, 10),
      drop('growing'),
    ],
  },
  {
    section: '12.2',
    about: 'an index may have a thousand fields of texts, and one more is the item of its document',
    exchanges: [
      create('wide', small),
      add('wide', [{ _id: 'all', ...texts(1_000) }]),
      finds('wide', { q: 'x' }, 'all'),
      {
        ...adding('wide', [
          { _id: 'more', other: 'x' },
          { _id: 'number', other: 1 },
        ]),
        ...written(
          'wide',
          failure('more', holding('MARQO_MAX_LEXICAL_FIELD_COUNT_UNSTRUCTURED'), 'bad_request'),
          success('number'),
        ),
      },
      drop('wide'),
    ],
  },
  {
    section: '12.4',
    about: 'a list of numbers fails its document alone',
    exchanges: [
      {
        ...adding(U, [{ _id: 'list', n: [1, 2] }, { _id: 'other' }]),
        ...written(U, failure('list', holding('Unsupported type')), success('other')),
      },
    ],
  },
  {
    section: '12.6',
    about: 'a map comes back flat, as one is that was flat before',
    exchanges: [add(U, [{ _id: 'flat', m: { x: 1, 'y.z': 2.5 } }]), reads(U, { _id: 'flat', 'm.x': 1, 'm.y.z': 2.5 })],
  },
  ...inBothKinds('12.8', 'null is refused, wherever it stands in a document', (index) => [
    {
      ...adding(index, [{ _id: 'null', t: null }, { _id: 'other' }]),
      ...written(index, failure('null', holding('Field content `None`')), success('other')),
    },
  ]),
  caseNotOnCluster('vectorNumericType', {
    section: '12.14',
    about: 'bfloat16 is honoured: vectors have 8 bits of precision',
    exchanges: [
      create('halves', ofTwo),
      add('halves', [{ _id: 'a', v: { vector: [1, 3] } }], asVector),
      readsFacets('halves', { _id: 'a', v: '' }, facet('v', '', near(0.31640625, 0.94921875))),
      drop('halves'),
    ],
  }),
  {
    section: '12.15',
    about: 'settings name the prefixes, so that they make the same index again',
    exchanges: [
      create('prefixed', { ...small, textQueryPrefix: 'q: ', textChunkPrefix: '' }),
      hasSettings('prefixed', expect.objectContaining({ textQueryPrefix: 'q: ', textChunkPrefix: '' })),
      drop('prefixed'),
    ],
  },
  {
    section: '12.16',
    about: 'no health of what is not there',
    exchanges: [{ request: 'GET /indexes/nope/health', ...noIndex('nope') }],
  },
  {
    section: '12.18',
    about: 'a failed item of an update has a message and an error, the same',
    exchanges: [
      {
        ...updating(U, [{ _id: 'nobody', n: 1 }, { n: 1 }]),
        ...written(U, unchanged('nobody', generic), unchanged('', holding("'_id' is a required field"))),
      },
    ],
  },
  ...inBothKinds('12.20', 'a failed item has its id, whatever is wrong with it', (index) => [
    {
      ...adding(index, [
        { _id: 'large', t: 'x'.repeat(100_001) },
        { _id: 'misnamed', 'a b': 1 },
        { _id: 'mistaken', t: null },
      ]),
      ...written(
        index,
        failure('large', holding('exceeds the allowed document size limit'), 'doc_too_large'),
        failure('misnamed', expect.any(String), expect.any(String) as unknown as string),
        failure('mistaken', expect.any(String)),
      ),
    },
  ]),
  ...inBothKinds(
    '12.21',
    'the items can be told apart by their ids where earlier ones of an id are left out',
    (index) => [
      {
        ...adding(index, [{ _id: 'twice' }, { _id: 'once' }, { _id: 'twice' }, { _id: 'twice', t: 'last' }]),
        ...written(index, success('once'), success('twice')),
      },
      reads(index, { _id: 'twice', t: 'last' }),
    ],
  ),
  {
    section: '12.22',
    about: 'the int that no field of ints takes is refused, and its neighbour kept',
    exchanges: [
      {
        ...adding(S, [
          { _id: 'below', i: -2147483648 },
          { _id: 'least', i: -2147483647 },
        ]),
        ...written(S, failure('below', holding('Invalid value -2147483648 for int field i.')), success('least')),
      },
      reads(S, { _id: 'least', i: -2147483647 }),
    ],
  },
  {
    section: '12.27',
    about: 'all documents of an index can be read one after the other',
    exchanges: [
      create('read', small),
      add('read', [{ _id: 'a' }, { _id: 'b' }]),
      {
        request: 'POST /indexes/read/documents/scan',
        body: {},
        status: 200,
        answer: expect.objectContaining({ documents: [{ _id: 'a' }, { _id: 'b' }] }),
      },
      drop('read'),
    ],
  },
  {
    section: '12.28',
    about: 'a creation that fails leaves nothing, and a deletion everything free',
    exchanges: [
      {
        request: 'POST /indexes/whole',
        body: { ...small, modelProperties: { name: 'a', dimensions: -1 } },
        ...error(400, 'invalid_argument', holding("'dimensions' must be a positive integer"), ''),
      },
      { request: 'DELETE /indexes/whole', ...noIndex('whole') },
      create('whole', small),
      drop('whole'),
      create('whole', structured([field('t', 'text')])),
      drop('whole'),
    ],
  },
  {
    section: '12.32',
    about: 'every fault is JSON with a message, a code and a type',
    exchanges: (
      [
        ['GET /nope', 404],
        ['PUT /indexes', 405],
        ['GET /indexes/nope/stats', 404],
        ['POST /indexes/unstructured', 409],
        ['POST /indexes/unstructured/search', 422],
        ['GET /device/cuda', 400],
        ['GET /memory', 403],
      ] as const
    ).map(([request, status]) => ({
      request,
      ...(status === 409 && { body: small }),
      status,
      answer: expect.objectContaining({
        message: expect.stringMatching(/./),
        code: expect.stringMatching(/^[a-z_]+$/),
        type: 'invalid_request',
      }),
      answerHeaders: { 'content-type': 'application/json' },
    })),
  },
];

/** Sentences of other chapters that stand alone. */
const sentences: Case[] = [
  {
    section: '4.1',
    about: 'names of dependent fields may have underscores, as those of members may not',
    exchanges: [
      create(
        'underscores',
        structured(
          [
            field('my_title', 'text'),
            { ...field('my_mix', 'multimodal_combination'), dependentFields: { my_title: 1 } },
          ],
          ['my_mix'],
        ),
      ),
      drop('underscores'),
    ],
  },
  {
    section: '4.4',
    about: 'a field to collapse by is matched however long it is, is no text that words find, and cannot be updated',
    exchanges: [
      create('grouped', { ...small, collapseFields: [{ name: 'sku' }], filterStringMaxLength: 3 }),
      add('grouped', [{ _id: 'a', sku: 'longer than any other', other: 'long' }]),
      finds('grouped', { filter: 'sku:(longer than any other)' }, 'a'),
      finds('grouped', { filter: 'other:long' }),
      finds('grouped', { q: 'longer' }),
      {
        ...updating('grouped', [{ _id: 'a', sku: 'x' }]),
        ...written('grouped', unchanged('a', holding("Field 'sku' groups the documents of this index"))),
      },
      drop('grouped'),
    ],
  },
  {
    section: '6.1',
    about: 'credentials of a session',
    exchanges: [
      {
        ...adding(U, [{ _id: 'session' }], {
          modelAuth: { s3: { aws_access_key_id: 'a', aws_secret_access_key: 'b', aws_session_token: 'c' } },
        }),
        ...written(U, success('session')),
      },
    ],
  },
  {
    section: '6.4',
    about: 'among several faults of a document its size comes first, then its id, then clashes',
    exchanges: [
      {
        ...adding(
          U,
          [
            { _id: 5, t: 'x'.repeat(100_001) },
            { _id: '', mm: 'x' },
            { _id: 'clash', mm: 'x', part: 5, 'a b': 1 },
            { _id: 'part', part: 5 },
          ],
          { mappings: { mm: { type: 'multimodal_combination', weights: { part: 1 } } } },
        ),
        ...written(
          U,
          failure('', holding('exceeds the allowed document size limit'), 'doc_too_large'),
          failure('', "Document ID can't be empty", 'invalid_document_id'),
          failure('clash', "Document and mappings object have conflicting fields: {'mm'}"),
          failure('part', holding('Multimodal subfields must be strings')),
        ),
      },
    ],
  },
  {
    section: '6.2',
    about: 'a request that fails as a whole writes nothing',
    exchanges: [
      {
        ...adding(U, [{ _id: 'unwritten' }], { tensorFields: ['_id'] }),
        ...badRequest('`_id` field cannot be a tensor field.'),
      },
      isMissing(U, 'unwritten'),
    ],
  },
  ...inBothKinds('6.13', 'no character of a text is refused, control characters included', (index) => {
    const document = { _id: 'control', t: '\u0000a\u0001\u0007\u001f\u007f\ufffe\u{1f600}' };
    return [
      { ...addingText(index, JSON.stringify(document)), ...written(index, success('control')) },
      reads(index, document),
    ];
  }),
  {
    section: '10.1',
    about: 'a fault of the caller has four members, its link null',
    exchanges: [
      { request: 'GET /indexes/nope/settings', ...noIndex('nope') },
      {
        request: 'POST /indexes/refused',
        body: { ...small, allFields: [] },
        ...invalidArgument('allFields is not a valid parameter for unstructured indexes'),
      },
    ],
  },
  {
    section: '11',
    about: 'parameters that clients put into queries, and headers that they leave out',
    exchanges: [
      {
        ...adding(U, [{ _id: 'of a client' }]),
        request: `POST /indexes/${U}/documents?&device=cpu&telemetry=True&refresh=false`,
        status: 200,
        answer: expect.objectContaining({ items: [success('of a client')], telemetry: expect.anything() }),
      },
      { request: `GET /indexes/${U}/documents/of%20a%20client?expose_facets=True`, status: 200 },
      {
        request: `POST /indexes/${U}/documents/delete-batch`,
        body: ['of a client'],
        headers: { 'content-type': '' },
        status: 200,
      },
      { ...adding(U, []), ...badRequest('Received empty add documents request') },
      {
        request: `POST /indexes/${U}/search`,
        body: { limit: 'x' },
        ...unprocessable(problems.integer(inBody('limit'))),
      },
    ],
  },
];

/** The surprises of the original, and single sentences. */
export const surprises: Part = {
  title: 'surprises of the original',
  preparation: [
    create(U, small),
    create(S, structured([field('t', 'text', 'lexical_search'), field('i', 'int', 'filter')])),
  ],
  cases: [...rows, ...sentences],
};
