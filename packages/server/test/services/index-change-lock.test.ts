import { expect, test } from 'vitest';
import { IndexChangeLock } from '../../src/services/index-change-lock.js';

test('calls pass one at a time, in order', async () => {
  const lock = new IndexChangeLock(1000);
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} in`);
    await Promise.resolve();
    events.push(`${name} out`);
    return name;
  };
  expect(await Promise.all([lock.run(work('a')), lock.run(work('b'))])).toEqual(['a', 'b']);
  expect(events).toEqual(['a in', 'a out', 'b in', 'b out']);
});

test('a change that waits too long is refused, and its work never runs', async () => {
  const lock = new IndexChangeLock(10);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = lock.run(() => held);
  let ran = false;
  await expect(
    lock.run(async () => {
      ran = true;
    }),
  ).rejects.toMatchObject({ code: 'operation_conflict_error', status: 409 });
  release();
  await first;
  await lock.run(async () => undefined);
  expect(ran).toBe(false);
});

test('work that takes long once it runs is not refused', async () => {
  const lock = new IndexChangeLock(5);
  await expect(lock.run(() => new Promise((resolve) => setTimeout(() => resolve('done'), 30)))).resolves.toBe('done');
});

test('work that fails lets the next pass', async () => {
  const lock = new IndexChangeLock(1000);
  await expect(lock.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(lock.run(async () => 'yes')).resolves.toBe('yes');
});
