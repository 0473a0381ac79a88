import type { IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenSearchEngine, SharedRecords } from '../src/index.js';
import { indexBody } from '../src/mapping.js';
import { definition } from './fixtures.js';
import { answerWith, node, pathOf, refusalOf } from './loopback-node.js';

/** An engine over a node that answers to anything but its own description with this. */
async function over(status: number, type: string, reason?: string): Promise<OpenSearchEngine> {
  const url = await node((request, response) => {
    const isGreeting = request.url === '/';
    answerWith(response, isGreeting ? {} : refusalOf(type, reason), isGreeting ? 200 : status);
  });
  return opened(url);
}

async function opened(...nodes: string[]): Promise<OpenSearchEngine> {
  const engine = await OpenSearchEngine.open({ nodes });
  onTestFinished(() => engine.close());
  return engine;
}

/** The codes of errors, by the status and the kind of the cluster's. */
const CODES = [
  [429, 'opensearch_rejected_execution_exception', 'too_many_requests'],
  [503, 'rejected_execution_exception', 'too_many_requests'],
  [429, 'circuit_breaking_exception', 'too_many_requests'],
  [500, 'circuit_breaking_exception', 'too_many_requests'],
  [429, 'cluster_block_exception', 'insufficient_storage'],
  [403, 'cluster_block_exception', 'insufficient_storage'],
  [403, 'security_exception', 'server_configuration_error'],
  [401, 'security_exception', 'server_configuration_error'],
  [503, 'cluster_manager_not_discovered_exception', 'service_unavailable'],
  [503, 'unavailable_shards_exception', 'service_unavailable'],
  [500, 'node_not_connected_exception', 'service_unavailable'],
  [500, 'node_disconnected_exception', 'service_unavailable'],
  [500, 'node_closed_exception', 'service_unavailable'],
  [504, 'gateway_timeout', 'service_unavailable'],
  [503, 'process_cluster_event_timeout_exception', 'service_unavailable'],
  [400, 'illegal_argument_exception', 'internal'],
] as const;

describe('errors of a cluster', () => {
  // At once: calls that may pass are sent again for two seconds.
  it('have the codes of ours', async () => {
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => 'none',
        (error) => error.code,
      );
    const told = await Promise.all(
      CODES.map(async ([status, type]) => {
        const engine = await over(status, type);
        return Promise.all([codeOf(engine.listIndexes()), codeOf(engine.createIndex('a', definition))]);
      }),
    );
    const shown = told.map((codes, at) => [CODES[at]?.[0], CODES[at]?.[1], ...codes]);
    expect(shown).toEqual(CODES.map(([status, type, code]) => [status, type, code, code]));
  });

  it.each([
    [429, 'index [a] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded];', 'insufficient_storage', /disk .* full/],
    [403, 'index [a] blocked by: [FORBIDDEN/5/index read-only (api)];', 'service_unavailable', /operator/],
    [403, 'index [a] blocked by: [FORBIDDEN/8/index write (api)];', 'service_unavailable', /operator/],
    [503, 'blocked by: [SERVICE_UNAVAILABLE/2/no cluster-manager];', 'service_unavailable', /no manager/],
  ])('a block, %i of %s, is told in our words', async (status, reason, code, message) => {
    const engine = await over(status, 'cluster_block_exception', reason);
    await expect(engine.listIndexes()).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('there is no engine where no node answers', async () => {
    const silent = await node((request) => void request);
    const timedOut = OpenSearchEngine.open({ nodes: [silent], timeoutMs: 100 });
    await expect(timedOut).rejects.toMatchObject({ code: 'service_unavailable' });
    const closed = OpenSearchEngine.open({ nodes: ['http://127.0.0.1:1'] });
    await expect(closed).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('a call goes to another node where one is gone', async () => {
    const alive = await node((request, response) =>
      answerWith(response, request.url === '/' ? {} : ([{ index: 'pelorus-a.v2.1', health: 'green' }] as object)),
    );
    const engine = await opened('http://127.0.0.1:1', alive);
    for (let call = 0; call < 4; call++) expect(await engine.listIndexes()).toEqual(['a']);
  });
});

/** A node whose answers to calls of one method are lost once each, though it acts on them; it keeps one index. */
async function losing(method: string) {
  let kept: object | undefined;
  let lost = 0;
  const url = await node(async (request, response) => {
    const path = pathOf(request);
    if (path === '/') return answerWith(response, {});
    if (path === '/pelorus-a' && request.method === 'GET')
      return answerWith(response, kept === undefined ? {} : { 'pelorus-a.v2.1': kept }, kept === undefined ? 404 : 200);
    if (request.method === 'PUT') {
      if (kept !== undefined && lost > 0)
        return answerWith(response, refusalOf('resource_already_exists_exception'), 400);
      kept = await bodyOf(request);
    } else if (request.method === 'DELETE') {
      if (kept === undefined) return answerWith(response, refusalOf('index_not_found_exception'), 404);
      kept = undefined;
    } else return answerWith(response, {});
    if (request.method === method && lost++ === 0) request.socket.destroy();
    else answerWith(response, {});
  });
  return opened(url);
}

async function bodyOf(request: IncomingMessage): Promise<object> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe('a change whose answer was lost', () => {
  it('creates the index, and is none of another', async () => {
    const engine = await losing('PUT');
    await engine.createIndex('a', definition);
    await expect(engine.createIndex('a', definition)).rejects.toMatchObject({ code: 'index_already_exists' });
  });

  it('drops the index', async () => {
    const engine = await losing('DELETE');
    await engine.createIndex('a', definition);
    await engine.dropIndex('a');
    await expect(engine.dropIndex('a')).rejects.toMatchObject({ code: 'index_not_found' });
  });
});

it('a record whose answer was lost is replaced once', async () => {
  let kept: { stamp?: string } = {};
  let writes = 0;
  const url = await node(async (request, response) => {
    if (request.method === 'GET') {
      const known = { number_of_nodes: 1, status: 'green', cluster_name: 'a', nodes: {} };
      const version = { distribution: 'opensearch', number: '3.5.0' };
      return answerWith(response, { ...known, version, found: true, _seq_no: writes, _primary_term: 1, _source: kept });
    }
    writes += 1;
    if (writes > 1) return answerWith(response, refusalOf('version_conflict_engine_exception'), 409);
    kept = await bodyOf(request);
    request.socket.destroy();
  });
  const records = await SharedRecords.openKeys({ nodes: [url] });
  onTestFinished(() => records.close());
  const record = records.record('keys');
  expect(await record.replace({ a: 1 }, undefined)).toBe(await record.version());
  expect(await record.replace({ a: 2 }, undefined)).toBeUndefined();
});

it.each([
  ['older', 1, 'export it with that one'],
  ['newer', 4, 'newer version'],
])('an index of an %s version is listed, and read by nobody', async (_about, version, words) => {
  const { mappings } = indexBody('a', 'id-1', definition, 'pelorus-a', { shards: 1, replicas: 0 });
  const physical = `pelorus-a.v${version}.1`;
  const url = await node((request, response) => {
    const rows = [{ index: physical, health: 'green' }];
    answerWith(response, pathOf(request) === '/pelorus-a' ? { [physical]: { mappings } } : rows);
  });
  const engine = await opened(url);
  expect(await engine.listIndexes()).toEqual(['a']);
  const told = { code: 'backend_data_parsing_error', message: expect.stringContaining(words) };
  await expect(engine.definition('a')).rejects.toMatchObject(told);
});

it('a definition in memory serves while the cluster has no manager', async () => {
  const { mappings } = indexBody('a', 'id-1', definition, 'pelorus-a', { shards: 1, replicas: 0 });
  let hasManager = true;
  const url = await node((request, response) => {
    if (request.url === '/' || hasManager) return answerWith(response, { 'pelorus-a.v2.1': { mappings } });
    answerWith(response, refusalOf('cluster_manager_not_discovered_exception'), 503);
  });
  const engine = await opened(url);
  const first = await engine.definition('a');
  hasManager = false;
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await engine.definition('a')).toBe(first);
  await expect(engine.definition('b')).rejects.toMatchObject({ code: 'service_unavailable' });
});
