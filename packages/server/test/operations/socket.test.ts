import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

let service: Service;
let port: number;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});

afterAll(() => service.close());

/** Sends bytes as they are and reads until the server closes. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(bytes);
  return text(socket);
}

test('a GET with a body is read, and the connection goes on', async () => {
  const ids = '["x"]';
  const get = `GET /indexes/a/documents HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${ids.length}\r\n\r\n${ids}`;
  const answers = await raw(`${get}GET /indexes HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect(answers).toContain('"_found":false');
  expect(answers).toContain('"indexName":"a"');
});

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'bad_request'],
  [
    'two lengths',
    'POST /indexes/b HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}',
    400,
    'bad_request',
  ],
  [
    'a length beside chunks',
    'POST /indexes/b HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'bad_request',
  ],
  [
    'a head that is too large',
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  [
    'a transfer coding besides chunks',
    'POST /indexes/b HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    400,
    'bad_request',
  ],
  ['no host', 'GET /indexes HTTP/1.1\r\n\r\n', 400, 'bad_request'],
  [
    'an expectation that is none',
    'POST /indexes/b HTTP/1.1\r\nhost: localhost\r\nexpect: 200-ok\r\ncontent-length: 2\r\n\r\n{}',
    417,
    'expectation_failed',
  ],
])('%s is answered in our shape and the connection closed', async (_title, bytes, status, code) => {
  const answer = await raw(bytes);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({ code, type: 'invalid_request' });
});

test('an endless body is cut off at the limit of its route', async () => {
  const upload = request({ port, method: 'POST', path: '/indexes/b', headers: { 'transfer-encoding': 'chunked' } });
  upload.on('error', () => undefined);
  const answered = once(upload, 'response');
  const timer = setInterval(() => upload.write('x'.repeat(16_384)), 1);
  try {
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await text(response))).toMatchObject({ code: 'payload_too_large' });
  } finally {
    clearInterval(timer);
    upload.destroy();
  }
});

test('a head that is too large is told the limit', async () => {
  expect(await raw(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`)).toContain('16384 bytes');
});

test('HTTP/1.0 needs no host', async () => {
  expect(await raw('GET /indexes HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
});

test('a client that goes away in the middle of its body is no fault of ours', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /indexes/gone HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{');
  await once(service.app.server, 'request');
  socket.destroy();
  await expect.poll(() => [...service.responses.seen]).toContain('createIndex 400');
  expect([...service.responses.seen]).not.toContain('createIndex 500');
});

test('connections are kept open between requests', async () => {
  const response = await fetch(`http://127.0.0.1:${port}/indexes`);
  await response.json();
  expect(response.headers.get('keep-alive')).toBe('timeout=75');
});
