import { describe, expect, test } from 'vitest';
import { BatchQueue, type EmbedCall, type PendingInput } from '../../src/runtime/batch-queue.js';

const call = (order: number): EmbedCall => ({
  order,
  vectors: new Float32Array(0),
  failures: [],
  remaining: 0,
  resolve: () => undefined,
  reject: () => undefined,
});

const texts = (owner: EmbedCall, lengths: readonly number[]): PendingInput[] =>
  lengths.map((length, row) => ({ call: owner, row, data: new Int32Array(length), tokenCount: length }));

const lengthsOf = (batch: readonly PendingInput[]) => batch.map(({ tokenCount }) => tokenCount);

function queueOf(...calls: (readonly number[])[]): BatchQueue {
  const queue = new BatchQueue();
  for (const [order, lengths] of calls.entries()) queue.add(texts(call(order), lengths));
  return queue;
}

test('a batch starts from the longest text and goes on with the next shorter ones', () => {
  const queue = queueOf([5, 30, 10, 29, 28, 1]);
  expect(lengthsOf(queue.take(90))).toEqual([28, 29, 30]);
  expect(lengthsOf(queue.take(30))).toEqual([1, 5, 10]);
  expect(queue.isEmpty).toBe(true);
});

test('a text above the budget is a batch of its own', () => {
  const queue = queueOf([500, 3]);
  expect(lengthsOf(queue.take(100))).toEqual([500]);
  expect(lengthsOf(queue.take(100))).toEqual([3]);
});

test('the oldest call decides where a batch starts, and shorter texts of others fill it up', () => {
  const queue = queueOf([10], [100, 9, 8]);
  const batch = queue.take(30);
  expect(lengthsOf(batch)).toEqual([8, 9, 10]);
  expect(batch.map(({ call: { order } }) => order)).toEqual([1, 1, 0]);
  expect(queue.oldest).toBe(1);
});

test('texts of equal length are taken together, whosever they are, the oldest among them', () => {
  const ordersOf = (batch: readonly PendingInput[]) => batch.map(({ call: { order } }) => order).toSorted();
  expect(ordersOf(queueOf([5], [5], [5]).take(90))).toEqual([0, 1, 2]);
  const queue = queueOf([5], [5], [4], [5]);
  expect(ordersOf(queue.take(10))).toEqual([0, 1]);
  expect(ordersOf(queue.take(10))).toEqual([2]);
  expect(ordersOf(queue.take(10))).toEqual([3]);
});

test('texts of a call that failed are forgotten', () => {
  const queue = new BatchQueue();
  const failed = call(0);
  queue.add(texts(failed, [1, 2, 3]));
  queue.add(texts(call(1), [4]));
  queue.drop(failed);
  expect([queue.oldest, queue.tokenCount]).toEqual([1, 4]);
});

test('texts of a call that failed are forgotten behind the sorted ones as well', () => {
  const queue = new BatchQueue();
  const [first, failed, last] = [call(0), call(1), call(2)];
  for (const owner of [first, failed, last]) queue.add(texts(owner, Array<number>(1024).fill(2)));
  queue.drop(failed);
  const orders = new Set<number>();
  while (!queue.isEmpty) for (const { call: owner } of queue.take(512)) orders.add(owner.order);
  expect([...orders]).toEqual([0, 2]);
});

test('a longer queue sorts no more texts: those of the oldest calls, up to the one that makes them enough', () => {
  const queue = queueOf(...Array.from({ length: 50 }, () => Array<number>(100).fill(1)));
  expect(queue.tokenCount).toBe(1100);
  expect(queue.take(100)).toHaveLength(100);
  expect(queue.tokenCount).toBe(1100);
});

test('clearing takes everything, sorted or not', () => {
  const queue = queueOf(...Array.from({ length: 30 }, () => Array<number>(100).fill(1)));
  expect(queue.clear()).toHaveLength(3000);
  expect([queue.isEmpty, queue.oldest, queue.clear()]).toEqual([true, Number.POSITIVE_INFINITY, []]);
});

test('however many calls wait, every text is taken, the oldest calls first', () => {
  const queue = queueOf(
    ...Array.from({ length: 60 }, (_, i) => Array.from({ length: 100 }, (_, j) => 1 + ((i + j) % 50))),
  );
  const orders: number[] = [];
  while (!queue.isEmpty) orders.push(...queue.take(256).map(({ call: { order } }) => order));
  expect(orders).toHaveLength(6000);
  expect(Math.max(...orders.slice(0, 3000))).toBeLessThan(45);
  expect(queue.clear()).toEqual([]);
});

describe('any mix of inputs', () => {
  /** A small generator with a fixed seed, so that a failure can be repeated. */
  function* randoms(seed: number): Generator<number> {
    for (let state = seed; ; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      yield state / 2 ** 32;
    }
  }

  test.each([1, 2, 3, 4, 5])('every text is taken once, within the budget, with little padding (seed %i)', (seed) => {
    const random = randoms(seed);
    const next = (max: number) => Math.floor((random.next().value as number) * max);
    const calls = Array.from({ length: 1 + next(6) }, () => Array.from({ length: 1 + next(60) }, () => 1 + next(120)));
    const queue = queueOf(...calls);
    const all = calls.flat();
    const budget = 256;
    const taken: number[] = [];
    let padded = 0;
    while (!queue.isEmpty) {
      const oldest = queue.oldest;
      const lengths = lengthsOf(queue.take(budget));
      expect(Math.max(...lengths) * lengths.length).toBeLessThanOrEqual(budget);
      expect(queue.oldest).toBeGreaterThanOrEqual(oldest);
      padded += Math.max(...lengths) * lengths.length;
      taken.push(...lengths);
    }
    expect(taken.sort((a, b) => a - b)).toEqual(all.sort((a, b) => a - b));
    expect(padded).toBeLessThanOrEqual(1.5 * all.reduce((a, b) => a + b) + budget);
  });
});
