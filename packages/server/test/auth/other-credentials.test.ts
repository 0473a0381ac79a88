import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operation, operations } from '@pelorus/contract';
import type { KeyStore } from '@pelorus/keys';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { keyAccess, type ShopDirectory } from '../../src/auth/key-access.js';
import { openKeys } from '../../src/auth/open-keys.js';
import { ShopperLimit } from '../../src/auth/shopper-limit.js';
import { bindOperations } from '../../src/binder.js';
import type { Answer } from '../../src/call.js';
import { readConfig } from '../../src/config.js';
import { Admission } from '../../src/http/admission.js';
import { Memory } from '../../src/services/memory.js';
import { fromAnywhere, makeKeys, type Secrets } from './credentials.js';

/** Operations of the contract, as a shop's pages and their events would call them. */
const shopper: Operation = { ...operations.search, credential: 'shopper', path: '/shops/{indexName}/search' };
const shopperGet: Operation = { ...operations.getIndexStats, credential: 'shopper', path: '/shops/{indexName}/search' };
const tracking: Operation = { ...operations.embed, credential: 'tracking', path: '/events' };

const SHOP = 'https://shop.example';
const shop = { indexName: 'shoes', origins: [SHOP, 'https://*.shop.example'], requiresKey: false };
const openShop = { indexName: 'hats', origins: null, requiresKey: false };
const keyedShop = { indexName: 'bags', origins: [SHOP], requiresKey: true };
const shops: ShopDirectory = {
  byIndexId: (id) => ({ 'id-1': shop, 'id-2': openShop, 'id-4': keyedShop })[id],
  byIndexName: (name) => [shop, openShop, keyedShop].find(({ indexName }) => indexName === name),
};

let folder: string;
let keys: KeyStore;
let secrets: Secrets;
let ofServers: string;
let app: FastifyInstance;
let unguarded: FastifyInstance;

/** Answers who calls. */
const whoCalls = ({ principal }: { principal: unknown }): Answer => ({ body: { principal } as object as never });

function openApp(enforcement: 'full' | 'off', shopperLimit?: ShopperLimit): FastifyInstance {
  const config = readConfig({ PELORUS_DATA_DIR: folder, MARQO_LOG_LEVEL: 'silent' });
  const opened = createApp('hosted', config, { others: [shopper, shopperGet, tracking] });
  bindOperations(
    opened,
    [shopper, shopperGet, tracking] as never,
    { search: whoCalls, getIndexStats: whoCalls, embed: whoCalls } as never,
    {
      access: keyAccess({ keys, enforcement, isAlwaysRequired: true, shops, ...(shopperLimit && { shopperLimit }) }),
      admission: new Admission(config, new Memory(null, { release: async () => undefined })),
      publicUrl: '',
      preparations: {},
      vectorExtractors: {},
      deviceNamed: () => 'cpu',
    },
  );
  return opened;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-credentials-'));
  keys = await openKeys({ dataDir: folder, keysMax: 50 }, {});
  secrets = await makeKeys(keys);
  const events = { kind: 'tracking', name: 'pages', customerId: 'pages', expiresAt: null } as const;
  ofServers = secrets.tracking;
  const { secret } = await keys.create({ ...events, origins: [SHOP], allowsNoOrigin: false });
  secrets = { ...secrets, tracking: secret };
  app = openApp('full');
  unguarded = openApp('off');
});

afterAll(async () => {
  await app.close();
  await unguarded.close();
  await keys.close();
  await rm(folder, { recursive: true });
});

async function post(url: string, headers: Record<string, string>, of = app) {
  const payload = url.startsWith('/events') ? '{"content":"a"}' : '{"q":"a"}';
  const answer = await fromAnywhere(of, 'POST', url, { headers, payload });
  return { answer, said: [answer.statusCode, answer.json().code ?? answer.json().principal] };
}

/** The headers that a browser adds to a request of a page of another site. */
const from = (origin: string) => ({ origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' });
const preflight = (method: string, origin: string) => ({ ...from(origin), 'access-control-request-method': method });

describe('the id of a shop', () => {
  const path = '/shops/shoes/search';
  const byId = {
    ...{
      keyId: 'index:id-1',
      name: 'id-1',
      scope: 'read',
      indexes: ['shoes'],
      filter: null,
      customerId: null,
      isPage: true,
    },
  };

  test.each([{ 'x-svc-index-id': 'id-1' }, { 'x-marqo-index-id': 'id-1' }, { 'X-SVC-INDEX-ID': 'id-1' }])(
    'lets pages of the shop in: %j',
    async (id) => {
      for (const origin of [SHOP, 'https://www.shop.example']) {
        const { answer, said } = await post(path, { ...id, ...from(origin) });
        expect(said).toEqual([200, byId]);
        expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
      expect((await post(path, id)).said).toEqual([200, byId]);
    },
  );

  test('may stand in the query, for an EventSource', async () => {
    const answer = await fromAnywhere(app, 'GET', `${path}?indexId=id-1`, { headers: from(SHOP) });
    expect([answer.statusCode, answer.json().principal]).toEqual([200, byId]);
  });

  test.each([
    'https://evil.test',
    'https://shop.example.evil.test',
    'http://shop.example',
    'https://shop.example:8443',
    'null',
    'https://SHOP.example',
    'https://shop.example, https://evil.test',
  ])('lets no page of %s in', async (origin) => {
    const { answer, said } = await post(path, { 'x-svc-index-id': 'id-1', ...from(origin) });
    expect(said).toEqual([403, 'origin_not_allowed']);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test.each(['id-2', 'id-3', 'shoes', '__proto__', ' id-1'])('is not %s', async (id) => {
    const { said, answer } = await post(path, { 'x-svc-index-id': id, ...from(SHOP) });
    expect(said, answer.body).toEqual([403, 'invalid_index_id']);
    expect(answer.json().message).toBe('The index id is not that of this index');
  });

  test('may be for pages of any origin', async () => {
    expect((await post('/shops/hats/search', { 'x-svc-index-id': 'id-2', ...from('https://any.test') })).said[0]).toBe(
      200,
    );
  });

  test('is not enough where the shop requires a key, which only who has the id is told', async () => {
    const byItsId = await post('/shops/bags/search', { 'x-svc-index-id': 'id-4', ...from(SHOP) });
    expect(byItsId.said).toEqual([401, 'missing_api_key']);
    expect(byItsId.answer.json().message).toBe('Missing API key: this index requires one, its index id is not enough');
    for (const [name, id] of [
      ['bags', 'id-1'],
      ['bags', 'id-3'],
      ['shoes', 'id-4'],
    ]) {
      const other = await post(`/shops/${name}/search`, { 'x-svc-index-id': id as string, ...from(SHOP) });
      expect(other.said).toEqual([403, 'invalid_index_id']);
      expect(other.answer.json().message).toBe('The index id is not that of this index');
    }
    expect((await post('/shops/bags/search', { 'x-api-key': secrets.read })).said[0]).toBe(200);
  });

  test('is no key, and a key needs none', async () => {
    expect((await post(path, {})).said).toEqual([401, 'missing_api_key']);
    expect((await post(path, { 'x-svc-index-id': '' })).said).toEqual([401, 'missing_api_key']);
    expect((await post(path, { authorization: `Bearer ${secrets.read}` })).said[0]).toBe(200);
    expect((await post(path, { 'x-api-key': secrets.otherIndex })).said).toEqual([404, 'index_not_found']);
    const both = { 'x-svc-index-id': 'id-1', 'x-api-key': secrets.revoked };
    expect((await post(path, both)).said).toEqual([401, 'invalid_api_key']);
  });

  test('lets in as many calls as its limit says, and pages read when to come again', async () => {
    const clock = { ms: 0 };
    // A burst of 2, then one each 5 seconds.
    const limit = new ShopperLimit({ shopperCallsPerMinute: 12, shopperCallsPerAddress: 60 }, () => clock.ms);
    const limited = openApp('full', limit);
    const ask = (headers: Record<string, string>, target = path) => post(target, headers, limited);
    const call = { 'x-svc-index-id': 'id-1', ...from(SHOP) };
    const refused = { 'x-svc-index-id': 'id-1', ...from('https://evil.test') };
    for (let count = 0; count < 5; count++) expect((await ask(refused)).said[0]).toBe(403);
    expect([(await ask(call)).said[0], (await ask(call)).said[0]]).toEqual([200, 200]);
    const { answer } = await ask(call);
    const message = expect.stringContaining('PELORUS_SHOPPER_CALLS_PER_MINUTE');
    const fault = { message, code: 'too_many_requests', type: 'invalid_request', link: null };
    expect([answer.statusCode, answer.json()]).toEqual([429, expect.objectContaining(fault)]);
    expect(answer.headers).toMatchObject({
      ...{ 'retry-after': '5', 'access-control-allow-origin': SHOP, 'access-control-expose-headers': '*' },
    });
    expect((await ask({ 'x-svc-index-id': 'id-2' }, '/shops/hats/search')).said[0]).toBe(200);
    expect((await ask({ 'x-api-key': secrets.read })).said[0]).toBe(200);
    clock.ms = 5_000;
    expect((await ask(call)).said[0]).toBe(200);
    await limited.close();
  });

  test('is asked of pages of other sites where no key is', async () => {
    const ask = async (headers: Record<string, string>) => (await post(path, headers, unguarded)).said;
    expect((await ask({}))[0]).toBe(200);
    expect(await ask(from('https://evil.test'))).toEqual([403, 'origin_not_allowed']);
    expect((await ask({ 'x-svc-index-id': 'id-1', ...from(SHOP) }))[0]).toBe(200);
  });
});

test('every operation that takes the id of a shop answers 429 by the contract', () => {
  const all: readonly Operation[] = Object.values(operations);
  const byId = all.filter(({ credential }) => credential === 'shopper');
  expect(byId.length).toBeGreaterThan(7);
  for (const { operationId, responses } of byId) expect(Object.keys(responses), operationId).toContain('429');
});

describe('a key for events', () => {
  test('lets pages of its origins in, as a header and, for a beacon, in the query', async () => {
    const customer = { scope: null, indexes: [], customerId: 'pages' };
    const byHeader = await post('/events', { 'x-api-key': secrets.tracking, ...from(SHOP) });
    expect(byHeader.said).toEqual([200, expect.objectContaining(customer)]);
    expect(byHeader.answer.headers).toMatchObject({ 'access-control-allow-origin': SHOP, vary: 'Origin' });
    const beacon = { ...from(SHOP), 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-mode': 'no-cors' };
    const byQuery = await post(`/events?k=${secrets.tracking}`, beacon);
    expect(byQuery.said).toEqual([200, expect.objectContaining(customer)]);
  });

  test('lets servers in only where it says so', async () => {
    expect((await post('/events', { 'x-api-key': secrets.tracking })).said).toEqual([403, 'origin_not_allowed']);
    expect((await post('/events', { 'x-api-key': ofServers })).said[0]).toBe(200);
  });

  test('without origins is for servers alone', async () => {
    const key = { kind: 'tracking', name: 'servers', customerId: 'pages', expiresAt: null } as const;
    const { secret } = await keys.create({ ...key, origins: [], allowsNoOrigin: true });
    expect((await post('/events', { 'x-api-key': secret })).said[0]).toBe(200);
    expect((await post('/events', { 'x-api-key': secret, ...from(SHOP) })).said).toEqual([403, 'origin_not_allowed']);
  });

  test.each(['https://www.shop.example', 'https://evil.test', 'null', 'http://localhost:80'])(
    'lets no page of %s in',
    async (origin) => {
      const { said, answer } = await post('/events', { 'x-api-key': secrets.tracking, ...from(origin) });
      expect(said).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('is asked for, whatever is asked for else', async () => {
    for (const of of [app, unguarded]) {
      expect((await post('/events', from(SHOP), of)).said).toEqual([401, 'missing_api_key']);
      expect((await post('/events?k=', from(SHOP), of)).said).toEqual([401, 'missing_api_key']);
      expect((await post('/events?k=x', from(SHOP), of)).said).toEqual([401, 'invalid_api_key']);
      const byAdmin = await post('/events', { 'x-api-key': secrets.admin, ...from(SHOP) }, of);
      expect(byAdmin.said).toEqual([403, 'insufficient_scope']);
    }
  });

  test('is sent with a text by nothing but events', async () => {
    const asText = { 'content-type': 'text/plain', 'x-svc-index-id': 'id-1', ...from(SHOP) };
    expect((await post('/shops/shoes/search', asText)).said).toEqual([422, 'unprocessable_entity']);
  });
});

describe('a preflight', () => {
  test.each([
    ['/events', 'POST', 'content-type, x-api-key', 'POST, OPTIONS'],
    [
      '/shops/shoes/search',
      'POST',
      'content-type, x-api-key, authorization, x-svc-index-id, x-marqo-index-id',
      'POST, GET, OPTIONS',
    ],
  ])('of %s %s is answered', async (path, method, allowed, methods) => {
    const answer = await fromAnywhere(app, 'OPTIONS', path, { headers: preflight(method, SHOP) });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      ...{ 'access-control-allow-origin': SHOP, 'access-control-max-age': '86400', vary: 'Origin' },
      ...{ 'access-control-allow-headers': allowed, 'access-control-allow-methods': methods },
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test.each(['/events', '/shops/shoes/search'])('of %s is refused to other origins', async (path) => {
    for (const origin of ['https://evil.test', 'null', 'https://shop.example.evil.test']) {
      const answer = await fromAnywhere(app, 'OPTIONS', path, { headers: preflight('POST', origin) });
      expect([answer.statusCode, answer.json().code]).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  test.each([
    ['hats', 'https://any.test', 204],
    ['hats', SHOP, 204],
    ['shoes', 'https://any.test', 403],
    // Its pages need a key, and no key is for them.
    ['bags', SHOP, 403],
    ['none', SHOP, 403],
    ['none', 'https://any.test', 403],
    ['__proto__', 'https://any.test', 403],
  ])('of the shop %s for pages of %s is answered %d, whatever other shops allow', async (name, origin, status) => {
    const answer = await fromAnywhere(app, 'OPTIONS', `/shops/${name}/search`, { headers: preflight('POST', origin) });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(status === 204 ? origin : undefined);
  });

  test('for pages of the origins of a key is answered for the indexes of that key alone', async () => {
    const key = { kind: 'api', name: 'page', scope: 'read', expiresAt: null } as const;
    await keys.create({ ...key, indexes: ['bags'], origins: ['https://page.example'] });
    const ask = async (name: string) => {
      const headers = preflight('POST', 'https://page.example');
      return (await fromAnywhere(app, 'OPTIONS', `/shops/${name}/search`, { headers })).statusCode;
    };
    expect([await ask('bags'), await ask('shoes'), await ask('none')]).toEqual([204, 403, 403]);
  });

  test('is refused for a method that is none of its path; so is an OPTIONS that is no preflight', async () => {
    const other = await fromAnywhere(app, 'OPTIONS', '/events', { headers: preflight('DELETE', SHOP) });
    expect([other.statusCode, other.json().code]).toEqual([405, 'method_not_allowed']);
    expect((await fromAnywhere(app, 'OPTIONS', '/events')).statusCode).toBe(405);
  });

  test('for any other operation is for the operator to allow', async () => {
    const answer = await fromAnywhere(app, 'OPTIONS', '/api/v2/keys', { headers: preflight('POST', SHOP) });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'forbidden']);
  });
});

test('an API key with origins is for their pages, and servers', async () => {
  const key = { name: 'page', scope: 'read', indexes: null, expiresAt: null } as const;
  const { secret } = await keys.create({ kind: 'api', ...key, origins: ['https://other.example'] });
  const ask = async (headers: object) => (await post('/shops/shoes/search', { 'x-api-key': secret, ...headers })).said;
  expect((await ask({}))[0]).toBe(200);
  expect((await ask(from('https://other.example')))[0]).toBe(200);
  expect(await ask(from(SHOP))).toEqual([403, 'origin_not_allowed']);
  const headers = preflight('POST', 'https://other.example');
  expect((await fromAnywhere(app, 'OPTIONS', '/shops/shoes/search', { headers })).statusCode).toBe(204);
});

test('an API key without origins is for the pages that a shop allows, and servers', async () => {
  const ask = async (shopName: string, headers: object) =>
    (await post(`/shops/${shopName}/search`, { 'x-api-key': secrets.read, ...headers })).said;
  for (const name of ['shoes', 'bags']) {
    expect((await ask(name, {}))[0]).toBe(200);
    expect((await ask(name, from(SHOP)))[0]).toBe(200);
    expect(await ask(name, from('https://evil.test'))).toEqual([403, 'origin_not_allowed']);
  }
  expect((await ask('hats', from('https://any.test')))[0]).toBe(200);
});
