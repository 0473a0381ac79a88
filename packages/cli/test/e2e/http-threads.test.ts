import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ServerProcess } from './server-process.js';

const THREADS = 3;
const ADMIN = 'an-admin-key-of-24-characters-and-more';
const MEBIBYTE = 1024 * 1024;

interface Reply {
  readonly status: number;
  readonly body: any;
}

/** A connection that is kept, and so is one thread's. */
class Connection {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(server: ServerProcess) {
    this.#port = Number(new URL(server.address).port);
  }

  /** Sends the head of a request; its body is to follow. */
  begin(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): ClientRequest {
    const all = { 'content-type': 'application/json', 'x-api-key': ADMIN, ...headers };
    return request({ host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path, headers: all });
  }

  async call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const text = body === undefined ? '' : JSON.stringify(body);
    const sent = this.begin(method, path, { 'content-length': Buffer.byteLength(text), ...headers });
    const answered = replyOf(sent);
    sent.end(text);
    return answered;
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function replyOf(sent: ClientRequest): Promise<Reply> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = await response.toArray();
  const text = Buffer.concat(chunks).toString('utf8');
  const isJson = response.headers['content-type']?.startsWith('application/json');
  return { status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : text };
}

/** The thread that a connection is of, by the log line of a request that it answers itself. */
async function threadOf(server: ServerProcess, connection: Connection): Promise<number> {
  const id = randomUUID();
  await connection.call('POST', '/indexes/notes/search', { q: 'note' }, { 'x-request-id': id });
  await server.waitFor(new RegExp(`"reqId":"${id}"`));
  const line = server.output.split('\n').find((line) => line.includes(id)) ?? '{}';
  return JSON.parse(line).httpThread ?? 1;
}

/** A connection to each thread. Which of them gets one is up to the system. */
async function connectionsOf(server: ServerProcess): Promise<Connection[]> {
  const found = new Map<number, Connection>();
  while (found.size < THREADS) {
    const connection = new Connection(server);
    const thread = await threadOf(server, connection);
    if (found.has(thread)) connection.close();
    else found.set(thread, connection);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, connection]) => connection);
}

async function start(more: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const data = await mkdtemp(join(tmpdir(), 'pelorus-threads-'));
  const args = ['--data', data, '--http-threads', String(THREADS), '--log-level', 'debug', ...more];
  const server = await ServerProcess.start(args, { env: { PELORUS_ADMIN_KEY: ADMIN, ...env } });
  await server.call('POST', '/indexes/notes', { model: 'random/small' });
  return server;
}

describe.runIf(process.platform === 'linux')('a server of several HTTP threads', () => {
  let server: ServerProcess;
  let all: Connection[];
  beforeAll(async () => {
    server = await start(['--max-memory', '1GiB', '--slow-write-ms', '1']);
    all = await connectionsOf(server);
  });
  afterAll(async () => {
    for (const connection of all) connection.close();
    expect(await server.end()).toBe(0);
  });

  it('shows on every thread what any of them wrote, and answers the same', async () => {
    for (const [at, connection] of all.entries()) {
      const documents = [{ _id: `d${at}`, title: `note ${at}` }];
      const added = await connection.call('POST', '/indexes/notes/documents', { documents, tensorFields: ['title'] });
      expect(added).toMatchObject({ status: 200, body: { errors: false } });
      for (const other of all) {
        expect((await other.call('GET', `/indexes/notes/documents/d${at}`)).body).toMatchObject(documents[0] ?? {});
      }
    }
    const query = { q: 'note 1', limit: 3 };
    const answers = await Promise.all(all.map((one) => one.call('POST', '/indexes/notes/search', query)));
    expect(answers[0]?.body.hits).toHaveLength(3);
    for (const { body } of answers) expect(body.hits).toEqual(answers[0]?.body.hits);
  });

  it('goes on with a cursor on any thread, and passes on what the first alone answers', async () => {
    const begun = await all[1]?.call('POST', '/indexes/notes/search', { q: 'note', limit: 1, withCursor: true });
    const cursor: string = begun?.body.cursor;
    for (const connection of all) {
      const next = await connection.call('POST', '/indexes/notes/search', { cursor });
      expect(next).toMatchObject({ status: 200, body: { offset: 1, limit: 1 } });
      const both = {
        queries: [
          { indexName: 'notes', cursor },
          { indexName: 'notes', q: 'note' },
        ],
      };
      const several = await connection.call('POST', '/multi-search', both);
      expect(several.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
    }
    const other = { cursor: `${randomUUID()}.1` };
    const told = await Promise.all(all.map((one) => one.call('POST', '/indexes/notes/search', other)));
    for (const { status, body } of told) expect([status, body.message]).toEqual([400, told[0]?.body.message]);
    const figures = await Promise.all(all.map((one) => one.call('GET', '/indexes/notes/stats?telemetry=true')));
    for (const { body } of figures) expect(body.numberOfDocuments).toBe(THREADS);
  });

  it('has one definition of an index: it is there, changed and gone for all at once', async () => {
    for (const [at, maker] of all.entries()) {
      const name = `made${at}`;
      expect((await maker.call('POST', `/indexes/${name}`, { model: 'random/small' })).status).toBe(200);
      const search = () => Promise.all(all.map((one) => one.call('POST', `/indexes/${name}/search`, { q: 'a' })));
      for (const { status } of await search()) expect(status).toBe(200);
      expect((await maker.call('DELETE', `/indexes/${name}`)).status).toBe(200);
      for (const { body } of await search()) expect(body.code).toBe('index_not_found');
    }
  });

  it('takes a key on every thread once it is made, and on none once its revocation is answered', async () => {
    for (const [at, maker] of all.entries()) {
      const made = await maker.call('POST', '/api/v2/keys', { name: `key ${at}`, scope: 'read' });
      const { id, secret } = made.body;
      const search = () =>
        Promise.all(all.map((one) => one.call('POST', '/indexes/notes/search', { q: 'a' }, { 'x-api-key': secret })));
      for (const { status } of await search()) expect(status).toBe(200);
      const used = await maker.call('GET', '/api/v2/keys');
      expect(used.body.results.find((key: { id: string }) => key.id === id).lastUsedAt).not.toBeNull();
      expect((await maker.call('DELETE', `/api/v2/keys/${id}`)).status).toBe(200);
      for (const { body } of await search()) expect(body.code).toBe('invalid_api_key');
    }
  });

  it('tells how busy each of them is', async () => {
    for (const connection of all) {
      const { body } = await connection.call('GET', '/device/cpu');
      expect(body.http_threads.map(({ thread }: { thread: number }) => thread)).toEqual([1, 2, 3]);
      for (const { busy_percent } of body.http_threads) expect(busy_percent).toMatch(/^\d+\.\d %$/);
      expect(body.process_cpu_percent).toMatch(/^\d+\.\d %$/);
    }
  });

  it('has one count of requests in its metrics, whichever thread answers', async () => {
    for (const connection of all) await connection.call('POST', '/indexes/notes/search', { q: 'counted' });
    const texts = await Promise.all(all.map(async (one) => String((await one.call('GET', '/metrics')).body)));
    const counts = texts.map(
      (text) => /^pelorus_requests_total\{operation="search",status="200"\} (\d+)$/m.exec(text)?.[1],
    );
    expect(Number(counts[0])).toBeGreaterThanOrEqual(all.length);
    expect(new Set(counts).size).toBe(1);
  });

  it('lists slow requests of all of them', async () => {
    const documents = Array.from({ length: 100 }, (_, at) => ({ _id: `slow${at}`, title: `slow ${at}` }));
    const asked = { documents, tensorFields: ['title'] };
    for (const connection of all) {
      for (let isListed = false; !isListed; ) {
        const id = randomUUID();
        await connection.call('POST', '/indexes/notes/documents', asked, { 'x-request-id': id });
        const { body } = await connection.call('GET', '/slow-requests');
        isListed = body.slowRequests.some(({ requestId }: { requestId: string }) => requestId === id);
      }
    }
    await all[0]?.call(
      'POST',
      '/indexes/notes/documents/delete-batch',
      documents.map(({ _id }) => _id),
    );
  });

  it('counts the bytes of bodies of all threads together', async () => {
    // Large bodies may have 48 MiB of a GiB, and those of one key 36 MiB.
    const path = '/indexes/notes/documents';
    const holding = all[2]?.begin('POST', path, { 'content-length': 31 * MEBIBYTE });
    holding?.on('error', () => undefined);
    holding?.write('{"documents": [');
    const asked = { documents: [{ _id: 'large', title: 'x'.repeat(6 * MEBIBYTE) }], tensorFields: [] };
    for (const connection of all.slice(0, 2)) {
      let told = await connection.call('POST', path, asked);
      // Until the head of the other has come.
      while (told.status === 200) told = await connection.call('POST', path, asked);
      expect(told).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    }
    holding?.destroy();
    let again = await all[0]?.call('POST', path, asked);
    while (again?.status === 429) again = await all[0]?.call('POST', path, asked);
    expect(again?.status).toBe(200);
  });

  it('takes a body that fills its budget on any thread, also where the first makes an index for it', async () => {
    // More than half of the bytes of a key, which would not fit twice.
    const list = [{ _id: 'large', title: 'x'.repeat(20 * MEBIBYTE) }];
    for (const [at, connection] of all.entries()) {
      const path = `/indexes/large${at}/documents?non_tensor_fields=title`;
      const told = await connection.call('POST', path, list);
      expect(told).toMatchObject({ status: 200, body: { items: [{ _id: 'large' }] } });
      expect((await connection.call('GET', `/indexes/large${at}/stats`)).status).toBe(200);
    }
  });

  it('counts attempts with bad keys where all come together', async () => {
    const attempts: number[] = [];
    for (let attempt = 0; attempt < 30; attempt += 1) {
      const told = await all[attempt % THREADS]?.call(
        'POST',
        '/indexes/notes/search',
        { q: 'a' },
        { 'x-api-key': 'no' },
      );
      attempts.push(told?.status ?? 0);
    }
    expect(attempts.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(attempts).toContain(429);
  });
});

describe.runIf(process.platform === 'linux')('the end of a server of several HTTP threads', () => {
  it('answers what is under way on every thread', async () => {
    const server = await start();
    const all = await connectionsOf(server);
    const body = JSON.stringify({ documents: [{ _id: 'last', title: 'note' }], tensorFields: ['title'] });
    const under = all.map((connection) => {
      const headers = { 'content-length': body.length, expect: '100-continue' };
      const sent = connection.begin('POST', '/indexes/notes/documents', headers);
      const answered = replyOf(sent);
      sent.flushHeaders();
      return { sent, answered };
    });
    // Each thread has the head of its request.
    await Promise.all(under.map(({ sent }) => once(sent, 'continue')));
    server.signal('SIGTERM');
    await server.waitFor(/finishing what is under way/);
    for (const { sent } of under) sent.end(body);
    for (const { answered } of under) expect(await answered).toMatchObject({ status: 200, body: { errors: false } });
    for (const connection of all) connection.close();
    expect(await server.exited()).toBe(0);
  });

  it('comes also where it is asked for before all of them are there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pelorus-threads-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [module, sign] = [join(folder, 'late.mjs'), join(folder, 'sign')];
    await writeFile(
      module,
      `import { existsSync } from 'node:fs';
       import { setTimeout } from 'node:timers/promises';
       import { isMainThread, workerData } from 'node:worker_threads';
       while (!isMainThread && workerData?.number === 2 && !existsSync(${JSON.stringify(sign)})) await setTimeout(10);`,
    );
    const server = await ServerProcess.start(['--data', join(folder, 'data'), '--http-threads', String(THREADS)], {
      env: { NODE_OPTIONS: `--import=file://${module}` },
      until: /Server listening at/,
    });
    server.signal('SIGTERM');
    await server.waitFor(/finishing what is under way/);
    await writeFile(sign, '');
    expect(await server.exited()).toBe(0);
  });

  /** A server whose second thread does something once it is told. */
  async function startWithFault(fault: string, more: readonly string[] = []) {
    const folder = await mkdtemp(join(tmpdir(), 'pelorus-threads-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [module, sign] = [join(folder, 'fault.mjs'), join(folder, 'sign')];
    await writeFile(
      module,
      `import { existsSync } from 'node:fs';
       import { isMainThread, workerData } from 'node:worker_threads';
       const look = () => { if (existsSync(${JSON.stringify(sign)})) ${fault} };
       if (!isMainThread && workerData?.number === 2) setInterval(look, 10).unref();`,
    );
    const server = await start(more, { NODE_OPTIONS: `--import=file://${module}` });
    return { server, tell: () => writeFile(sign, '') };
  }

  it('comes when one of them is lost, and is told', async () => {
    const { server, tell } = await startWithFault("throw new Error('a thread that is lost');");
    await tell();
    expect(await server.exited()).toBe(1);
    expect(server.output).toMatch(/HTTP thread 2 is gone: Error: a thread that is lost.*the server stops/);
  });

  it('comes when one of them hangs, after health has told of it', { timeout: 180_000 }, async () => {
    const { server, tell } = await startWithFault('for (;;);', ['--http-hang-seconds', '20']);
    const all = await connectionsOf(server);
    const health = async () => (await all[0]?.call('GET', '/health'))?.body;
    expect(await health()).toMatchObject({ status: 'green' });
    await tell();
    let told = await health();
    while (told.http === undefined) {
      await setTimeout(100);
      told = await health();
    }
    const reasons = [expect.stringMatching(/^HTTP thread 2 has not turned for \d+ s\.$/)];
    expect(told).toMatchObject({ status: 'yellow', http: { status: 'yellow', reasons } });
    // The others answer, until they are stopped in good order.
    expect((await all[2]?.call('POST', '/indexes/notes/search', { q: 'a' }))?.status).toBe(200);
    expect(await server.exited()).toBe(1);
    for (const connection of all) connection.close();
    expect(server.output).toMatch(/"msg":"[^"]*HTTP thread 2 has not turned for 5 s/);
    expect(server.output).toMatch(/HTTP thread 2 is gone: HTTP thread 2 has not turned for \d+ s; the server stops/);
  });
});
