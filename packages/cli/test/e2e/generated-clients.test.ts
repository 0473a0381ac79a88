import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import {
  generatedClients,
  madeClient,
  missingCommands,
  NotFetched,
  sixCalls,
  spectralFaults,
} from './generated-clients.js';
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

/** Skips a test, and says so, where the machine cannot fetch what it needs. */
async function orSkip<Result>({ skip }: TestContext, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NotFetched)) throw error;
    console.warn(`Not tried, since it cannot be fetched: ${error.message}`);
    return skip();
  }
}

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
