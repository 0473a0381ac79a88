import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LoadBalancer } from './load-balancer.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const NODES = process.env.PELORUS_TEST_OPENSEARCH ?? '';
const hasNoCluster = NODES === '';
if (hasNoCluster) console.warn('skipped: several servers over a cluster, which PELORUS_TEST_OPENSEARCH would name');

const folders: string[] = [];
const folder = (): string => {
  const path = emptyFolder('cluster-servers');
  folders.push(path);
  return path;
};
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** A name that no other run has, of which nothing is left after the test. */
function freshPrefix(): string {
  const prefix = `t${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
  onTestFinished(async () => {
    const [node] = NODES.split(',');
    await fetch(`${node}/${prefix}-*,${prefix}.*?ignore_unavailable=true`, { method: 'DELETE' });
  });
  return prefix;
}

const clusterFlags = (prefix: string, nodes = NODES) => [
  ...['--engine', 'opensearch', '--opensearch', nodes],
  ...['--opensearch-prefix', prefix, '--opensearch-replicas', '0'],
];
const startServer = (prefix: string, nodes?: string, ...flags: string[]) =>
  ServerProcess.start(['--data', folder(), ...clusterFlags(prefix, nodes), ...flags]);

/** `pelorus keys`, on a machine that has no server. */
async function keysCommand(prefix: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [MAIN, 'keys', ...args, '--data', folder(), ...clusterFlags(prefix)]);
  return stdout.trim();
}

/** Calls until an answer tells that the call was done: as clients do behind a load balancer. */
async function untilDone(address: string, method: string, path: string, key: string, body?: unknown): Promise<any> {
  for (;;) {
    const response = await fetch(`${address}${path}`, {
      ...{ method, headers: { 'x-api-key': key, 'content-type': 'application/json' } },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    if (![502, 503].includes(response.status)) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The first pages of a scan and of a search, from one server. */
async function begin(server: ServerProcess, key: string) {
  const scan = await server.call('POST', '/indexes/notes/documents/scan', { limit: 2 }, key);
  const search = { q: 'note', searchMethod: 'LEXICAL', withCursor: true, limit: 2 };
  return { scan: scan.body, search: (await server.call('POST', '/indexes/notes/search', search, key)).body };
}

/** The ids of all pages, the first one of which is there. */
async function restOfScan(address: string, key: string, first: any): Promise<string[]> {
  const ids = [];
  for (let page = first; ; ) {
    ids.push(...page.documents.map(({ _id }: any) => _id));
    if (page.cursor === null) return ids;
    page = await untilDone(address, 'POST', '/indexes/notes/documents/scan', key, { cursor: page.cursor, limit: 2 });
  }
}

async function restOfSearch(address: string, key: string, first: any): Promise<string[]> {
  const ids = [];
  for (let page = first; ; ) {
    ids.push(...page.hits.map(({ _id }: any) => _id));
    if (page.cursor === null) return ids;
    page = await untilDone(address, 'POST', '/indexes/notes/search', key, { cursor: page.cursor });
  }
}

describe.skipIf(hasNoCluster)('servers over one cluster', () => {
  test('lose nothing that was acknowledged when one is killed, and have the same keys', async () => {
    const prefix = freshPrefix();
    const boss = await keysCommand(prefix, 'create', 'boss', '--scope', 'admin');
    const servers = await Promise.all([1, 2, 3].map(() => startServer(prefix)));
    const [first, second, third] = servers as [ServerProcess, ServerProcess, ServerProcess];
    const balancer = await LoadBalancer.start(servers.map(({ address }) => address));
    onTestFinished(() => balancer.end());
    const { address } = balancer;
    for (const server of servers) expect((await server.call('GET', '/indexes')).status).toBe(401);

    await untilDone(address, 'POST', '/indexes/notes', boss, { model: 'random/small' });
    const writer = (await first.call('POST', '/api/v2/keys', { name: 'writer', scope: 'read_write' }, boss)).body;
    const knows = async (server: ServerProcess, key: string) =>
      (await server.call('GET', '/indexes/notes/stats', undefined, key)).status;
    for (const server of servers) await expect.poll(() => knows(server, writer.secret)).toBe(200);

    // Acknowledged means that each of them is there whatever becomes of the server that said so.
    const acknowledged: string[] = [];
    const write = async (name: string, count: number) => {
      for (let number = 0; number < count; number += 1) {
        const _id = `${name}-${number}`;
        const documents = [{ _id, title: `note ${number} of ${name}` }];
        const body = { documents, tensorFields: ['title'] };
        const { items } = await untilDone(address, 'POST', '/indexes/notes/documents', writer.secret, body);
        if (items[0].status < 300) acknowledged.push(_id);
      }
    };
    const writing = Promise.all(['a', 'b', 'c'].map((name) => write(name, 8)));
    await vi.waitFor(() => expect(acknowledged.length).toBeGreaterThan(4), { timeout: 540_000, interval: 5 });
    const begun = await begin(second, boss);
    expect(await second.end('SIGKILL')).toBeNull();
    for (const ids of [await restOfScan(address, boss, begun.scan), await restOfSearch(address, boss, begun.search)]) {
      expect(ids.length).toBeGreaterThan(4);
      expect(new Set(ids).size).toBe(ids.length);
    }
    await writing;
    expect(acknowledged).toHaveLength(24);

    const left = [first, third];
    const batch = { documentIds: acknowledged };
    for (const server of left) {
      const { body } = await server.call('POST', '/indexes/notes/documents/get-batch', batch, boss);
      const lost = body.results.filter((one: any) => !one._found);
      expect([body.results.length, lost]).toEqual([24, []]);
    }
    const found = await untilDone(address, 'POST', '/indexes/notes/search', writer.secret, {
      q: 'note 3 of b',
      limit: 24,
    });
    expect(found.hits.map((hit: any) => hit._id)).toContain('b-3');

    // A key that ends on one server ends on all of them, and on those that come after.
    expect((await third.call('DELETE', `/api/v2/keys/${writer.id}`, undefined, boss)).status).toBe(200);
    for (const server of left) await expect.poll(() => knows(server, writer.secret)).toBe(401);
    const fourth = await startServer(prefix);
    expect([await knows(fourth, writer.secret), await knows(fourth, boss)]).toEqual([401, 200]);
    expect(await keysCommand(prefix, 'list')).toContain('boss');
    await Promise.all([first, third, fourth].map((server) => server.end()));
  });

  test('let nobody in while the cluster is away, and go on when it is back', async () => {
    const prefix = freshPrefix();
    const boss = await keysCommand(prefix, 'create', 'boss', '--scope', 'admin');
    const sockets = new Set<Socket>();
    let isAway = false;
    const relay = createServer((socket) => {
      if (isAway) return void socket.destroy();
      const { hostname, port } = new URL(NODES.split(',')[0] as string);
      const node = connect(Number(port), hostname);
      for (const one of [socket, node])
        sockets.add(one.on('error', () => undefined).on('close', () => sockets.delete(one)));
      socket.pipe(node).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    onTestFinished(() => void relay.close());
    const nodes = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    const server = await startServer(prefix, nodes, '--http-threads', '2');
    const statusOf = async (key?: string) => (await server.call('GET', '/indexes', undefined, key)).status;
    expect([await statusOf(boss), await statusOf()]).toEqual([200, 401]);

    isAway = true;
    for (const socket of sockets) socket.destroy();
    const refused = await vi.waitFor(async () => {
      const answer = await server.call('GET', '/api/v2/keys', undefined, boss);
      expect(answer.status).toBe(503);
      return answer.body;
    }, 540_000);
    expect(refused).toMatchObject({ code: 'service_unavailable' });
    // Calls at once come to both event loops.
    const asked = ['a key that is none', ...Array.from({ length: 7 }, () => boss)];
    const search = (key: string) => server.call('POST', '/indexes/none/search', { q: 'x' }, key);
    expect((await Promise.all(asked.map(search))).map(({ status }) => status)).toEqual(asked.map(() => 503));
    expect(await Promise.all(asked.map(statusOf))).toEqual(asked.map(() => 503));
    expect((await server.call('GET', '/health')).body).toMatchObject({ status: 'red', keys: { status: 'red' } });

    isAway = false;
    await vi.waitFor(async () => expect(await statusOf(boss)).toBe(200), 100_000);
    expect(await statusOf('a key that is none')).toBe(401);
    const again = await keysCommand(prefix, 'reset', 'boss');
    // A key that is not known yet is a wrong one, and more than twenty of those at once would be answered 429 below.
    await vi.waitFor(async () => expect(await statusOf(again)).toBe(200), { timeout: 10_000, interval: 1_500 });
    expect((await Promise.all(asked.map(search))).map(({ status }) => status)).toEqual(asked.map(() => 401));
    await server.end();
  });
});
