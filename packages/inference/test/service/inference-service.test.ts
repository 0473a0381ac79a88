import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputBatch } from '@pelorus/node';
import { expect, onTestFinished, test } from 'vitest';
import {
  type CacheCounts,
  calibrateModel,
  createInference,
  ensureModel,
  localModels,
  parseModelFile,
  textInputs,
} from '../../src/index.js';
import { createRemoteInference, inferenceCalls } from '../../src/remote-inference.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { type LoopbackService, REFUSED, serveEmbeddings } from './loopback-service.js';

const DIM = 4;

/** An inference whose operator has a service, and one of another thread. */
async function setUp(form: 'openai' | 'cohere', service?: LoopbackService) {
  const { url, asked } = service ?? (await serveEmbeddings(form, { dimensions: DIM }));
  const properties = { type: form, url, name: 'small', dimensions: DIM };
  const modelFile = parseModelFile({ models: { far: { properties } } }, '/etc/pelorus/models.json');
  const inference = createInference({ modelFile, hubUrl: null, mavenCommand: null, threads: 1 });
  onTestFinished(() => inference.close());
  const remote = createRemoteInference({ modelFile }, inference.shareQueries(), inferenceCalls(inference));
  return { inference, remote, asked, model: inference.resolve('far') };
}

test('a thread without models has the vectors of a service from the one that asks it', async () => {
  const { inference, remote, model, asked } = await setUp('openai');
  const texts = textInputs(['a lamp', 'a coat', 'a lamp']);
  expect(remote.resolve('far')).toEqual(model);
  const there = await inference.embed(model, InputBatch.of(texts), { normalize: true });
  expect(await remote.embed(model, InputBatch.of(texts), { normalize: true })).toEqual(there);
  const counts: CacheCounts[] = [];
  const options = { normalize: true, cacheTelemetry: (one: CacheCounts) => void counts.push(one) };
  expect((await remote.embedQuery(model, texts, options)).vectors).toEqual(there.vectors);
  expect((await inference.embedQuery(model, texts, options)).vectors).toEqual(there.vectors);
  expect(counts).toEqual([
    { hits: 0, misses: 2 },
    { hits: 2, misses: 0 },
  ]);
  expect(asked.map(({ texts }) => texts.length)).toEqual([3, 3, 2]);
  expect(inference.loaded()).toEqual([
    { model_name: 'far', model_device: 'cpu', encoder: 'service', precision: 'f32' },
  ]);
  expect(inference.work().at(-1)).toEqual({
    device: 'cpu',
    encoder: 'service',
    batches: 3,
    inputs: 8,
    tokens: 0,
    waiting: 0,
  });
});

test('a caller with a key of his own is always asked for, and nobody has what another key paid for', async () => {
  const { inference, model, asked } = await setUp('cohere');
  const ask = (key?: string) => {
    const options = { normalize: true, modelAuth: key === undefined ? null : { service: { key } } };
    return inference.embedQuery(model, textInputs(['a lamp']), options);
  };
  await ask('mine');
  await ask('mine');
  await expect(ask()).rejects.toThrow("it answered 401: 'no api key supplied'");
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer mine', 'Bearer mine', undefined]);
});

test('queries and documents of one text do not share a vector where the service tells them apart', async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, 'far.key'), 'k');
  const { url, asked } = await serveEmbeddings('cohere', { dimensions: DIM });
  const properties = { type: 'cohere', url, name: 'small', dimensions: DIM };
  const models = { far: { properties, keyFile: 'far.key' } };
  const inference = createInference({ modelFile: parseModelFile({ models }, join(folder, 'models.json')) });
  onTestFinished(() => inference.close());
  const model = inference.resolve('far');
  const ask = async (textsAs?: 'query' | 'document') =>
    (await inference.embedQuery(model, textInputs(['a lamp']), { normalize: true, textsAs })).vectors;
  const [query, document] = [await ask(), await ask('document')];
  expect(document).not.toEqual(query);
  expect([await ask('query'), await ask('document')]).toEqual([query, document]);
  expect(asked.map(({ body }) => body.input_type)).toEqual(['search_query', 'search_document']);
  await inference.release(model);
  expect([await ask('query'), await ask('document')]).toEqual([query, document]);
  expect(asked).toHaveLength(4);
});

test('a model of a service is at hand without any files', async () => {
  const properties = { type: 'ollama', url: 'http://far.example/api/embed', name: 'small', dimensions: DIM };
  const modelFile = parseModelFile({ models: { far: { properties } } }, '/etc/pelorus/models.json');
  const config = { modelFile, modelDir: await temporaryDirectory(), packageFolder: () => null };
  expect(await localModels(config)).toContainEqual({ name: 'far', folder: null });
  expect(await ensureModel('far', undefined, config)).toBeNull();
  await expect(calibrateModel('far', {}, config)).rejects.toThrow('Model far has nothing to calibrate');
});

test('a text that a service refuses fails alone', async () => {
  const { inference, model } = await setUp('openai');
  const { failures } = await inference.embed(model, InputBatch.of(textInputs(['a', REFUSED])), { normalize: true });
  expect(failures).toEqual([{ row: 1, message: "far: it answered 400: ''$.input' is invalid.'" }]);
});

test('a call that is under way when the inference ends fails with that', async () => {
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const interrupt = () => {
    resolve();
    return true;
  };
  const { inference, model } = await setUp('openai', await serveEmbeddings('openai', { dimensions: DIM, interrupt }));
  const call = inference.embed(model, InputBatch.of(textInputs(['a'])), { normalize: true });
  await isAsked;
  const [ended] = await Promise.allSettled([call, inference.close()]);
  expect(ended).toMatchObject({ reason: { code: 'service_unavailable', message: 'Inference is shutting down.' } });
});
