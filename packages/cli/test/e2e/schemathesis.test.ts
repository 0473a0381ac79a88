import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ContractRequests, faultsOf } from './contract-requests.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const switches = { MARQO_ENABLE_BATCH_APIS: 'true', MARQO_ENABLE_OPS_API: 'true', MARQO_ENABLE_DEBUG_API: 'true' };

const documents = [
  { _id: '1', title: 'red shoe', n: 1 },
  { _id: '2', title: 'blue hat', n: 2 },
];
const kinds = {
  unstructured: { model: 'random/small' },
  structured: {
    type: 'structured',
    model: 'random/small',
    allFields: [
      { name: 'title', type: 'text', features: ['lexical_search', 'filter'] },
      { name: 'n', type: 'int', features: ['filter'] },
    ],
    tensorFields: ['title'],
  },
};

const data = emptyFolder('schemathesis');
let server: ServerProcess;
let requests: ContractRequests;

beforeAll(async () => {
  // Nothing is fetched, whatever models the requests name.
  server = await ServerProcess.start(['--data', data, '--hub', 'none'], { env: { ...switches, ...withAdminKey } });
  requests = new ContractRequests(server, data);
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

/** Paths below an index, but for that which empties it. */
const IN_INDEX = String.raw`\{indexName\}/(?!documents/delete-all)`;

test('operations on the machine and on indexes answer as documented, whatever they are asked', async () => {
  expect(await requests.findings('--exclude-path-regex', IN_INDEX)).toBe('');
});

test.each(Object.entries(kinds))('so do those on what is in an index, %s', async (kind, settings) => {
  await server.ok('POST', `/indexes/${kind}`, settings);
  const tensorFields = kind === 'structured' ? {} : { tensorFields: ['title'] };
  await server.ok('POST', `/indexes/${kind}/documents`, { documents, ...tensorFields });
  requests.give({ 'path.indexName': kind, 'path.documentId': '1' });
  expect(await requests.findings('--include-path-regex', IN_INDEX)).toBe('');
  expect((await server.call('GET', `/indexes/${kind}/stats`)).status).toBe(200);
});

test('the server had nothing to say of faults of its own', () => {
  expect(faultsOf(server)).toEqual([]);
});
