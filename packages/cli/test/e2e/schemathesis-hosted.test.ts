import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ContractRequests, faultsOf } from './contract-requests.js';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

/** Room for one index that the requests make: each is a process of its own. */
const flags = ['--hosted', '--hub', 'none', '--index-changes-per-minute', '1000000', '--max-hosted-indexes', '3'];

const data = emptyFolder('schemathesis-hosted');
let server: ServerProcess;
let requests: ContractRequests;

beforeAll(async () => {
  const env = { ...withAdminKey, PELORUS_SHOP_MODEL: 'random/small' };
  server = await ServerProcess.start(['--data', data, ...flags], { env });
  requests = new ContractRequests(server, data);
  await server.ok('POST', '/api/v2/indexes/plain', { model: 'random/small' });
  await server.ok('POST', '/api/v1/indexes', { indexName: 'shop', modelType: 'custom', model: 'random/small' });
  await settledStates(server, ['plain', 'shop']);
  const products = [1, 2, 3].map((number) => ({ _id: `${number}`, productTitle: `red shoe ${number}`, price: number }));
  await server.ok('POST', '/api/v1/indexes/shop/documents', { documents: products });
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

test('operations of shops answer as documented, whatever they are asked', async () => {
  requests.give({ 'path.indexName': 'shop' });
  const shops = ['--include-path-regex', String.raw`^/api/v1/indexes/\{indexName\}/`];
  expect(await requests.findings(...shops)).toBe('');
});

test('so do those of events and figures', async () => {
  requests.give({ 'query.customerId': 'shop' });
  expect(await requests.findings('--include-path-regex', '^/(api/v1/(events|analytics)/.*)?$')).toBe('');
});

test('so do those of collections', async () => {
  expect(await requests.findings('--include-path-regex', '^/api/v1/collections')).toBe('');
});

// One that is changed may have no inferences after it, and then its settings and figures are 503, as documented.
test.each([
  ['read', 'getHostedIndex.*'],
  ['change', 'modifyHostedIndex'],
])('so do those that %s an index that is there', async (_, operations) => {
  requests.give({ 'path.indexName': 'plain' });
  expect(await requests.findings('--include-operation-id-regex', `^${operations}$`)).toBe('');
});

test('so do those that make and delete indexes', async () => {
  requests.give({});
  expect(await requests.findings('--include-path-regex', String.raw`^/api/v[12]/indexes(/\{indexName\})?$`)).toBe('');
});

test('the server had nothing to say of faults of its own', () => {
  expect(faultsOf(server)).toEqual([]);
});
