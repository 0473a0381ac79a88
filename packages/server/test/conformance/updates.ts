import { expect } from 'vitest';
import type { Case, Exchange, Expected, Part } from './case.js';
import {
  add,
  type Document,
  facet,
  finds,
  findsFirst,
  isMissing,
  reads,
  readsFacets,
  success,
  unchanged,
  updating,
  written,
} from './documents.js';
import { badRequest, holding, inBody, noIndex, problems, unprocessable } from './errors.js';
import { create, drop, field, small, structured } from './indexes.js';
import { inBothKinds, type Kind, S, U } from './kinds.js';

const patch = (body: unknown, expected: Expected): Exchange => ({
  request: `PATCH /indexes/${U}/documents`,
  body,
  ...expected,
});
const copies = (count: number) => Array.from({ length: count }, (_, i) => ({ _id: `copy${i}` }));

const requests: Case[] = [
  ...[undefined, 'null'].map((body) => ({
    section: '1.1',
    about: `${body ?? 'no body'} instead of documents`,
    exchanges: [patch(body, unprocessable(problems.missing(['body'])))],
  })),
  {
    section: '7',
    about: 'a list instead of an object',
    exchanges: [[], [{ _id: 'a', n: 1 }], [5]].map((list) =>
      patch(list, unprocessable({ ...problems.missing(inBody('documents')), msg: holding('the body is a list') })),
    ),
  },
  { section: '7', about: 'no documents', exchanges: [patch({}, unprocessable(problems.missing(inBody('documents'))))] },
  {
    section: '7',
    about: 'documents that are none',
    exchanges: [patch({ documents: 'a' }, unprocessable(problems.sequence(inBody('documents'))))],
  },
  ...[5, 'text', null, []].map((document) => ({
    section: '7',
    about: `${JSON.stringify(document)} among the documents`,
    exchanges: [patch({ documents: [{ _id: 'a' }, document] }, unprocessable(problems.object(inBody('documents', 1))))],
  })),
  ...['tensorFields', 'mappings', 'useExistingTensors', 'device'].map((name) => ({
    section: '7',
    about: `the member ${name}, which there is none of`,
    exchanges: [patch({ documents: [{ _id: 'a' }], [name]: null }, unprocessable(problems.extra(inBody(name))))],
  })),
  ...inBothKinds('7', 'an empty list of documents', (index) => [
    { ...updating(index, []), ...badRequest('Received empty update_documents request') },
  ]),
  ...inBothKinds('7', 'one document too many', (index) => [
    {
      ...updating(index, copies(129)),
      ...badRequest(holding('Number of docs in update_documents request (129) exceeds limit of 128.')),
    },
  ]),
  {
    section: '7',
    about: 'an index that is not there',
    exchanges: [{ ...updating('nope', copies(1)), ...noIndex('nope') }],
  },
  {
    section: '1.1',
    about: 'a body without a content type, as the Python client sends it',
    exchanges: [
      add(U, [{ _id: 'typeless', n: 1 }]),
      {
        ...updating(U, [{ _id: 'typeless', n: 2 }]),
        headers: { 'content-type': '' },
        ...written(U, success('typeless')),
      },
      reads(U, { _id: 'typeless', n: 2 }),
    ],
  },
];

const ids: Case[] = [
  ...inBothKinds('7.1', 'a document without an id', (index) => [
    {
      ...updating(index, [{ n: 1 }]),
      ...written(index, unchanged('', "'_id' is a required field but it does not exist")),
    },
  ]),
  ...inBothKinds('7.1', 'an empty id', (index) => [
    { ...updating(index, [{ _id: '', n: 1 }]), ...written(index, unchanged('', "Document ID can't be empty")) },
  ]),
  ...(
    [
      [5, '5', 'int'],
      [1.5, '1.5', 'float'],
    ] as const
  ).flatMap(([id, echo, type]) =>
    inBothKinds('7', `an id of type ${type} is told as a text`, (index) => [
      {
        ...updating(index, [{ _id: id, n: 1 }]),
        ...written(
          index,
          unchanged(echo, `Document _id must be a string type! Received _id ${echo} of type \`${type}\``),
        ),
      },
    ]),
  ),
  ...inBothKinds('7', 'an id alone changes nothing', (index) => [
    add(index, [{ _id: 'alone', n: 1 }]),
    { ...updating(index, [{ _id: 'alone' }]), ...written(index, success('alone')) },
    reads(index, { _id: 'alone', n: 1 }),
  ]),
  ...inBothKinds('7', 'the last of several documents with one id counts, and is the only item', (index) => [
    add(index, [
      { _id: 'repeated', n: 1 },
      { _id: 'other', n: 1 },
    ]),
    {
      ...updating(index, [
        { _id: 'repeated', n: 2 },
        { _id: 'other', n: 3 },
        { _id: 'repeated', b: true },
      ]),
      ...written(index, success('other'), success('repeated')),
    },
    reads(index, { _id: 'repeated', n: 1, b: true }),
  ]),
  ...inBothKinds('7', 'an update makes no document', (index) => [
    {
      ...updating(index, [{ _id: 'nobody', n: 1 }]),
      ...written(
        index,
        index === S
          ? unchanged('nobody', 'Document does not exist in the index', 404)
          : unchanged('nobody', generic('Document does not exist in the index')),
      ),
    },
    isMissing(index, 'nobody'),
  ]),
  ...inBothKinds('7', 'one that fails does not stop the others', (index) => [
    add(index, [
      { _id: 'first', n: 1 },
      { _id: 'second', n: 1 },
    ]),
    {
      ...updating(index, [
        { _id: 'first', n: 2 },
        { _id: '', n: 2 },
        { _id: 'second', n: 2 },
      ]),
      ...written(index, success('first'), unchanged('', "Document ID can't be empty"), success('second')),
    },
    reads(index, { _id: 'second', n: 2 }),
  ]),
];

/** The words that clients of unstructured indexes look for, then the reason. */
function generic(reason: string): unknown {
  return expect.toSatisfy(
    (message: string) =>
      message.startsWith("Marqo vector store couldn't update the document. Please see: ") && message.includes(reason),
    `the refusal of clients, and '${reason}'`,
  );
}

/** A document as it was, a change, and its outcome. */
const changes = (index: Kind, section: string, about: string, before: object, change: object, after: object): Case => ({
  section,
  about,
  exchanges: [
    add(index, [{ _id: 'one', ...before }]),
    { ...updating(index, [{ _id: 'one', ...change }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', ...after }),
  ],
});
const refusesChange = (
  index: Kind,
  section: string,
  about: string,
  before: Document,
  change: object,
  message: unknown,
  rest: object = {},
): Case => ({
  section,
  about,
  exchanges: [
    add(index, [before], rest),
    { ...updating(index, [{ _id: before._id, ...change }]), ...written(index, unchanged(before._id, message)) },
    reads(index, before),
  ],
});

const declaredOne = { _id: 'one', t: 'text', part: 'half', n: 1 };
const declared: Case[] = [
  changes(S, '7.1', 'values take the place of others, the rest stays', { n: 1, b: true }, { n: 2 }, { n: 2, b: true }),
  changes(S, '7.1', 'a truth value is 1 or 0 in a field of numbers', { n: 5 }, { n: true }, { n: 1 }),
  changes(S, '7.1', 'a field that the document did not have', { n: 1 }, { note: 'new' }, { n: 1, note: 'new' }),
  changes(
    S,
    '7.1',
    'every type of field',
    {},
    { n: 1, b: true, f: 2.5, note: 'x', tags: ['a'], ratings: { x: 1 } },
    {
      ...{ n: 1, b: true, f: 2.5, note: 'x', tags: ['a'], ratings: { x: 1 } },
    },
  ),
  changes(
    S,
    '7.1',
    'a map takes the place of the whole map',
    { ratings: { x: 1, y: 2 } },
    { ratings: { y: 3, z: 4 } },
    {
      ratings: { y: 3, z: 4 },
    },
  ),
  changes(S, '7.1', 'a list takes the place of the whole list', { tags: ['a', 'b'] }, { tags: ['c'] }, { tags: ['c'] }),
  ...(
    [
      ['a tensor field', 't', "You cannot modify 't' field as this is a tensor field"],
      ['a combination', 'm', "You cannot modify 'm' field as this is a tensor field"],
      ['a custom vector', 'c', "You cannot modify 'c' field as this is a tensor field"],
      [
        'a part of a combination',
        'part',
        "You cannot modify 'part' field as this is a dependent field of a multimodal combination field",
      ],
    ] as const
  ).map(([about, name, message]) =>
    refusesChange(S, '7.1', `${about} cannot be changed`, declaredOne, { [name]: 'x' }, holding(message)),
  ),
  refusesChange(
    S,
    '7.1',
    'a field that is not declared',
    declaredOne,
    { zzz: 1 },
    holding('Invalid field name zzz for index structured. Valid field names are t, part, m, c, n, '),
  ),
  ...(
    [
      ['a fraction', { n: 1.5 }, 'Invalid value 1.5 for field n with Marqo type int.'],
      ['a text', { n: '5' }, 'Invalid value 5 for field n with Marqo type int.'],
      ['an integer', { b: 1 }, 'Invalid value 1 for field b with Marqo type bool.'],
      ['a number', { note: 5 }, 'Invalid value 5 for field note with Marqo type text.'],
      ['a text that is no list', { tags: 'a' }, 'Invalid value a for a list field tags with Marqo type array<text>.'],
    ] as const
  ).map(([about, change, message]) =>
    refusesChange(S, '7.1', `${about} in a field of another type`, declaredOne, change, holding(message)),
  ),
  refusesChange(
    S,
    '7.1',
    'a number beyond the range of its field',
    declaredOne,
    { n: 2_147_483_648 },
    holding('Expected a value in the range [-2147483647, 2147483647], but found 2147483648.'),
  ),
  refusesChange(
    S,
    '7.1',
    'one bad field leaves the good one as it was',
    declaredOne,
    { n: 5, b: 'x' },
    holding('Invalid value x for field b'),
  ),
];

const seen = { _id: 'seen', seenText: 'x', seenList: ['x'] };
const undeclared: Case[] = [
  changes(
    U,
    '7.2',
    'values of the same type',
    { n: 1, f: 1.5, b: true },
    { n: 2, f: 2.5, b: false },
    {
      ...{ n: 2, f: 2.5, b: false },
    },
  ),
  changes(
    U,
    '7.2',
    'numbers and truth values in new fields',
    { n: 1 },
    { g: 1, h: 1.5, i: true },
    {
      ...{ n: 1, g: 1, h: 1.5, i: true },
    },
  ),
  changes(U, '7.2', 'a text in a field of texts', { seenText: 'old' }, { seenText: 'new' }, { seenText: 'new' }),
  changes(
    U,
    '7.2',
    'a text in a field that had texts in other documents',
    { n: 1 },
    { seenText: 'new' },
    {
      ...{ n: 1, seenText: 'new' },
    },
  ),
  changes(
    U,
    '7.2',
    'a list in a field of lists',
    { seenList: ['old'] },
    { seenList: ['a', 'b'] },
    { seenList: ['a', 'b'] },
  ),
  changes(
    U,
    '7.2',
    'a map takes the place of the whole map',
    { s: { x: 1, y: 2 } },
    { s: { y: 3, z: 4 } },
    {
      ...{ 's.y': 3, 's.z': 4 },
    },
  ),
  changes(U, '7.2', 'a new map', { n: 1 }, { s: { x: 1.5 } }, { n: 1, 's.x': 1.5 }),
  changes(U, '7.2', 'an empty map removes the map', { n: 1, s: { x: 1, y: 2 } }, { s: {} }, { n: 1 }),
  changes(U, '12.17', 'an integer in a field of floats', { f: 1.5 }, { f: 2 }, { f: 2 }),
  changes(U, '12.17', 'a float in a field of integers', { n: 20 }, { n: 19.99 }, { n: 19.99 }),
  changes(U, '12.17', 'floats in a map of integers', { s: { x: 1 } }, { s: { x: 1.5 } }, { 's.x': 1.5 }),
  refusesChange(
    U,
    '7.2',
    'a text in a field that never had one',
    { _id: 'one', n: 1 },
    { neverText: 'x' },
    holding(
      'neverText of type str does not exist in the original document. Marqo does not support adding new lexical fields in partial updates',
    ),
  ),
  refusesChange(
    U,
    '7.2',
    'a list in a field that never had one',
    { _id: 'one', n: 1 },
    { neverList: ['x'] },
    holding('Unstructured index updates only support updating existing string array fields'),
  ),
  refusesChange(
    U,
    '7.2',
    'a list of numbers',
    { _id: 'one', seenList: ['x'] },
    { seenList: [1] },
    holding('Unstructured index updates only support updating existing string array fields'),
  ),
  refusesChange(
    U,
    '7.2',
    'a map of texts',
    { _id: 'one', n: 1 },
    { s: { x: 'y' } },
    holding(
      "Unsupported field type <class 'str'> for field s in doc one. We only support int and float types for map values when updating a document",
    ),
  ),
  ...(
    [
      ['a truth value in a field of integers', { n: 1 }, { n: true }],
      ['an integer in a field of truth values', { b: true }, { b: 1 }],
    ] as const
  ).map(([about, before, change]) => {
    return {
      section: '7.2',
      about,
      exchanges: [
        add(U, [{ _id: 'one', ...before }]),
        { ...updating(U, [{ _id: 'one', ...change }]), ...written(U, unchanged('one', generic(''))) },
        reads(U, { _id: 'one', ...before }),
      ],
    };
  }),
  refusesChange(U, '7.2', 'a tensor field cannot be changed', { _id: 'one', t: 'text' }, { t: 'x' }, generic("'t'"), {
    tensorFields: ['t'],
  }),
  ...(
    [
      ['a combination', 'm'],
      ['a part of a combination', 'part'],
    ] as const
  ).map(([about, name]) =>
    refusesChange(
      U,
      '7.2',
      `${about} cannot be changed`,
      { _id: 'one', part: 'text' },
      { [name]: 'x' },
      generic(`'${name}'`),
      { mappings: { m: { type: 'multimodal_combination', weights: { part: 1 } } } },
    ),
  ),
  refusesChange(
    U,
    '12.19',
    'an illegal field name is an item',
    { _id: 'one', n: 1 },
    { 'a b': 1 },
    '"a b": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with "marqo__"',
  ),
];

const effects: Case[] = [
  ...inBothKinds('7', 'null removes a field, one that is not there too', (index) => [
    add(index, [{ _id: 'one', n: 1, note: 'x' }]),
    { ...updating(index, [{ _id: 'one', note: null, b: null }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', n: 1 }),
  ]),
  ...inBothKinds('7.1', 'a document is found by its new values alone', (index) => [
    add(index, [{ _id: 'moved', n: 11, note: 'lynx' }]),
    { ...updating(index, [{ _id: 'moved', n: 12, note: 'puma' }]), ...written(index, success('moved')) },
    finds(index, { filter: 'n:12' }, 'moved'),
    finds(index, { filter: 'n:11' }),
    finds(index, { q: 'puma' }, 'moved'),
    finds(index, { q: 'lynx' }),
  ]),
  {
    section: '7.2',
    about: 'vectors stay as they were',
    exchanges: [
      add(U, [{ _id: 'kept', t: 'text', n: 1 }], { tensorFields: ['t'] }),
      { ...updating(U, [{ _id: 'kept', n: 2 }]), ...written(U, success('kept')) },
      readsFacets(U, { _id: 'kept', t: 'text', n: 2 }, facet('t', 'text')),
    ],
  },
];

/** The item of a document that was changed or added by a list. */
const result = (_id: unknown, word: 'created' | 'updated') => ({
  status: word === 'created' ? 201 : 200,
  _id,
  result: word,
});
const listed = (index: string, documents: unknown, expected: Expected): Exchange => ({
  request: `PUT /indexes/${index}/documents?refresh=true&non_tensor_fields=kept`,
  body: documents,
  ...expected,
});

const embeddingT = (index: Kind) => (index === U ? { tensorFields: ['t'] } : {});
const belowOne = expect.toSatisfy((score: number) => score < 0.99);
/** The score of a document for a text, by the vectors of one field. */
const scores = (index: string, searched: string, _id: string, q: string, _score: unknown): Exchange =>
  findsFirst(index, { q, filter: `_id:${_id}`, searchableAttributes: [searched] }, { _id, _score });

/** The partial update of clients before 2.0: a list of documents, changed where they are there and else added. */
const lists: Case[] = [
  ...inBothKinds('7.3', 'a list changes what is there and adds what is not', (index) => [
    add(index, [{ _id: 'both', n: 1, note: 'stays' }]),
    listed(
      index,
      [
        { _id: 'new', n: 1 },
        { _id: 'both', n: 2 },
      ],
      { ...written(index, result('new', 'created'), result('both', 'updated')) },
    ),
    reads(index, { _id: 'both', n: 2, note: 'stays' }),
    reads(index, { _id: 'new', n: 1 }),
  ]),
  ...inBothKinds('7.3', 'one document of a list fails alone', (index) => [
    add(index, [{ _id: 'typed', n: 1 }]),
    listed(
      index,
      [
        { _id: 'typed', n: 'text' },
        { _id: 'beside', n: 1 },
      ],
      {
        status: 200,
        answer: expect.objectContaining({
          errors: true,
          items: [expect.objectContaining({ _id: 'typed', status: 400 }), result('beside', 'created')],
        }),
      },
    ),
    reads(index, { _id: 'typed', n: 1 }),
  ]),
  ...inBothKinds('7.3', 'a text that a list changes has a new vector and not the old one', (index) => [
    add(index, [{ _id: 'retold', t: 'an old story', n: 1 }], embeddingT(index)),
    listed(index, [{ _id: 'retold', t: 'a new tale' }], written(index, result('retold', 'updated'))),
    readsFacets(index, { _id: 'retold', t: 'a new tale', n: 1 }, facet('t', 'a new tale')),
    scores(index, 't', 'retold', 'a new tale', expect.closeTo(1, 5)),
    scores(index, 't', 'retold', 'an old story', belowOne),
  ]),
  {
    section: '7.3',
    about: 'a text that a list adds has a vector, and the others keep theirs',
    exchanges: [
      add(U, [{ _id: 'longer', t: 'a steady text', n: 1 }], { tensorFields: ['t'], textChunkPrefix: 'kept ' }),
      listed(U, [{ _id: 'longer', added: 'a text of its own' }], written(U, result('longer', 'updated'))),
      readsFacets(
        U,
        { _id: 'longer', t: 'a steady text', n: 1, added: 'a text of its own' },
        facet('t', 'a steady text'),
        facet('added', 'a text of its own'),
      ),
      scores(U, 'added', 'longer', 'a text of its own', expect.closeTo(1, 5)),
      // It was not embedded anew, or its prefix would be gone.
      scores(U, 't', 'longer', 'kept a steady text', expect.closeTo(1, 5)),
    ],
  },
  {
    section: '7.3',
    about: 'a text loses its vector where a list changes it without one, or removes it',
    exchanges: [
      add(U, [{ _id: 'bare', kept: 'an old text', t: 'gone', n: 1 }], { tensorFields: ['kept', 't'] }),
      listed(U, [{ _id: 'bare', kept: 'a new text', t: null }], written(U, result('bare', 'updated'))),
      readsFacets(U, { _id: 'bare', kept: 'a new text', n: 1 }),
    ],
  },
  {
    section: '7.3',
    about: 'a list that changes nothing tells that the document was there',
    exchanges: [
      add(U, [{ _id: 'same', n: 1 }]),
      listed(U, [{ _id: 'same', n: 1 }], written(U, result('same', 'updated'))),
    ],
  },
  ...inBothKinds('7.3', 'a list does not change parts of a combination', (index) => [
    add(
      index,
      [{ _id: 'whole', part: 'text', n: 1 }],
      index === U ? { mappings: { m: { type: 'multimodal_combination', weights: { part: 1 } } } } : {},
    ),
    listed(index, [{ _id: 'whole', part: 'another' }], {
      status: 200,
      answer: expect.objectContaining({
        errors: true,
        items: [expect.objectContaining({ _id: 'whole', status: 400, message: holding("'part'") })],
      }),
    }),
    reads(index, { _id: 'whole', part: 'text', n: 1 }),
  ]),
  {
    section: '7.3',
    about: 'a list keeps every digit, of what it adds and of what it changes',
    exchanges: [
      ...['{"_id":"digits","n":9007199254740993}', '{"_id":"digits","n":9007199254740995}'].map((document) =>
        listed(U, `[${document}]`, { status: 200 }),
      ),
      { request: `GET /indexes/${U}/documents/digits`, status: 200, text: holding('9007199254740995') },
    ],
  },
  {
    section: '7.3',
    about: 'a list makes the index that it names',
    exchanges: [
      listed('listed', [{ _id: 'first', n: 1 }], { status: 200, answer: expect.objectContaining({ errors: false }) }),
      reads('listed', { _id: 'first', n: 1 }),
      drop('listed'),
    ],
  },
  {
    section: '7.3',
    about: 'an object instead of a list',
    exchanges: [listed(U, { documents: [] }, unprocessable(problems.list(['body'])))],
  },
];

/** Single fields of documents changed. */
export const updates: Part = {
  title: 'changing documents',
  preparation: [
    create(U, small),
    add(U, [seen, { _id: 'noted', note: 'x' }]),
    create(
      S,
      structured(
        [
          ...[field('t', 'text'), field('part', 'text')],
          { ...field('m', 'multimodal_combination'), dependentFields: { part: 1 } },
          ...[field('c', 'custom_vector'), field('n', 'int', 'filter'), field('b', 'bool'), field('f', 'float')],
          ...[
            field('note', 'text', 'lexical_search'),
            field('tags', 'array<text>'),
            field('ratings', 'map<text, int>'),
          ],
        ],
        ['t', 'm', 'c'],
      ),
    ),
  ],
  cases: [...requests, ...ids, ...declared, ...undeclared, ...effects, ...lists],
};
