import { describe, expect, it } from 'vitest';
import {
  chunk,
  clsPool,
  embeddingsJson,
  InputBatch,
  meanPool,
  normalize,
  randomVectors,
  Tokenizer,
} from '../src/index.js';
import { json, parse } from './support.js';

const failure = (call: () => unknown): { code?: string; message: string } => {
  try {
    call();
  } catch (error) {
    return error as { code?: string; message: string };
  }
  throw new Error('nothing was thrown');
};

const inputs = (...texts: string[]) => InputBatch.of(texts.map((text) => ({ kind: 'text', text })));

describe('a batch of inputs', () => {
  it('is counted before and after it was encoded, which it is once', async () => {
    const batch = inputs('a', 'b');
    expect(batch.count).toBe(2);
    await randomVectors(batch, 8);
    expect(batch.count).toBe(2);
    expect(failure(() => randomVectors(batch, 8)).code).toBe('invalid_argument');
  });

  it('holds inputs of kinds that are known', () => {
    const picture = { kind: 'picture', text: 'a' } as unknown as { kind: 'text'; text: string };
    expect(failure(() => InputBatch.of([picture])).code).toBe('InvalidArg');
  });
});

const vocabulary = { '[UNK]': 0, '[CLS]': 1, '[SEP]': 2, red: 3, green: 4, blue: 5 };

/** Splits at blanks; `[CLS]` and `[SEP]` stand around each text. */
const tokenizerWith = (vocab: Readonly<Record<string, number>>) =>
  json({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: {
      type: 'BertProcessing',
      sep: ['[SEP]', 2],
      cls: ['[CLS]', 1],
    },
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  });

const tokenizerFile = tokenizerWith(vocabulary);

describe('a tokenizer', () => {
  it('gives the ids of all texts in one array, with where each begins', async () => {
    const tokenizer = await Tokenizer.load(tokenizerFile, 4);
    const { ids, offsets, failures } = await tokenizer.encode(inputs('red', '', 'green blue red'));
    expect(ids).toEqual(Int32Array.of(1, 3, 2, 1, 2, 1, 4, 5, 2));
    expect(offsets).toEqual(Uint32Array.of(0, 3, 5, 9));
    expect(failures).toEqual([]);
  });

  it('says which texts its vocabulary has no tokens for', async () => {
    const { '[UNK]': _, ...vocab } = vocabulary;
    const tokenizer = await Tokenizer.load(tokenizerWith(vocab), 4);
    const { ids, offsets, failures } = await tokenizer.encode(inputs('red', 'red purple', 'blue'));
    expect(ids).toEqual(Int32Array.of(1, 3, 2, 1, 5, 2));
    expect(offsets).toEqual(Uint32Array.of(0, 3, 3, 6));
    expect(failures).toEqual([{ row: 1, message: expect.stringContaining('cannot be encoded') }]);
  });

  it('gives arrays that can be handed to another thread', async () => {
    const { ids } = await (await Tokenizer.load(tokenizerFile, 4)).encode(inputs('red'));
    expect(structuredClone(ids, { transfer: [ids.buffer] })).toEqual(Int32Array.of(1, 3, 2));
  });

  it('refuses a file that is none, and a limit without room', async () => {
    await expect(Tokenizer.load(Buffer.from('{}'), 8)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(Tokenizer.load(tokenizerFile, 2)).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('pooling', () => {
  const hidden = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8);

  it('averages what the mask attends to', () => {
    const mask = BigInt64Array.of(1n, 0n, 1n, 1n);
    expect(meanPool(hidden, mask, 2, 2, 2)).toEqual(Float32Array.of(1, 2, 6, 7));
  });

  it('takes the first token', () => {
    expect(clsPool(hidden, 2, 2, 2)).toEqual(Float32Array.of(1, 2, 5, 6));
  });

  it('names the sizes that do not fit', () => {
    const refused = failure(() => meanPool(hidden, new BigInt64Array(3), 2, 2, 2));
    expect(refused.code).toBe('invalid_argument');
    expect(refused.message).toMatch(/4 entries, received 3/);
    expect(failure(() => clsPool(hidden, 3, 2, 2)).message).toMatch(/12 values, received 8/);
  });

  it('gives rows unit length and leaves its input alone', () => {
    const vectors = Float32Array.of(3, 4, 0, 0);
    const rows = normalize(vectors, 2);
    expect([...rows].map((x) => Math.round(x * 1e6) / 1e6)).toEqual([0.6, 0.8, 0, 0]);
    expect(vectors[0]).toBe(3);
    expect(failure(() => normalize(vectors, 3)).code).toBe('invalid_argument');
  });
});

describe('random vectors', () => {
  it('depend on the text alone and have unit length', async () => {
    const [both, one] = await Promise.all([randomVectors(inputs('a', 'b'), 8), randomVectors(inputs('b'), 8)]);
    expect(both.subarray(8)).toEqual(one);
    expect(Math.hypot(...one)).toBeCloseTo(1, 5);
  });
});

describe('embeddings as JSON', () => {
  const rows = Float32Array.of(3, 4, 1, 0, 0, 1);

  it('are rows as they are, or the mean of several by their weights', async () => {
    expect(parse(await embeddingsJson(rows, 2, [null, [2, -4]], false))).toEqual([
      [3, 4],
      [1, -2],
    ]);
    const [, mean] = parse(await embeddingsJson(rows, 2, [null, [3, 4]], true));
    expect(mean[0]).toBeCloseTo(0.6, 12);
    expect(mean[1]).toBeCloseTo(0.8, 12);
  });

  it('have every digit of a 32-bit number', async () => {
    const numbers = Float32Array.of(0.1, 1e-7, -3.4e38, 16_777_217, 0);
    expect(parse(await embeddingsJson(numbers, numbers.length, [null], true))).toEqual([[...numbers]]);
  });

  it('need a row for each text', async () => {
    for (const entries of [[null], [[1, 1, 1], null], []]) {
      await expect(embeddingsJson(rows, 2, entries, false)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });
});

describe('chunking', () => {
  it('cuts windows over words', () => {
    expect(chunk('a b c d', 'word', 2, 1)).toEqual(['a b', 'b c', 'c d']);
  });

  it('refuses an unknown method and an overlap that never advances', () => {
    expect(failure(() => chunk('a', 'page', 2, 1)).code).toBe('invalid_argument');
    expect(failure(() => chunk('a', 'word', 2, 2)).code).toBe('invalid_argument');
  });
});
