import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@pelorus/contract';
import type { KeyStore } from '@pelorus/keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Access } from '../../src/auth/access.js';
import { keyAccess } from '../../src/auth/key-access.js';
import { openKeys } from '../../src/auth/open-keys.js';
import { fromAnywhere, makeKeys, type Secrets } from '../auth/credentials.js';
import { openShops, type ShopService } from './shop-service.js';

const SHOP = '/api/v1/indexes/wear';
const named = (scope: string) => `This operation requires ${scope}-scoped API key.`;

/** The rows of the interface's table of scopes for agentic operations. */
const rows = [
  { id: 'discoverProducts', request: `GET ${SHOP}/agentic-search?q=tent`, scope: 'read', table: 'plain' },
  { id: 'discoverProductsAtOnce', request: `POST ${SHOP}/agentic-search`, scope: 'read', table: 'plain' },
  {
    id: 'discoverProductsStreamed',
    request: `GET ${SHOP}/agentic-search/stream?q=tent`,
    scope: 'read',
    table: 'plain',
  },
  { id: 'converse', request: `GET ${SHOP}/agentic-search/converse?payload=e30`, scope: 'read', table: 'plain' },
  { id: 'suggestChat', request: `POST ${SHOP}/agentic-search/chat-suggestions`, scope: 'read', table: 'plain' },
  { id: 'getAgenticContext', request: `GET ${SHOP}/agentic-context`, scope: 'read', table: 'named' },
  { id: 'putAgenticContext', request: `PUT ${SHOP}/agentic-context`, scope: 'read_write', table: 'named' },
  { id: 'reindexHelpCenter', request: `POST ${SHOP}/help-center/reindex`, scope: 'admin', table: 'named' },
] as const;

const modes = ['contract', 'full'] as const;

let folder: string;
let keys: KeyStore;
let secrets: Secrets;
let service: ShopService;
let enforcement: (typeof modes)[number] = 'contract';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-agentic-scopes-'));
  keys = await openKeys({ dataDir: folder, keysMax: 50 }, {});
  const shops = {
    byIndexId: (indexId: string) => service.shops.byIndexId(indexId),
    byIndexName: (name: string) => service.shops.byIndexName(name),
  };
  const by = Object.fromEntries(
    modes.map((mode) => [mode, keyAccess({ keys, enforcement: mode, isAlwaysRequired: true, shops })]),
  ) as Record<(typeof modes)[number], Access>;
  service = await openShops({ access: { admit: (operation, request) => by[enforcement].admit(operation, request) } });
  secrets = await makeKeys(keys);
  const body = { indexName: 'wear', modelType: 'ecommerce' };
  expect((await ask('POST /api/v1/indexes', { 'x-api-key': secrets.admin }, body)).statusCode).toBe(200);
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
  await keys.close();
  await rm(folder, { recursive: true });
});

/** With a body that is none of these operations', so that nothing is changed by who is let in. */
function ask(request: string, headers: Record<string, string>, payload: object = { none: 1 }) {
  const [method = '', url = ''] = request.split(' ');
  return fromAnywhere(service.app, method, url, { headers, ...(method !== 'GET' && { payload }) });
}

test('the contract has every agentic operation as the table has it', () => {
  const agentic = Object.values(operations).filter(({ path }) => /agentic|help-center/.test(path));
  const told = agentic.map(({ operationId, scope, scopeTable }) => ({ id: operationId, scope, table: scopeTable }));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(told.toSorted(byId)).toEqual(rows.map(({ request, ...row }) => row).toSorted(byId));
});

describe.each(modes)('enforced as %s', (mode) => {
  test.each(rows)('$id takes $scope or more', async ({ request, scope, table }) => {
    enforcement = mode;
    const order = ['read', 'read_write', 'admin'] as const;
    const secretOf = { read: secrets.read, read_write: secrets.readWrite, admin: secrets.admin };
    for (const held of order) {
      const answer = await ask(request, { authorization: `Bearer ${secretOf[held]}` });
      if (order.indexOf(held) >= order.indexOf(scope)) expect([401, 403]).not.toContain(answer.statusCode);
      else {
        const message =
          table === 'named' ? named(scope === 'admin' ? 'an admin' : `a ${scope}`) : 'Insufficient API key scope';
        expect([answer.statusCode, answer.json()]).toMatchObject([
          403,
          { message, code: 'insufficient_scope', requiredScope: scope },
        ]);
      }
    }
    expect((await ask(request, { 'x-api-key': secrets.tracking })).statusCode).toBe(403);
    expect((await ask(request, { 'x-api-key': secrets.otherIndex })).statusCode).toBe(404);
    expect((await ask(request, {})).statusCode).toBe(401);
  });

  test.each(rows)('$id takes the index id of pages only where it is for shoppers', async ({ request, table }) => {
    enforcement = mode;
    const { indexId } = service.shops.get('wear').shop;
    const { statusCode } = await ask(request, { 'x-svc-index-id': indexId });
    if (table === 'plain') expect([401, 403]).not.toContain(statusCode);
    else expect(statusCode).toBe(401);
  });
});

test('a shop that asks for keys has discovery ask for them too', async () => {
  const { indexId } = service.shops.get('wear').shop;
  const admin = { 'x-api-key': secrets.admin };
  expect((await ask(`PATCH ${SHOP}/settings`, admin, { requireApiKey: true })).statusCode).toBe(200);
  for (const { request, table } of rows) {
    const { statusCode } = await ask(request, { 'x-svc-index-id': indexId });
    expect([401, 403], `${table} ${request}`).toContain(statusCode);
  }
  expect((await ask(`GET ${SHOP}/agentic-search?q=tent`, { 'x-api-key': secrets.read })).statusCode).toBe(200);
});
