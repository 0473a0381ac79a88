import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findChromium, readPage, visitPage } from './chromium.js';
import { type Attempts, HostileSite } from './hostile-site.js';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';

const chromium = findChromium();
if (chromium === undefined) {
  console.warn('SKIPPED: no Chromium on the path nor in PELORUS_CHROMIUM, so what browsers may do is not tested');
}

const secret = 'a secret of this machine';
/**
 * The least number of attempts of a hostile page that send something which a server without a guard would have
 * answered.
 */
const attemptsMin = 10;

describe.skipIf(chromium === undefined)('in a real browser', () => {
  const folders: string[] = [];
  let server: ServerProcess;
  let site: HostileSite;

  const start = async (...flags: string[]) => {
    const data = emptyFolder('browser');
    folders.push(data);
    server = await ServerProcess.start(['--data', data, ...flags], { port });
    await server.ok('POST', '/indexes/shop', { model: 'random/small' });
    await server.ok('POST', '/indexes/shop/documents', {
      documents: [{ _id: 'kept', text: secret }],
      tensorFields: [],
    });
  };
  let port: number;
  beforeEach(async () => {
    port = await freePort();
    site = await HostileSite.open(`http://127.0.0.1:${port}`);
  });
  afterEach(async () => {
    await server?.end();
    await site?.close();
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const visit = (host: string, target: string): Promise<Attempts> =>
    visitPage(chromium as string, site.page(host, target), site.attempts);

  test.each([
    ['of another host', 'localhost', 'http://127.0.0.1'],
    ['of another port of the same host', '127.0.0.1', 'http://127.0.0.1'],
    ['whose name leads to this machine', 'evil.test', 'http://evil.test'],
  ])('a page %s neither writes nor reads', async (_title, host, target) => {
    await start();
    expectNothing(await visit(host, `${target}:${port}`));
    await expectUntouched();
  });

  test('a page whose own site has become this server, by DNS rebinding, neither writes nor reads', async () => {
    await start();
    expectNothing(await visit('evil.test', ''));
    await expectUntouched();
  });

  test('a page of an origin that the operator allows does both', async () => {
    await start('--allowed-origins', `http://localhost:${site.port}`);
    const attempts = await visit('localhost', `http://127.0.0.1:${port}`);
    expect(attempts.create).toContain('cors 200 {"acknowledged":true');
    expect(attempts.drop).toContain('cors 200 {"acknowledged":true');
    const { results } = await server.ok('GET', '/indexes');
    expect(results.map(({ indexName }: any) => indexName).sort()).toEqual(['planted-1', 'planted-3']);
  });

  test('the documentation shows the contract', async () => {
    await start();
    const page = await readPage(chromium as string, `http://localhost:${port}/docs`);
    expect(page).toContain('Delete an index and everything in it');
  });

  function expectNothing(attempts: Attempts): void {
    expect(Object.keys(attempts).length).toBeGreaterThanOrEqual(attemptsMin);
    expect(JSON.stringify(attempts)).not.toContain(secret);
    for (const name of ['create', 'drop', 'read']) expect(attempts[name], name).toMatch(/^failed|^basic 403 /);
  }

  async function expectUntouched(): Promise<void> {
    const { results } = await server.ok('GET', '/indexes');
    expect(results.map(({ indexName }: any) => indexName)).toEqual(['shop']);
    expect((await server.ok('GET', '/indexes/shop/stats')).numberOfDocuments).toBe(1);
    expect((await server.ok('GET', '/indexes/shop/documents/kept')).text).toBe(secret);
    // They came, and were refused: nothing else kept them away.
    const refused = server.output.match(/"status":403/g) ?? [];
    expect(refused.length, server.output).toBeGreaterThanOrEqual(attemptsMin);
  }
});
