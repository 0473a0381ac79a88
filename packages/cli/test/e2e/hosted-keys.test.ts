import { rmSync } from 'node:fs';
import { type Operation, operations } from '@pelorus/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const SETTINGS = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
/** Past some attempts an address is told to wait; a key that is good is let in even then. */
const refused = [401, 429];

const data = emptyFolder('hosted-keys');
let server: ServerProcess;
/** The key that the first start made. */
let admin: string;
/** Keys: one that reads the whole service, and one that writes to one of its two indexes. */
let reader: string;
let writerOfShop: string;
let endpoints: { shop: string; other: string };

const firstKey = /The first key, .*: (svc_a_\w+)$/m;

beforeAll(async () => {
  server = await ServerProcess.start(['--hosted', '--data', data]);
  [, admin = ''] = firstKey.exec(server.output) ?? [];
  const make = async (key: object) =>
    (await call('POST', '/api/v2/keys', admin, { name: 'a key', ...key })).body.secret;
  reader = await make({ scope: 'read' });
  writerOfShop = await make({ scope: 'read_write', indexes: ['shop'] });
  const endpoint = async (name: string) => {
    await call('POST', `/api/v2/indexes/${name}`, admin, SETTINGS);
    const isReady = async () =>
      (await call('GET', `/api/v2/indexes/${name}/status`, admin)).body.indexStatus === 'READY';
    await vi.waitUntil(isReady, { timeout: 60_000 });
    return new URL((await call('GET', `/api/v2/indexes/${name}`, admin)).body.marqoEndpoint).pathname;
  };
  endpoints = { shop: await endpoint('shop'), other: await endpoint('other') };
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

function call(method: string, path: string, secret?: string, body?: unknown) {
  return server.call(method, path, body, secret);
}

const ofIndexes = new Set(['createIndex', 'createIndexes', 'deleteIndex', 'deleteIndexes', 'validateIndex']);

/** The operations of the gateway: its own, and those of an endpoint. */
function served(): Operation[] {
  const all = Object.values<Operation>(operations).filter(({ scope }) => scope !== 'none');
  const own = all.filter(({ service }) => service !== 'search');
  const atEndpoint = all.filter(({ service, operationId }) => service === 'search' && !ofIndexes.has(operationId));
  return [...own, ...atEndpoint.map((one) => ({ ...one, path: `${endpoints.other}${one.path}` }))];
}

const target = ({ path }: Operation, index: string) => path.replace('{indexName}', index).replaceAll(/[{}]/g, '');

test('the first start makes a key and shows it; no later one does', async () => {
  expect(admin).toMatch(/^svc_a_\w{49}$/);
  const again = emptyFolder('hosted-again');
  const first = await ServerProcess.start(['--hosted', '--data', again]);
  await first.end();
  const second = await ServerProcess.start(['--hosted', '--data', again]);
  await second.end();
  rmSync(again, { recursive: true, force: true });
  expect([firstKey.test(first.output), firstKey.test(second.output)]).toEqual([true, false]);
});

test('every operation takes a key of its scope', async () => {
  for (const operation of served().filter(({ credential }) => credential === 'key')) {
    const { method, operationId, scope } = operation;
    const path = target(operation, 'absent');
    const about = `${operationId}: ${method} ${path}`;
    expect((await call(method, path)).body.code, about).toBe('missing_api_key');
    expect(refused, about).toContain((await call(method, path, `${admin}x`)).status);
    const { status, body } = await call(method, path, reader);
    if (scope === 'read') expect([401, 403], about).not.toContain(status);
    else expect([status, body.code, body.requiredScope], about).toEqual([403, 'insufficient_scope', scope]);
  }
});

describe('a key for one index', () => {
  test('works with it', async () => {
    const path = `${endpoints.shop}/indexes/shop`;
    const documents = [{ _id: 'a', title: 'a boot' }];
    expect((await call('POST', `${path}/documents`, writerOfShop, { documents })).body).toMatchObject({
      errors: false,
    });
    const search = { q: 'boot', searchMethod: 'LEXICAL' };
    expect((await call('POST', `${path}/search`, writerOfShop, search)).body.hits).toHaveLength(1);
    expect((await call('GET', `${endpoints.shop}/models`, writerOfShop)).status).toBe(200);
  });

  test('sees no other', async () => {
    const { results } = (await call('GET', '/api/v2/indexes', writerOfShop)).body;
    expect(results.map((row: any) => row.indexName)).toEqual(['shop']);
    const others = ['', '/status', '/settings', '/stats'].map((what) => [`/api/v2/indexes/other${what}`, '/absent']);
    const atEndpoint = [
      [`${endpoints.other}/indexes/other/stats`, '/absent'],
      [`${endpoints.shop}/indexes/other/stats`, '/absent'],
    ];
    for (const [path = '', name = ''] of [...others, ...atEndpoint]) {
      const foreign = await call('GET', path, writerOfShop);
      const absent = await call('GET', path.replace('/other', name), writerOfShop);
      expect([foreign.status, JSON.stringify(foreign.body)], path).toEqual([
        404,
        JSON.stringify(absent.body).replaceAll('absent', 'other'),
      ]);
    }
    const models = await call('GET', `${endpoints.other}/models`, writerOfShop);
    const noEndpoint = await call('GET', '/e/0123456789abcdef/models', writerOfShop);
    const id = endpoints.other.slice('/e/'.length);
    expect(models.status).toBe(404);
    expect(JSON.stringify(models.body)).toBe(JSON.stringify(noEndpoint.body).replaceAll('0123456789abcdef', id));
  });
});

test('without a key an endpoint that is there is like one that is not', async () => {
  for (const path of ['/', '/health', '/indexes/shop/stats']) {
    const there = await call('GET', `${endpoints.shop}${path}`);
    expect([there.status, there.body.code], path).toEqual([401, 'missing_api_key']);
    expect(await call('GET', `/e/0123456789abcdef${path}`), path).toEqual(there);
  }
  expect((await call('GET', `${endpoints.shop}/`, reader)).status).toBe(200);
});

test('keys are those of the service, and no endpoint has them', async () => {
  expect((await call('GET', `${endpoints.shop}/api/v2/keys`, admin)).status).toBe(404);
});
