import { expect } from 'vitest';
import type { Case, Exchange, Part } from './case.js';
import {
  add,
  addingText,
  failure,
  findsFirst,
  near,
  reads,
  readsFacets,
  refuse,
  success,
  written,
} from './documents.js';
import { problems, root, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { S, U } from './kinds.js';

const given = { useGivenTensors: true };

const base64 = (...numbers: number[]) => Buffer.from(new Float32Array(numbers).buffer).toString('base64');

const text = (name: string, chunks: readonly string[], ...numbers: number[]) => ({
  field: name,
  kind: 'text',
  chunks,
  vectors: base64(...numbers),
});
const ownVector = (name: string, content: string, ...numbers: number[]) => ({
  field: name,
  kind: 'custom_vector',
  chunks: [content],
  vectors: base64(...numbers),
});
const combination = (name: string, weights: object, chunk: string, ...numbers: number[]) => ({
  field: name,
  kind: 'multimodal_combination',
  weights,
  chunks: [chunk],
  vectors: base64(...numbers),
});

const excluded = (about: string, member: string, value: unknown): Case => ({
  section: '8.5',
  about: `${about} cannot be given besides`,
  exchanges: [
    {
      request: `POST /indexes/${U}/documents`,
      body: { documents: [{ _id: '1', _tensors: [] }], ...given, [member]: value },
      ...unprocessable(problems.rule(root, `Cannot set both useGivenTensors and ${member}`)),
    },
  ],
});

const refuses = (about: string, document: object, message: string, index: string = U): Case => ({
  section: '8.5',
  about: `${about} ${index === S ? 'in a structured index ' : ''}is refused by itself`,
  exchanges: [refuse(index, { _id: 'refused', ...document }, failure('refused', message), given)],
});

const scan = (index: string, filter: string, documents: readonly object[]): Exchange => ({
  request: `POST /indexes/${index}/documents/scan`,
  body: { filter, exposeTensors: true },
  status: 200,
  answer: { documents, cursor: null },
});

/** Documents as a scan shows them, the one with all there can be. */
const whole = {
  _id: 'whole',
  title: 'Red. Green.',
  own: 'mine',
  'sizes.a': 1.5,
  'sizes.b.c': 2,
  list: ['x', 'y'],
  truth: true,
  _tensors: [
    text('title', ['Red.', 'Green.'], 1, 0, 0, 0, 1, 0),
    ownVector('own', 'mine', 0, 0, 1),
    combination('both', { title: 0.25, none: -1 }, '{"title": "Red. Green."}', 0, 1, 0),
  ],
};
const declared = {
  _id: 'declared',
  title: 'Red.',
  own: 'mine',
  both: { title: 2 },
  _tensors: [
    text('title', ['Red.'], 1, 0, 0),
    ownVector('own', 'mine', 0, 0, 1),
    combination('both', { title: 2 }, '{"title": "Red."}', 0, 1, 0),
  ],
};
const needed = 'Tensors of field title: ';

const cases: Case[] = [
  {
    section: '8.5',
    about: 'a document comes back from a scan as it was given, and is found by its vectors',
    exchanges: [
      add(U, [whole], given),
      scan(U, '_id:whole', [whole]),
      findsFirst(
        U,
        { q: { customVector: { vector: [0, 1, 0] } }, filter: '_id:whole', searchableAttributes: ['title'] },
        { _id: 'whole', _score: expect.closeTo(1, 5), _highlights: [{ title: 'Green.' }] },
      ),
    ],
  },
  {
    section: '8.5',
    about: 'a document of declared fields comes back from a scan as it was given',
    exchanges: [add(S, [declared], given), scan(S, '_id:declared', [declared])],
  },
  {
    section: '8.5',
    about: 'numbers stay as they are spelt',
    exchanges: [
      {
        ...addingText(
          U,
          '{"_id":"exact","n":9223372036854775807,"f":1.0,"m.k":0.1,"_tensors":[]}',
          ',"useGivenTensors":true',
        ),
        ...written(U, success('exact')),
      },
      {
        request: `GET /indexes/${U}/documents/exact`,
        status: 200,
        text: '{"_id":"exact","n":9223372036854775807,"f":1.0,"m.k":0.1}',
      },
    ],
  },
  {
    section: '8.5',
    about: 'a document without tensors gives an empty list, and replaces one with some',
    exchanges: [
      add(U, [{ ...whole, _id: 'less' }], given),
      add(U, [{ _id: 'less', title: 'Red', _tensors: [] }], given),
      readsFacets(U, { _id: 'less', title: 'Red' }),
    ],
  },
  {
    section: '8.5',
    about: 'vectors are what facets show',
    exchanges: [
      add(U, [{ _id: 'facets', title: 'Red.', _tensors: [text('title', ['Red.'], 0.6, 0, 0.8)] }], given),
      readsFacets(U, { _id: 'facets', title: 'Red.' }, { title: 'Red.', _embedding: near(0.6, 0, 0.8) }),
      reads(U, { _id: 'facets', title: 'Red.' }),
    ],
  },
  excluded('tensorFields', 'tensorFields', ['title']),
  excluded('mappings', 'mappings', {}),
  excluded('a prefix', 'textChunkPrefix', 'x'),
  excluded('useExistingTensors', 'useExistingTensors', true),
  {
    section: '8.5',
    about: 'tensors without useGivenTensors are no field',
    exchanges: [
      refuse(
        U,
        { _id: 'field', _tensors: [] },
        failure(
          'field',
          '_tensors: Field name must not be one of _id, _tensor_facets, _highlights, _score, _found, _embedding, _tensors',
          'invalid_field_name',
        ),
      ),
    ],
  },
  refuses(
    'a document that brings no tensors',
    { title: 'Red' },
    'With `useGivenTensors` every document brings its tensors in the member `_tensors`, an empty list where it has none; this one has no such member',
  ),
  refuses(
    'a vector of another dimension',
    { title: 'Red', _tensors: [text('title', ['Red'], 1, 0, 0, 0)] },
    `${needed}expected one vector of dimension 3 for each of 1 chunks, 12 bytes in all, but given 16 bytes, which are vectors of dimension 4`,
  ),
  refuses(
    'a vector that is not finite',
    { title: 'Red', _tensors: [text('title', ['Red'], 1, Number.NaN, 0)] },
    `${needed}vectors must be finite, but given NaN at position 1 of the vector of chunk 0`,
  ),
  refuses(
    'a vector that is not of length 1',
    { title: 'Red', _tensors: [text('title', ['Red'], 3, 4, 0)] },
    `${needed}the index normalizes its vectors, so expected vectors of length 1, but given one of length 5.0000 of chunk 0`,
  ),
  refuses(
    'an unknown kind',
    { title: 'Red', _tensors: [{ ...text('title', ['Red'], 1, 0, 0), kind: 'image' }] },
    `${needed}kind must be one of text, custom_vector, multimodal_combination, but given 'image'`,
  ),
  refuses(
    'a chunk that is not in the text',
    { title: 'Red', _tensors: [text('title', ['Green'], 1, 0, 0)] },
    `${needed}the chunk Green is not in the text of the field, or not behind the chunk before it`,
  ),
  refuses(
    'tensors of a field that is not there',
    { _tensors: [text('title', ['Red'], 1, 0, 0)] },
    `${needed}the document must hold the text that they are of in the field 'title'`,
  ),
  refuses(
    'a combination without weights',
    {
      title: 'Red',
      _tensors: [{ ...combination('both', {}, '{"title": "Red"}', 1, 0, 0), weights: undefined }],
    },
    'Tensors of field both: a combination has weights, an object of finite numbers',
  ),
  refuses(
    'a combination of another text',
    { title: 'Red', _tensors: [combination('both', { title: 1 }, '{"title": "Blue"}', 1, 0, 0)] },
    'Tensors of field both: expected the chunk {"title": "Red"}, but given {"title": "Blue"}',
  ),
  refuses(
    'a value beside the entries of a map',
    { a: 'x', 'a.b': 1, _tensors: [] },
    "Field 'a' has a value of its own and entries of a map besides",
  ),
  refuses(
    'a document without tensors of a declared tensor field',
    { title: 'Red', _tensors: [] },
    `${needed}missing, though it is a tensor field of index ${S} and the document has content for it`,
    S,
  ),
  refuses(
    'tensors of a kind that is not declared',
    { title: 'Red', _tensors: [ownVector('title', 'Red', 1, 0, 0)] },
    `${needed}expected kind text, but given custom_vector`,
    S,
  ),
  refuses(
    'tensors of a field that is no tensor field',
    { other: 'Red', _tensors: [text('other', ['Red'], 1, 0, 0)] },
    `Tensors of field other: no tensor field of index ${S}`,
    S,
  ),
  refuses(
    'a combination with other weights than those declared',
    {
      title: 'Red',
      _tensors: [text('title', ['Red'], 1, 0, 0), combination('both', { title: 7 }, '{"title": "Red"}', 1, 0, 0)],
    },
    'Tensors of field both: expected the weights {"title":1}, which the index declares or the document holds, but given {"title":7}',
    S,
  ),
];

/** Vectors that documents bring, as a scan shows them. The index has no model, so that nothing can be embedded. */
export const givenTensors: Part = {
  title: 'vectors that documents bring',
  preparation: [
    create(U, own(3, { normalizeEmbeddings: true })),
    create(
      S,
      structured(
        [
          field('title', 'text'),
          field('other', 'text'),
          field('own', 'custom_vector'),
          { name: 'both', type: 'multimodal_combination', dependentFields: { title: 1 } },
        ],
        ['title', 'own', 'both'],
        own(3),
      ),
    ),
  ],
  cases,
};
