import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Only a fault meets it. */
const within = { timeout: 120_000 };
const customerId = 'backed-up';

const env = { ...withAdminKey, MARQO_MEDIA_DOWNLOAD_ALLOWED_NETWORKS: '127.0.0.1/32' };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder of data and a place of backups, and what starts a server on them and makes the first of the second. */
function hostedIn(name: string) {
  const [data, place] = [emptyFolder(`${name}-data`), emptyFolder(name)];
  folders.push(data, place);
  return {
    data,
    start: () => ServerProcess.start(['--hosted', '--data', data, '--backup-to', place], { env }),
    /** Restores the latest backup to the folder, which is lost before. */
    restore: () => {
      rmSync(data, { recursive: true });
      const args = [MAIN, 'restore', '--from', place, '--data', data];
      const restored = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(restored.status, restored.stderr).toBe(0);
    },
  };
}

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Serves a picture at every path; gives the address. */
async function servePictures(): Promise<string> {
  const server = createServer((_request, response) => void response.end(Buffer.from(PIXEL, 'base64')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The backup once it is made. */
async function made(server: ServerProcess, id: string): Promise<any> {
  const look = () => server.ok('GET', `/backups/${id}`);
  await expect.poll(async () => (await look()).state, within).not.toBe('creating');
  const backup = await look();
  expect(backup, backup.reason).toMatchObject({ state: 'ready', isWhole: true });
  return backup;
}

function searchOf(number: number): object {
  return {
    ...{ eventType: 'SearchEvent', customerId, experimentId: 'e', userId: 'someone', customVariant: 'a' },
    ...{ sessionId: 'session', userAgent: 'test', query: 'lamp', eventId: `event-${number}` },
    ...{ referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' },
    timestamp: new Date().toISOString(),
  };
}

test('the hosted form lost with its disk is back with indexes, records, keys and events, as of the moment', async () => {
  const { data, start, restore } = hostedIn('hosted-backups');
  let server = await start();
  await server.ok('POST', '/api/v2/indexes/books', { model: 'random/small' });
  await server.ok('POST', '/api/v2/indexes/empty', { model: 'random/small' });
  const states = await settledStates(server, ['books', 'empty']);
  const endpoint = new URL(states.get('books').marqoEndpoint).pathname;
  const add = (ids: readonly string[]) =>
    server.ok('POST', `${endpoint}/indexes/books/documents`, {
      documents: ids.map((_id) => ({ _id, title: `about ${_id}` })),
      tensorFields: ['title'],
    });
  await add(['a', 'b']);
  const tracking = { kind: 'tracking', name: 'events', customerId, origins: [], allowsNoOrigin: true };
  const { secret } = await server.ok('POST', '/api/v2/keys', tracking);
  const send = async (numbers: readonly number[]) => {
    const { status, body } = await server.call('POST', '/', { events: numbers.map(searchOf) }, secret);
    expect([status, body.acceptedEvents], JSON.stringify(body)).toEqual([200, numbers.length]);
  };
  await send([1, 2, 3]);
  const queries = [{ q: 'lamp', judgements: { a: 3 } }];
  const way = { index: 'books', search: { searchMethod: 'LEXICAL' } };
  const configurations = [{ name: 'words', limit: 10, first: way, second: way }];
  await server.ok('PUT', '/judgement-sets/books', { queries, configurations });

  const ofOne = await server.call('POST', '/backups', { indexes: ['books'] });
  expect(ofOne).toMatchObject({ status: 400, body: { message: expect.stringContaining('pelorus export') } });
  const begun = await server.ok('POST', '/backups', {});
  const look = () => server.ok('GET', `/backups/${begun.id}`);
  await expect.poll(async () => (await look()).createdAt, { ...within, interval: 5 }).not.toBeNull();
  // After the moment.
  await add(['c']);
  const backup = await made(server, begun.id);
  expect(backup.indexes).toMatchObject([
    { indexName: 'books', documents: 2 },
    { indexName: 'empty', documents: 0 },
  ]);
  await send([4]);
  const again = await server.call('POST', `/backups/${begun.id}/restore`, { indexName: 'books', as: 'copy' });
  expect(again).toMatchObject({ status: 400, body: { message: expect.stringContaining('pelorus restore') } });
  expect(again.body.message).toContain('pelorus export');
  expect(existsSync(join(data, 'backing-up'))).toBe(false);
  await server.end('SIGKILL');
  restore();
  expect(readdirSync(data)).not.toContain('restoring.json');
  server = await start();
  const get = (id: string) => async () =>
    (await server.call('GET', `${endpoint}/indexes/books/documents/${id}`)).status;
  await expect.poll(get('a'), within).toBe(200);
  expect([await get('b')(), await get('c')()]).toEqual([200, 404]);
  const { hits } = await server.ok('POST', `${endpoint}/indexes/books/search`, { q: 'about a' });
  expect(hits).toHaveLength(2);
  expect(await server.ok('GET', '/judgement-sets/books')).toMatchObject({ queries, configurations });
  const { body } = await server.call('GET', `/api/v1/events/users/someone?customerId=${customerId}`);
  expect(body.events.map(({ eventId }: { eventId: string }) => eventId).sort()).toEqual([
    'event-1',
    'event-2',
    'event-3',
  ]);
  // The key sends on, and what is there already is known.
  const { body: sent } = await server.call('POST', '/', { events: [3, 4].map(searchOf) }, secret);
  expect(sent).toMatchObject({ acceptedEvents: 1, duplicateEvents: 1 });
  await expect.poll(async () => (await server.ok('GET', '/health')).status, within).toBe('green');
  await server.end();
});

test('a shop that is restored answers as it did, with its settings, collections, events and figures', async () => {
  const { start, restore } = hostedIn('shop-backups');
  const pictures = await servePictures();
  let server = await start();
  const shop = '/api/v1/indexes/boots';
  await server.ok('POST', '/api/v1/indexes', { indexName: 'boots', modelType: 'custom', model: 'random/small' });
  const ready = async () => {
    await settledStates(server, ['boots']);
    await expect.poll(async () => (await server.call('POST', `${shop}/search`, {})).status, within).toBe(200);
  };
  await ready();
  const documents = ['red', 'blue', 'green', 'grey'].map((colour, at) => ({
    ...{ _id: `boot-${at}`, parentProductId: `boot-${at}`, productTitle: `${colour} boot`, price: 10 * at },
    ...{ variantImageUrl: `${pictures}/${at}.png`, productCollections: ['winter'] },
  }));
  const added = await server.ok('POST', `${shop}/documents`, { documents });
  expect(added, JSON.stringify(added)).toMatchObject({ errors: false });
  await server.ok('PATCH', `${shop}/settings`, { customerId, sortFields: ['price'] });
  await server.ok('PATCH', `${shop}/settings`, { pins: [{ query: 'boot', documentIds: ['boot-3'] }] });
  await server.ok('POST', '/api/v1/collections', { id: 'winter', displayName: 'For the cold', metadata: { order: 1 } });
  await server.ok('POST', `${shop}/index-id/rotate`, {});
  const tracking = { kind: 'tracking', name: 'events', customerId, origins: [], allowsNoOrigin: true };
  const { secret } = await server.ok('POST', '/api/v2/keys', tracking);
  const sent = await server.call('POST', '/', { events: [1, 2].map(searchOf) }, secret);
  expect(sent).toMatchObject({ status: 200, body: { acceptedEvents: 2 } });

  /** All that people see of the shop; members that say how long an answer took are left out. */
  const seen = async () => {
    const { indexId } = await server.ok('GET', shop);
    const asPage = async (body: object) => {
      const headers = { 'content-type': 'application/json', 'x-svc-index-id': indexId };
      const response = await fetch(`${server.address}${shop}/search`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body) },
      });
      const { hits } = (await response.json()) as { hits: readonly object[] };
      return { status: response.status, hits };
    };
    const { metrics } = await server.ok(
      'GET',
      `/api/v1/analytics/summary?customerId=${customerId}&days=30&context=searches`,
    );
    return {
      indexId,
      ...{ pinned: await asPage({ q: 'boot' }), dear: await asPage({ q: 'boot', filter: 'price:[15 TO *]' }) },
      ...{ settings: await server.ok('GET', `${shop}/settings`), metrics },
      versions: await server.ok('GET', `${shop}/settings/versions`),
      collections: await server.ok('GET', '/api/v1/collections'),
      events: (await server.ok('GET', `/api/v1/events/users/someone?customerId=${customerId}`)).events,
    };
  };
  const before = await seen();
  expect(before.pinned).toMatchObject({ status: 200, hits: [{ _id: 'boot-3' }, {}, {}, {}] });
  expect([before.dear.hits.length, before.events.length, before.settings.version]).toEqual([2, 2, 2]);
  await made(server, (await server.ok('POST', '/backups', {})).id);
  // After the moment.
  await server.ok('PATCH', `${shop}/settings`, { pins: [] });
  await server.ok('DELETE', '/api/v1/collections/winter');
  await server.end('SIGKILL');
  restore();
  server = await start();
  await ready();
  expect(await seen()).toEqual(before);
  await server.end();
});
