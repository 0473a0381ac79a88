import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Only a fault meets it. */
const within = { timeout: 120_000 };
const customerId = 'backed-up';

const [data, place] = [emptyFolder('hosted-backups-data'), emptyFolder('hosted-backups')];
afterAll(() => {
  for (const folder of [data, place]) rmSync(folder, { recursive: true, force: true });
});

const start = () => ServerProcess.start(['--hosted', '--data', data, '--backup-to', place], { env: withAdminKey });

function searchOf(number: number): object {
  return {
    ...{ eventType: 'SearchEvent', customerId, experimentId: 'e', userId: 'someone', customVariant: 'a' },
    ...{ sessionId: 'session', userAgent: 'test', query: 'lamp', eventId: `event-${number}` },
    ...{ referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' },
    timestamp: new Date().toISOString(),
  };
}

test('the hosted form lost with its disk is back with indexes, records, keys and events, as of the moment', async () => {
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
  const made = { kind: 'tracking', name: 'events', customerId, origins: [], allowsNoOrigin: true };
  const { secret } = await server.ok('POST', '/api/v2/keys', made);
  const send = async (numbers: readonly number[]) => {
    const { status, body } = await server.call('POST', '/', { events: numbers.map(searchOf) }, secret);
    expect([status, body.acceptedEvents], JSON.stringify(body)).toEqual([200, numbers.length]);
  };
  await send([1, 2, 3]);

  expect(await server.call('POST', '/backups', { indexes: ['books'] })).toMatchObject({ status: 400 });
  const begun = await server.ok('POST', '/backups', {});
  const look = () => server.ok('GET', `/backups/${begun.id}`);
  await expect.poll(async () => (await look()).createdAt, { ...within, interval: 5 }).not.toBeNull();
  // After the moment.
  await add(['c']);
  await expect.poll(async () => (await look()).state, within).not.toBe('creating');
  const backup = await look();
  expect(backup, backup.reason).toMatchObject({ state: 'ready', isWhole: true });
  expect(backup.indexes).toMatchObject([
    { indexName: 'books', documents: 2 },
    { indexName: 'empty', documents: 0 },
  ]);
  await send([4]);
  const again = await server.call('POST', `/backups/${begun.id}/restore`, { indexName: 'books', as: 'copy' });
  expect(again).toMatchObject({ status: 400, body: { message: expect.stringContaining('pelorus restore') } });
  expect(existsSync(join(data, 'backing-up'))).toBe(false);
  await server.end('SIGKILL');
  rmSync(data, { recursive: true });

  const restored = spawnSync(process.execPath, [MAIN, 'restore', '--from', place, '--data', data], {
    encoding: 'utf8',
  });
  expect(restored.status, restored.stderr).toBe(0);
  expect(readdirSync(data)).not.toContain('restoring.json');
  server = await start();
  const get = (id: string) => async () =>
    (await server.call('GET', `${endpoint}/indexes/books/documents/${id}`)).status;
  await expect.poll(get('a'), within).toBe(200);
  expect([await get('b')(), await get('c')()]).toEqual([200, 404]);
  const { hits } = await server.ok('POST', `${endpoint}/indexes/books/search`, { q: 'about a' });
  expect(hits).toHaveLength(2);
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
