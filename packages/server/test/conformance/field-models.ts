import { expect } from 'vitest';
import { wordTokenizer, wordTower } from '../../../inference/test/onnx/onnx-model.js';
import type { Case, Exchange, Part } from './case.js';
import { add, adding, reads, success, updating, written } from './documents.js';
import { error, holding, inBody, invalidArgument, problems, unprocessable } from './errors.js';
import { create, field, own, structured } from './indexes.js';
import { inBothKinds, S, U } from './kinds.js';

/** Words of the vocabulary of the small models, whose ids begin behind the special tokens. */
const WORDS = 60;
const FIRST_WORD = 4;
const WIDTH = 64;
const DIMENSIONS = 4;
const MORE = ['[MASK]', '[unused0]', '[unused1]', ',', '.'];
const [MASK, QUERY, DOCUMENT] = [64, 65, 66];

/** The word `w3` weighs 1 at index 3 and a half at the next one; `w58` is of no finite weight. */
const logits = new Float32Array((FIRST_WORD + WORDS + MORE.length) * WIDTH);
for (let word = 0; word < WORDS; word++) {
  const row = (FIRST_WORD + word) * WIDTH;
  logits[row + word] = word === 58 ? Number.NaN : Math.expm1(1);
  logits[row + word + 1] = Math.expm1(0.5);
}
const states = Float32Array.from({ length: (FIRST_WORD + WORDS + MORE.length) * DIMENSIONS }, (_, i) =>
  i < (FIRST_WORD + 58) * DIMENSIONS || i >= (FIRST_WORD + 59) * DIMENSIONS ? Math.sin(1 + i * 1.7) : Number.NaN,
);

const tokenizer = wordTokenizer('[UNK]', MORE);
const models: Part['models'] = {
  splade: {
    files: { 'model.onnx': wordTower(logits, WIDTH), 'tokenizer.json': tokenizer },
    properties: { type: 'splade', dimensions: WIDTH, tokens: 32 },
  },
  colbert: {
    files: { 'model.onnx': wordTower(states, DIMENSIONS), 'tokenizer.json': tokenizer },
    properties: { type: 'colbert', dimensions: DIMENSIONS, tokens: 32, queryTokens: 6 },
  },
  gone: {
    files: { 'tokenizer.json': tokenizer },
    properties: { type: 'splade', dimensions: WIDTH },
  },
};

const fieldModels = { s: { model: 'splade', sourceField: 't' }, c: { model: 'colbert', sourceField: 't' } };
const declared = [
  ...[field('t', 'text', 'lexical_search', 'filter'), field('n', 'long', 'filter'), field('s', 'sparse_vector')],
  { ...field('c', 'multi_vector'), dimensions: DIMENSIONS },
];
const settings = {
  [U]: own(2, { fieldModels }),
  [S]: structured(declared, [], own(2, { fieldModels })),
};
const rest = (index: string) => (index === U ? { tensorFields: [] } : {});

const wordsOf = (text: string) => text.match(/\w+/g) ?? [];

/** The sparse vector of a text by plain loops. */
function sparse(text: string): { indices: number[]; values: unknown[] } {
  const weights = new Map<number, number>();
  for (const word of wordsOf(text)) {
    const place = Number(word.slice(1));
    for (const [index, weight] of [[place, 1] as const, [place + 1, 0.5] as const]) {
      weights.set(index, Math.max(weights.get(index) ?? 0, weight));
    }
  }
  const entries = [...weights].sort(([a], [b]) => a - b);
  return { indices: entries.map(([index]) => index), values: entries.map(([, weight]) => weight) };
}

/** The vectors of a text by plain loops, each of length 1. */
function many(text: string, as: 'query' | 'document'): number[][] {
  const own = wordsOf(text).map((word) => FIRST_WORD + Number(word.slice(1)));
  const ids = [2, as === 'query' ? QUERY : DOCUMENT, ...own, 3];
  while (as === 'query' && ids.length < 6) ids.push(MASK);
  return ids.map((id) => {
    const vector = [...states.subarray(id * DIMENSIONS, (id + 1) * DIMENSIONS)];
    const length = Math.hypot(...vector);
    return vector.map((one) => one / length);
  });
}

const product = (a: readonly number[], b: readonly number[]) => a.reduce((sum, one, i) => sum + one * (b[i] ?? 0), 0);
const maxSim = (query: string, document: string) =>
  many(query, 'query').reduce(
    (sum, one) => sum + Math.max(...many(document, 'document').map((other) => product(one, other))),
    0,
  );

const near = (value: unknown): unknown =>
  typeof value === 'number'
    ? expect.closeTo(value, 5)
    : Array.isArray(value)
      ? value.map(near)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, near(one)]))
        : value;

/** A document with the vectors that are made of a text. */
const made = (text: string) => ({ s: near(sparse(text)), c: near(many(text, 'document')) });

const searching = (index: string, body: object): Pick<Exchange, 'request' | 'body'> => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', attributesToRetrieve: [], ...body },
});
const hits = (...found: readonly (readonly [string, unknown])[]) => ({
  status: 200,
  answer: expect.objectContaining({ hits: found.map(([_id, _score]) => expect.objectContaining({ _id, _score })) }),
});

const documents = [
  { _id: 'a', t: 'w1 w2', n: 1 },
  { _id: 'b', t: 'w5', n: 2 },
  { _id: 'c', t: 'w9 w1', n: 3 },
  { _id: 'd', n: 4 },
];
const sparseScore = (query: string, document: string) => {
  const [one, other] = [sparse(query), sparse(document)];
  return one.indices.reduce((sum, index, i) => {
    const at = other.indices.indexOf(index);
    return sum + (at < 0 ? 0 : Number(one.values[i]) * Number(other.values[at]));
  }, 0);
};

const declaring: Case[] = [
  {
    section: 'models 9.1',
    about: 'the models of fields are among the settings, of which the same index can be made',
    exchanges: [U, S].map((index) => ({
      request: `GET /indexes/${index}/settings`,
      status: 200,
      answer: expect.objectContaining({ fieldModels }),
    })),
  },
  {
    section: 'models 9.1',
    about: 'properties are kept as they are given, but for the secrets of URLs',
    exchanges: [
      create('_kept', {
        ...own(2),
        fieldModels: {
          s: { model: 'x', modelProperties: { type: 'splade', url: 'https://a.example/m.zip?key=1', dimensions: 8 } },
        },
      }),
      {
        request: 'GET /indexes/_kept/settings',
        status: 200,
        answer: expect.objectContaining({
          fieldModels: {
            s: { model: 'x', modelProperties: { type: 'splade', url: 'https://a.example/m.zip', dimensions: 8 } },
          },
        }),
      },
    ],
  },
  ...refused(
    'a model that nobody knows',
    own(2, { fieldModels: { s: { model: 'nobody' } } }),
    'fieldModels.s: Could not',
  ),
  ...refused(
    'a model that makes other vectors',
    own(2, { fieldModels: { s: { model: 'random/small' } } }),
    "fieldModels.s: Model 'random/small' has the type random, but a model of a field is one of splade, colbert",
  ),
  ...refused(
    'a model of a field as that of the index',
    { model: 'splade' },
    "Model 'splade' of type splade makes vectors of a field alone",
  ),
  ...refused(
    'a field that is not declared',
    structured([field('t', 'text')], [], { fieldModels: { s: { model: 'splade' } } }),
    'fieldModels.s: a model of type splade needs a field of type sparse_vector, but none of that name is declared',
  ),
  ...refused(
    'a field of another type',
    structured([field('s', 'text')], [], { fieldModels: { s: { model: 'splade' } } }),
    'fieldModels.s: a model of type splade needs a field of type sparse_vector, but it is declared as text',
  ),
  ...refused(
    'a field of other dimensions',
    structured([{ ...field('c', 'multi_vector'), dimensions: 8 }], [], { fieldModels: { c: { model: 'colbert' } } }),
    'fieldModels.c: the field is declared with vectors of 8 numbers, but those of the model have 4',
  ),
  ...refused(
    'a source that is no declared text',
    structured([field('s', 'sparse_vector')], [], { fieldModels: { s: { model: 'splade', sourceField: 't' } } }),
    'fieldModels.s.sourceField: t is no declared field of type text',
  ),
  ...refused(
    'a source that has a model',
    own(2, { fieldModels: { s: { model: 'splade', sourceField: 's' } } }),
    'fieldModels.s.sourceField: s has vectors itself, and no text',
  ),
  ...refused('a name that none can have', own(2, { fieldModels: { 'a b': { model: 'splade' } } }), 'fieldModels.a b: '),
  {
    section: 'models 9.1',
    about: 'a member that there is not, and one that is missing',
    exchanges: [
      {
        request: 'POST /indexes/_shape',
        body: own(2, { fieldModels: { s: { source: 't' } } }),
        status: 422,
      },
    ],
  },
];

function refused(about: string, body: object, message: string): Case[] {
  const request = 'POST /indexes/_refused';
  return [
    {
      section: 'models 9.1',
      about,
      exchanges: [{ request, body, ...error(400, 'invalid_argument', holding(message)) }],
    },
  ];
}

const ofDocuments: Case[] = [
  ...inBothKinds('models 9.2', 'the text of the source becomes vectors, which come back with the document', (index) => [
    ...documents.slice(0, 3).map((one) => reads(index, { ...one, ...made(one.t ?? '') })),
    reads(index, { _id: 'd', n: 4 }),
  ]),
  ...inBothKinds('models 9.2', 'a text in the field itself counts before the source', (index) => [
    add(index, [{ _id: 'own', t: 'w1', s: 'w7', c: 'w8' }], rest(index)),
    reads(index, { _id: 'own', ...{ t: 'w1', s: near(sparse('w7')), c: near(many('w8', 'document')) } }),
  ]),
  ...inBothKinds('models 9.2', 'vectors that a document brings stay as they are', (index) => [
    add(index, [{ _id: 'own', t: 'w1', s: { indices: [3], values: [2] }, c: [[1, 2, 3, 4]] }], rest(index)),
    reads(index, { _id: 'own', ...{ t: 'w1', s: { indices: [3], values: [2] }, c: [[1, 2, 3, 4]] } }),
  ]),
  ...inBothKinds('models 9.2', 'a blank source makes no vectors, and all other bytes stay as they came', (index) => [
    add(index, [{ _id: 'own', t: '  ', n: 101 }], rest(index)),
    reads(index, { _id: 'own', t: '  ', n: 101 }),
    {
      request: `POST /indexes/${index}/documents`,
      body: `{ "documents": [ {"_id" : "large", "t": "w\\u0031", "n" : 9007199254740993 } ]${index === U ? ', "tensorFields": []' : ''} }`,
      status: 200,
    },
    {
      request: `GET /indexes/${index}/documents/large`,
      status: 200,
      text: holding('9007199254740993'),
    },
    {
      ...searching(index, { sparseQuery: { fieldName: 's', text: 'w1' }, filter: '_id:large' }),
      ...hits(['large', near(1.25)]),
    },
  ]),
  ...inBothKinds('models 9.2', 'a PATCH of the source, or of the field, changes the vectors', (index) => [
    add(index, [{ _id: 'one', t: 'w1', n: 101 }], rest(index)),
    { ...updating(index, [{ _id: 'one', t: 'w3 w4' }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', ...{ t: 'w3 w4', n: 101 }, ...made('w3 w4') }),
    { ...updating(index, [{ _id: 'one', s: 'w7' }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', ...{ t: 'w3 w4', n: 101 }, ...made('w3 w4'), s: near(sparse('w7')) }),
    { ...updating(index, [{ _id: 'one', n: 102 }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', ...{ t: 'w3 w4', n: 102 }, ...made('w3 w4'), s: near(sparse('w7')) }),
    { ...updating(index, [{ _id: 'one', t: null }]), ...written(index, success('one')) },
    reads(index, { _id: 'one', n: 102 }),
  ]),
  ...inBothKinds('models 9.2', 'a text that its model cannot take is refused by itself', (index) => [
    {
      ...adding(
        index,
        [
          { _id: 'good', t: 'w1' },
          { _id: 'bad', t: 'w58' },
          { _id: 'too', t: 'w2' },
        ],
        rest(index),
      ),
      status: 200,
      answer: expect.objectContaining({
        errors: true,
        items: [
          success('good'),
          expect.objectContaining({
            ...{ _id: 'bad', status: 400, code: 'invalid_argument' },
            message: "Field 's': its model makes no vectors of the text: its vector holds what is not a finite number",
          }),
          success('too'),
        ],
      }),
    },
    reads(index, { _id: 'good', t: 'w1', ...made('w1') }),
    {
      ...updating(index, [
        { _id: 'good', c: 'w58' },
        { _id: 'too', t: 'w3' },
      ]),
      status: 200,
      answer: expect.objectContaining({
        items: [
          expect.objectContaining({
            ...{ _id: 'good', status: 400 },
            message: holding("Field 'c': its model makes no vectors of the text: its vector holds what is not"),
          }),
          success('too'),
        ],
      }),
    },
    reads(index, { _id: 'good', t: 'w1', ...made('w1') }),
    reads(index, { _id: 'too', t: 'w3', ...made('w3') }),
  ]),
  {
    section: 'models 9.2',
    about: 'a mapping of other vectors is refused, and one of the same is none too many',
    exchanges: [
      {
        ...adding(U, [{ _id: 'x', s: 'w1' }], {
          tensorFields: [],
          mappings: { s: { type: 'multi_vector', dimensions: 2 } },
        }),
        ...invalidArgument(holding('mappings.s: the field has a model in fieldModels, which makes a sparse_vector')),
      },
      {
        ...adding(U, [{ _id: 'x', c: 'w1' }], {
          tensorFields: [],
          mappings: { c: { type: 'multi_vector', dimensions: 2 } },
        }),
        ...invalidArgument(holding('which makes a multi_vector of 4 dimensions')),
      },
      add(U, [{ _id: 'x', c: 'w1' }], { tensorFields: [], mappings: { c: { type: 'multi_vector', dimensions: 4 } } }),
      reads(U, { _id: 'x', c: near(many('w1', 'document')) }),
    ],
  },
  {
    section: 'models 9.2',
    about: 'documents that bring their tensors are taken as they are',
    exchanges: [
      add(
        U,
        [
          { _id: 'given', t: 'w1', s: { indices: [3], values: [2] }, _tensors: [] },
          { _id: 'bare', t: 'w1', _tensors: [] },
        ],
        { useGivenTensors: true },
      ),
      reads(U, { _id: 'given', ...{ t: 'w1', s: { indices: [3], values: [2] } } }),
      reads(U, { _id: 'bare', t: 'w1' }),
    ],
  },
  {
    section: 'models 9.2',
    about: 'a model that cannot be had fails the request, and names it',
    exchanges: [
      create('_gone', own(2, { fieldModels: { s: { model: 'gone' } } })),
      {
        ...adding('_gone', [{ _id: 'x', s: 'w1' }], { tensorFields: [] }),
        ...error(400, 'bad_request', holding('Model gone'), '/docs'),
      },
      { ...adding('_gone', [{ _id: 'x', s: { indices: [1], values: [1] } }], { tensorFields: [] }), status: 200 },
    ],
  },
];

const ofQueries: Case[] = [
  ...inBothKinds('models 9.3', 'a text in place of a sparse vector finds what that would find', (index) => [
    {
      ...searching(index, { sparseQuery: { fieldName: 's', text: 'w1' }, filter: 'n:[1 TO 3]' }),
      ...hits(['a', near(sparseScore('w1', 'w1 w2'))], ['c', near(sparseScore('w1', 'w9 w1'))]),
    },
  ]),
  {
    section: 'models 9.3',
    about: 'a text in place of the words of a hybrid search',
    exchanges: [
      {
        ...searching(U, {
          searchMethod: 'HYBRID',
          q: { customVector: { vector: [1, 0] } },
          sparseQuery: { fieldName: 's', text: 'w5' },
          filter: 'n:[1 TO 3]',
        }),
        ...hits(['b', expect.any(Number)]),
      },
    ],
  },
  ...inBothKinds('models 9.3', 'a text in place of many vectors ranks as these would', (index) => [
    {
      ...searching(index, { q: 'w1', lateInteraction: { fieldName: 'c', text: 'w2' }, filter: 'n:[1 TO 3]' }),
      ...hits(
        ...[['a', maxSim('w2', 'w1 w2')] as const, ['c', maxSim('w2', 'w9 w1')] as const]
          .toSorted(([, a], [, b]) => b - a)
          .map(([id, score]) => [id, expect.closeTo(score, 1)] as const),
      ),
    },
  ]),
  {
    section: 'models 9.3',
    about: 'several searches in one call have texts of their own',
    exchanges: [
      {
        request: 'POST /multi-search',
        body: {
          queries: ['w1', 'w58'].map((text) => ({
            ...{ indexName: S, searchMethod: 'LEXICAL', q: 'w5', attributesToRetrieve: [] },
            lateInteraction: { fieldName: 'c', text },
          })),
        },
        status: 200,
        answer: expect.objectContaining({
          results: [
            expect.objectContaining({ status: 200 }),
            expect.objectContaining({
              status: 400,
              error: expect.objectContaining({ message: holding("'lateInteraction': its text cannot be embedded") }),
            }),
          ],
        }),
      },
    ],
  },
  {
    section: 'models 9.3',
    about: 'a text beside vectors, neither of them, and a text without words',
    exchanges: [
      {
        ...searching(S, { sparseQuery: { fieldName: 's', text: 'w1', indices: [1], values: [1] } }),
        ...unprocessable(
          problems.rule(
            inBody('sparseQuery', 'text'),
            'ensure there is either a text or indices and values: received both',
          ),
        ),
      },
      {
        ...searching(S, { sparseQuery: { fieldName: 's' } }),
        ...unprocessable(
          problems.missing(inBody('sparseQuery', 'indices')),
          problems.missing(inBody('sparseQuery', 'values')),
        ),
      },
      {
        ...searching(S, { q: 'w1', lateInteraction: { fieldName: 'c', text: 'w1', vectors: [[1, 2, 3, 4]] } }),
        ...unprocessable(
          problems.rule(inBody('lateInteraction', 'text'), 'ensure there is either a text or vectors: received both'),
        ),
      },
      {
        ...searching(S, { q: 'w1', lateInteraction: { fieldName: 'c', text: ' ' } }),
        ...unprocessable(problems.rule(inBody('lateInteraction', 'text'), 'ensure the text has words: received none')),
      },
    ],
  },
  ...(
    [
      [
        'a field without a model',
        { sparseQuery: { fieldName: 't', text: 'w1' } },
        "'sparseQuery' has a text, but index",
      ],
      [
        'a field with a model of another kind',
        { q: 'w1', lateInteraction: { fieldName: 's', text: 'w1' } },
        'has no model in fieldModels that makes a multi_vector for the field s',
      ],
      [
        'a text that its model cannot take',
        { q: 'w1', lateInteraction: { fieldName: 'c', text: 'w58' } },
        "'lateInteraction': its text cannot be embedded: its vector holds what is not a finite number",
      ],
    ] as const
  ).flatMap(([about, body, message]) =>
    inBothKinds('models 9.3', `${about} is refused`, (index) => [
      { ...searching(index, body), ...invalidArgument(holding(message)) },
    ]),
  ),
  {
    section: 'models 9.3',
    about: 'a search whose time is over answers 504',
    exchanges: [
      {
        ...searching(S, { q: 'w1', lateInteraction: { fieldName: 'c', text: 'w1' } }),
        headers: { 'content-type': 'application/json', 'x-request-timeout-ms': '0' },
        ...{ status: 504, answer: expect.objectContaining({ code: 'vector_store_timeout' }) },
      },
    ],
  },
];

export const modelsOfFields: Part = {
  title: 'models of fields',
  models,
  preparation: [U, S].flatMap((index) => [create(index, settings[index]), add(index, documents, rest(index))]),
  cases: [...declaring, ...ofDocuments, ...ofQueries],
};
