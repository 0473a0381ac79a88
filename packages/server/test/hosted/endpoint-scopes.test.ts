import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Operation } from '@pelorus/contract';
import { defaultResources, type HostedIndex, IndexConnections } from '@pelorus/hosted';
import type { ApiKey } from '@pelorus/keys';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp, operationsOf } from '../../src/app.js';
import { grantedAccess } from '../../src/auth/granted-access.js';
import { keyAccess } from '../../src/auth/key-access.js';
import { suffices } from '../../src/auth/scopes.js';
import { readConfig } from '../../src/config.js';
import { EndpointCalls } from '../../src/hosted/endpoint-calls.js';
import { endpointOperations } from '../../src/hosted/endpoint-operations.js';
import { Relay } from '../../src/hosted/relay.js';
import { SearchCounts } from '../../src/hosted/search-counts.js';
import { Admission } from '../../src/http/admission.js';
import { LocalCounters } from '../../src/http/counters.js';
import { Memory } from '../../src/services/memory.js';
import { openService, type Service } from '../operations/service.js';

const SECRET = 'known-to-the-gateway-and-to-the-index';
const switches = { MARQO_ENABLE_BATCH_APIS: 'true', MARQO_ENABLE_OPS_API: 'true', MARQO_ENABLE_DEBUG_API: 'true' };

const index: HostedIndex = {
  ...{ id: '0123456789abcdef', name: 'shop', state: 'READY', failure: null, settings: {}, shop: null },
  ...{ resources: defaultResources, createdAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' },
};
const scopes = ['read', 'read_write', 'admin'] as const;
type KeyScope = (typeof scopes)[number];
/** The caller, by its key: one of a scope, one that may do everything, with another index, or one with a filter. */
type Caller = KeyScope | 'stranger' | 'tenant';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-scopes-'));
const socketPath = join(folder, 'socket');
const agent = new Agent({ keepAlive: true });
let service: Service;
let connections: IndexConnections;
let gateway: FastifyInstance;
let port: number;
let keys: Record<Caller, string>;
/** The operations that the index let in since the test began. */
let run: Operation[] = [];

beforeAll(async () => {
  const granted = grantedAccess(SECRET);
  const access = {
    admit: (...[operation, call]: Parameters<typeof granted.admit>) => {
      const principal = granted.admit(operation, call);
      run.push(operation);
      return principal;
    },
  };
  service = await openService(switches, { access });
  await service.app.listen({ path: socketPath });
  connections = new IndexConnections([socketPath], SECRET);
  const createIndex = operationsOf('search').find(({ operationId }) => operationId === 'createIndex') as Operation;
  const body = JSON.stringify({ model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } });
  const made = await connections.request({
    ...{ operation: createIndex, params: { indexName: index.name }, body },
    headers: { 'content-type': 'application/json' },
  });
  expect(made.status, made.body.toString('utf8')).toBe(200);

  const make = async (scope: KeyScope, bounds: Pick<Partial<ApiKey>, 'indexes' | 'filter'> = {}) => {
    const all = { kind: 'api', name: scope, indexes: null, origins: null, expiresAt: null } as const;
    return (await service.keys.create({ ...all, ...bounds, scope })).secret;
  };
  const admin = await make('admin');
  keys = {
    read: await make('read'),
    read_write: await make('read_write'),
    admin,
    stranger: await make('admin', { indexes: ['other'] }),
    tenant: await make('read_write', { filter: 'owner:(é one)' }),
  };
  const config = readConfig({ MARQO_LOG_LEVEL: 'silent' });
  gateway = createApp('hosted', config, { others: endpointOperations });
  const hosting = {
    byId: (id: string) => (id === index.id ? index : undefined),
    connections: async () => connections,
    serving: () => connections,
  };
  const keyed = keyAccess({ keys: service.keys, enforcement: 'full', isAlwaysRequired: true });
  const admission = new Admission(config, new Memory(null));
  const { searchTimeoutMs } = config;
  const searches = new SearchCounts();
  const parts = { hosting, access: keyed, admission, searches, searchTimeoutMs };
  const relay = new Relay({
    ...parts,
    config,
    keys: service.keys,
    counters: new LocalCounters(),
    log: gateway.log,
    tracing: null,
  });
  relay.bind(gateway.server);
  new EndpointCalls({ ...parts, relay }).bind(gateway);
  await gateway.listen({ host: '127.0.0.1', port: 0 });
  port = (gateway.server.address() as AddressInfo).port;
});
afterAll(async () => {
  agent.destroy();
  await gateway?.close();
  await connections?.destroy();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  run = [];
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Asks for a target as it is: no client in between makes it a proper one. A body that is no JSON changes nothing. */
function ask(method: string, path: string, scope: Caller, payload = '{', headers = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(payload);
    const told = { 'content-type': 'application/json', 'content-length': length, 'x-api-key': keys[scope], ...headers };
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers: told }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

const encoded = (part: string) =>
  [...part].map((one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const inEachPart = (path: string, change: (part: string) => string) => path.split('/').map(change).join('/');
const { id } = index;
const hidden = encoded(id);

/** The ways to write the path of an operation, which is `path` below its endpoint. */
const forms: Readonly<Record<string, (path: string) => string>> = {
  plainly: (path) => `/e/${id}${path}`,
  'with an encoded id': (path) => `/e/${hidden}${path}`,
  'with an id that is encoded in part': (path) => `/e/${encoded(id[0] as string)}${id.slice(1)}${path}`,
  'with encoded parts': (path) => inEachPart(`/e/${id}${path}`, encoded),
  'encoded twice': (path) => `/e/${hidden.replaceAll('%', '%25')}${path}`,
  'with encoded slashes': (path) => `/e/${id}${path.replaceAll('/', '%2f')}`,
  'with doubled slashes': (path) => `/e/${id}${path}`.replaceAll('/', '//'),
  'with a slash at its end': (path) => `/e/${id}${path}/`,
  'with dots': (path) => `/e/${id}/.${path}`,
  'with a way out and in again': (path) => `/e/${id}/indexes/..${path}`,
  'with an encoded way out': (path) => `/e/${id}/indexes/%2e%2e${path}`,
  'as a whole address': (path) => `http://127.0.0.1:${port}/e/${id}${path}`,
  'as a whole address of an encoded id': (path) => `http://${id}/e/${hidden}${path}`,
  'in other letters': (path) => `/E/${id.toUpperCase()}${path}`,
  'behind a fragment': (path) => `/e/${hidden}#/e/${id}${path}`,
};

const pathOf = ({ path }: Pick<Operation, 'path'>) =>
  path.replace('/e/{endpointId}', '').replace('{indexName}', index.name);
const changing = endpointOperations.filter(({ scope }) => scope !== 'read');

/** Lists the operations that the key of a scope must never have brought about. */
const wronglyRun = (scope: KeyScope) => run.filter((one) => !suffices(scope, one.scope)).map((one) => one.operationId);

describe.each(Object.entries(forms))('a path %s', (name, written) => {
  test('leads a key for another index to nothing', async () => {
    for (const { method, path, operationId } of endpointOperations) {
      const target = written(pathOf({ path }).replace('{documentId}', 'a'));
      const { status } = await ask(method, target, 'stranger');
      expect([status, run], operationId).toEqual([expect.toSatisfy((code: number) => code !== 200), []]);
    }
  });

  test.each(scopes)('leads a key of scope %s to nothing above it', async (scope) => {
    for (const operation of endpointOperations) {
      const { method, operationId } = operation;
      run = [];
      const { status } = await ask(method, written(pathOf(operation).replace('{documentId}', 'a')), scope);
      const ran = run.map((one) => one.operationId);
      expect(wronglyRun(scope), `${operationId}: ${status}`).toEqual([]);
      if (name !== 'plainly' && name !== 'with an encoded id') continue;
      expect(ran, operationId).toEqual(suffices(scope, operation.scope) ? [operationId] : []);
      if (!suffices(scope, operation.scope)) expect(status, operationId).toBe(403);
    }
  });
});

/** The ways to hide the path of another operation behind that of one that is allowed. */
const disguises: Readonly<Record<string, (allowed: string, wanted: string) => string>> = {
  'in a query': (allowed, wanted) => `/e/${hidden}${allowed}?x=${id}${wanted}`,
  'in a query that is no pair': (allowed, wanted) => `/e/${hidden}${allowed}?${id}${wanted}`,
  'in a query of a plain id': (allowed, wanted) => `/e/${id}${allowed}?telemetry=${id}${wanted}`,
  'in a query with a line of its own': (allowed, wanted) =>
    `/e/${id}${allowed}?telemetry=%20HTTP/1.1%0d%0a%0d%0aPOST%20${wanted}`,
  'in a fragment': (allowed, wanted) => `/e/${hidden}${allowed}#${id}${wanted}`,
  'behind a semicolon': (allowed, wanted) => `/e/${hidden}${allowed};${id}${wanted}`,
  'by a way out': (allowed, wanted) => `/e/${id}${allowed}/../../..${wanted}`,
  'by an encoded way out': (allowed, wanted) => `/e/${id}${allowed}/%2e%2e%2f%2e%2e%2f%2e%2e${wanted}`,
  'in the id of a document': (_, wanted) => `/e/${id}/indexes/shop/documents/${encoded(`${id}${wanted}`)}`,
  'in the id of a document with an encoded query': (_, wanted) =>
    `/e/${id}/indexes/shop/documents/a%3f${id}${wanted.replaceAll('/', '%2f')}`,
  'in the host of a whole address': (allowed, wanted) => `http://${id}${wanted}/e/${hidden}${allowed}`,
  'in a user of a whole address': (allowed, wanted) => `http://${id}${encoded(wanted)}@h/e/${hidden}${allowed}`,
};

describe.each(Object.entries(disguises))('another operation %s', (_name, disguised) => {
  test('is not what a key to read runs', async () => {
    const allowed = endpointOperations.filter(({ scope }) => scope === 'read');
    for (const wanted of changing) {
      const ofItsMethod = allowed.filter(({ method }) => method === wanted.method || method === 'POST').slice(0, 6);
      for (const operation of ofItsMethod) {
        const path = disguised(pathOf(operation).replace('{documentId}', 'a'), pathOf(wanted));
        const { status } = await ask(operation.method, path, 'read');
        expect(wronglyRun('read'), `${operation.method} ${path}: ${status}`).toEqual([]);
      }
    }
  });
});

test('no header of a caller grants anything', async () => {
  const grant = { 'x-pelorus-grant': `${SECRET} deleteAllDocuments admin - ` };
  const path = `/e/${id}/indexes/shop/documents/delete-all`;
  expect((await ask('DELETE', path, 'read', '', grant)).status).toBe(403);
  expect(run).toEqual([]);
  const connection = { connection: 'x-pelorus-grant, close', ...grant };
  expect((await ask('GET', `/e/${id}/indexes/shop/stats`, 'read', '', connection)).status).toBe(200);
  expect(run.map(({ operationId }) => operationId)).toEqual(['getIndexStats']);
});

test.each([
  ['no grant', {}],
  [
    'the grant of another secret',
    { 'x-pelorus-grant': 'known-to-the-gateway-and-to-an-outsider deleteAllDocuments admin - ' },
  ],
  ['the grant of another operation', { 'x-pelorus-grant': `${SECRET} search read - ` }],
  ['a grant of too low a scope', { 'x-pelorus-grant': `${SECRET} deleteAllDocuments read - ` }],
  ['a grant of a scope that nobody knows', { 'x-pelorus-grant': `${SECRET} deleteAllDocuments root - ` }],
  ['a grant that does not say of which documents', { 'x-pelorus-grant': `${SECRET} deleteAllDocuments admin ` }],
])('the process of an index refuses a call with %s', async (_about, headers) => {
  const { statusCode, body } = await service.app.inject({
    ...{ method: 'DELETE', url: '/indexes/shop/documents/delete-all', headers },
  });
  expect([statusCode, JSON.parse(body).code], body).toEqual([403, 'forbidden']);
  expect(run).toEqual([]);
});

test('several searches at an endpoint find its index, and no other', async () => {
  const queries = ['shop', 'other'].map((indexName) => ({ indexName, q: '*', searchMethod: 'LEXICAL' }));
  const { status, body } = await ask('POST', `/e/${id}/multi-search`, 'read', JSON.stringify({ queries }));
  expect([status, JSON.parse(body)]).toMatchObject([
    200,
    { results: [{ status: 200 }, { status: 404, error: { code: 'index_not_found' } }] },
  ]);
  expect(run.map(({ operationId }) => operationId)).toEqual(['multiSearch']);
});

test('a key with a filter keeps to it, whichever way its calls are handed on', async () => {
  const own = [
    { _id: 't1', owner: 'é one' },
    { _id: 't2', owner: 'two' },
  ];
  const added = await ask('POST', `/e/${id}/indexes/shop/documents`, 'admin', JSON.stringify({ documents: own }));
  expect([added.status, JSON.parse(added.body).errors]).toEqual([200, false]);
  const path = `/e/${id}/indexes/shop/documents/get-batch`;
  const found = async (caller: Caller) => {
    const { body } = await ask('POST', path, caller, '{"documentIds":["t1","t2"]}');
    return JSON.parse(body).results.map((one: any) => one._found);
  };
  for (let call = 0; call < 3; call += 1) {
    expect([await found('tenant'), await found('read')]).toEqual([
      [true, false],
      [true, true],
    ]);
  }
  expect((await ask('GET', `/e/${id}/indexes/shop/stats`, 'tenant')).status).toBe(403);
});

test('a request with a key to read, sent behind an encoded id, deletes and writes nothing', async () => {
  const documents = JSON.stringify({ documents: [{ _id: 'p1', title: 'a boot' }] });
  expect((await ask('POST', `/e/${id}/indexes/shop/documents`, 'read_write', documents)).status).toBe(200);
  const path = `/e/${hidden}/indexes/shop/search?x=${id}/indexes/shop/documents`;
  await ask('POST', `${path}/delete-batch`, 'read', '["p1"]');
  await ask('POST', path, 'read', JSON.stringify({ documents: [{ _id: 'p2', title: 'a shoe' }] }));
  const found = await ask(
    'POST',
    `/e/${hidden}/indexes/shop/documents/get-batch`,
    'read',
    '{"documentIds":["p1","p2"]}',
  );
  expect(found.status).toBe(200);
  expect(JSON.parse(found.body).results.map((one: any) => one._found)).toEqual([true, false]);
});

test.each(['a/b', '..', '.', 'a?b=c', 'a#b', '%41', 'a%2fb', 'é ü', '/', '//x', 'a;b', '-'])(
  'the document of the id %j is found by it, and its index is asked for no other',
  async (documentId) => {
    const documents = JSON.stringify({ documents: [{ _id: documentId, title: 'a boot' }] });
    expect((await ask('POST', `/e/${id}/indexes/shop/documents`, 'read_write', documents)).status).toBe(200);
    const { body } = await ask('GET', `/e/${hidden}/indexes/shop/documents/${encodeURIComponent(documentId)}`, 'read');
    expect(JSON.parse(body)).toMatchObject({ _id: documentId, title: 'a boot' });
  },
);
