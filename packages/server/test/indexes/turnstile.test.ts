import { expect, test } from 'vitest';
import { Turnstile } from '../../src/indexes/turnstile.js';

test('calls pass one at a time, in order', async () => {
  const turnstile = new Turnstile(1000);
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} in`);
    await Promise.resolve();
    events.push(`${name} out`);
    return name;
  };
  expect(await Promise.all([turnstile.pass(work('a')), turnstile.pass(work('b'))])).toEqual(['a', 'b']);
  expect(events).toEqual(['a in', 'a out', 'b in', 'b out']);
});

test('who waits too long is refused, and its work never runs', async () => {
  const turnstile = new Turnstile(10);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = turnstile.pass(() => held);
  let ran = false;
  await expect(
    turnstile.pass(async () => {
      ran = true;
    }),
  ).rejects.toMatchObject({ code: 'operation_conflict_error', status: 409 });
  release();
  await first;
  await turnstile.pass(async () => undefined);
  expect(ran).toBe(false);
});

test('work that takes long once it runs is not refused', async () => {
  const turnstile = new Turnstile(5);
  await expect(turnstile.pass(() => new Promise((resolve) => setTimeout(() => resolve('done'), 30)))).resolves.toBe(
    'done',
  );
});

test('work that fails lets the next pass', async () => {
  const turnstile = new Turnstile(1000);
  await expect(turnstile.pass(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(turnstile.pass(async () => 'yes')).resolves.toBe('yes');
});
