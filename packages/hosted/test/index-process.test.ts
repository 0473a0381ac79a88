import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operation, operations } from '@pelorus/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { IndexProcess, type ProcessCommand } from '../src/index-process.js';

/**
 * A program that keeps to what the process of an index promises: it beats, listens where it is told and ends with its
 * parent. Calls make it answer its process id, end, hold memory, hang, work without a pause, or answer only when it is to
 * stop.
 */
const PROGRAM = `
const { createServer } = require('node:http');
const { Worker } = require('node:worker_threads');
new Worker("setInterval(() => require('node:fs').writeSync(4, Buffer.of(1)), 200)", { eval: true }).unref();
const held = [];
process.once('message', ({ socketPath }) => {
  const server = createServer(({ url }, response) => {
    if (url === '/exit') process.exit(3);
    if (url === '/hold') held.push(Buffer.alloc(256 * 2 ** 20, 1));
    if (url === '/hang') process.kill(process.pid, 'SIGSTOP');
    if (url === '/busy') for (const end = Date.now() + 7000; Date.now() < end; );
    if (url === '/slow') process.once('SIGTERM', () => response.setHeader('connection', 'close').end('done'));
    else response.end(String(process.pid));
  }).listen(socketPath, () => process.send({ listensAt: [socketPath] }));
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
});
process.on('disconnect', () => process.exit(0));`;

const MEMORY_BYTES = 128 * 2 ** 20;

let folder: string;
let running: IndexProcess | undefined;
let reports: { readonly fields: Readonly<Record<string, unknown>>; readonly text: string }[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-process-'));
  reports = [];
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function start(program = PROGRAM): IndexProcess {
  const command = { file: process.execPath, args: ['-e', program], env: process.env };
  return run(command);
}

function run(command: ProcessCommand): IndexProcess {
  const order = {
    name: 'books',
    socketPath: join(folder, 'socket'),
    secret: 'secret',
    dataDir: folder,
    isMade: true,
    limits: { memoryBytes: MEMORY_BYTES, modelMemory: 0, searchesAtOnce: 1, inferenceThreads: 0 },
  };
  running = new IndexProcess(command, order, (_level, fields, text) => reports.push({ fields, text }));
  return running;
}

async function call(index: IndexProcess, path: string): Promise<string> {
  const connections = await index.connections();
  const operation = { ...operations.getRoot, path } as Operation;
  const { body } = await connections.request({ operation, params: {} });
  return body.toString('utf8');
}

/** The process id of the next process, once the one of this id is gone. */
async function successor(index: IndexProcess, pid: string): Promise<string> {
  for (;;) {
    const next = await call(index, '/').catch(() => pid);
    if (next !== pid) return next;
  }
}

describe('the process of an index', () => {
  test('is started again when it ends, and says so', async () => {
    const index = start();
    const pid = await call(index, '/');
    expect(index).toMatchObject({ isServing: true, failures: 0 });
    await expect(call(index, '/exit')).rejects.toThrow();
    expect(await successor(index, pid)).not.toBe(pid);
    expect(index.failures).toBe(1);
    expect(reports).toEqual([
      { fields: { index: 'books', failures: 1 }, text: 'The process of an index ended: exit code 3' },
    ]);
  });

  test.runIf(process.platform === 'linux')('is ended when it holds too much memory', async () => {
    const index = start();
    const pid = await call(index, '/');
    // It is ended before it answers or after.
    await call(index, '/hold').catch(() => undefined);
    expect(await successor(index, pid)).not.toBe(pid);
    expect(reports.map(({ text }) => text)).toEqual([
      'The process of an index holds too much memory',
      expect.stringMatching(
        /^The process of an index ended: it held \d+ MiB of memory, more than 160 MiB \(signal SIGKILL\)$/,
      ),
    ]);
    const [told] = reports;
    expect(told?.fields.bytesMax).toBe(MEMORY_BYTES * 1.25);
    expect(told?.fields.bytes).toBeGreaterThan(MEMORY_BYTES * 1.25);
  });

  test.runIf(process.platform !== 'win32')('is ended and started again when it hangs', async () => {
    const index = start();
    const pid = await call(index, '/');
    await expect(call(index, '/hang')).rejects.toThrow();
    expect(await successor(index, pid)).not.toBe(pid);
    expect(reports.map(({ text }) => text)).toEqual([
      'The process of an index ended: it gave no sign of life for 4 seconds (signal SIGKILL)',
    ]);
  });

  test('is left alone while it is busy, for longer than it may hang', async () => {
    const index = start();
    const pid = await call(index, '/');
    expect(await call(index, '/busy')).toBe(pid);
    expect(reports).toEqual([]);
  });

  test('tells what is wrong with it: that it starts, that it ended, that it ends again and again', async () => {
    const index = start();
    expect(index.trouble).toBe('Its process is being started');
    let pid = await call(index, '/');
    expect(index.trouble).toBeNull();
    for (let ends = 1; ends <= 3; ends += 1) {
      await expect(call(index, '/exit')).rejects.toThrow();
      await expect.poll(() => reports.length).toBe(ends);
      expect(index.trouble).toBe('Its process ended, and is being started again: exit code 3');
      pid = await successor(index, pid);
      expect(index.trouble).toBe(ends < 3 ? null : 'Its process ended 3 times within ten minutes, last: exit code 3');
    }
  });

  test('finishes what is under way when it is stopped, and is called no more', async () => {
    const index = start();
    await call(index, '/');
    const slow = call(index, '/slow');
    // The process has the call once it answers another one on a connection of its own.
    await call(index, '/');
    const stopped = index.stop();
    expect(await slow).toBe('done');
    await stopped;
    await expect(call(index, '/')).rejects.toMatchObject({
      code: 'service_unavailable',
      message: 'Index books is starting or is being started again; try again',
    });
    expect(index.isServing).toBe(false);
    expect(reports).toEqual([]);
  });

  test('is waited for less and less eagerly while it ends at once', async () => {
    const index = start('process.exit(1)');
    await expect.poll(() => index.failures).toBeGreaterThanOrEqual(3);
    expect(index.isServing).toBe(false);
    const told = reports.map(({ fields }) => fields.failures);
    expect(told).toEqual(told.map((_, place) => place + 1));
  });

  test('answers at once that its data cannot be used, says why, and is not started again where that is final', async () => {
    const said = JSON.stringify({ unusable: 'it is of a newer format', isFinal: true });
    const index = start(`process.send(${said}, () => process.exit(6))`);
    await expect.poll(() => index.unusable).toBe('it is of a newer format');
    await expect(index.connections()).rejects.toMatchObject({ code: 'backend_data_parsing_error' });
    // It ends by itself only where nothing is started again.
    await index.ended;
    expect([index.failures, index.isServing, index.unusable]).toEqual([1, false, 'it is of a newer format']);
    expect(reports.map(({ text }) => text)).toEqual([
      'The process of an index ended: it is of a newer format (exit code 6)',
    ]);
  });

  test('is started again where its data may be restored, and serves once they are', async () => {
    const restored = JSON.stringify(join(folder, 'restored'));
    const said = JSON.stringify({ unusable: 'it is gone', isFinal: false });
    const index = start(`
      if (require('node:fs').existsSync(${restored})) { ${PROGRAM} }
      else process.send(${said}, () => process.exit(5));`);
    await expect.poll(() => index.failures).toBeGreaterThanOrEqual(2);
    expect(index.unusable).toBe('it is gone');
    writeFileSync(join(folder, 'restored'), '');
    await expect.poll(() => index.isServing).toBe(true);
    expect(index.unusable).toBeNull();
  });

  test('tells what its index says is wrong with it, for as long as it lives', async () => {
    const ownFault = { status: 'red', code: 'backend_data_parsing_error', reason: 'a file is cut' };
    const said = JSON.stringify({ ownFault });
    const index = start(`process.send(${said}); ${PROGRAM}`);
    await call(index, '/');
    expect([index.ownFault, index.trouble]).toEqual([ownFault, null]);
    await index.stop();
    expect(index.ownFault).toBeNull();
  });

  test('a program that is missing is named', async () => {
    const command = { file: join(folder, 'nothing'), args: [], env: {} };
    run(command);
    await expect.poll(() => reports.length).toBeGreaterThan(0);
    expect(reports[0]?.text).toContain('ENOENT');
  });
});
