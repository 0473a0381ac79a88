import { expect, test } from 'vitest';
import { ByteBudget } from '../../src/http/byte-budget.js';
import { ConcurrencyLimit } from '../../src/http/concurrency-limit.js';
import { LocalCounters, OwnerPlaces, SharedCounters } from '../../src/http/counters.js';

const mebibyte = 1024 * 1024;

/** Counters as two event loops have them of one memory. */
function twoLoops(): [SharedCounters, SharedCounters] {
  const memory = SharedCounters.memoryFor(2);
  return [new SharedCounters(memory, 1), new SharedCounters(memory, 2)];
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

test('an owner has one place in all threads, which no other has before all are taken', () => {
  const digests = new BigInt64Array(new SharedArrayBuffer(8 * 8));
  const [here, there] = [new OwnerPlaces(digests), new OwnerPlaces(digests)];
  const owners = Array.from({ length: 8 }, (_, at) => `key ${at}`);
  const places = owners.map((owner, at) => (at % 2 === 0 ? here : there).of(owner));
  expect(new Set(places).size).toBe(8);
  for (const threads of [here, there, new OwnerPlaces(digests)]) {
    expect(owners.map((owner) => threads.of(owner))).toEqual(places);
  }
  const late = here.of('one too many');
  expect(places).toContain(late);
  expect(there.of('one too many')).toBe(late);
});

test('each event loop counts what it answered, and any of them tells of all', () => {
  const [here, there] = twoLoops();
  here.answered('requests').add(1);
  for (const name of ['requests', 'searches', 'searches'] as const) there.answered(name).add(1);
  const all = [
    { requests: 1, searches: 0 },
    { requests: 1, searches: 2 },
  ];
  expect([here.allAnswered(), there.allAnswered()]).toEqual([all, all]);
  // None of it is a number behind a limit.
  expect(here.counter('search').value).toBe(0);

  const alone = new LocalCounters();
  alone.answered('searches').add(3);
  expect(alone.allAnswered()).toEqual([{ requests: 0, searches: 3 }]);
});
