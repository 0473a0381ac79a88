import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInference, type Inference, parseModelFile } from '@pelorus/inference';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crossEncoder, encoder, wordTokenizer } from './onnx-model.js';

/** Ids of words begin here. */
const FIRST_WORD = 4;
const WEIGHTS = [1, -0.5, 0.25, 2];
let folder: string;
let inference: Inference;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-pairs-'));
  const words = new Float32Array(64);
  words.set(WEIGHTS, FIRST_WORD);
  const graphs = { house: crossEncoder(words), two: crossEncoder(words, 2), states: encoder(), ill: 'no graph' };
  for (const [name, graph] of Object.entries(graphs)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'model.onnx'), graph);
    await writeFile(join(folder, name, 'tokenizer.json'), wordTokenizer());
  }
  const models = Object.fromEntries(Object.keys(graphs).map((name) => [`cross-encoder/${name}`, { folder: name }]));
  const modelFile = parseModelFile({ models }, join(folder, 'models.json'));
  inference = createInference({ modelFile, modelDir: join(folder, 'models'), hubUrl: null, threads: 2 });
});

afterAll(async () => {
  await inference.close();
  await rm(folder, { recursive: true });
});

const weight = (text: string) => text.split(' ').reduce((sum, word) => sum + (WEIGHTS[Number(word.slice(1))] ?? 0), 0);
const expected = (query: string, text: string) => 1 / (1 + Math.exp(-weight(query) * weight(text)));

/** Texts of one to forty words, the same each time. */
const texts = Array.from({ length: 150 }, (_, at) =>
  Array.from({ length: 1 + (at % 40) }, (_, place) => `w${(at * 7 + place * 3) % 6}`).join(' '),
);

test.each(['house', 'two'])('each text is scored with the query, whatever is computed beside it: %s', async (name) => {
  for (const query of ['w0', 'w1 w3']) {
    const scores = await inference.score(`cross-encoder/${name}`, query, texts, {});
    expect([...scores]).toEqual(texts.map((text) => expect.closeTo(expected(query, text), 5)));
  }
});

test('nothing has no scores', async () => {
  expect([...(await inference.score('cross-encoder/house', 'w0', [], {}))]).toEqual([]);
});

test('a text that is longer than the model reads loses its end', async () => {
  const long = `w0 ${'w5 '.repeat(100_000)}`;
  const [score] = await inference.score('cross-encoder/house', 'w0', [`${long} w3`], {});
  expect(score).toBeCloseTo(expected('w0', 'w0'), 5);
});

test('a call that nobody waits for any more ends with the reason', async () => {
  const reason = new Error('too late');
  const call = inference.score('cross-encoder/house', 'w0', texts, { signal: AbortSignal.abort(reason) });
  await expect(call).rejects.toBe(reason);
});

test.each([
  ['cross-encoder/nobody', 'must be one of cross-encoder/ms-marco'],
  ['hf/e5-base-v2', 'must be one of cross-encoder/ms-marco'],
  ['cross-encoder/ms-marco-MiniLM-L6-v2', 'is not on this machine'],
  ['cross-encoder/states', 'expected float32'],
  ['cross-encoder/ill', 'cannot be loaded'],
])('%s is no cross-encoder that can be run', async (name, message) => {
  await expect(inference.score(name, 'w0', ['w1'], {})).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(message),
  });
});
