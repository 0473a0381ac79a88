import { Worker } from 'node:worker_threads';
import { type SilentLoop, silentLoops } from '@pelorus/engine';
import { expect, onTestFinished, test } from 'vitest';
import { hung, silenceText, silentForLong } from '../../src/loops/loop-watch.js';

/** A thread that beats as an event loop does, and is told when to hang. */
const THREAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { LoopBeat } from '@pelorus/engine';
  const beat = LoopBeat.begin(workerData, 1_000_000, 1_000_000);
  setInterval(() => beat.beat(), 50);
  parentPort.once('message', () => {
    for (;;);
  });
  parentPort.postMessage('here');
`;

const silenceOf = (name: string): SilentLoop | undefined => silentLoops(0).find((one) => one.name === name);

/** Resolves with the silence of a loop once it is what is waited for. */
async function silence(name: string, isReached: (silent: SilentLoop | undefined) => boolean) {
  for (;;) {
    const silent = silenceOf(name);
    if (isReached(silent)) return silent;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a loop that hangs is found silent, and no more once its thread is ended', { timeout: 120_000 }, async () => {
  const name = 'a thread that hangs';
  const module = new URL(`data:text/javascript,${encodeURIComponent(THREAD.replace('@pelorus/engine', ENGINE))}`);
  const thread = new Worker(module, { workerData: name });
  onTestFinished(() => thread.terminate().then(() => undefined));
  await new Promise((resolve) => thread.once('message', resolve));
  expect(silenceOf(name)).toBeDefined();
  thread.postMessage('hang');
  const silent = await silence(name, (one) => (one?.seconds ?? 0) >= 3);
  expect(silent && silenceText(silent)).toMatch(/^a thread that hangs has not turned for \d+ s$/);
  // Others of this process may be silent, too.
  const found = (all: readonly SilentLoop[]) => all.some((one) => one.name === name);
  expect(found(silentForLong({ httpHangSeconds: 12 }))).toBe(true);
  expect(found(hung({ httpHangSeconds: 3 }))).toBe(true);
  expect(found(hung({ httpHangSeconds: 10_000 }))).toBe(false);
  await thread.terminate();
  await silence(name, (one) => one === undefined);
});

/** By its address: a module without a file resolves no names. */
const ENGINE = import.meta.resolve('@pelorus/engine');
