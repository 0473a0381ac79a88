import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CacheCounts,
  createInference,
  createRemoteInference,
  type EncodeTimings,
  type InferenceCalls,
  InputBatch,
  inferenceCalls,
  parseModelFile,
  textInputs,
} from '@pelorus/inference';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { encoder, wordTokenizer } from '../onnx/onnx-model.js';
import { transformer } from '../onnx/transformer-model.js';

const graphs = { ours: transformer({ vocabulary: 50 }), alike: transformer({ vocabulary: 50 }), theirs: encoder() };
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pelorus-shared-'));
  for (const [name, graph] of Object.entries(graphs)) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'model.onnx'), graph);
    await writeFile(join(directory, name, 'tokenizer.json'), wordTokenizer());
  }
});

afterAll(() => rm(directory, { recursive: true }));

/** An inference, another of a thread that calls it, and the names of its calls. */
function both() {
  const properties = { dimensions: 8, tokens: 64, modelSize: 1, type: 'hf' };
  const entries = Object.keys(graphs).map((name) => {
    return [name, { folder: join(directory, name), properties: { ...properties, name: `test/${name}` } }];
  });
  const modelFile = parseModelFile({ models: Object.fromEntries(entries) }, join(directory, 'models.json'));
  const config = { modelFile, encoder: 'pelorus' } as const;
  const inference = createInference({ ...config, modelDir: directory, hubUrl: null, mavenCommand: null, threads: 2 });
  onTestFinished(() => inference.close());
  const called: string[] = [];
  const there = inferenceCalls(inference);
  const noted = <Value>(name: string, answer: Value): Value => {
    called.push(name);
    return answer;
  };
  const calls: InferenceCalls = {
    embed: (asked, signal) => noted('embed', there.embed(asked, signal)),
    embedQuery: (asked, signal) => noted('embedQuery', there.embedQuery(asked, signal)),
    locate: (asked, signal) => there.locate(asked, signal),
    score: (asked, signal) => there.score(asked, signal),
    fieldVectors: (asked, signal) => there.fieldVectors(asked, signal),
    noteModelUse: (model) => noted(`use ${model.name}`, there.noteModelUse(model)),
  };
  const remote = createRemoteInference(config, inference.shareQueries(), calls);
  return { inference, remote, calls: () => called.splice(0) };
}

const query = (...texts: string[]) => textInputs(texts);
const documents = (...texts: string[]) => InputBatch.of(textInputs(texts));
const options = { normalize: true };

test('a thread asks by itself what another has loaded, and has the same vectors', async () => {
  const { inference, remote, calls } = both();
  const model = inference.resolve('ours');
  const counts: CacheCounts[] = [];
  const timings: EncodeTimings[] = [];
  const telling = {
    ...options,
    cacheTelemetry: (one: CacheCounts) => void counts.push(one),
    telemetry: (one: EncodeTimings) => void timings.push(one),
  };
  await remote.embedQuery(model, query('w1'), telling);
  expect(calls()).toEqual(['embedQuery']);
  const here = await remote.embedQuery(model, query('w1', 'w2', 'w3 w4', 'w2'), telling);
  const unread = await remote.embed(model, documents('w5', 'w59'), telling);
  expect(calls()).toEqual(['use ours']);
  expect(counts).toEqual([
    { hits: 0, misses: 1 },
    { hits: 1, misses: 2 },
  ]);
  expect(timings).toHaveLength(3);
  expect(here).toEqual(await inference.embedQuery(model, query('w1', 'w2', 'w3 w4', 'w2'), options));
  expect(unread).toEqual(await inference.embed(model, documents('w5', 'w59'), options));
  expect(unread.failures).toMatchObject([{ row: 1 }]);
  expect(await remote.embedQuery(model, query('w7'), { normalize: false })).toEqual(
    await inference.embedQuery(model, query('w7'), { normalize: false }),
  );
});

test('vectors of queries are kept once for all threads', async () => {
  const { inference, remote } = both();
  const model = inference.resolve('ours');
  await remote.embedQuery(model, query('w1'), options);
  await remote.embedQuery(model, query('w2'), options);
  const counts: CacheCounts[] = [];
  const telling = { ...options, cacheTelemetry: (one: CacheCounts) => void counts.push(one) };
  await inference.embedQuery(model, query('w1', 'w2', 'w3'), telling);
  await remote.embedQuery(model, query('w3'), telling);
  expect(counts).toEqual([
    { hits: 2, misses: 1 },
    { hits: 1, misses: 0 },
  ]);
});

test('a model that is unloaded is asked for anew, by whoever comes', async () => {
  const { inference, remote, calls } = both();
  const model = inference.resolve('ours');
  for (const text of ['w1', 'w2']) await remote.embedQuery(model, query(text), options);
  expect(await inference.eject('ours')).not.toBeNull();
  expect(inference.loaded()).toEqual([]);
  calls();
  await remote.embedQuery(model, query('w2'), options);
  expect(calls()).toEqual(['embedQuery']);
  expect(inference.loaded()).toMatchObject([{ model_name: 'ours' }]);
  await remote.embed(model, documents('w3'), options);
  expect(calls()).toEqual(['use ours']);
});

test('a model waits with its end for the calls of all threads', async () => {
  const { inference, remote } = both();
  const model = inference.resolve('ours');
  await remote.embedQuery(model, query('w1'), options);
  const texts = Array.from({ length: 2_000 }, (_, at) => `w${at % 45} w${at % 7} w${at % 31}`);
  const under = remote.embed(model, documents(...texts), options);
  let isAnswered = false;
  void under.then(() => {
    isAnswered = true;
  });
  await inference.eject('ours');
  expect((await under).vectors).toHaveLength(texts.length * 8);
  expect(isAnswered).toBe(true);
});

test('the first thread hears by what names a model is used, and unloads another before it', async () => {
  const { inference, remote } = both();
  const [ours, alike] = [inference.resolve('ours'), inference.resolve('alike')];
  await remote.embedQuery(ours, query('w1'), options);
  await inference.embedQuery(alike, query('w1'), options);
  expect(inference.loaded().map(({ model_name }) => model_name)).toEqual(['ours', 'alike']);
  await remote.embedQuery(ours, query('w2'), options);
  expect(inference.loaded().map(({ model_name }) => model_name)).toEqual(['alike', 'ours']);
});

test('a model of ONNX Runtime is asked for there, unless its vector is known', async () => {
  const { inference, remote, calls } = both();
  const model = inference.resolve('theirs');
  for (const text of ['w1', 'w2', 'w1']) {
    const counts: CacheCounts[] = [];
    const telling = { ...options, cacheTelemetry: (one: CacheCounts) => void counts.push(one) };
    const found = await remote.embedQuery(model, query(text), telling);
    expect(counts).toHaveLength(1);
    expect(found).toEqual(await inference.embedQuery(model, query(text), options));
  }
  await remote.embed(model, documents('w1'), options);
  expect(calls()).toEqual(['embedQuery', 'embedQuery', 'embed']);
});

test('credentials are checked where models are loaded, however well a model is known', async () => {
  const { inference, remote, calls } = both();
  const model = inference.resolve('ours');
  for (const text of ['w1', 'w1'])
    await remote.embedQuery(model, query(text), { ...options, modelAuth: {} }).catch(() => 0);
  expect(calls()).toEqual(['embedQuery', 'embedQuery']);
});

test('a call that nobody waits for fails with the reason, and leaves the model to others', async () => {
  const { inference, remote } = both();
  const model = inference.resolve('ours');
  await remote.embedQuery(model, query('w1'), options);
  const controller = new AbortController();
  const given = remote.embedQuery(model, query('w2'), { ...options, signal: controller.signal });
  const refused = expect(given).rejects.toThrow('enough');
  controller.abort(new Error('enough'));
  const kept = remote.embedQuery(model, query('w2'), options);
  await expect(kept).resolves.toEqual(await inference.embedQuery(model, query('w2'), options));
  await refused;
});
