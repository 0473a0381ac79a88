import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';
import { startProcess } from './start-process.js';

const VITEST = fileURLToPath(new URL('../../../../node_modules/vitest/vitest.mjs', import.meta.url));
const CONFIG = fileURLToPath(new URL('leftovers/vitest.config.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = emptyFolder('leftovers');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a run of tests of its own; resolves once its server serves. */
async function startRun(name: 'fails' | 'hangs') {
  const run = startProcess(process.execPath, [VITEST, 'run', '--config', CONFIG, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LEFTOVERS_FOLDER: folder },
  });
  let output = '';
  for (const stream of [run.stdout, run.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(run, 'close');
  while (!existsSync(join(folder, 'address'))) {
    if (run.exitCode !== null) throw new Error(`the run ended before its server served:\n${output}`);
    await sleep(20);
  }
  return { run, ended };
}

/** The port is closed, and another server may have the data directory. */
async function expectNoServer(): Promise<void> {
  const address = readFileSync(join(folder, 'address'), 'utf8');
  const answers = () =>
    fetch(`${address}/health`).then(
      () => true,
      () => false,
    );
  while (await answers()) await sleep(20);
  await (await ServerProcess.start(['--data', join(folder, 'data')])).end();
}

test('a run that fails leaves no server behind', async () => {
  const { ended } = await startRun('fails');
  expect(await ended).toEqual([1, null]);
  await expectNoServer();
});

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('a run that %s ends leaves no server behind', async (signal) => {
  const { run, ended } = await startRun('hangs');
  run.kill(signal);
  await ended;
  await expectNoServer();
});
