import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const data = emptyFolder('damaged-files');
afterAll(() => rmSync(data, { recursive: true, force: true }));

const INDEXES = join(data, 'hosted', 'indexes');
const SHOPS = ['boots', 'hats', 'gloves'];
const start = () => ServerProcess.start(['--hosted', '--data', data], { env: withAdminKey });
const folderOf = (name: string) => {
  const names = readdirSync(INDEXES);
  const id = names.find((one) => readFileSync(join(INDEXES, one, 'record.json'), 'utf8').includes(`"${name}"`));
  return join(INDEXES, id ?? '');
};

test('a service whose files are damaged starts, says so, and closes nothing but their owners', async () => {
  let server = await start();
  for (const indexName of SHOPS) {
    await server.ok('POST', '/api/v1/indexes', { indexName, modelType: 'custom', model: 'random/small' });
    const status = async () => (await server.ok('GET', `/api/v1/indexes/${indexName}/status`)).indexStatus;
    await expect.poll(status, { timeout: 60_000 }).toBe('READY');
    await server.ok('PATCH', `/api/v1/indexes/${indexName}/settings`, { requireApiKey: true });
  }
  await server.end();

  const record = join(folderOf('boots'), 'record.json');
  const text = readFileSync(record, 'utf8');
  const settings = join(folderOf('hats'), 'settings', '1.json');
  writeFileSync(record, text.slice(0, text.length / 2));
  rmSync(settings);
  writeFileSync(join(data, 'ecommerce', 'collections.json'), 'noise');

  server = await start();
  const search = async (name: string) => (await server.call('POST', `/api/v1/indexes/${name}/search`, {})).status;
  await expect.poll(() => search('gloves'), { timeout: 60_000 }).toBe(200);
  expect([await search('boots'), await search('hats')]).toEqual([500, 500]);
  const { status, backend } = (await server.call('GET', '/health')).body;
  const red = backend.indexes.filter((index: { status: string }) => index.status === 'red');
  expect([status, red.map(({ indexName }: { indexName: string }) => indexName)]).toEqual(['red', ['boots', 'hats']]);
  for (const path of [record, settings, 'collections.json']) expect(server.output).toContain(path);
  await server.end();

  writeFileSync(record, text);
  server = await start();
  await expect.poll(() => search('boots'), { timeout: 60_000 }).toBe(200);
  await server.end();
});

test('the self-hosted form tells of indexes whose folders are gone, and keeps their names until they are deleted', async () => {
  const own = emptyFolder('lost-indexes');
  const startOwn = () => ServerProcess.start(['--data', own]);
  let server = await startOwn();
  for (const name of ['boots', 'hats']) await server.ok('POST', `/indexes/${name}`, { model: 'random/small' });
  await server.end();
  rmSync(join(own, 'inventory.json'));
  rmSync(join(own, 'format'));
  server = await startOwn();
  for (const name of ['inventory.json', 'format']) {
    expect(server.output.split('\n').filter((line) => line.includes(`${name} is `))).toHaveLength(1);
  }
  const format = { status: 'yellow', reasons: [expect.stringContaining('format is missing beside indexes')] };
  expect(await server.ok('GET', '/health')).toMatchObject({ status: 'yellow', files: format });
  await server.end();

  writeFileSync(join(own, 'format'), 'r\n');
  server = await startOwn();
  const damaged = { status: 'yellow', reasons: [expect.stringContaining('format is "r\\n", which no version writes')] };
  expect(await server.ok('GET', '/health')).toMatchObject({ status: 'yellow', files: damaged });
  await server.end();

  rmSync(join(own, 'indexes'), { recursive: true });
  server = await startOwn();
  const { status, backend } = await server.ok('GET', '/health');
  const reds = backend.indexes.map((index: { indexName: string; status: string }) => [index.indexName, index.status]);
  expect([status, reds]).toEqual([
    'red',
    [
      ['boots', 'red'],
      ['hats', 'red'],
    ],
  ]);
  for (const name of ['boots', 'hats']) {
    expect(server.output).toContain(`The folder of index ${name} is gone`);
    const search = await server.call('POST', `/indexes/${name}/search`, { q: 'x' });
    expect([search.status, search.body.message]).toEqual([500, expect.stringContaining('is gone')]);
    expect((await server.call('GET', `/indexes/${name}/stats`)).status).toBe(500);
    expect((await server.call('POST', `/indexes/${name}`, { model: 'random/small' })).status).toBe(409);
    await server.ok('DELETE', `/indexes/${name}`);
    await server.ok('POST', `/indexes/${name}`, { model: 'random/small' });
  }
  expect((await server.ok('GET', '/health')).status).toBe('green');
  await server.end();

  rmSync(join(own, 'indexes'), { recursive: true });
  for (const name of ['inventory.json', 'inventory.copy-1.json', 'inventory.copy-2.json']) rmSync(join(own, name));
  server = await startOwn();
  expect(await server.ok('GET', '/health')).toMatchObject({ status: 'red', files: { status: 'red' } });
  expect((await server.call('GET', '/indexes')).status).toBe(401);
  await server.end();
  rmSync(own, { recursive: true, force: true });
});
