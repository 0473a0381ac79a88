import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/http/byte-budget.js';
import { ConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { LocalCounters, OwnerPlaces, SharedCounters } from '../../src/http/counters.js';

const mebibyte = 1024 * 1024;

/** Counters as two event loops have them of one memory. */
function twoLoops(): [SharedCounters, SharedCounters] {
  const memory = SharedCounters.memoryFor(2);
  const places = new Map([
    ['a', 0],
    ['b', 1],
  ]);
  const ofLoop = () => new SharedCounters(memory, (owner) => places.get(owner));
  return [ofLoop(), ofLoop()];
}

test('a limit of calls at once counts those of all event loops', async () => {
  const [here, there] = twoLoops().map((counters) => new ConcurrencyLimit('SEARCH', 3, counters.counter('search')));
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const running = [here?.run(() => held), here?.run(() => held)];
  const more = there?.withFree(5, async (count) => {
    await expect(here?.run(async () => 1)).rejects.toMatchObject({ code: 'too_many_requests' });
    return count;
  });
  expect(await more).toBe(1);
  release();
  await Promise.all(running);
  await expect(there?.withFree(5, async (count) => count)).resolves.toBe(3);
});

test('a budget of bytes, and the share of a key in it, are of all event loops together', () => {
  const [here, there] = twoLoops().map((counters) => new ByteBudget('body', 40 * mebibyte, counters));
  const [first, second, third] = [here?.lease('a'), there?.lease('a'), there?.lease('b')];
  first?.resize(20 * mebibyte);
  // Three quarters of 30 MiB are for one key.
  expect(() => second?.resize(4 * mebibyte)).toThrow('with this key');
  expect(here?.bytes).toBe(20 * mebibyte);
  third?.resize(10 * mebibyte);
  expect(() => second?.resize(mebibyte)).toThrow('for all of them together');
  first?.release();
  second?.resize(4 * mebibyte);
  expect([here?.bytes, there?.bytes]).toEqual([14 * mebibyte, 14 * mebibyte]);
  second?.release();
  third?.release();
  expect(here?.bytes).toBe(0);
});

test('leases come to the same with counters of one loop and with those of many', () => {
  const budgets = [new LocalCounters(), ...twoLoops().slice(1)].map(
    (counters) => new ByteBudget('answer', mebibyte, counters),
  );
  const seen = budgets.map((budget) => {
    const leases = [budget.lease('a'), budget.lease('b'), budget.lease()];
    const steps: (string | number)[] = [];
    let seed = 7;
    for (let step = 0; step < 500; step += 1) {
      seed = (seed * 48_271) % 2_147_483_647;
      const lease = leases[seed % 3];
      const bytes = ((seed >> 3) % (mebibyte / 2)) + 0.5;
      try {
        if (seed % 5 === 0) lease?.release();
        else if (seed % 7 === 0) lease?.take(bytes);
        else lease?.resize(bytes);
      } catch (error) {
        steps.push((error as Error).message);
      }
      steps.push(budget.bytes);
    }
    for (const lease of leases) lease.release();
    return [...steps, budget.bytes];
  });
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[0]?.at(-1)).toBe(0);
  expect(seen[0]?.some((step) => typeof step === 'string')).toBe(true);
});

test('an owner keeps its place for as long as something counts there', () => {
  const counted = new Set<number>();
  const places = new OwnerPlaces(2, (place) => !counted.has(place));
  expect([...places.of(['a', 'b', 'c'])]).toEqual([
    ['a', 0],
    ['b', 1],
  ]);
  counted.add(0);
  expect([...places.of(['b', 'c'])]).toEqual([
    ['a', 0],
    ['b', 1],
  ]);
  counted.clear();
  expect([...places.of(['b', 'c'])]).toEqual([
    ['b', 1],
    ['c', 0],
  ]);
});
