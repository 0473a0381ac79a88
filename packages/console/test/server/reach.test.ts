import { expect, test } from 'vitest';
import { notingReach } from '../../src/server/reach.js';
import { Store } from '../../src/store.js';

test('a server is away from a request without an answer to the next one that has one', async () => {
  let answer = async (): Promise<Response> => new Response();
  const isAway = new Store(false);
  const send = notingReach(() => answer(), isAway);
  await send('http://pelorus.example/', {});
  expect(isAway.value).toBe(false);
  answer = () => Promise.reject(new TypeError('Failed to fetch'));
  await expect(send('http://pelorus.example/', {})).rejects.toThrow('Failed to fetch');
  expect(isAway.value).toBe(true);
  // A refusal is an answer.
  answer = async () => new Response('', { status: 503 });
  await send('http://pelorus.example/', {});
  expect(isAway.value).toBe(false);
});

test('a request that the page itself ended says nothing of the server', async () => {
  const isAway = new Store(false);
  const send = notingReach(() => Promise.reject(new DOMException('ended', 'AbortError')), isAway);
  await expect(send('http://pelorus.example/', { signal: AbortSignal.abort() })).rejects.toThrow('ended');
  expect(isAway.value).toBe(false);
});
