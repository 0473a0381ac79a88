import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { settledStates } from './hosted-model.js';
import { type KeptAnswer, KeptClient } from './kept-client.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const SEED = 20_261_127;
const SETTINGS = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
const KILLS = 6;
const WRITERS = 4;

const data = emptyFolder('hosted-relay');
let server: ServerProcess;
/** Path of the index, below its endpoint. */
let shop: string;

beforeAll(async () => {
  server = await ServerProcess.start(['--hosted', '--data', data], { env: withAdminKey });
  await server.ok('POST', '/api/v2/indexes/shop', SETTINGS);
  const record = (await settledStates(server, ['shop'])).get('shop');
  shop = `${record.marqoEndpoint.slice(server.address.length)}/indexes/shop`;
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

/** A client that keeps its connection, with the admin key unless another is given. */
const newClient = (key?: string) => new KeptClient(server.address, key);

function search(by: KeptClient, q: string): Promise<KeptAnswer> {
  return by.call('POST', `${shop}/search`, { q, searchMethod: 'LEXICAL', limit: 1_000 });
}

/** The process of the only index. */
function child(): number {
  return Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ')[0]);
}

test.runIf(process.platform === 'linux')(
  'amid kills of the process no acknowledged write is lost, none is done twice, and no call is left without an answer',
  async () => {
    const random = new Random(SEED);
    const acknowledged: string[] = [];
    const sent: string[] = [];
    const refused = new Set<unknown>();
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      const client = newClient();
      for (let i = 0; !isOver; i += 1) {
        const title = `w${writer}x${i}`;
        sent.push(title);
        // Without an id, so that a document sent twice would be there twice.
        const { status, body, headers } = await client.call('POST', `${shop}/documents`, { documents: [{ title }] });
        if (status === 200 && body.errors === false) acknowledged.push(title);
        else refused.add(`${status} ${body.code} ${headers['retry-after'] ?? 'never'}`);
      }
      client.close();
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    const reader = newClient();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = acknowledged.length;
      while (acknowledged.length < before + 20) await sleep(5);
      await sleep(random.int(0, 20));
      const victim = child();
      process.kill(victim, 'SIGKILL');
      while (child() === victim || Number.isNaN(child())) await sleep(5);
      expect([200, 503]).toContain((await search(reader, 'w0x0')).status);
    }
    isOver = true;
    await Promise.all(writers);
    expect((await search(reader, 'w0x0')).status).toBe(200);
    reader.close();
    // Only a call that was under way is refused, and no client is told to send it again.
    expect([...refused].filter((each) => each !== '503 service_unavailable never')).toEqual([]);
    const asker = newClient();
    for (const title of sent) {
      const { hits } = (await search(asker, title)).body;
      const count = hits.filter((hit: { title: string }) => hit.title === title).length;
      expect(count, title).toBeLessThanOrEqual(1);
      if (acknowledged.includes(title)) expect(count, title).toBe(1);
    }
    asker.close();
  },
);

test('a key that is revoked opens no kept connection from the moment on at which that is acknowledged', async () => {
  const admin = newClient();
  for (let i = 0; i < 20; i += 1) {
    const key = { name: `short-${i}`, scope: 'read' };
    const { id, secret } = (await admin.call('POST', '/api/v2/keys', key)).body;
    const client = newClient(secret);
    for (let call = 0; call < 5; call += 1) expect((await search(client, 'w0x0')).status).toBe(200);
    const revoked = i % 2 === 0 ? ['DELETE', ''] : ['POST', '/rotate'];
    const [method = '', path = ''] = revoked;
    expect((await admin.call(method, `/api/v2/keys/${id}${path}`)).status).toBe(200);
    expect((await search(client, 'w0x0')).body.code).toMatch(/^(invalid_api_key|too_many_requests)$/);
    client.close();
  }
  admin.close();
});

test('a key that may only read, or only call another index, does no more on a kept connection', async () => {
  const admin = newClient();
  const make = async (rights: object) =>
    newClient((await admin.call('POST', '/api/v2/keys', { name: 'few', ...rights })).body.secret);
  const [reader, stranger] = [await make({ scope: 'read' }), await make({ scope: 'admin', indexes: ['other'] })];
  for (let i = 0; i < 3; i += 1) {
    expect((await search(reader, 'w0x0')).status).toBe(200);
    expect((await reader.call('POST', `${shop}/documents`, { documents: [{ title: 'no' }] })).status).toBe(403);
    expect((await search(stranger, 'w0x0')).status).toBe(404);
  }
  for (const client of [admin, reader, stranger]) client.close();
});

test('a change of resources, with another process, is nothing that calls of kept connections notice', async () => {
  const client = newClient();
  expect((await search(client, 'w0x0')).status).toBe(200);
  const changed = await server.ok('PUT', '/api/v2/indexes/shop', { storageClass: 'svc.balanced.storage' });
  expect(changed).toEqual({ acknowledged: true });
  for (let state = ''; state !== 'READY'; ) {
    expect((await search(client, 'w0x0')).status).toBe(200);
    state = (await server.ok('GET', '/api/v2/indexes/shop/status')).indexStatus;
  }
  expect((await search(client, 'w0x0')).status).toBe(200);
  expect(client.ports.size).toBe(1);
  client.close();
});

test('each search counts once in the record, whichever way it came', async () => {
  const total = async () => Number((await server.ok('GET', '/api/v2/indexes/shop'))['search.queryTotal']);
  const before = await total();
  const client = newClient();
  for (let i = 0; i < 10; i += 1) await search(client, 'w0x0');
  expect((await total()) - before).toBe(10);
  client.close();
});

test('an index that is deleted and made again answers at its new endpoint, and at the old one nobody does', async () => {
  const client = newClient();
  for (let i = 0; i < 3; i += 1) expect((await search(client, 'w0x0')).status).toBe(200);
  const old = shop;
  await server.ok('DELETE', '/api/v2/indexes/shop');
  await expect
    .poll(() => server.call('GET', '/api/v2/indexes/shop/status'), { timeout: 60_000 })
    .toMatchObject({
      body: { indexStatus: 'DELETED' },
    });
  expect((await search(client, 'w0x0')).status).toBe(404);
  await server.ok('POST', '/api/v2/indexes/shop', SETTINGS);
  const record = (await settledStates(server, ['shop'])).get('shop');
  shop = `${record.marqoEndpoint.slice(server.address.length)}/indexes/shop`;
  expect(shop).not.toBe(old);
  for (let i = 0; i < 3; i += 1) expect((await search(client, 'w0x0')).body.hits).toEqual([]);
  expect((await client.call('POST', `${old}/search`, { q: 'a' })).status).toBe(404);
  client.close();
});

test('a stop answers what is under way on kept connections, and ends them', async () => {
  const clients = Array.from({ length: 8 }, () => newClient());
  for (const client of clients) expect((await search(client, 'w0x0')).status).toBe(200);
  const documents = Array.from({ length: 20 }, (_, i) => ({ _id: `d${i}`, title: `word${i} `.repeat(200) }));
  const under = clients.map((client) => client.call('POST', `${shop}/documents`, { documents }));
  // The last call is under way, or is a new connection's that comes too late.
  const [first] = await Promise.all([under[0], sleep(0)]);
  expect(first?.status).toBe(200);
  expect(await server.end()).toBe(0);
  for (const each of under) expect((await each).status).toBe(200);
  for (const client of clients) client.close();
});
