import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

/** Only what hangs meets it. */
const within = { timeout: 120_000 };

const data = emptyFolder('hosted-hangs');
let server: ServerProcess;
let endpoint: string;

beforeAll(async () => {
  server = await ServerProcess.start(['--hosted', '--data', data], { env: withAdminKey });
  await server.ok('POST', '/api/v2/indexes/shop', { model: 'random/small' });
  const record = (await settledStates(server, ['shop'])).get('shop');
  endpoint = `${record.marqoEndpoint.slice(server.address.length)}/indexes/shop`;
  await server.ok('POST', `${endpoint}/documents`, { documents: [{ _id: 'a', title: 'Orbit' }] });
});
afterAll(async () => {
  await server?.end();
  rmSync(data, { recursive: true, force: true });
});

/** The process of the only index. */
function child(): number {
  return Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim());
}

function searchWithin(ms: number): Promise<Response> {
  return fetch(`${server.address}${endpoint}/search`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-api-key': withAdminKey.PELORUS_ADMIN_KEY },
      'x-request-timeout-ms': String(ms),
    },
    body: '{"q": "orbit", "searchMethod": "LEXICAL"}',
  });
}

test.runIf(process.platform === 'linux')(
  'a process that hangs is ended and started again, told by health, and calls get the answer of their deadline',
  async () => {
    const hung = child();
    process.kill(hung, 'SIGSTOP');
    const [timed, untimed] = await Promise.all([searchWithin(100), server.call('GET', `${endpoint}/documents/a`)]);
    expect([timed.status, ((await timed.json()) as { code: string }).code]).toEqual([504, 'vector_store_timeout']);
    expect(untimed).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    await expect
      .poll(() => server.call('GET', `${endpoint}/documents/a`), within)
      .toMatchObject({ status: 200, body: { title: 'Orbit' } });
    expect(child()).not.toBe(hung);
    expect(server.output).toContain('it gave no sign of life for 4 seconds (signal SIGKILL)');
    expect((await server.call('GET', '/health')).body).toMatchObject({ status: 'green' });
  },
);

test.runIf(process.platform === 'linux')(
  'an index whose process ends three times in a row is yellow with the reason',
  async () => {
    for (let ends = 0; ends < 3; ends += 1) {
      const before = child();
      process.kill(before, 'SIGKILL');
      await expect.poll(() => server.call('GET', `${endpoint}/documents/a`), within).toMatchObject({ status: 200 });
    }
    const { status, body } = await server.call('GET', '/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'yellow',
      backend: {
        indexes: [{ indexName: 'shop', status: 'yellow', reason: expect.stringMatching(/ended 3 times .*SIGKILL/) }],
      },
    });
  },
);
