import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpointOperations } from '../../src/hosted/endpoint-operations.js';
import { connectionWith, type Endpoint, index, openEndpoint } from './endpoint.js';

const documents = `/e/${index.id}/indexes/shoes/documents`;

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint.close());

const LIMIT_BYTES = 32 * 1024 * 1024;
const BODY_BYTES = LIMIT_BYTES + 500_000;

const headOf = (path: string, fields: string) => `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${fields}\r\n\r\n`;

/** Sends all of a request before it reads a byte, as many clients do; then what it was answered. */
async function sendThenRead(path: string, fields: string, body: Buffer): Promise<string> {
  const socket = await connectionWith(endpoint.port, headOf(path, fields));
  await new Promise<void>((resolve, reject) => {
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.write(body, () => resolve());
  });
  socket.resume();
  const [answered] = await once(socket, 'data');
  return String(answered);
}

/** One chunk with all of `body`. */
function chunked(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);
}

test.each([
  ['of a length that the head tells', `content-length: ${BODY_BYTES}`, Buffer.alloc(BODY_BYTES, 'x')],
  ['in chunks', 'transfer-encoding: chunked', chunked(Buffer.alloc(BODY_BYTES, 'x'))],
])('a body that is too large is refused before the index is asked: %s', async (_about, fields, body) => {
  let asked = 0;
  endpoint.answer = (_, response) => {
    asked += 1;
    response.end();
  };
  const answered = await sendThenRead(documents, fields, body);
  expect(answered).toMatch(/^HTTP\/1\.1 413 /);
  expect(answered).toContain(`exceeds the limit of ${LIMIT_BYTES} bytes`);
  expect(asked).toBe(0);
});

test('the connection goes on behind a body that was refused early', async () => {
  const socket = await connectionWith(endpoint.port, `${headOf(documents, `content-length: ${BODY_BYTES}`)}x`);
  socket.resume();
  await once(socket, 'data');
  socket.write(Buffer.alloc(BODY_BYTES - 1, 'x'));
  socket.write('GET /docs/nothing HTTP/1.1\r\nhost: localhost\r\n\r\n');
  // The connection is whole: the request behind the body is answered.
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 404 /);
});

test('an answer that the index gave before it read the body reaches the client', async () => {
  endpoint.answer = (_, response) =>
    response.writeHead(429, { 'content-type': 'application/json' }).end('{"code":"later"}');
  const body = Buffer.alloc(16_000_000, 'x');
  const answered = await sendThenRead(documents, `content-length: ${body.length}`, body);
  expect(answered).toMatch(/^HTTP\/1\.1 429 /);
  expect(answered).toContain('{"code":"later"}');
});

test('an encoded body comes to its index as it was sent, and is decoded there alone', async () => {
  endpoint.answer = (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () =>
      response.end(`${request.headers['content-encoding']} ${Buffer.concat(pieces).toString('hex')}`),
    );
  };
  for (const [encoding, body] of [
    ['gzip', gzipSync('{}')],
    ['unheard-of', Buffer.from('\uFEFFbytes')],
  ] as const) {
    const head = `content-encoding: ${encoding}\r\ncontent-length: ${body.length}`;
    expect(await sendThenRead(documents, head, body)).toContain(`${encoding} ${body.toString('hex')}`);
  }
});

test('a body that its index reads slowly comes to it whole', async () => {
  endpoint.answer = (request, response) => {
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

test('a client that goes away while its answer is made ends the call of the index', async () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const ended = new Promise((resolve) => {
    endpoint.answer = (_, response) => {
      response.once('close', resolve);
      isAsked();
    };
  });
  const socket = await connectionWith(endpoint.port, `${headOf(documents, 'content-length: 2')}{}`);
  await asked;
  socket.destroy();
  await ended;
});

test('an address with a slash at its end leads to the same operations, whose parameters are theirs alone', async () => {
  endpoint.answer = (request, response) => response.end(request.url);
  const ask = async (path: string) =>
    await (await fetch(`http://127.0.0.1:${endpoint.port}/e/${index.id}/${path}`)).text();
  expect(await ask('/indexes/shoes/stats?telemetry=a//&other=b')).toBe('/indexes/shoes/stats?telemetry=a%2F%2F');
  expect(await ask('/indexes/shoes/documents/x//y')).toBe('/indexes/shoes/documents/x%2F%2Fy');
  expect(await ask('/indexes/shoes/documents/a%2F%2Fb')).toBe('/indexes/shoes/documents/a%2F%2Fb');
  expect(await ask('/indexes/boots/stats')).toContain('Index boots not found');
});

test('the index is told what was granted and what its operation takes, and nothing else of the head', async () => {
  endpoint.answer = ({ headers }, response) => response.end(JSON.stringify(headers));
  const headers = { 'content-type': 'application/json', 'x-request-id': 'r' };
  const others = { 'x-pelorus-grant': 'guess deleteDocuments admin', 'x-api-key': 'k', cookie: 'c' };
  const origin = `http://127.0.0.1:${endpoint.port}`;
  const call = await fetch(`${origin}/e/${index.id}/indexes/shoes/search`, {
    ...{ method: 'POST', body: '{}' },
    headers: { ...headers, ...others, origin, 'x-request-timeout-ms': '600000' },
  });
  const told = (await call.json()) as Record<string, string>;
  expect(told).toEqual({
    ...{ ...headers, 'x-request-timeout-ms': expect.stringMatching(/^\d+$/) },
    ...{ 'x-pelorus-grant': 'secret search read - k', 'content-length': '2', connection: 'keep-alive', host: 'index' },
  });
  // The time spent before the index was asked is no longer its own.
  expect(Number(told['x-request-timeout-ms'])).toBeLessThanOrEqual(600_000);
});

test('a time that is none is for the index to refuse', async () => {
  endpoint.answer = ({ headers }, response) => response.end(headers['x-request-timeout-ms']);
  const ask = (timeout: string) =>
    fetch(`http://127.0.0.1:${endpoint.port}/e/${index.id}/indexes/shoes/search`, {
      ...{ method: 'POST', body: '{}', headers: { 'x-request-timeout-ms': timeout } },
    });
  for (const timeout of ['soon', '-1', '1e3', '9999999']) expect(await (await ask(timeout)).text()).toBe(timeout);
});

test('a search that its index does not answer in time is answered here', async () => {
  endpoint.answer = () => undefined;
  const call = await fetch(`http://127.0.0.1:${endpoint.port}/e/${index.id}/indexes/shoes/search`, {
    ...{ method: 'POST', body: '{}', headers: { 'x-request-timeout-ms': '1' } },
  });
  expect([call.status, ((await call.json()) as { code: string }).code]).toEqual([504, 'vector_store_timeout']);
});

test('searches and recommendations are counted, and nothing else is', async () => {
  endpoint.answer = (_, response) => response.end('{}');
  const before = endpoint.searches.of(index.id);
  for (const call of ['search', 'recommend', 'documents', 'suggestions']) {
    await fetch(`http://127.0.0.1:${endpoint.port}/e/${index.id}/indexes/shoes/${call}`, {
      method: 'POST',
      body: '{}',
    });
  }
  expect(endpoint.searches.of(index.id) - before).toBe(2);
});

test('every operation of an endpoint asks for a key', () => {
  expect(endpointOperations.filter(({ scope }) => scope === 'none')).toEqual([]);
});

test('a call has one id, here and in the process of the index', async () => {
  endpoint.answer = (request, response) => response.end(request.headers['x-request-id']);
  const ask = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${endpoint.port}/e/${index.id}/health`, { headers });
  const named = await ask({ 'x-request-id': 'mine-1' });
  expect([named.headers.get('x-request-id'), await named.text()]).toEqual(['mine-1', 'mine-1']);
  const unnamed = await ask({});
  expect(await unnamed.text()).toBe(unnamed.headers.get('x-request-id'));
});
