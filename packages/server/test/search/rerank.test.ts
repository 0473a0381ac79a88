import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crossEncoder, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { Connection } from '../conformance/connection.js';
import { add } from '../conformance/documents.js';
import { holding } from '../conformance/errors.js';
import { create, own } from '../conformance/indexes.js';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-rerank-'));
let connection: Connection;

/** A number that a double does not hold, to see that documents stay as they are. */
const LARGE = 9007199254740993n;

/** The model likes `w0` as much as the query does, and `w1` as little. */
const documents = [
  { _id: 'a', t: 'w1 w1', kind: 'x' },
  { _id: 'b', t: 'w0', kind: 'y' },
  { _id: 'c', u: 'w0 w0 w0', kind: 'x' },
  { _id: 'd', t: 'w2', kind: 'y' },
  { _id: 'e', n: 1, kind: 'x' },
];

beforeAll(async () => {
  const words = new Float32Array(64);
  words.set([1, -1], 4);
  mkdirSync(join(folder, 'house'));
  writeFileSync(join(folder, 'house', 'model.onnx'), crossEncoder(words));
  writeFileSync(join(folder, 'house', 'tokenizer.json'), wordTokenizer());
  const models = { 'cross-encoder/house': { folder: 'house' } };
  connection = await Connection.open(
    {
      title: 'rerank',
      preparation: [
        create('docs', own(2)),
        ...documents.map((one) => add('docs', [one])),
        {
          request: 'POST /indexes/docs/documents',
          body: `{"documents": [{"_id": "large", "t": "w0", "n": ${LARGE}, "kind": "large"}], "tensorFields": []}`,
          status: 200,
        },
      ],
      cases: [],
    },
    { modelFile: parseModelFile({ models }, join(folder, 'models.json')) },
  );
});

afterAll(async () => {
  await connection.close();
  rmSync(folder, { recursive: true });
  expect(connection.faults).toEqual([]);
});

const rerank = { model: 'cross-encoder/house', fields: ['t'], query: 'w0' };
const body = (said: object = {}, rest: object = {}) => ({
  ...{ q: '*', searchMethod: 'LEXICAL', filter: 'NOT kind:large', attributesToRetrieve: [] },
  rerank: { ...rerank, ...said },
  ...rest,
});
const sigmoid = (logit: number) => 1 / (1 + Math.exp(-logit));
/** Hits by id, each with its score by the model, or none. */
const shows = async (search: object, hits: readonly (readonly [string, number?])[], rest: object = {}) => {
  const expected = hits.map(([_id, logit]) => ({
    ...{ _id, _score: expect.any(Number), _highlights: [] },
    ...(logit !== undefined && { _rerank_score: expect.closeTo(sigmoid(logit), 5) }),
  }));
  await connection.check({
    request: 'POST /indexes/docs/search',
    ...{ body: search, status: 200, answer: expect.objectContaining({ hits: expected, ...rest }) },
  });
};
const order = [['b', 1], ['d', 0], ['a', -2], ['c'], ['e']] as const;

test('search 8.8: hits are in the order of the model, behind them those without a text', async () => {
  await shows(body(), order, { limit: 10, offset: 0 });
  await shows(body({ fields: ['t', 'u', 'n'] }), [['c', 3], ['b', 1], ['d', 0], ['a', -2], ['e']]);
  await shows(body({ query: 'w1' }), [['a', 2], ['d', 0], ['b', -1], ['c'], ['e']]);
});

test('pages of any size are cut from one order', async () => {
  for (let offset = 0; offset < 6; offset++) {
    await shows(body({}, { limit: 1, offset }), order.slice(offset, offset + 1), { limit: 1, offset });
  }
  await shows(body({}, { limit: 3, offset: 1 }), order.slice(1, 4));
});

test('the hits behind the depth follow as they were', async () => {
  const shallow = [['b', 1], ['a', -2], ['c'], ['d'], ['e']] as const;
  await shows(body({ depth: 2 }), shallow);
  for (let offset = 0; offset < 5; offset++) {
    await shows(body({ depth: 2 }, { limit: 2, offset }), shallow.slice(offset, offset + 2));
  }
});

test('totals and facets stay as they were, and pinned documents where they are', async () => {
  const counted = { trackTotalHits: true, facets: { fields: { kind: { type: 'string' } } } };
  const counts = { totalHits: 5, facets: { kind: { x: { count: 3 }, y: { count: 2 } } } };
  await shows(body({}, { ...counted, limit: 1 }), order.slice(0, 1), counts);
  await connection.check({
    request: 'POST /indexes/docs/search',
    body: body({}, { pinned: [{ _id: 'e', position: 2 }], limit: 3 }),
    status: 200,
    answer: expect.objectContaining({
      hits: [
        expect.objectContaining({ _id: 'b' }),
        expect.objectContaining({ _id: 'e', _pinned: true, _score: 0 }),
        expect.objectContaining({ _id: 'd' }),
      ],
    }),
  });
});

test('the texts that are read are shown where they are asked for, and numbers stay as they were written', async () => {
  await connection.check({
    request: 'POST /indexes/docs/search',
    body: body({}, { filter: '_id:large', attributesToRetrieve: null }),
    status: 200,
    text: expect.stringMatching(new RegExp(`"n":${LARGE}.*"_rerank_score":0.73`)),
  });
  await connection.check({
    request: 'POST /indexes/docs/search',
    body: body({}, { filter: '_id:b', attributesToRetrieve: ['t'], limit: 1 }),
    status: 200,
    answer: expect.objectContaining({ hits: [expect.objectContaining({ _id: 'b', t: 'w0' })] }),
  });
});

test('the query of the search is read where no other text is given', async () => {
  await shows({ ...body({ query: null }, { q: 'w0' }) }, [['b', 1], ['c']]);
});

test.each([
  [
    'no such model',
    body({ model: 'cross-encoder/nobody' }),
    'The model of rerank must be one of cross-encoder/ms-marco',
  ],
  ['a model that is not there', body({ model: 'BAAI/bge-reranker-base' }), 'is not on this machine'],
])('%s is refused', async (_, search, message) => {
  await connection.check({
    request: 'POST /indexes/docs/search',
    ...{ body: search, status: 400, answer: expect.objectContaining({ message: holding(message) }) },
  });
});

test('its model is loaded, and ejected by its name', async () => {
  await shows(body(), order);
  await connection.check({
    request: 'GET /models',
    status: 200,
    answer: {
      models: [expect.objectContaining({ model_name: 'cross-encoder/house', encoder: 'onnxruntime' })],
    },
  });
  await connection.check({
    request: 'DELETE /models?model_name=cross-encoder/house&model_device=cpu',
    status: 200,
  });
  await shows(body(), order);
});

test('a search whose time is over answers 504', async () => {
  await connection.check({
    request: 'POST /indexes/docs/search',
    body: body(),
    headers: { 'content-type': 'application/json', 'x-request-timeout-ms': '0' },
    status: 504,
    answer: expect.objectContaining({ code: 'vector_store_timeout' }),
  });
});
