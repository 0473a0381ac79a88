import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../src/http/concurrency-limit.js';

test('search 1.3: one request more than there are places is refused, and told when to come back', async () => {
  const limit = new ConcurrencyLimit('SEARCH', 2);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const running = [limit.run(() => held), limit.run(() => held)];
  await expect(limit.run(async () => undefined)).rejects.toMatchObject({
    code: 'too_many_requests',
    status: 429,
    message:
      "Throttled because maximum thread count (2) for request type 'SEARCH' has been exceeded. Try your request again later.",
    headers: { 'retry-after': '1' },
  });
  release();
  await Promise.all(running);
  await expect(limit.run(async () => 'in')).resolves.toBe('in');
});

test('work that fails gives its place back', async () => {
  const limit = new ConcurrencyLimit('INDEX', 1);
  await expect(limit.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(limit.run(async () => 1)).resolves.toBe(1);
});

test('work with a place takes more of those that are free, and gives them back', async () => {
  const limit = new ConcurrencyLimit('SEARCH', 3);
  const counts = await limit.run(() =>
    limit.withFree(5, async (count) => [count, await limit.withFree(1, async (more) => more)]),
  );
  expect(counts).toEqual([2, 0]);
  await expect(limit.run(() => limit.withFree(1, () => Promise.reject(new Error('no'))))).rejects.toThrow('no');
  await limit.run(() => limit.withFree(1, async (count) => expect(count).toBe(1)));
  await expect(limit.withFree(3, async (count) => count)).resolves.toBe(3);
});
