import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OpenSearchEngine } from '@pelorus/opensearch';
import { afterAll, describe, expect, test } from 'vitest';
import { emptyFolder, ServerProcess } from './server-process.js';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const NODES = process.env.PELORUS_TEST_OPENSEARCH ?? '';
const hasNoCluster = NODES === '';
if (hasNoCluster)
  console.warn('skipped: servers that write to two engines, as PELORUS_TEST_OPENSEARCH names no cluster');

const folder = emptyFolder('dual-write');
const prefix = `t${randomUUID().replaceAll('-', '').slice(0, 12)}`;
const data = ['--data', folder];
const cluster = ['--opensearch', NODES, '--opensearch-prefix', prefix, '--opensearch-replicas', '0'];
const dual = [...data, ...cluster, '--dual-write'];

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (hasNoCluster) return;
  const engine = await OpenSearchEngine.open({ nodes: NODES.split(','), prefix, replicas: 0 });
  for (const index of await engine.listIndexes()) await engine.dropIndex(index);
  await engine.close();
});

/** The index as the command tells of it. */
async function shown(server: ServerProcess): Promise<any> {
  const { stdout } = await run(process.execPath, [MAIN, 'dual-write', 'notes', '--json', '--url', server.address]);
  return JSON.parse(stdout).indexes[0];
}

const searched = (server: ServerProcess, q: string) =>
  server.ok('POST', '/indexes/notes/search', { q, searchMethod: 'LEXICAL', limit: 10 });
const add = (server: ServerProcess, ...documents: object[]) =>
  server.ok('POST', '/indexes/notes/documents', { documents, tensorFields: ['title'] });
const inStep = (server: ServerProcess) =>
  expect.poll(() => server.ok('GET', '/indexes/notes/dual-write')).toMatchObject({ state: 'in_step' });
const count = async (server: ServerProcess) => (await server.ok('GET', '/indexes/notes/stats')).numberOfDocuments;

describe.skipIf(hasNoCluster)('a server', () => {
  test('moves from the data folder to a cluster and back, and no write is lost', async () => {
    const before = await ServerProcess.start(data);
    await before.ok('POST', '/indexes/notes', { model: 'random/small' });
    const titles = Array.from({ length: 40 }, (_, at) => ({ _id: `d${at}`, title: `red ${'ship '.repeat(at % 7)}` }));
    await add(before, ...titles);
    await before.ok('POST', '/indexes/notes/suggestions/queries', { queries: [{ query: 'red ship', popularity: 2 }] });
    expect((await before.call('GET', '/indexes/notes/dual-write')).status).toBe(400);
    await before.end();

    const first = await ServerProcess.start(dual);
    expect(first.output).toContain('indexes on the data folder, copied to OpenSearch 3');
    await add(first, { _id: 'new', title: 'green ship' });
    await first.ok('PATCH', '/indexes/notes/documents', { documents: [{ _id: 'd1', mark: 9007199254740000 }] });
    await first.ok('POST', '/indexes/notes/documents/delete-batch', ['d2']);
    await inStep(first);
    expect(await first.ok('GET', '/indexes/notes/dual-write')).toMatchObject({ documents: { first: 40, second: 40 } });
    expect((await first.call('GET', '/indexes/none/dual-write')).status).toBe(404);
    expect((await first.ok('GET', '/health')).backend.status).toBe('green');
    await expect
      .poll(async () => {
        await searched(first, 'green');
        return (await shown(first)).isAlike;
      })
      .toBe(true);
    expect(await shown(first)).toMatchObject({ indexName: 'notes', searches: { failures: 0, different: [] } });
    await first.end();

    const second = await ServerProcess.start([...dual, '--engine', 'opensearch']);
    expect(second.output).toMatch(/indexes on OpenSearch 3\S+ at \S+ [^\n]*, copied to the data folder/);
    expect(await count(second)).toBe(40);
    expect((await searched(second, 'green')).hits).toMatchObject([{ _id: 'new' }]);
    expect(await second.ok('GET', '/indexes/notes/documents/d1')).toMatchObject({ mark: 9007199254740000 });
    await add(second, { _id: 'later', title: 'blue ship' });
    await inStep(second);
    await second.end();

    const back = await ServerProcess.start(data);
    expect(await count(back)).toBe(41);
    expect((await searched(back, 'blue')).hits).toMatchObject([{ _id: 'later' }]);
    const suggested = await back.ok('POST', '/indexes/notes/suggestions', { q: 're' });
    expect(suggested.suggestions).toMatchObject([{ suggestion: 'red ship' }]);
    await add(back, { _id: 'alone', title: 'one engine alone has this' });
    await back.end();

    // The list of indexes in step went with the start before, and a killed server leaves none.
    const killed = await ServerProcess.start(dual);
    await inStep(killed);
    await add(killed, { _id: 'last', title: 'last' });
    await killed.end('SIGKILL');
    const again = await ServerProcess.start(dual);
    await inStep(again);
    expect(await again.ok('GET', '/indexes/notes/dual-write')).toMatchObject({ documents: { first: 43, second: 43 } });
    expect(await again.ok('POST', '/indexes/notes/dual-write')).toEqual({ acknowledged: true });
    await inStep(again);
    expect(await again.end()).toBe(0);
  });
});
