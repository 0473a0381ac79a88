import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
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
    const adding = await beginAdd(`${server.address}/indexes/${index}/documents`);

    server.signal(signal);
    await server.waitFor(/finishing what is under way/);
    const { status, body } = await adding.finish({ documents, tensorFields: ['text'] });

    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.errors).toBe(false);
    expect(await server.exited()).toBe(0);

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
  while (!(await answers())) await sleep(20);

  npm.kill('SIGTERM');

  while (await answers()) await sleep(20);
  // The directory is free again: whoever held it has gone.
  while ((await ServerProcess.refuse(['--data', data])).code !== 'it serves') await sleep(20);
});

/** A thread that nothing ends: it opens a pipe which nobody writes to. */
const HANGING = `
  import { readFileSync } from 'node:fs';
  import { parentPort, workerData } from 'node:worker_threads';
  parentPort.postMessage('hangs');
  readFileSync(workerData);
`;

/** A process with such a thread, which ends with code 3. */
const ENDING = `
  import { Worker } from 'node:worker_threads';
  import { exit } from '${new URL('../../dist/serve/exit.js', import.meta.url)}';
  const [, hanging, workerData] = process.argv;
  new Worker(hanging, { eval: true, workerData }).once('message', () => setTimeout(exit, 50, 3));
`;

test.runIf(answersSignals)('a process ends even while a thread of it hangs in a call', async () => {
  const pipe = join(data, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const args = ['--input-type=module', '-e', ENDING, HANGING, pipe];
  const child = startProcess(process.execPath, args, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  expect(code).toBe(3);
});

/** Sends the head of a request and waits until the server has read it; its body is sent by `finish`. */
async function beginAdd(url: string) {
  const headers = { 'content-type': 'application/json', expect: '100-continue' };
  const adding = request(url, { method: 'POST', headers });
  const answered = once(adding, 'response');
  adding.flushHeaders();
  await once(adding, 'continue');
  const finish = async (body: object): Promise<{ status: number | undefined; body: any }> => {
    adding.end(JSON.stringify(body));
    const [response] = (await answered) as [IncomingMessage];
    return { status: response.statusCode, body: await json(response) };
  };
  return { finish };
}
