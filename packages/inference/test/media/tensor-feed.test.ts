import { expect, test } from 'vitest';
import { TensorFeed } from '../../src/media/tensor-feed.js';
import type { Embeddings, TensorBatch } from '../../src/runtime/encoder.js';

const DIM = 2;
const SHAPE = [3];

/** Tensors whose values are numbers, so that each is known again. */
const tensors = (...numbers: number[]): TensorBatch => ({
  values: Float32Array.from(numbers.flatMap((number) => [number, number, number])),
  shape: SHAPE,
});

/** An encoder that answers when it is told to: a tensor's vector is its number and minus that; negative ones fail. */
function scripted() {
  const batches: number[][] = [];
  const answers: (() => void)[] = [];
  const encode = async ({ values, shape }: TensorBatch): Promise<Embeddings> => {
    expect(shape).toEqual(SHAPE);
    const numbers = [...values].filter((_, i) => i % 3 === 0);
    batches.push(numbers);
    await new Promise<void>((resolve) => answers.push(resolve));
    return {
      vectors: Float32Array.from(numbers.flatMap((number) => (number < 0 ? [0, 0] : [number, -number]))),
      failures: numbers.flatMap((number, row) => (number < 0 ? [{ row, message: `too small: ${number}` }] : [])),
    };
  };
  const answerAll = async () => {
    while (answers.length > 0) {
      for (const answer of answers.splice(0)) answer();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { batches, answerAll, feed: new TensorFeed(encode, DIM) };
}

test('tensors for an idle encoder go at once, and those that come meanwhile go together', async () => {
  const { batches, answerAll, feed } = scripted();
  const made = Array.from({ length: 15 }, (_, i) => feed.add(tensors(i)));
  expect(batches).toEqual([[0], [1], [2], [3]]);
  await answerAll();
  expect(batches.slice(4)).toEqual([
    [4, 5, 6, 7, 8, 9, 10, 11],
    [12, 13, 14],
  ]);
  for (const [i, embeddings] of (await Promise.all(made)).entries()) {
    expect(embeddings).toEqual({ vectors: Float32Array.of(i, -i), failures: [] });
  }
});

test('tensors of one picture stay together, and more than a batch go alone', async () => {
  const { batches, answerAll, feed } = scripted();
  const ten = Array.from({ length: 10 }, (_, i) => i);
  const made = [[90], [91], [92], [93], [1, 2], ten, [3], [4, 5]].map((numbers) => feed.add(tensors(...numbers)));
  await answerAll();
  expect(batches.slice(4)).toEqual([[1, 2], ten, [3, 4, 5]]);
  const vectors = (await Promise.all(made)).map((one) => one.vectors);
  expect(vectors[5]).toEqual(Float32Array.from(ten.flatMap((i) => [i, -i])));
  expect(vectors[7]).toEqual(Float32Array.of(4, -4, 5, -5));
});

test('a tensor that fails is told to whom it belongs', async () => {
  const { answerAll, feed } = scripted();
  const made = [[90], [91], [92], [93], [1], [2, -3], [4]].map((numbers) => feed.add(tensors(...numbers)));
  await answerAll();
  const failures = (await Promise.all(made)).map((one) => one.failures);
  expect(failures).toEqual([[], [], [], [], [], [{ row: 1, message: 'too small: -3' }], []]);
});

test('a batch that the encoder throws over fails those in it, and others go on', async () => {
  let calls = 0;
  const feed = new TensorFeed(async ({ values }) => {
    if (++calls === 2) throw new Error('a worker was lost');
    return { vectors: values.slice(0, DIM), failures: [] };
  }, DIM);
  const outcomes = await Promise.allSettled([1, 2, 3].map((number) => feed.add(tensors(number))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});
