import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventLoopBudget } from '../../src/http/event-loop-budget.js';

/** Longer than one turn gives to starting requests. */
function work(): void {
  const end = performance.now() + 5;
  while (performance.now() < end);
}

test('requests to an idle server start at once', async () => {
  const turns = new EventLoopBudget();
  for (let request = 0; request < 3; request += 1) {
    expect(turns.take()).toBeUndefined();
    await nextTurn();
    await nextTurn();
  }
});

test('requests that need more time than a turn has start in later ones, first come, first served', async () => {
  const turns = new EventLoopBudget();
  const started: number[] = [];
  let startedInOneTurnMax = 0;
  const request = async (number: number) => {
    await turns.take();
    // The cost may come late in the chain of what a request does before its first real wait.
    await Promise.resolve().then(() => undefined);
    started.push(number);
    work();
  };
  // As sockets do it: each in a callback of its own, all of them in one turn.
  const requests = await Promise.all(
    Array.from({ length: 6 }, async (_, number) => {
      await nextTurn();
      return { done: request(number) };
    }),
  );
  while (started.length < 6) {
    const startedBefore = started.length;
    await nextTurn();
    startedInOneTurnMax = Math.max(startedInOneTurnMax, started.length - startedBefore);
  }
  await Promise.all(requests.map(({ done }) => done));
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
  expect(startedInOneTurnMax).toBeLessThanOrEqual(2);
});

test('a request that fails keeps nobody from starting', async () => {
  const turns = new EventLoopBudget();
  const fail = async () => {
    await turns.take();
    work();
    throw new Error('refused');
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, fail));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  await nextTurn();
  expect(turns.take()).toBeUndefined();
});
