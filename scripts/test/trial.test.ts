import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { firstSuccess } from '../release/trial.mjs';

const never = new Promise(() => undefined);

test('a trial ends with the first answer of success', async () => {
  const answers = [null, new Error('refused'), false, 'found'];
  const ask = async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  expect(await firstSuccess(ask, never, { pauseMs: 0 })).toBe('found');
});

test('a trial fails where the server ends, or never answers as it should', async () => {
  const refused = async () => false;
  await expect(firstSuccess(refused, Promise.resolve())).rejects.toThrow('The installed server ended.');
  await expect(firstSuccess(refused, never, { limitMs: 1, pauseMs: 2 })).rejects.toThrow('within 0.001 s');
});

test('a trial fails where a request is never answered', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5) })).ok;
  await expect(firstSuccess(ask, never, { limitMs: 1 })).rejects.toThrow('did not answer');
});
