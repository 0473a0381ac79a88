import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInference, type FieldVectors, type Inference, parseModelFile } from '@pelorus/inference';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LoopbackHub } from '../loopback-hub.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { writeZip } from '../zip-file.js';
import { checkpoint } from './checkpoint.js';
import { encoder, summedWords, wordTokenizer, wordTower } from './onnx-model.js';

const MORE = ['[MASK]', '[unused0]', '[unused1]', ',', '.'];
const [MASK, QUERY, DOCUMENT, COMMA, STOP] = [64, 65, 66, 67, 68];
const [CLS, SEP] = [2, 3];
const VOCABULARY = 69;
const WORDS = 40;
const DIM = 8;

/** More words with weights above 0 than a vector has entries. */
const MANY_WORDS = 5000;
const many = Float32Array.from({ length: 64 * MANY_WORDS }, (_, i) => 1 + ((i * 7919) % MANY_WORDS) / MANY_WORDS);
const sums = Float32Array.from({ length: VOCABULARY * WORDS }, (_, i) => Math.sin(i * 1.3));

const GRAPHS = {
  splade: encoder({ dim: WORDS, vocabulary: VOCABULARY }),
  pooled: summedWords(sums, WORDS),
  many: wordTower(many, MANY_WORDS),
  single: encoder({ dim: WORDS, vocabulary: VOCABULARY, batch: 1 }),
  infinite: encoder({ dim: WORDS, vocabulary: VOCABULARY, finite: 10 }),
  colbert: encoder({ dim: DIM, vocabulary: VOCABULARY }),
};

let folder: string;
let inference: Inference;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-fields-'));
  const models: Record<string, object> = {};
  const put = async (name: string, properties: object, files: Record<string, Uint8Array | string>) => {
    await mkdir(join(folder, name));
    for (const [file, bytes] of Object.entries(files)) await writeFile(join(folder, name, file), bytes);
    models[name] = { folder: name, properties };
  };
  const splade = { type: 'splade', dimensions: WORDS, tokens: 24 };
  const colbert = { type: 'colbert', dimensions: DIM, tokens: 24, queryTokens: 8 };
  const tokenizer = { 'tokenizer.json': wordTokenizer('[UNK]', MORE) };
  for (const name of ['splade', 'pooled', 'single', 'infinite'] as const) {
    await put(name, splade, { ...tokenizer, 'model.onnx': GRAPHS[name] });
  }
  await put('many', { ...splade, dimensions: MANY_WORDS }, { ...tokenizer, 'model.onnx': GRAPHS.many });
  await put('wide', { ...splade, dimensions: WORDS + 1 }, { ...tokenizer, 'model.onnx': GRAPHS.splade });
  await put('strict', splade, { 'tokenizer.json': wordTokenizer('nobody'), 'model.onnx': GRAPHS.splade });
  await put('weights', splade, { ...tokenizer, ...checkpoint() });
  await put('colbert', colbert, { ...tokenizer, 'model.onnx': GRAPHS.colbert });
  const plain = { ...colbert, queryAugmentation: false, queryMarker: '', documentMarker: '', skipPunctuation: false };
  await put('plain', plain, { 'tokenizer.json': wordTokenizer('[UNK]', MORE.slice(3)), 'model.onnx': GRAPHS.colbert });
  await put('seen', { ...colbert, attendToMask: true }, { ...tokenizer, 'model.onnx': GRAPHS.colbert });
  await put('unmarked', colbert, { 'tokenizer.json': wordTokenizer(), 'model.onnx': GRAPHS.colbert });
  const modelFile = parseModelFile({ models }, join(folder, 'models.json'));
  inference = createInference({ modelFile, modelDir: join(folder, 'models'), hubUrl: null, threads: 2 });
});

afterAll(async () => {
  await inference.close();
  await rm(folder, { recursive: true });
});

const vectorsOf = (name: string, texts: readonly string[], priority: 'query' | 'document' = 'document') =>
  inference.fieldVectors(inference.resolveField(name), texts, { priority });

/** Texts of one to thirty words, more than the models read. */
const texts = Array.from({ length: 90 }, (_, at) =>
  Array.from({ length: 1 + (at % 30) }, (_, place) => `w${(at * 7 + place * 3) % 60}`).join(' '),
);

/** The output of a graph for a text by itself. */
async function raw(graph: Uint8Array, ids: readonly number[], seen = ids.map(() => 1)): Promise<Float32Array> {
  const session = await InferenceSession.create(Buffer.from(graph));
  const tensor = (values: readonly number[]) =>
    new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  const feeds = { input_ids: tensor(ids), attention_mask: tensor(seen) };
  const [output] = Object.values(await session.run(feeds));
  await session.release();
  return output?.data as Float32Array;
}

const wordIds = (text: string) => (text.match(/\w+|[,.]/g) ?? []).map(wordId);
const wordId = (word: string) => (word === ',' ? COMMA : word === '.' ? STOP : 4 + Number(word.slice(1)));
const framed = (text: string, most = 24) => [CLS, ...wordIds(text).slice(0, most - 2), SEP];

describe('splade', () => {
  test('a text weighs each word by the greatest log(1 + relu) of any token, alone and in any batch', async () => {
    const made = await vectorsOf('splade', texts);
    for (const [at, text] of texts.entries()) {
      const ids = framed(text);
      const logits = await raw(GRAPHS.splade, ids);
      const expected: [number, number][] = [];
      for (let word = 0; word < WORDS; word++) {
        let greatest = 0;
        for (let token = 0; token < ids.length; token++) {
          greatest = Math.max(greatest, Math.log(1 + Math.max(0, logits[token * WORDS + word] ?? 0)));
        }
        if (greatest > 0) expected.push([word, greatest]);
      }
      expectSparse(made[at], expected);
      const [alone] = await vectorsOf('splade', [text]);
      expectSparse(alone, expected);
    }
  });

  test('a graph for one text at once gives the same vectors', async () => {
    const [all, one] = [await vectorsOf('splade', texts), await vectorsOf('single', texts)];
    for (const [at, vector] of one.entries()) {
      if (vector.kind !== 'sparse') throw new Error(vector.kind);
      const { indices, weights } = vector;
      expectSparse(
        all[at],
        indices.map((word, i) => [word, weights[i] ?? 0]),
      );
    }
  });

  test('a graph that pools gives its own weights, those above 0', async () => {
    const [vector] = await vectorsOf('pooled', ['w1 w2 w1']);
    const sum = (word: number) => framed('w1 w2 w1').reduce((all, id) => all + (sums[id * WORDS + word] ?? 0), 0);
    const all = Array.from({ length: WORDS }, (_, word): [number, number] => [word, sum(word)]);
    expectSparse(
      vector,
      all.filter(([, weight]) => weight > 0),
    );
  });

  test('the 4096 greatest weights are kept, in the order of their indices', async () => {
    const [vector] = await vectorsOf('many', ['w1']);
    if (vector?.kind !== 'sparse') throw new Error(vector?.kind);
    const greatest = (word: number) => Math.max(...framed('w1').map((id) => many[id * MANY_WORDS + word] ?? 0));
    const weights = Array.from({ length: MANY_WORDS }, (_, word) => greatest(word));
    const least = [...weights].sort((a, b) => b - a)[4095] ?? 0;
    expect(vector.indices).toHaveLength(4096);
    expect(vector.indices).toEqual([...vector.indices].sort((a, b) => a - b));
    const left = weights.filter((_, word) => !vector.indices.includes(word));
    expect(Math.max(...left)).toBeLessThanOrEqual(least);
    expect(Math.min(...vector.indices.map((word) => weights[word] ?? 0))).toBeGreaterThanOrEqual(least);
  });

  test('a text that fails does so alone', async () => {
    const strange = await vectorsOf('strict', ['w1', 'unheard', 'w2']);
    expect(strange.map(({ kind }) => kind)).toEqual(['sparse', 'failure', 'sparse']);
    const infinite = await vectorsOf('infinite', ['w1', 'w9', 'w2']);
    expect(infinite.map(({ kind }) => kind)).toEqual(['sparse', 'failure', 'sparse']);
  });

  test('equal texts have equal vectors, and no texts have none', async () => {
    const [first, , third] = await vectorsOf('splade', ['w1 w2', 'w3', 'w1 w2']);
    expect(third).toEqual(first);
    expect(await vectorsOf('splade', [])).toEqual([]);
  });
});

describe('colbert', () => {
  /** The vectors of some tokens, brought to length 1. */
  async function unit(ids: readonly number[], counts: (id: number) => boolean, seen?: number[]): Promise<number[][]> {
    const values = await raw(GRAPHS.colbert, ids, seen);
    return ids.flatMap((id, token) => {
      const vector = [...values.subarray(token * DIM, (token + 1) * DIM)];
      const length = Math.sqrt(vector.reduce((sum, one) => sum + one * one, 0));
      return counts(id) ? [vector.map((one) => one / length)] : [];
    });
  }

  test('a document has a vector of each token but for punctuation, alone and in any batch', async () => {
    const documents = [...texts, 'w1, w2. w3,', '. ,'];
    const made = await vectorsOf('colbert', documents);
    for (const [at, text] of documents.entries()) {
      const [first, ...rest] = framed(text, 23);
      const ids = [first as number, DOCUMENT, ...rest];
      const expected = await unit(ids, (id) => id !== COMMA && id !== STOP);
      expectMany(made[at], expected);
      const [alone] = await vectorsOf('colbert', [text]);
      expectMany(alone, expected);
    }
  });

  test('a query is filled up with masks that have vectors, and that no other token sees', async () => {
    const [vector] = await vectorsOf('colbert', ['w1, w2'], 'query');
    const own = [CLS, QUERY, ...wordIds('w1, w2'), SEP];
    const ids = [...own, ...new Array<number>(8 - own.length).fill(MASK)];
    const seen = ids.map((id) => (id === MASK ? 0 : 1));
    expectMany(vector, await unit(ids, () => true, seen));
    const [other] = await vectorsOf('seen', ['w1, w2'], 'query');
    expectMany(other, await unit(ids, () => true));
  });

  test('a long query loses its end', async () => {
    const [vector] = await vectorsOf('colbert', [texts[29] as string], 'query');
    const [first, ...rest] = framed(texts[29] as string, 7);
    expectMany(vector, await unit([first as number, QUERY, ...rest], () => true));
  });

  test('markers, masks and the rule of punctuation can be left out', async () => {
    const tokens = [CLS, 5, 64, SEP];
    for (const as of ['query', 'document'] as const) {
      const [vector] = await vectorsOf('plain', ['w1,'], as);
      expectMany(vector, await unit(tokens, () => true));
    }
  });
});

test('a model is fetched from a hub and from a URL, is listed among the loaded ones, and leaves', async () => {
  const hub = await LoopbackHub.start();
  const modelDir = await temporaryDirectory();
  hub.put('house/splade', 'tokenizer.json', wordTokenizer());
  hub.put('house/splade', 'onnx/model.onnx', GRAPHS.splade);
  const zip = join(modelDir, 'm.zip');
  await writeZip(zip, [
    ['model.onnx', GRAPHS.colbert],
    ['tokenizer.json', wordTokenizer('[UNK]', MORE)],
  ]);
  hub.files.set('/m.zip', { bytes: await readFile(zip) });
  const config = { modelDir, hubUrl: hub.url, mavenCommand: null, threads: 1, allowedNetworks: ['127.0.0.0/8'] };
  const own = createInference(config);
  try {
    const splade = own.resolveField('s', { type: 'splade', name: 'house/splade', dimensions: WORDS });
    const colbert = own.resolveField('c', { type: 'colbert', url: `${hub.url}/m.zip`, dimensions: DIM });
    const [sparse] = await own.fieldVectors(splade, ['w1'], { priority: 'query' });
    const [manyVectors] = await own.fieldVectors(colbert, ['w1'], { priority: 'query' });
    expect(sparse?.kind).toBe('sparse');
    expect(manyVectors?.kind === 'many' && manyVectors.vectors.length).toBe(32 * DIM);
    expect(own.loaded().map(({ model_name, encoder }) => [model_name, encoder])).toEqual([
      ['s', 'onnxruntime'],
      ['c', 'onnxruntime'],
    ]);
    expect(await own.eject('s')).toMatchObject({ name: 's' });
    expect(own.loaded()).toHaveLength(1);
  } finally {
    await own.close();
  }
});

test.each([
  ['wide', `its vectors have ${WORDS} dimensions, its properties say ${WORDS + 1}`],
  ['weights', 'it has no model.onnx'],
  ['unmarked', 'its tokenizer has no token [MASK]'],
])('%s cannot be loaded, which says why', async (name, reason) => {
  await expect(vectorsOf(name, ['w1'])).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining(reason),
  });
});

test('the kinds of model are not taken for each other', () => {
  expect(() => inference.resolve('splade')).toThrow("name it in 'fieldModels'");
  expect(() => inference.resolveField('hf/e5-base-v2')).toThrow('is one of splade, colbert');
  const given = { type: 'hf', name: 'a/b', dimensions: WORDS };
  expect(() => inference.redefine('a', given, { ...given, type: 'splade' }, true)).toThrow("in 'fieldModels'");
});

test.each([
  [{ type: 'splade', dimensions: 500_001 }, "'dimensions' must be an integer from 1 to 500000"],
  [{ type: 'colbert', dimensions: 1025 }, "'dimensions' must be an integer from 2 to 1024"],
  [{ type: 'colbert', dimensions: 8, tokens: 1025 }, "'tokens' must be an integer from 4 to 1024"],
  [{ type: 'colbert', dimensions: 8, queryTokens: 257 }, "'queryTokens' must be an integer from 4 to 256"],
  [{ type: 'colbert', dimensions: 8, attendToMask: 'no' }, "'attendToMask' must be true or false"],
  [{ type: 'colbert', dimensions: 8, queryMarker: 7 }, "'queryMarker' must be a string"],
  [{ type: 'splade', dimensions: 8, name: undefined }, 'name no model'],
])('properties that break a rule are refused: %j', (properties, reason) => {
  expect(() => inference.resolveField('x', { name: 'a/b', ...properties })).toThrow(reason);
});

test('a call that nobody waits for any more ends with the reason', async () => {
  const reason = new Error('too late');
  const signal = AbortSignal.abort(reason);
  const call = inference.fieldVectors(inference.resolveField('splade'), texts, { priority: 'query', signal });
  await expect(call).rejects.toBe(reason);
});

function expectSparse(made: FieldVectors | undefined, expected: readonly (readonly [number, number])[]): void {
  if (made?.kind !== 'sparse') throw new Error(`expected a sparse vector, received ${JSON.stringify(made)}`);
  expect(made.indices).toEqual(expected.map(([word]) => word));
  for (const [at, [, weight]] of expected.entries()) expect(made.weights[at]).toBeCloseTo(weight, 5);
}

function expectMany(made: FieldVectors | undefined, expected: readonly (readonly number[])[]): void {
  if (made?.kind !== 'many') throw new Error(`expected many vectors, received ${JSON.stringify(made)}`);
  expect(made.vectors).toHaveLength(expected.length * DIM);
  for (const [at, number] of expected.flat().entries()) expect(made.vectors[at]).toBeCloseTo(number, 5);
}
