import type { EncoderInput } from '@pelorus/node';
import { describe, expect, test, vi } from 'vitest';
import { allVectors, type Embeddings, textInputs } from '../../src/runtime/encoder.js';
import { QueryCache } from '../../src/runtime/query-cache.js';

type Compute = (missing: readonly EncoderInput[]) => Promise<Embeddings>;

const whole = (vectors: Float32Array): Embeddings => ({ vectors, failures: [] });

/** The vector of a text is its length, twice. */
const embed = vi.fn<Compute>(async (inputs) =>
  whole(Float32Array.from(inputs.flatMap(({ text = '' }) => [text.length, text.length]))),
);

/** The texts of each call of `embed` since the last look. */
const asked = () => embed.mock.calls.splice(0).map(([inputs]) => inputs.map(({ text }) => text));

/** Vectors of texts, `[texts, 2]`. */
async function through(cache: QueryCache, space: string, texts: string[], compute: Compute): Promise<Float32Array> {
  return allVectors(await cache.through(space, textInputs(texts), 2, compute));
}

test('a text is computed once, and answered in its place', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  expect([...(await through(cache, 'm', ['a', 'bb'], embed))]).toEqual([1, 1, 2, 2]);
  expect([...(await through(cache, 'm', ['ccc', 'a', 'dddd', 'bb'], embed))]).toEqual([3, 3, 1, 1, 4, 4, 2, 2]);
  expect(asked()).toEqual([
    ['a', 'bb'],
    ['ccc', 'dddd'],
  ]);
});

test('equal texts of another model or normalisation are another vector', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  for (const space of ['m true', 'm false', 'n true']) await through(cache, space, ['a'], embed);
  expect(asked()).toHaveLength(3);
});

test('a forgotten vector is computed anew, in its own space only', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  for (const space of ['m', 'mm']) await through(cache, space, ['a'], embed);
  asked();
  cache.forget('m');
  for (const space of ['m', 'mm']) await through(cache, space, ['a'], embed);
  expect(asked()).toEqual([['a']]);
});

test('a vector forgotten while it is computed reaches the callers that wait, and is not kept', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  const { promise, resolve } = Promise.withResolvers<Embeddings>();
  const waiting = through(cache, 'm', ['a'], () => promise);
  cache.forget('m');
  const newer = await through(cache, 'm', ['a'], embed);
  resolve(whole(Float32Array.of(9, 9)));
  expect([...(await waiting)]).toEqual([9, 9]);
  expect(await through(cache, 'm', ['a'], embed)).toEqual(newer);
  expect(asked()).toHaveLength(1);
});

test('equal queries at one time are computed once', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  const [first, second] = await Promise.all([
    through(cache, 'm', ['a', 'bb'], embed),
    through(cache, 'm', ['bb', 'ccc'], embed),
  ]);
  expect([...first, ...second]).toEqual([1, 1, 2, 2, 2, 2, 3, 3]);
  expect(asked()).toEqual([['a', 'bb'], ['ccc']]);
});

test('a caller may write into what it was given', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  (await through(cache, 'm', ['a'], embed)).fill(9);
  expect([...(await through(cache, 'm', ['a'], embed))]).toEqual([1, 1]);
  expect(asked()).toHaveLength(1);
});

test('a failure is told to everybody who waits, and not kept', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  const fail = async () => {
    throw new Error('lost');
  };
  const both = [through(cache, 'm', ['a'], fail), through(cache, 'm', ['a'], embed)];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(through(cache, 'm', ['a'], embed)).resolves.toBeDefined();
  expect(asked()).toEqual([['a']]);
});

test('an input that failed is told in its row, beside the vectors of the others, and not kept', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000 });
  const message = 'unreadable';
  const half: Compute = async () => ({ vectors: Float32Array.of(1, 1, 0, 0), failures: [{ row: 1, message }] });
  await through(cache, 'm', ['c'], embed);
  const [first, second] = await Promise.all([
    cache.through('m', textInputs(['c', 'a', 'bb']), 2, half),
    cache.through('m', textInputs(['bb', 'a']), 2, embed),
  ]);
  expect(first).toEqual({ vectors: Float32Array.of(1, 1, 1, 1, 0, 0), failures: [{ row: 2, message }] });
  expect(second).toEqual({ vectors: Float32Array.of(0, 0, 1, 1), failures: [{ row: 0, message }] });
  expect([...(await through(cache, 'm', ['a', 'bb'], embed))]).toEqual([1, 1, 2, 2]);
  expect(asked()).toEqual([['c'], ['bb']]);
});

test('beyond its bytes the least recently used vectors are forgotten', async () => {
  const cache = QueryCache.of({ bytesMax: 700 });
  for (const text of ['a', 'b', 'a', 'c', 'd']) await through(cache, 'm', [text], embed);
  asked();
  await through(cache, 'm', ['b'], embed);
  expect(asked()).toEqual([['b']]);
  await through(cache, 'm', ['d'], embed);
  expect(asked()).toEqual([]);
});

test('with no bytes nothing is kept', async () => {
  const cache = QueryCache.of({ bytesMax: 0 });
  for (let i = 0; i < 2; i++) await through(cache, 'm', ['a'], embed);
  expect(asked()).toHaveLength(2);
});

describe('calls that give up', () => {
  test('end a computation when all who wait for any of it have, and the next has it computed anew', async () => {
    const cache = QueryCache.of({ bytesMax: 10_000 });
    const signals: AbortSignal[] = [];
    const compute = (_missing: readonly EncoderInput[], signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<Embeddings>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [
      cache.through('m', textInputs(['a', 'bb']), 2, compute, first.signal),
      cache.through('m', textInputs(['bb']), 2, compute, second.signal),
    ];
    first.abort(new Error('first'));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort(new Error('second'));
    expect(signals.map(({ reason }) => reason.message)).toEqual(['second']);
    const anew = through(cache, 'm', ['bb'], embed);
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([...(await anew)]).toEqual([2, 2]);
    expect(asked()).toEqual([['bb']]);
  });

  test('end nothing that another waits for as long as it takes', async () => {
    const cache = QueryCache.of({ bytesMax: 10_000 });
    const { promise, resolve } = Promise.withResolvers<Embeddings>();
    let ended: AbortSignal | undefined;
    const compute = (_missing: readonly EncoderInput[], signal: AbortSignal) => {
      ended = signal;
      return promise;
    };
    const controller = new AbortController();
    const given = cache.through('m', textInputs(['a']), 2, compute, controller.signal);
    const kept = through(cache, 'm', ['a'], embed);
    controller.abort();
    expect(ended?.aborted).toBe(false);
    resolve(whole(Float32Array.of(7, 7)));
    expect([...(await kept)]).toEqual([7, 7]);
    expect([...(await given).vectors]).toEqual([7, 7]);
  });

  test('are not begun', async () => {
    const cache = QueryCache.of({ bytesMax: 10_000 });
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(cache.through('m', textInputs(['a']), 2, embed, signal)).rejects.toThrow('gone');
    expect(asked()).toEqual([]);
  });
});

test.each(['lru', 'lfu'] as const)('no more vectors are kept than are allowed, by %s', async (policy) => {
  const cache = QueryCache.of({ bytesMax: 10_000, countMax: 2, policy });
  for (const text of ['a', 'a', 'b', 'c']) await through(cache, 'm', [text], embed);
  asked();
  await through(cache, 'm', ['a', 'c'], embed);
  // `a` was used longest ago, and more often than `b`.
  expect(asked()).toEqual(policy === 'lru' ? [['a']] : []);
});

test('a cache for no vectors keeps none', async () => {
  const cache = QueryCache.of({ bytesMax: 10_000, countMax: 0 });
  for (let i = 0; i < 2; i++) await through(cache, 'm', ['a'], embed);
  expect(asked()).toEqual([['a'], ['a']]);
});
