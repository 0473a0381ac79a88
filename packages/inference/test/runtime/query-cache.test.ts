import { expect, test, vi } from 'vitest';
import { QueryCache } from '../../src/runtime/query-cache.js';

/** The vector of a text is its length, twice. */
const embed = vi.fn(async (texts: string[]) => Float32Array.from(texts.flatMap(({ length }) => [length, length])));

const asked = () => embed.mock.calls.splice(0).map(([texts]) => texts);

test('a text is computed once, and answered in its place', async () => {
  const cache = new QueryCache(10_000);
  expect([...(await cache.through('m', ['a', 'bb'], 2, embed))]).toEqual([1, 1, 2, 2]);
  expect([...(await cache.through('m', ['ccc', 'a', 'dddd', 'bb'], 2, embed))]).toEqual([3, 3, 1, 1, 4, 4, 2, 2]);
  expect(asked()).toEqual([
    ['a', 'bb'],
    ['ccc', 'dddd'],
  ]);
});

test('equal texts of another model or normalisation are another vector', async () => {
  const cache = new QueryCache(10_000);
  for (const space of ['m true', 'm false', 'n true']) await cache.through(space, ['a'], 2, embed);
  expect(asked()).toHaveLength(3);
});

test('what is forgotten is computed anew, in its own space only', async () => {
  const cache = new QueryCache(10_000);
  for (const space of ['m', 'mm']) await cache.through(space, ['a'], 2, embed);
  asked();
  cache.forget('m');
  for (const space of ['m', 'mm']) await cache.through(space, ['a'], 2, embed);
  expect(asked()).toEqual([['a']]);
});

test('what is forgotten while it is computed reaches those who wait, and is not kept', async () => {
  const cache = new QueryCache(10_000);
  const { promise, resolve } = Promise.withResolvers<Float32Array>();
  const waiting = cache.through('m', ['a'], 2, () => promise);
  cache.forget('m');
  const newer = await cache.through('m', ['a'], 2, embed);
  resolve(Float32Array.of(9, 9));
  expect([...(await waiting)]).toEqual([9, 9]);
  expect(await cache.through('m', ['a'], 2, embed)).toEqual(newer);
  expect(asked()).toHaveLength(1);
});

test('equal queries at one time are computed once', async () => {
  const cache = new QueryCache(10_000);
  const [first, second] = await Promise.all([
    cache.through('m', ['a', 'bb'], 2, embed),
    cache.through('m', ['bb', 'ccc'], 2, embed),
  ]);
  expect([...first, ...second]).toEqual([1, 1, 2, 2, 2, 2, 3, 3]);
  expect(asked()).toEqual([['a', 'bb'], ['ccc']]);
});

test('a caller may write into what it was given', async () => {
  const cache = new QueryCache(10_000);
  (await cache.through('m', ['a'], 2, embed)).fill(9);
  expect([...(await cache.through('m', ['a'], 2, embed))]).toEqual([1, 1]);
  expect(asked()).toHaveLength(1);
});

test('a failure is told to everybody who waits, and not kept', async () => {
  const cache = new QueryCache(10_000);
  const fail = async () => {
    throw new Error('lost');
  };
  const both = [cache.through('m', ['a'], 2, fail), cache.through('m', ['a'], 2, embed)];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(cache.through('m', ['a'], 2, embed)).resolves.toBeDefined();
  expect(asked()).toEqual([['a']]);
});

test('beyond its bytes the least recently used vectors are forgotten', async () => {
  const cache = new QueryCache(700);
  for (const text of ['a', 'b', 'a', 'c', 'd']) await cache.through('m', [text], 2, embed);
  asked();
  await cache.through('m', ['b'], 2, embed);
  expect(asked()).toEqual([['b']]);
  await cache.through('m', ['d'], 2, embed);
  expect(asked()).toEqual([]);
});

test('with no bytes nothing is kept', async () => {
  const cache = new QueryCache(0);
  for (let i = 0; i < 2; i++) await cache.through('m', ['a'], 2, embed);
  expect(asked()).toHaveLength(2);
});
