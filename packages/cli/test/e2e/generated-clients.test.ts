import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orSkip } from './fetched.js';
import { generatedClients, madeClient, missingCommands, sixCalls, spectralFaults } from './generated-clients.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const data = emptyFolder('generated-clients');
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start(['--data', data, '--hub', 'none']);
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

const stored = { _id: '1', title: 'red shoe', price: 79.5, sizes: ['41', '42'] };

describe.each(generatedClients.map((client) => [client.language, client] as const))('a client in %s', (_, client) => {
  const missing = missingCommands(client.needs);
  if (missing.length > 0) console.warn(`No client in ${client.language} is made: ${missing.join(', ')} is not here.`);

  test.skipIf(missing.length > 0)('makes six calls, and the fields of documents arrive', async (context) => {
    const index = `by-${client.language.toLowerCase()}`;
    const came = await sixCalls(client, await orSkip(context, madeClient(client)), server.address, index);
    expect(came).toEqual({
      created: index,
      added: [200, 200],
      hits: [stored],
      document: stored,
      missing: [404, 'document_not_found'],
      deleted: true,
    });
  });
});

test('the published document breaks no rule of Spectral for OpenAPI', async (context) => {
  expect(await orSkip(context, spectralFaults())).toBe('');
});
