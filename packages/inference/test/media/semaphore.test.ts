import { expect, test } from 'vitest';
import { type Permit, Semaphore } from '../../src/media/semaphore.js';

const document = { priority: 'document' } as const;
const query = { priority: 'query' } as const;

/** Lets everything run that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('no more is taken than there is, and all who wait are served in order', async () => {
  const semaphore = new Semaphore(10);
  let taken = 0;
  const served: number[] = [];
  const weights = Array.from({ length: 200 }, (_, i) => 1 + ((i * 7) % 10));
  await Promise.all(
    weights.map(async (weight, i) => {
      const permit = await semaphore.acquire(weight, document);
      served.push(i);
      taken += weight;
      expect(taken).toBeLessThanOrEqual(10);
      await settle();
      taken -= weight;
      permit.release();
      permit.release();
    }),
  );
  expect(served).toEqual([...weights.keys()]);
  expect(semaphore.isIdle).toBe(true);
});

test('a large share is not passed over for small ones', async () => {
  const semaphore = new Semaphore(4);
  const first = await semaphore.acquire(2, document);
  const served: string[] = [];
  const wait = (name: string, weight: number) =>
    semaphore.acquire(weight, document).then((permit) => {
      served.push(name);
      permit.release();
    });
  const all = [wait('large', 4), wait('small', 1)];
  await settle();
  expect(served).toEqual([]);
  first.release();
  await Promise.all(all);
  expect(served).toEqual(['large', 'small']);
});

test('a weight above the capacity takes all of it', async () => {
  const semaphore = new Semaphore(4);
  const permit = await semaphore.acquire(1000, document);
  expect(semaphore.isIdle).toBe(false);
  permit.release();
  expect(semaphore.isIdle).toBe(true);
});

test('queries go before documents that came earlier', async () => {
  const semaphore = new Semaphore(1);
  const first = await semaphore.acquire(1, document);
  const served: string[] = [];
  const wait = async (name: string, claim: typeof query | typeof document) => {
    const permit = await semaphore.acquire(1, claim);
    served.push(name);
    permit.release();
  };
  const all = [wait('document', document), wait('query', query)];
  first.release();
  await Promise.all(all);
  expect(served).toEqual(['query', 'document']);
});

test('a caller that gives up waits no longer, and holds up nobody', async () => {
  const semaphore = new Semaphore(2);
  const first = await semaphore.acquire(1, document);
  const controller = new AbortController();
  const large = semaphore.acquire(2, { ...document, signal: controller.signal });
  const small = semaphore.acquire(1, document);
  const reason = new Error('gone');
  controller.abort(reason);
  await expect(large).rejects.toBe(reason);
  const permits: Permit[] = [first, await small];
  for (const permit of permits) permit.release();
  expect(semaphore.isIdle).toBe(true);
  await expect(semaphore.acquire(1, { ...document, signal: controller.signal })).rejects.toBe(reason);
});
