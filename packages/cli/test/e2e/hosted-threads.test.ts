import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Inventory } from '@pelorus/files';
import { IndexHosting } from '@pelorus/hosted';
import { readConfig } from '@pelorus/server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { KeptClient } from './kept-client.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const THREADS = 2;
const CLIENTS = 6;

interface Thread {
  readonly thread: number;
  readonly busy_percent: string;
  readonly requests: number;
  readonly searches: number;
}

const data = emptyFolder('hosted-threads');
let server: ServerProcess;
let endpoint: string;
let clients: KeptClient[];

beforeAll(async () => {
  const args = ['--hosted', '--data', data, '--http-threads', String(THREADS), '--log-level', 'info'];
  server = await ServerProcess.start(args, { env: withAdminKey });
  await server.ok('POST', '/api/v2/indexes/shop', { model: 'random/small' });
  const record = (await settledStates(server, ['shop'])).get('shop');
  endpoint = record.marqoEndpoint.slice(server.address.length);
  clients = Array.from({ length: CLIENTS }, () => new KeptClient(server.address));
});
afterAll(async () => {
  for (const client of clients ?? []) client.close();
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

const search = (client: KeptClient, more: object = {}) =>
  client.call('POST', `${endpoint}/indexes/shop/search`, { q: 'orbit', searchMethod: 'LEXICAL', limit: 100, ...more });
const searchAtOnce = (more?: object) => Promise.all(clients.map((client) => search(client, more)));

async function figures(): Promise<{ requests: number; searches: number; threads: Thread[] }> {
  const { body } = await server.call('GET', `${endpoint}/device/cpu`);
  return { requests: body.requests, searches: body.searches, threads: body.http_threads };
}

/** Searches until each thread of the process has answered one since it was asked before. */
async function untilEachSearched(): Promise<void> {
  const before = (await figures()).threads;
  for (let now = before; now.some(({ searches }, at) => searches === before[at]?.searches); ) {
    for (const { status } of await searchAtOnce()) expect(status).toBe(200);
    now = (await figures()).threads;
  }
}

function child(): number {
  return Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')[0]);
}

test('the process of an index answers on several threads, and tells of each what it did', async () => {
  await untilEachSearched();
  const before = await figures();
  expect(before.threads.map(({ thread }) => thread)).toEqual([1, 2]);
  for (const { busy_percent } of before.threads) expect(busy_percent).toMatch(/^\d+\.\d %$/);
  const rounds = 10;
  for (let round = 0; round < rounds; round += 1) await searchAtOnce();
  const after = await figures();
  expect(after.searches - before.searches).toBe(rounds * CLIENTS);
  for (const name of ['requests', 'searches'] as const) {
    expect(after.threads.reduce((sum, thread) => sum + thread[name], 0)).toBe(after[name]);
  }
  // The gateway hands all of them on by one thread of its own.
  const gateway = (await server.call('GET', '/device/cpu')).body;
  expect(gateway.http_threads).toHaveLength(1);
  expect(gateway.searches).toBe(after.searches);
  expect(gateway.requests).toBeGreaterThan(after.searches);
});

test('the documents of any client are found by all of them, whichever thread answers, by words and by vectors', async () => {
  const documents = `${endpoint}/indexes/shop/documents`;
  await Promise.all(
    clients.map(async (client, at) => {
      const list = [{ _id: `d${at}`, title: `orbit ${at}` }];
      const added = await client.call('POST', documents, { documents: list, tensorFields: ['title'] });
      expect(added).toMatchObject({ status: 200, body: { errors: false } });
    }),
  );
  for (const searchMethod of ['LEXICAL', 'TENSOR']) {
    for (const { body } of await searchAtOnce({ searchMethod })) expect(body.hits).toHaveLength(CLIENTS);
  }
  const begun = await search(clients[0] as KeptClient, { limit: 2, withCursor: true });
  // Every thread goes on with it.
  const pages = await searchAtOnce({ q: undefined, searchMethod: undefined, limit: 2, cursor: begun.body.cursor });
  for (const { status, body } of pages) expect([status, body.offset]).toEqual([200, 2]);
});

test('an operation that was not granted is refused by every thread, and so is a body that is wrong', async () => {
  const wrong = await searchAtOnce({ limit: -1 });
  for (const { status } of wrong) expect(status).toBe(400);
  const { secret } = (await server.call('POST', '/api/v2/keys', { name: 'few', scope: 'read' })).body;
  const readers = clients.map(() => new KeptClient(server.address, secret));
  onTestFinished(() => {
    for (const reader of readers) reader.close();
  });
  for (let round = 0; round < 3; round += 1) {
    const found = await Promise.all(readers.map((reader) => search(reader)));
    for (const { status } of found) expect(status).toBe(200);
    const added = readers.map((reader) =>
      reader.call('POST', `${endpoint}/indexes/shop/documents`, { documents: [{ title: 'no' }], tensorFields: [] }),
    );
    for (const { status } of await Promise.all(added)) expect(status).toBe(403);
  }
});

test.runIf(process.platform === 'linux')('a process that was killed comes back with all its threads', async () => {
  const before = child();
  process.kill(before, 'SIGKILL');
  while (child() === before || Number.isNaN(child())) await sleep(5);
  // A call waits for the next process, though not as long as a busy machine may take to start it.
  await expect.poll(() => search(clients[0] as KeptClient)).toMatchObject({ status: 200 });
  await untilEachSearched();
  for (const { body } of await searchAtOnce()) expect(body.hits).toHaveLength(CLIENTS);
  const { body: metrics } = await server.call('GET', '/metrics');
  expect(metrics).toMatch(/^pelorus_hosted_process_ends_total 1$/m);
  expect(metrics).toMatch(/^pelorus_hosted_processes_serving 1$/m);
  expect(metrics).toMatch(/^pelorus_hosted_indexes\{state="READY"\} 1$/m);
});

test('another process, of other resources, takes over without a call that notices', async () => {
  await server.ok('PUT', '/api/v2/indexes/shop', { storageClass: 'svc.balanced.storage' });
  for (let state = ''; state !== 'READY'; ) {
    for (const { status, body } of await searchAtOnce()) expect([status, body.hits?.length]).toEqual([200, CLIENTS]);
    state = (await server.ok('GET', '/api/v2/indexes/shop/status')).indexStatus;
  }
  await untilEachSearched();
});

test('a process that loses a thread says so, ends and is started again', async () => {
  const folder = emptyFolder('lost-thread');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [module, sign] = [join(folder, 'fault.mjs'), join(folder, 'sign')];
  writeFileSync(
    module,
    `import { existsSync, rmSync } from 'node:fs';
     import { isMainThread, workerData } from 'node:worker_threads';
     const look = () => {
       if (!existsSync(${JSON.stringify(sign)})) return;
       rmSync(${JSON.stringify(sign)});
       throw new Error('a thread that is lost');
     };
     if (!isMainThread && workerData?.number === 2) setInterval(look, 10).unref();`,
  );
  const config = readConfig({ PELORUS_HTTP_THREADS: '2', MARQO_LOG_LEVEL: 'silent' });
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=file://${module}`,
    PELORUS_INDEX_CONFIG: JSON.stringify({ ...config, hosted: true }),
  };
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
  const inventory = await Inventory.open(join(folder, 'inventory.json'), () => undefined);
  const ends: string[] = [];
  const hosting = await IndexHosting.open({
    ...{ folder: join(folder, 'indexes'), inventory, socketFolder: folder, indexesMax: 1, modelMemoryMax: 1 },
    command: { file: process.execPath, args: [main, 'index-process'], env },
    report: (level, _fields, text) => level === 'error' && ends.push(text),
  });
  onTestFinished(async () => {
    await hosting.close();
    await inventory.close();
  });
  await hosting.create('books', { settings: { model: 'random/small' } });
  while (hosting.get('books')?.state !== 'READY') await sleep(10);
  const threads = async () => {
    const { body } = await hosting.call('books', { operation: 'getCpuInfo' });
    return JSON.parse(body.toString('utf8')).http_threads.length;
  };
  expect(await threads()).toBe(2);
  writeFileSync(sign, '');
  while (ends.length === 0) await sleep(10);
  expect(ends).toEqual(['The process of an index ended: exit code 1']);
  // A call waits for the next process, though not as long as a busy machine may take to start it.
  await expect.poll(threads).toBe(2);
});
