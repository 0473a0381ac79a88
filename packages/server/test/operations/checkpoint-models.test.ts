import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkpoint } from '../../../inference/test/onnx/checkpoint.js';
import { wordTokenizer } from '../../../inference/test/onnx/onnx-model.js';
import { transformer } from '../../../inference/test/onnx/transformer-model.js';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

/** One model, as a graph that ONNX Runtime runs and as weights without one; and weights of an unknown architecture. */
const FOLDERS = {
  graph: { 'model.onnx': transformer({ vocabulary: 64 }) },
  weights: { ...checkpoint({ vocabulary: 64 }) },
  unknown: { ...checkpoint({ vocabulary: 64 }, { model_type: 'deberta' }) },
};

let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-model-'));
  for (const [name, files] of Object.entries(FOLDERS)) {
    await mkdir(join(folder, name));
    const all = { ...files, 'tokenizer.json': wordTokenizer() };
    for (const [file, content] of Object.entries(all)) await writeFile(join(folder, name, file), content);
  }
  const properties = { dimensions: 8, tokens: 64, modelSize: 1 };
  const models = Object.keys(FOLDERS).map((name) => [name, { folder: name, properties }]);
  const modelFile = parseModelFile({ models: Object.fromEntries(models) }, join(folder, 'models.json'));
  service = await openService({ PELORUS_ENCODER: 'onnxruntime' }, { modelFile });
  for (const name of Object.keys(FOLDERS)) await post(name, '', { model: name });
});

afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
  await rm(folder, { recursive: true });
});

const post = (index: string, path: string, body: unknown) =>
  send(service.app, { request: `POST /indexes/${index}${path}`, body });
/** The numbers of vectors as a scan has them. */
const floats = (base64: string) => {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
};
const documents = Array.from({ length: 20 }, (_, i) => ({
  _id: `${i}`,
  title: Array.from({ length: 1 + ((i * 7) % 30) }, (_, j) => `w${(i * 11 + j * 3) % 60}`).join(' '),
}));

test('weights without a graph are indexed and searched as their graph is', async () => {
  const found = new Map<string, { ids: string[]; scores: number[]; vectors: number[] }>();
  for (const name of ['graph', 'weights']) {
    const added = await post(name, '/documents', { documents, tensorFields: ['title'] });
    expect(added.json(), added.body).toMatchObject({ errors: false });
    const scanned = await post(name, '/documents/scan', { exposeTensors: true });
    const vectors = scanned.json().documents.flatMap(({ _tensors }: any) => floats(_tensors[0].vectors));
    const { hits } = (await post(name, '/search', { q: 'w3 w14 w25', limit: 20 })).json();
    found.set(name, {
      ids: hits.map(({ _id }: any) => _id),
      scores: hits.map(({ _score }: any) => _score),
      vectors,
    });
  }
  const [graph, weights] = [found.get('graph'), found.get('weights')];
  expect(graph?.ids).toHaveLength(documents.length);
  expect(weights?.ids).toEqual(graph?.ids);
  expect(weights?.vectors).toHaveLength(8 * documents.length);
  for (const part of ['scores', 'vectors'] as const) {
    for (const [at, value] of (weights?.[part] ?? []).entries()) expect(value).toBeCloseTo(graph?.[part][at] ?? NaN, 5);
  }
  const { models } = (await send(service.app, { request: 'GET /models' })).json();
  expect(models).toContainEqual(expect.objectContaining({ model_name: 'weights', encoder: 'pelorus' }));
  expect(models).toContainEqual(expect.objectContaining({ model_name: 'graph', encoder: 'onnxruntime' }));
});

test('weights without a graph that are not known are refused with the reason, and without their folder', async () => {
  const refused = await post('unknown', '/documents', { documents, tensorFields: ['title'] });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'bad_request']);
  expect(refused.json().message).toMatch(
    /its weights cannot be run without a graph: its model_type "deberta" is none that is known; put model\.onnx beside/,
  );
  expect(refused.body).not.toContain(folder);
});
