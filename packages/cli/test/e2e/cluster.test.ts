import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const run = promisify(execFile);
const fromCli = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const NODES = process.env.PELORUS_TEST_OPENSEARCH ?? '';
const hasNoCluster = NODES === '';
if (hasNoCluster) console.warn('skipped: servers over an OpenSearch cluster, which PELORUS_TEST_OPENSEARCH would name');

const folders: string[] = [];
const folder = (): string => {
  const path = emptyFolder('cluster');
  folders.push(path);
  return path;
};
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** A name that no other run has. */
const freshPrefix = () => `t${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
const flagsOf = (data: string, prefix: string) => [
  ...['--data', data, '--engine', 'opensearch', '--opensearch', NODES],
  ...['--opensearch-prefix', prefix, '--opensearch-replicas', '0'],
];

describe.skipIf(hasNoCluster)('a server over a cluster', () => {
  test('has its indexes there, whatever becomes of its folder, and says where they are', async () => {
    const [data, prefix] = [folder(), freshPrefix()];
    const first = await ServerProcess.start(flagsOf(data, prefix));
    expect(first.output).toMatch(
      /; indexes on OpenSearch 3\.\d+\.\d+ at http\S+: .+, \d+ nodes?, (green|yellow); data in /,
    );
    expect(await first.ok('POST', '/indexes/Notes-1', { model: 'random/small' })).toMatchObject({ acknowledged: true });
    expect(await first.ok('GET', '/health')).toMatchObject({ backend: { memoryIsAvailable: true } });
    expect((await first.ok('GET', '/indexes/Notes-1/stats')).numberOfDocuments).toBe(0);
    expect((await first.ok('GET', '/indexes/Notes-1/stats')).backend.storageUsedPercentage).toBeGreaterThan(0);
    expect(await first.end()).toBe(0);
    expect(existsSync(join(data, 'indexes'))).toBe(false);

    const second = await ServerProcess.start(flagsOf(folder(), prefix));
    expect((await second.ok('GET', '/indexes')).results).toMatchObject([{ indexName: 'Notes-1' }]);
    await second.ok('DELETE', '/indexes/Notes-1');
    expect((await second.call('GET', '/indexes/Notes-1/stats')).status).toBe(404);
    await second.end();
  });

  test('tells each of its event loops of an index that is gone or another one', async () => {
    const server = await ServerProcess.start([...flagsOf(folder(), freshPrefix()), '--http-threads', '3']);
    // Each call may come to any of the loops, which have connections of their own.
    const vectorsOf = () =>
      Promise.all(
        Array.from({ length: 12 }, async () => {
          const { status, body } = await server.call('POST', '/indexes/a/embed', { content: 'dog' });
          return status === 200 ? body.embeddings[0].length : status;
        }),
      );
    for (const [model, dimensions] of [
      ['random/small', 32],
      ['random/medium', 128],
    ] as const) {
      await server.ok('POST', '/indexes/a', { model });
      expect(await vectorsOf()).toEqual(Array(12).fill(dimensions));
      await server.ok('DELETE', '/indexes/a');
      expect(await vectorsOf()).toEqual(Array(12).fill(404));
    }
    expect(await server.end()).toBe(0);
  });

  test('does not share its folder with another one', async () => {
    const data = folder();
    const first = await ServerProcess.start(flagsOf(data, freshPrefix()));
    const refused = await ServerProcess.refuse(flagsOf(data, freshPrefix()));
    expect(refused.code).toBe(4);
    const embedded = await ServerProcess.refuse(['--data', data]);
    expect(embedded.code).toBe(4);
    await first.end();
  });

  test('is examined by the doctor', async () => {
    const main = fromCli('dist/main.js');
    const doctor = (...flags: string[]) =>
      run(process.execPath, [main, 'doctor', '--json', '--port', '0', '--data', folder(), ...flags]).catch(
        (one) => one,
      );
    const found = async (...flags: string[]) =>
      JSON.parse((await doctor(...flags)).stdout).findings.find((one: any) => one.subject === 'cluster');
    const engine = ['--engine', 'opensearch', '--opensearch'];
    expect(await found(...engine, NODES)).toMatchObject({
      verdict: 'ok',
      found: expect.stringMatching(/^OpenSearch 3/),
    });
    expect(await found(...engine, 'http://127.0.0.1:1')).toMatchObject({ verdict: 'fault' });
    expect(await found()).toBeUndefined();
  });
});

const refusal = (data: string, opensearch: string, ...flags: string[]) =>
  ServerProcess.refuse(['--data', data, '--engine', 'opensearch', '--opensearch', opensearch, ...flags]);

test('a cluster that is away ends the start with exit code 9, and settings that cannot be used with 2', async () => {
  const data = folder();
  const away = await refusal(data, 'http://127.0.0.1:1');
  expect(away.code).toBe(9);
  expect(away.output).toMatch(
    /^pelorus: the cluster of --opensearch cannot be used: [^\n]+ cannot be reached: [^\n]+\n$/,
  );
  const missing = await refusal(data, 'https://127.0.0.1:1', '--opensearch-ca', join(data, 'none.pem'));
  expect(missing.code).toBe(2);
  expect(missing.output).toMatch(/^pelorus: --opensearch-ca names \S+none\.pem, which cannot be read: [^\n]+\n$/);
  writeFileSync(join(data, 'ca.pem'), 'no certificate');
  const wrong = await refusal(data, 'https://127.0.0.1:1', '--opensearch-ca', join(data, 'ca.pem'));
  expect(wrong.output).toMatch(/^pelorus: --opensearch-ca names \S+ca\.pem, which is no file in PEM\n$/);
});

test('a cluster of another program ends the start with exit code 2', async () => {
  const other = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"version": {"distribution": "opensearch", "number": "2.19.1"}}');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const data = folder();
  const refused = await refusal(data, `http://127.0.0.1:${(other.address() as AddressInfo).port}`);
  other.close();
  expect(refused.code).toBe(2);
  expect(refused.output).toContain('OpenSearch 3 or later is needed, and this is opensearch 2.19.1');
  expect(readdirSync(data)).toEqual([]);
});

test('a server of embedded indexes loads no client of a cluster', async () => {
  const loadedBy = async (module: string) => {
    const script = `import { Module } from 'node:module';
      await import(${JSON.stringify(new URL(`../../dist/serve/${module}`, import.meta.url).href)});
      console.log(Object.keys(Module._cache).filter((path) => path.includes('@opensearch-project')).length);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    return Number(stdout);
  };
  expect(await loadedBy('serve.js')).toBe(0);
  expect(await loadedBy('cluster.js')).toBeGreaterThan(0);
});
