import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { parseModelFile } from '@pelorus/inference';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encoder, wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { loseWithNextTask, startedWorkers } from '../../../inference/test/runtime/lost-worker.js';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

/**
 * Words that the graph cannot take: its tokenizer knows words `w0` to `w59`, its table ends before the last of them.
 */
const BEYOND_GRAPH = 'w1 w59';
/** A word for which the tokenizer has no token. */
const BEYOND_VOCABULARY = 'stranger';

let folder: string;
let service: Service;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-model-'));
  await writeFile(join(folder, 'model.onnx'), encoder({ dim: 8, vocabulary: 50 }));
  await writeFile(join(folder, 'tokenizer.json'), wordTokenizer('[NONE]'));
  const properties = { name: 'test/words', dimensions: 8, tokens: 64, modelSize: 1 };
  const modelFile = parseModelFile({ models: { words: { folder, properties } } }, join(folder, 'models.json'));
  service = await openService({}, { modelFile });
  expect((await post('', { model: 'words' })).statusCode).toBe(200);
});

afterEach(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
  await rm(folder, { recursive: true });
});

const post = (path: string, body: unknown) => send(service.app, { request: `POST /indexes/a${path}`, body });
const add = (documents: readonly object[]) => post('/documents', { documents, tensorFields: ['title', 'body'] });

test('a text that the model cannot take fails its documents, and no others', async () => {
  const response = await add([
    { _id: '1', title: 'w1 w2' },
    { _id: '2', title: 'w1 w2', body: BEYOND_GRAPH },
    { _id: '3', title: BEYOND_VOCABULARY },
    { _id: '4', note: BEYOND_GRAPH },
    { _id: '5', body: BEYOND_GRAPH },
  ]);

  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers).toMatchObject({ 'x-count-success': '2', 'x-count-failure': '3', 'x-count-error': '0' });
  const { errors, items } = response.json();
  expect(errors).toBe(true);
  const refused = (_id: string, message: RegExp) => ({
    _id,
    status: 400,
    code: 'invalid_argument',
    message: expect.stringMatching(message),
    error: expect.stringMatching(message),
  });
  expect(items).toEqual([
    { _id: '1', status: 200 },
    refused('2', /^Field body cannot be embedded: .*Gather/),
    refused('3', /^Field title cannot be embedded: text cannot be encoded/),
    { _id: '4', status: 200 },
    refused('5', /^Field body cannot be embedded: .*Gather/),
  ]);
  const found = await post('/search', { q: 'w1 w2', searchMethod: 'TENSOR' });
  expect(found.json().hits.map(({ _id }: { _id: string }) => _id)).toEqual(['1']);
});

test.each([BEYOND_GRAPH, BEYOND_VOCABULARY])('a query that the model cannot take is refused: %s', async (text) => {
  const refused = { code: 'invalid_argument', message: expect.stringMatching(/^The input cannot be embedded: /) };
  const searched = await post('/search', { q: text, searchMethod: 'TENSOR' });
  expect([searched.statusCode, searched.json()]).toEqual([400, expect.objectContaining(refused)]);
  const embedded = await post('/embed', { content: ['w1', text] });
  expect([embedded.statusCode, embedded.json()]).toEqual([400, expect.objectContaining(refused)]);
});

test('a worker that is lost fails the whole request, and nothing of it is stored', async () => {
  const workers = startedWorkers();
  await add([{ _id: '1', title: 'w1' }]);
  loseWithNextTask(workers[0] as Worker);
  const documents = [
    { _id: '2', title: 'w2' },
    { _id: '3', note: 'w3' },
  ];
  const lost = await add(documents);
  expect([lost.statusCode, lost.json().code]).toEqual([503, 'service_unavailable']);
  expect((await send(service.app, { request: 'GET /indexes/a/documents/3' })).statusCode).toBe(404);

  const again = await add(documents);
  expect(again.json()).toMatchObject({ errors: false });
});

test('documents that bring their vectors never get as far as the model', async () => {
  const workers = startedWorkers();
  await add([{ _id: '1', title: 'w1 w2' }]);
  const scanned = await post('/documents/scan', { exposeTensors: true });
  loseWithNextTask(workers[0] as Worker);
  const given = { documents: scanned.json().documents, useGivenTensors: true };
  expect((await post('/documents', given)).json()).toMatchObject({ errors: false, items: [{ _id: '1', status: 200 }] });
  expect((await post('/documents/scan', { exposeTensors: true })).json()).toEqual(scanned.json());
  expect((await add([{ _id: '2', title: 'w3' }])).statusCode, 'the next task is lost').toBe(503);
});
