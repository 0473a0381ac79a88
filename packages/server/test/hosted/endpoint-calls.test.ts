import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultResources, type HostedIndex, IndexConnections, type IndexHosting } from '@pelorus/hosted';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { readConfig } from '../../src/config.js';
import { EndpointCalls, endpointOperations } from '../../src/hosted/endpoint-calls.js';
import { SearchCounts } from '../../src/hosted/search-counts.js';

const index: HostedIndex = {
  ...{ id: '0123456789abcdef', name: 'shoes', state: 'READY', failure: null, settings: {}, shop: null },
  ...{ resources: defaultResources, createdAt: '2026-01-01T00:00:00Z', changedAt: '2026-01-01T00:00:00Z' },
};
const documents = `/e/${index.id}/indexes/shoes/documents`;

/** What stands for the process of the index does. */
let answer: RequestListener = (_, response) => response.end();

let process: Server;
let connections: IndexConnections;
let folder: string;
const searches = new SearchCounts();
let gateway: FastifyInstance;
let port: number;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-endpoint-'));
  process = createServer((request, response) => answer(request, response)).listen(join(folder, 'socket'));
  await once(process, 'listening');
  connections = new IndexConnections(join(folder, 'socket'), 'secret');
  const hosting = { byId: (id: string) => (id === index.id ? index : undefined), connections: async () => connections };
  gateway = createApp('hosted', readConfig({ MARQO_LOG_LEVEL: 'silent' }), { others: endpointOperations });
  new EndpointCalls(hosting as unknown as IndexHosting, { admit: () => undefined }, searches).bind(gateway);
  await gateway.listen({ host: '127.0.0.1', port: 0 });
  port = (gateway.server.address() as AddressInfo).port;
});

afterAll(async () => {
  await gateway.close();
  await connections.destroy();
  process.close();
  rmSync(folder, { recursive: true });
});

const BODY_BYTES = 34_000_000;

/** Sends all of a request before it reads a byte, as many clients do; then what it was answered. */
async function sendThenRead(path: string, head: string, body: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  try {
    socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${head}\r\n\r\n`);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      socket.write(body, () => resolve());
    });
    socket.resume();
    const [answered] = await once(socket, 'data');
    return String(answered);
  } finally {
    socket.destroy();
  }
}

/** One chunk with all of `body`. */
function chunked(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

test.each([
  ['of a length that the head tells', `content-length: ${BODY_BYTES}`, Buffer.alloc(BODY_BYTES, 'x')],
  ['in chunks', 'transfer-encoding: chunked', chunked(Buffer.alloc(BODY_BYTES, 'x'))],
])('a client that reads when all is sent gets an answer that came before: %s', async (_about, head, body) => {
  answer = (_, response) => response.writeHead(413, { 'content-type': 'application/json' }).end('{"code":"too_large"}');
  const answered = await sendThenRead(documents, head, body);
  expect(answered).toMatch(/^HTTP\/1\.1 413 /);
  expect(answered).toContain('{"code":"too_large"}');
});

test('the connection goes on behind a body that was refused early', async () => {
  answer = (_, response) => response.writeHead(413).end();
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST ${documents} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${BODY_BYTES}\r\n\r\nx`);
  await once(socket, 'data');
  socket.write(Buffer.alloc(BODY_BYTES - 1, 'x'));
  socket.write('GET /docs/nothing HTTP/1.1\r\nhost: localhost\r\n\r\n');
  // The connection is whole: the request behind the body is answered.
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /);
  socket.destroy();
});

test('a body that its index reads slowly comes to it whole', async () => {
  answer = (request, response) => {
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      request.pause();
      setTimeout(() => request.resume(), 1);
    });
    request.on('end', () => response.end(String(length)));
  };
  const body = Buffer.alloc(2_000_000, 'x');
  expect(await sendThenRead(documents, `content-length: ${body.length}`, body)).toMatch(/\r\n\r\n2000000$/);
  expect(await sendThenRead(documents, 'transfer-encoding: chunked', chunked(body))).toContain('2000000');
});

test('a client that goes away in the middle of its body ends the call of the index', async () => {
  const ended = new Promise((resolve) => {
    answer = (request) => request.resume().once('close', resolve);
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST ${documents} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${BODY_BYTES}\r\n\r\nx`);
  await once(process, 'request');
  socket.destroy();
  await ended;
});

test('an address with a slash at its end leads to the same operations, whose parameters are theirs alone', async () => {
  answer = (request, response) => response.end(request.url);
  const ask = async (path: string) => await (await fetch(`http://127.0.0.1:${port}/e/${index.id}/${path}`)).text();
  expect(await ask('/indexes/shoes/stats?telemetry=a//&other=b')).toBe('/indexes/shoes/stats?telemetry=a%2F%2F');
  expect(await ask('/indexes/shoes/documents/x//y')).toBe('/indexes/shoes/documents/x%2F%2Fy');
  expect(await ask('/indexes/shoes/documents/a%2F%2Fb')).toBe('/indexes/shoes/documents/a%2F%2Fb');
  expect(await ask('/indexes/boots/stats')).toContain('Index boots not found');
});

test('the index is told what was granted and what its operation takes, and nothing else of the head', async () => {
  answer = ({ headers }, response) => response.end(JSON.stringify(headers));
  const headers = { 'x-request-timeout-ms': '500', 'content-type': 'application/json', 'x-request-id': 'r' };
  const others = {
    'x-pelorus-grant': 'guess deleteDocuments admin',
    'x-api-key': 'k',
    cookie: 'c',
    origin: 'http://localhost',
  };
  const call = await fetch(`http://127.0.0.1:${port}/e/${index.id}/indexes/shoes/search`, {
    ...{ method: 'POST', body: '{}' },
    headers: { ...headers, ...others, origin: `http://127.0.0.1:${port}` },
  });
  expect(await call.json()).toEqual({
    ...headers,
    ...{ 'x-pelorus-grant': 'secret search read ', 'content-length': '2', connection: 'keep-alive', host: 'index' },
  });
});

test('searches and recommendations are counted, and nothing else is', async () => {
  answer = (_, response) => response.end('{}');
  const before = searches.of(index.id);
  for (const call of ['search', 'recommend', 'documents', 'suggestions']) {
    await fetch(`http://127.0.0.1:${port}/e/${index.id}/indexes/shoes/${call}`, { method: 'POST', body: '{}' });
  }
  expect(searches.of(index.id) - before).toBe(2);
});

test('every operation of an endpoint asks for a key', () => {
  expect(endpointOperations.filter(({ scope }) => scope === 'none')).toEqual([]);
});

test('a call has one id, here and in the process of the index', async () => {
  answer = (request, response) => response.end(request.headers['x-request-id']);
  const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/e/${index.id}/health`, { headers });
  const named = await ask({ 'x-request-id': 'mine-1' });
  expect([named.headers.get('x-request-id'), await named.text()]).toEqual(['mine-1', 'mine-1']);
  const unnamed = await ask({});
  expect(await unnamed.text()).toBe(unnamed.headers.get('x-request-id'));
});
