import { cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

/** Only a fault meets it. */
const within = { timeout: 120_000 };

/** Whole, as a service leaves it that was stopped. */
const whole = emptyFolder('hosted-data');
const damaged = emptyFolder('hosted-data-damaged');
const ids = { books: '', films: '' };

beforeAll(async () => {
  const server = await ServerProcess.start(['--hosted', '--data', whole], { env: withAdminKey });
  for (const name of ['books', 'films'] as const) {
    await server.ok('POST', `/api/v2/indexes/${name}`, { model: 'random/small' });
  }
  const states = await settledStates(server, ['books', 'films']);
  for (const name of ['books', 'films'] as const) {
    ids[name] = states.get(name).marqoEndpoint.split('/').at(-1);
    await server.ok('POST', `/e/${ids[name]}/indexes/${name}/documents`, { documents: [{ _id: 'a', title: 'Orbit' }] });
  }
  await server.end();
});
afterAll(() => {
  for (const folder of [whole, damaged]) rmSync(folder, { recursive: true, force: true });
});

/** The one database of an index, somewhere below its data. */
function databaseIn(data: string): string {
  const found = readdirSync(data, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('index.redb'));
  return join(data, found ?? '');
}

const damages: readonly [what: string, damage: (data: string) => void, reason: string][] = [
  ['whose data are gone', (data) => rmSync(data, { recursive: true }), 'The data of the index are gone'],
  [
    'whose folder is gone',
    (data) => rmSync(join(data, 'indexes'), { recursive: true }),
    'The data of the index are gone',
  ],
  ['whose data are of a newer format', (data) => writeFileSync(join(data, 'format'), '9\n'), 'has format 9'],
  ['whose database is gone', (data) => rmSync(databaseIn(data)), ''],
  [
    'whose database is cut',
    (data) => truncateSync(databaseIn(data), Math.floor(statSync(databaseIn(data)).size / 2)),
    '',
  ],
];

test.each(damages)(
  'an index %s is closed and red with the reason, and its neighbour is served',
  async (_what, damage, reason) => {
    rmSync(damaged, { recursive: true, force: true });
    cpSync(whole, damaged, { recursive: true });
    damage(join(damaged, 'hosted', 'indexes', ids.books, 'data'));
    const server = await ServerProcess.start(['--hosted', '--data', damaged], { env: withAdminKey });
    try {
      const healthOf = async () => {
        const { status, backend } = (await server.call('GET', '/health')).body;
        const told = backend.indexes?.map((index: Record<string, string>) => [index.indexName, index.status]);
        seen.add(status);
        return [status, told];
      };
      const seen = new Set<string>();
      await expect.poll(healthOf, { ...within, interval: 5 }).toEqual(['red', [['books', 'red']]]);
      expect(seen).not.toContain('green');
      const { backend } = (await server.call('GET', '/health')).body;
      expect(backend.indexes[0].reason).toContain(reason);
      expect(await server.call('GET', `/e/${ids.books}/indexes/books/documents/a`)).toMatchObject({ status: 500 });
      // It may be starting yet.
      const neighbour = () => server.call('GET', `/e/${ids.films}/indexes/films/documents/a`);
      await expect.poll(neighbour, within).toMatchObject({ status: 200, body: { title: 'Orbit' } });
      expect(await server.call('POST', '/api/v2/indexes/books', {})).toMatchObject({ status: 409 });
      const ends = () => server.output.match(/The process of an index ended/g)?.length;
      if (reason === 'has format 9') await expect.poll(ends, within).toBe(1);
    } finally {
      await server.end();
    }
  },
);

test('an index whose format is gone is served, and yellow with the reason', async () => {
  rmSync(damaged, { recursive: true, force: true });
  cpSync(whole, damaged, { recursive: true });
  rmSync(join(damaged, 'hosted', 'indexes', ids.books, 'data', 'format'));
  const server = await ServerProcess.start(['--hosted', '--data', damaged], { env: withAdminKey });
  try {
    const get = () => server.call('GET', `/e/${ids.books}/indexes/books/documents/a`);
    await expect.poll(get, within).toMatchObject({ status: 200 });
    const reason = expect.stringContaining('format is missing beside indexes');
    const indexes = [{ indexName: 'books', status: 'yellow', code: 'backend_data_parsing_error', reason }];
    await expect
      .poll(async () => (await server.call('GET', '/health')).body, within)
      .toMatchObject({
        ...{ status: 'yellow', backend: { indexes } },
      });
    expect(server.output.match(/format is missing beside indexes/g)).toHaveLength(1);
  } finally {
    await server.end();
  }
});

test('an index whose data are put back is served again, without another start of the service', async () => {
  rmSync(damaged, { recursive: true, force: true });
  cpSync(whole, damaged, { recursive: true });
  const data = join(damaged, 'hosted', 'indexes', ids.books, 'data');
  rmSync(data, { recursive: true });
  const server = await ServerProcess.start(['--hosted', '--data', damaged], { env: withAdminKey });
  try {
    const get = () => server.call('GET', `/e/${ids.books}/indexes/books/documents/a`);
    await expect.poll(get, within).toMatchObject({ status: 500, body: { code: 'backend_data_parsing_error' } });
    cpSync(join(whole, 'hosted', 'indexes', ids.books, 'data'), data, { recursive: true });
    await expect.poll(get, within).toMatchObject({ status: 200, body: { title: 'Orbit' } });
    expect((await server.call('GET', '/health')).body.status).toBe('green');
  } finally {
    await server.end();
  }
});
