import { expect, test } from 'vitest';
import { HostFairQueue } from '../../src/media/host-fair-queue.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that goes on until it is told to, by the order in which its turn came. */
function pending(queue: HostFairQueue) {
  const started: { readonly host: string; readonly fetched: () => void; readonly end: () => void }[] = [];
  const ended: Promise<void>[] = [];
  const ask = (host: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.push(
      queue.run(host, async (fetched) => {
        started.push({ host, fetched, end: resolve });
        await promise;
      }),
    );
  };
  return { ask, started, hosts: () => started.map(({ host }) => host), ended };
}

test('the next fetch is from the host that the fewest are from', async () => {
  const { ask, started, hosts } = pending(new HostFairQueue(3, 100));
  for (const host of ['slow', 'slow', 'slow', 'slow', 'slow', 'fast', 'fast', 'fast']) ask(host);
  await settle();
  expect(hosts()).toEqual(['slow', 'slow', 'slow']);
  started[0]?.end();
  await settle();
  expect(hosts().slice(3)).toEqual(['fast']);
  started[3]?.end();
  await settle();
  started[4]?.end();
  await settle();
  expect(hosts().slice(3)).toEqual(['fast', 'fast', 'fast']);
});

test('a finished fetch makes room for another, as long as not too much is held', async () => {
  const { ask, started, ended } = pending(new HostFairQueue(2, 3));
  for (let i = 0; i < 6; i++) ask('host');
  await settle();
  expect(started).toHaveLength(2);
  started[0]?.fetched();
  started[0]?.fetched();
  await settle();
  expect(started).toHaveLength(3);
  started[1]?.fetched();
  await settle();
  expect(started).toHaveLength(3);
  started[0]?.end();
  await settle();
  expect(started).toHaveLength(4);
  for (let i = 1; i < 6; i++) {
    started[i]?.end();
    await settle();
  }
  await Promise.all(ended);
  expect(started).toHaveLength(6);
});

test('work that throws gives its turn back', async () => {
  const queue = new HostFairQueue(1, 1);
  const failing = queue.run('a', async () => {
    throw new Error('it failed');
  });
  const next = queue.run('b', async () => 'done');
  await expect(failing).rejects.toThrow('it failed');
  await expect(next).resolves.toBe('done');
});

test('many hosts have their turns in the time that few take', async () => {
  const queue = new HostFairQueue(20, 40);
  let done = 0;
  await Promise.all(Array.from({ length: 20_000 }, (_, i) => queue.run(`host ${i}`, async () => done++)));
  expect(done).toBe(20_000);
});
