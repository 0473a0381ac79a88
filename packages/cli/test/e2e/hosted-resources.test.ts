import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const data = emptyFolder('hosted-resources');
const start = () => ServerProcess.start(['--hosted', '--data', data], { env: withAdminKey });
let server: ServerProcess;

beforeAll(async () => {
  server = await start();
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

const record = async (name: string) => (await settledStates(server, [name])).get(name);

test('an index is made without a body, with the settings and resources that are the default', async () => {
  const made = await server.call('POST', '/api/v2/indexes/plain');
  expect(made).toMatchObject({ status: 200, body: { acknowledged: true, index: 'plain' } });
  expect(await record('plain')).toMatchObject({
    ...{ indexStatus: 'READY', model: 'hf/e5-base-v2', type: 'unstructured' },
    ...{ storageClass: 'BASIC', numberOfInferences: '1', 'docs.count': '0' },
  });
});

test('the storage class is changed, and more of it is lowered again while the documents fit', async () => {
  await server.ok('POST', '/api/v2/indexes/grown', { model: 'random/small' });
  const { marqoEndpoint } = await record('grown');
  const path = `${marqoEndpoint.slice(server.address.length)}/indexes/grown/documents`;
  await server.ok('POST', path, { documents: [{ _id: 'a', title: 'Orbit' }] });
  for (const [asked, shown] of [
    ['svc.balanced.storage', 'BALANCED.STORAGE'],
    ['svc.basic', 'BASIC'],
  ]) {
    await server.ok('PUT', '/api/v2/indexes/grown', { storageClass: asked });
    expect(await record('grown')).toMatchObject({ indexStatus: 'READY', storageClass: shown });
    expect(await server.ok('GET', `${path}/a`)).toMatchObject({ title: 'Orbit' });
  }
});

test('a stopped index tells how many documents it has, also after the next start', async () => {
  await server.ok('POST', '/api/v2/indexes/stopped', { model: 'random/small' });
  const { marqoEndpoint } = await record('stopped');
  const path = `${marqoEndpoint.slice(server.address.length)}/indexes/stopped/documents`;
  await server.ok('POST', path, {
    documents: [
      { _id: 'a', title: 'Orbit' },
      { _id: 'b', title: 'Salt' },
    ],
  });
  await server.ok('PUT', '/api/v2/indexes/stopped', { numberOfInferences: 0 });
  const before = await record('stopped');
  expect(before).toMatchObject({ indexStatus: 'READY', numberOfInferences: '0', 'docs.count': '2' });
  expect(Number(before['store.size'])).toBeGreaterThan(0);

  await server.end();
  server = await start();
  expect(await record('stopped')).toMatchObject({ 'docs.count': '2', 'store.size': before['store.size'] });
});

test.runIf(process.platform === 'linux')('an index that hangs keeps its last figures', async () => {
  const [plain, path] = await Promise.all(
    ['plain', 'grown'].map(async (name) => {
      const { marqoEndpoint } = await record(name);
      return `${marqoEndpoint.slice(server.address.length)}/indexes/${name}`;
    }),
  );
  // Only one that has begun is seen to hang within seconds.
  for (const each of [plain, path]) {
    await expect.poll(() => server.call('GET', `${each}/stats`)).toMatchObject({ status: 200 });
  }
  await expect.poll(async () => (await record('grown'))['docs.count']).toBe('1');
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number);
  for (const child of children) process.kill(child, 'SIGSTOP');
  expect(await record('grown')).toMatchObject({ 'docs.count': '1' });
  await expect.poll(() => server.call('GET', `${path}/stats`)).toMatchObject({ status: 200 });
  expect(await record('grown')).toMatchObject({ 'docs.count': '1' });
});
