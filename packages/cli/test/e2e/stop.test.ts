import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';
import { startProcess } from './start-process.js';

const data = emptyFolder('stop');
afterAll(() => rmSync(data, { recursive: true, force: true }));

// Windows has no signals that a process could answer: it is ended at once there.
const answersSignals = process.platform !== 'win32';

test.runIf(answersSignals).each(['SIGTERM', 'SIGINT'] as const)(
  '%s lets requests under way finish and ends with code 0',
  async (signal) => {
    const server = await ServerProcess.start(['--data', data]);
    const index = `drained-${signal.toLowerCase()}`;
    await server.ok('POST', `/indexes/${index}`, { model: 'random/small' });
    const documents = Array.from({ length: 128 }, (_, i) => ({
      _id: `d${i}`,
      text: `${'word '.repeat(200)}${i}`,
    }));
    const adding = server.ok('POST', `/indexes/${index}/documents`, { documents, tensorFields: ['text'] });
    await new Promise((resolve) => setTimeout(resolve, 15));

    expect(await server.end(signal)).toBe(0);
    expect((await adding).errors).toBe(false);

    const again = await ServerProcess.start(['--data', data]);
    expect((await again.ok('GET', `/indexes/${index}/stats`)).numberOfDocuments).toBe(128);
    await again.end();
  },
);

test.runIf(answersSignals)('ending npm start ends the server behind it', async () => {
  const port = await freePort();
  const npm = startProcess('npm', ['start', '--', '--port', String(port), '--data', data], { stdio: 'ignore' });
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      (response) => response.ok,
      () => false,
    );
  await expect.poll(answers, { timeout: 60_000 }).toBe(true);

  npm.kill('SIGTERM');

  await expect.poll(answers, { timeout: 10_000 }).toBe(false);
  // The directory is free again: whoever held it has gone.
  const next = async () => (await ServerProcess.refuse(['--data', data])).code;
  await expect.poll(next, { timeout: 20_000 }).toBe('it serves');
});
