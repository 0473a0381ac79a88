import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { blocks } from './page.js';
import { emptyFolder, freePort, ServerProcess } from './server-process.js';
import { startProcess } from './start-process.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const LONG = `The harbour. ${'Ships lie at anchor in the bay. '.repeat(1000)}`;

let server: ServerProcess;
const data = emptyFolder('mcp');
beforeAll(async () => {
  server = await ServerProcess.start(['--data', data]);
  await server.ok('POST', '/indexes/notes', { model: 'random/small' });
  await server.ok('POST', '/indexes/long', { model: 'random/small' });
  const documents = [
    { _id: '1', title: 'Puncture', text: 'Patch the inner tube.', minutes: 20 },
    { _id: '2', title: 'Tomatoes', text: 'Water at the root.', minutes: 15 },
  ];
  await server.ok('POST', '/indexes/notes/documents', { documents, tensorFields: ['text'] });
  // An integer with more digits than JavaScript keeps.
  const big = '{"documents": [{"_id": "big", "text": "One number.", "count": 9007199254740993}], "tensorFields": []}';
  await fetch(`${server.address}/indexes/notes/documents`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: big },
  });
  const many = Array.from({ length: 30 }, (_, i) => ({ _id: `${i}`, text: LONG, place: i }));
  const added = await server.ok('POST', '/indexes/long/documents', { documents: many, tensorFields: [] });
  expect(added.errors).toBe(false);
});
afterAll(async () => {
  await server.end();
  rmSync(data, { recursive: true, force: true });
});

const clients: Client[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const one of servers.splice(0)) one.close().closeAllConnections();
});

/** A client of the command, as an agent's configuration starts it. */
async function agent(words: string[] = [], url = server.address, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  clients.push(client);
  const env = { ...(process.env as Record<string, string>), PELORUS_URL: url };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', ...words], env, stderr: 'ignore' }),
  );
  return client;
}

interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly value: any;
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}): Promise<Told> {
  const { isError = false, content, structuredContent } = (await client.callTool({ name, arguments: given })) as any;
  expect(content).toHaveLength(1);
  if (!isError) expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  return { isError, text: content[0].text, value: structuredContent };
}

/** A server that is none of ours. */
async function serve(answer: (request: IncomingMessage) => void): Promise<string> {
  const one = createServer(answer).listen(0, '127.0.0.1');
  servers.push(one);
  await once(one, 'listening');
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
}

describe.each(['legacy', 'auto'] as const)('an agent whose versions are %s', (mode) => {
  test('lists the tools, finds an index, adds documents, searches and gets them', async () => {
    const client = await agent([], server.address, mode);
    expect(client.getServerVersion()).toMatchObject({ name: 'pelorus' });
    expect(client.getInstructions()).toContain('indexes of documents');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search', 'get', 'list', 'add']);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description?.length).toBeGreaterThan(40);
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object']);
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), openWorldHint: false });
    }
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    expect(writing.map(({ name, annotations }) => [name, annotations?.destructiveHint])).toEqual([['add', true]]);

    const { indexes } = (await call(client, 'list')).value;
    expect(indexes).toContainEqual(
      expect.objectContaining({ name: 'notes', model: 'random/small', type: 'unstructured' }),
    );

    const documents = [
      { _id: `${mode}-a`, title: 'Sourdough', text: `Feed the starter of ${mode}.`, minutes: 90 },
      { _id: `${mode}-b`, title: { a: { b: 1 } } },
    ];
    const added = (await call(client, 'add', { index: 'notes', documents })).value;
    expect(added).toMatchObject({ stored: 1, ids: [`${mode}-a`], tensorFields: ['text'] });
    expect(added.failures).toEqual([{ _id: `${mode}-b`, message: expect.stringContaining('title') }]);

    const given = { index: 'notes', query: `starter ${mode}`, method: 'lexical', limit: 1 };
    const found = (await call(client, 'search', given)).value;
    expect(found.hits).toEqual([expect.objectContaining({ _id: `${mode}-a`, title: 'Sourdough' })]);
    expect(found.hits[0]._lexicalHighlights.text[0]).toContain(`**starter** of **${mode}**`);
    const few = { index: 'notes', query: 'garden', filter: 'minutes:[* TO 15]', attributesToRetrieve: ['title'] };
    const [hit, ...others] = (await call(client, 'search', few)).value.hits;
    expect([hit, others]).toEqual([expect.objectContaining({ _id: '2', title: 'Tomatoes' }), []]);
    expect(hit.text).toBeUndefined();

    const got = (await call(client, 'get', { index: 'notes', ids: ['1', 'nobody'] })).value;
    expect(got).toEqual({
      documents: [{ _id: '1', title: 'Puncture', text: 'Patch the inner tube.', minutes: 20 }],
      notFound: ['nobody'],
    });
  });
});

test('the settings of a client on the page start it', async () => {
  const [settings = ''] = blocks('docs/mcp.md', 'json');
  const { command, args, env } = JSON.parse(settings).mcpServers.pelorus;
  expect([command, args.slice(0, 2)]).toEqual(['npx', ['-y', 'pelorus']]);
  const words = args.slice(3).map((word: string) => word.replace('http://127.0.0.1:8882', server.address));
  for (const [name, value] of Object.entries(env)) expect([name, value]).toEqual(['PELORUS_API_KEY', '']);
  const client = await agent(words, 'http://127.0.0.1:9');
  expect((await call(client, 'list')).value.indexes).toHaveLength(2);
});

test('the settings of indexes are resources', async () => {
  const client = await agent();
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri).sort()).toEqual(['pelorus://indexes/long', 'pelorus://indexes/notes']);
  const { contents } = await client.readResource({ uri: 'pelorus://indexes/notes' });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
    index: { indexName: 'notes', settings: { model: 'random/small' } },
    stats: { numberOfDocuments: expect.any(Number) },
  });
  await expect(client.readResource({ uri: 'pelorus://indexes/nowhere' })).rejects.toThrow('nowhere not found');
});

test('one index is searched without its name, and nothing else is seen', async () => {
  const client = await agent(['--index', 'notes', '--read-only']);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search', 'get', 'list']);
  for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty('index');
  expect((await call(client, 'list')).value.indexes).toEqual([expect.objectContaining({ name: 'notes' })]);
  expect((await call(client, 'get', { ids: ['2'] })).value.documents).toHaveLength(1);
  expect(await call(client, 'get', { ids: ['2'], index: 'long' })).toMatchObject({ isError: true });
  await expect(client.callTool({ name: 'add', arguments: { documents: [{ text: 'x' }] } })).rejects.toThrow('add');
  await expect(client.readResource({ uri: 'pelorus://indexes/long' })).rejects.toThrow();
  expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['notes']);
});

test('an integer arrives with all of its digits', async () => {
  const client = await agent();
  const [only] = ((await client.callTool({ name: 'get', arguments: { index: 'notes', ids: ['big'] } })) as any).content;
  expect(only.text).toContain('"count":9007199254740993}');
});

test('long documents do not flood an agent: texts are cut where they say so, and what is left out is told', async () => {
  const client = await agent();
  const search = await call(client, 'search', { index: 'long', query: 'ships', method: 'lexical', limit: 30 });
  expect(search.text.length).toBeLessThan(33 * 1024);
  expect(search.value.note).toMatch(/^To keep this answer short, long texts .*: ask for fewer hits/);
  expect(search.value.hits[0].text).toMatch(/^The harbour.*… \d+ characters in all$/s);
  const some = { index: 'long', query: 'ships', method: 'lexical', limit: 30, attributesToRetrieve: ['place'] };
  expect((await call(client, 'search', some)).value.hits).toHaveLength(30);
  const got = await call(client, 'get', { index: 'long', ids: ['3'] });
  expect(got.text.length).toBeLessThan(33 * 1024);
  expect(got.value.documents[0]).toMatchObject({ _id: '3', place: 3 });
  const ids = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(2000, 'x'));
  const missed = await call(client, 'get', { index: 'long', ids });
  expect(missed.text.length).toBeLessThan(33 * 1024);
  expect(missed.value.notFound).toEqual(ids.slice(0, missed.value.notFound.length));
  expect(missed.value.note).toContain(`the last ${100 - missed.value.notFound.length} are left out`);
});

describe('a failure is an answer in one sentence', () => {
  test.each([
    ['an index that is not there', 'search', { index: 'nowhere', query: 'x' }, /nowhere not found.*the tool list/],
    ['a filter that is none', 'search', { index: 'notes', query: 'x', filter: 'minutes:[' }, /filter: minutes:\[/],
    ['a limit that is too high', 'search', { index: 'notes', query: 'x', limit: 5000 }, /limit must be <= 50/],
    ['no query', 'search', { index: 'notes' }, /query/],
    [
      'a name that leads elsewhere',
      'search',
      { index: '..', query: 'x' },
      /^The index is "\.\.", but must have a name/,
    ],
    ['a parameter that is none', 'search', { index: 'notes', query: 'x', top: 3 }, /additional properties/],
    ['no document stored', 'add', { index: 'notes', documents: [{ _id: 7 }] }, /^The document was not stored: /],
    ['more documents than one call takes', 'add', { index: 'notes', documents: Array(101).fill({}) }, /100/],
  ])('%s', async (_, name, given, sentence) => {
    const client = await agent();
    const told = await call(client, name, given);
    expect(told).toMatchObject({ isError: true, text: expect.stringMatching(sentence) });
    expect(told.text).not.toContain('\n');
    expect(told.text.length).toBeLessThan(1200);
  });

  test('a server that is not there, which was not asked before', async () => {
    const client = await agent([], `http://127.0.0.1:${await freePort()}`);
    expect((await client.listTools()).tools).toHaveLength(4);
    for (const name of ['search', 'get', 'add']) {
      const told = await call(client, name, { index: 'notes', query: 'x', ids: ['1'], documents: [{ a: 'b' }] });
      expect(told.isError).toBe(true);
    }
    expect(await call(client, 'list')).toMatchObject({
      ...{ isError: true, text: expect.stringMatching(/^No server answers at .*: start one with `pelorus serve`/) },
    });
    await expect(client.listResources()).rejects.toThrow('No server answers');
  });

  test('an answer that is none of ours', async () => {
    const url = await serve(() => {});
    servers[0]?.on('request', (_, response) => response.end('\u001b[31m<html>'));
    const told = await call(await agent([], url), 'list');
    expect(told).toMatchObject({ isError: true, text: expect.stringContaining('no JSON object') });
    expect(told.text).not.toContain('\u001b');
  });
});

test('a call that is cancelled ends its request to the server', async () => {
  const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const url = await serve((request) => {
    request.socket.once('close', () => ended.resolve());
    asked.resolve();
  });
  const client = await agent([], url);
  const given = { name: 'search', arguments: { index: 'notes', query: 'x' } };
  const stop = new AbortController();
  const calling = client.callTool(given, { signal: stop.signal });
  const outcome = expect(calling).rejects.toThrow();
  await asked.promise;
  stop.abort();
  await outcome;
  await ended.promise;
});

/** The command with its standard input and output in our hands. */
function started(words: string[] = [], url = server.address) {
  const child = startProcess(process.execPath, [MAIN, 'mcp', '--url', url, ...words], { stdio: 'pipe' });
  let [out, said] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  // A process that has ended takes no more input.
  child.stdin?.on('error', () => {});
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out, said }));
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(out) && !pattern.test(said)) {
      if (child.exitCode !== null) throw new Error(`it ended before ${pattern}: ${out}${said}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return { child, ended, until, write: (text: string | Buffer) => child.stdin?.write(text) };
}

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const INITIALIZE = line({
  ...{ id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});
const LIST = (id: number) => line({ id, method: 'tools/list' });

describe('standard input', () => {
  test('at its end ends the process with 0, after the answers to what was received', async () => {
    const idle = started();
    idle.child.stdin?.end();
    expect(await idle.ended).toMatchObject({ code: 0, out: '' });

    const piped = started();
    const given = { name: 'get', arguments: { index: 'notes', ids: ['1'] } };
    const calls = Array.from({ length: 100 }, (_, i) => line({ id: i + 1, method: 'tools/call', params: given }));
    // The last line may have no end.
    piped.child.stdin?.end(`${INITIALIZE}${calls.join('')}`.trimEnd());
    const { code, out } = await piped.ended;
    const answers = out
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(code).toBe(0);
    expect(answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual(Array.from({ length: 101 }, (_, i) => i));
    expect(answers.find(({ id }) => id === 100).result.structuredContent).toBeDefined();
  });

  test('at its end waits for no call that was cancelled, nor after a signal', async () => {
    const asked = Promise.withResolvers<void>();
    const url = await serve(() => asked.resolve());
    const call = line({ id: 1, method: 'tools/call', params: { name: 'list', arguments: {} } });
    const cancelled = started([], url);
    cancelled.write(`${INITIALIZE}${call}`);
    await asked.promise;
    cancelled.child.stdin?.end(line({ method: 'notifications/cancelled', params: { requestId: 1 } }));
    expect((await cancelled.ended).code).toBe(0);

    const waiting = started([], url);
    waiting.child.stdin?.end(`${INITIALIZE}${call}`);
    await waiting.until(/"id":0/);
    waiting.child.kill('SIGTERM');
    expect((await waiting.ended).code).toBe(0);
  });

  test('is passed over where a line is no message, and standard output has messages alone', async () => {
    const { child, ended, until, write } = started();
    write(INITIALIZE);
    await until(/"id":0/);
    const seed = 20_261_126;
    let state = seed;
    const next = (max: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * max);
    };
    const whole = line({ id: 7, method: 'tools/call', params: { name: 'list', arguments: {} } });
    const broken = ['null', '[]', '{}', '""', '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":{},"method":1}', '', '\r'];
    for (const one of broken) write(`${one}\n`);
    write(line({ id: 8, method: 'tools/call', params: [] }));
    write(line({ id: 9, method: 'tools/call', params: { name: 'search', arguments: { index: [], query: {} } } }));
    write('{"jsonrpc":"2.0","id":10,"method":"no/such","params":{"__proto__":{"name":"list"},"constructor":1}}\n');
    for (let round = 0; round < 500; round += 1) {
      const bytes = Buffer.from(whole.slice(0, -1));
      for (let change = next(4); change >= 0; change -= 1) bytes[next(bytes.length)] = next(256);
      write(Buffer.concat([bytes.subarray(0, 1 + next(bytes.length)), Buffer.from('\n')]));
    }
    write(`${'['.repeat(100_000)}\n`);
    write(LIST(424_242));
    await until(/"id":424242/);
    child.stdin?.end();
    const { code, out, said } = await ended;
    expect(code, said).toBe(0);
    for (const message of out.trimEnd().split('\n')) expect(JSON.parse(message)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('with a line that is too long, ends the process in one sentence', async () => {
    const { ended, write } = started();
    const block = 'x'.repeat(1024 * 1024);
    for (let written = 0; written < 9; written += 1) write(block);
    const { code, out, said } = await ended;
    expect([code, out]).toEqual([1, '']);
    expect(said).toMatch(/\npelorus: A message on standard input is longer than \d+ bytes: send fewer [^\n]*\n$/);
  });
});

test('a signal ends the process with 0', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, ended, until, write } = started();
    write(INITIALIZE);
    await until(/"id":0/);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 0, signal: null });
  }
});

test('a reader that is gone ends the process without a stack', async () => {
  const { child, ended, until, write } = started();
  write(INITIALIZE);
  await until(/"id":0/);
  child.stdout?.destroy();
  for (let id = 1; id <= 100; id += 1) write(LIST(id));
  const { code, said } = await ended;
  expect([code, said]).toEqual([0, expect.not.stringMatching(/\n {4}at /)]);
});

test.each([
  ['--index', 'a b', /--index is "a b"/],
  ['--port', '70000', /It must be a port/],
  ['--url', 'ftp://x', /must be an http or https address/],
])('%s %s is refused at once', async (flag, value, sentence) => {
  const { code, said } = await started([flag, value]).ended;
  expect([code, said]).toEqual([2, expect.stringMatching(sentence)]);
});

describe('over HTTP', () => {
  async function address(url?: string): Promise<URL> {
    const { until, child } = started(['--port', '0', '--read-only'], url);
    let said = '';
    child.stderr?.on('data', (text: string) => (said += text));
    await until(/MCP at /);
    return new URL(/http:\S+\/mcp/.exec(said)?.[0] ?? '');
  }

  test.each(['legacy', 'auto'] as const)('an agent whose versions are %s searches', async (mode) => {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    clients.push(client);
    await client.connect(new StreamableHTTPClientTransport(await address()));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'get', 'list']);
    const { hits } = (await call(client, 'search', { index: 'notes', query: 'tube', method: 'lexical' })).value;
    expect(hits[0]).toMatchObject({ _id: '1' });
  });

  test('a client that goes away ends its request to the server', async () => {
    const [asked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const silent = await serve((request) => {
      request.socket.once('close', () => ended.resolve());
      asked.resolve();
    });
    const url = await address(silent);
    const body = line({ id: 1, method: 'tools/call', params: { name: 'list', arguments: {} } });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const gone = httpRequest(url, { method: 'POST', headers });
    gone.on('error', () => {}).end(body);
    await asked.promise;
    gone.destroy();
    await ended.promise;
  });

  test('a message that is too long is refused, and a port that is in use ends the command', async () => {
    const url = await address();
    const long = line({
      id: 1,
      method: 'tools/call',
      params: { name: 'list', arguments: { x: 'x'.repeat(9 * 2 ** 20) } },
    });
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    expect((await fetch(url, { method: 'POST', headers, body: long })).status).toBe(413);
    const { code, said } = await started(['--port', url.port]).ended;
    expect([code, said]).toEqual([3, expect.stringMatching(/^pelorus: [^\n]*in use[^\n]*\n$/)]);
  });

  test('pages of other sites and other hosts are refused, and other paths are not there', async () => {
    const url = await address();
    const body = INITIALIZE;
    const status = (path: string, headers: Record<string, string>, method = 'POST'): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
        const asked = httpRequest(new URL(path, url), { method, headers: all }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.on('error', reject).end(method === 'POST' ? body : undefined);
      });
    expect(await status('/mcp', {})).toBe(200);
    expect(await status('/mcp', { origin: 'https://example.com' })).toBe(403);
    expect(await status('/mcp', { host: 'example.com' })).toBe(403);
    expect(await status('/mcp', { origin: 'null' })).toBe(403);
    expect(await status('/other', {})).toBe(404);
    expect(await status('/mcp', {}, 'TRACE')).toBe(400);
    expect(await status('/mcp', {}, 'DELETE')).toBeGreaterThanOrEqual(400);
    expect(await status('/mcp', {})).toBe(200);
  });
});
