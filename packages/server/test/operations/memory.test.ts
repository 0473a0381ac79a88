import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

const mebibyte = 1024 * 1024;

/** Bodies may hold a sixteenth of it: 6 MiB the large ones, 2 MiB the small ones. */
const budget = '128MiB';
/** Fits once. */
const largeBytes = 5.5 * mebibyte;

/** With it this process holds more than three quarters of the budget, whatever else it does. */
const ballast = Buffer.alloc(128 * mebibyte, 1);

let service: Service;
let port: number;

beforeAll(async () => {
  service = await openService({ PELORUS_MAX_MEMORY: budget });
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});

afterAll(async () => {
  expect(ballast.at(-1)).toBe(1);
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

interface Upload {
  readonly target: string;
  /** The announced length; a body in chunks where it is absent. */
  readonly length?: number;
}

/** Sends the head of a request, and no byte of its body. */
function upload({ target, length }: Upload): ClientRequest {
  const [method, path] = target.split(' ');
  const headers = length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': length };
  const sent = request({ port, method, path, headers });
  sent.on('error', () => undefined);
  onTestFinished(() => void sent.destroy());
  sent.flushHeaders();
  return sent;
}

async function answerTo(sent: ClientRequest): Promise<{ response: IncomingMessage; body: unknown }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { response, body: await json(response) };
}

/** A search that never comes to its end: its bytes are taken until it is destroyed, at the end of the test at the latest. */
async function unfinished(): Promise<{ destroy(): Promise<unknown> }> {
  const arrived = once(service.app.server, 'request');
  const sent = upload({ target: 'POST /indexes/a/search', length: largeBytes });
  sent.write(' '.repeat(mebibyte));
  const [incoming] = (await arrived) as [IncomingMessage];
  const closed = new Promise((resolve) => incoming.once('close', resolve));
  const destroy = () => {
    sent.destroy();
    return closed;
  };
  onTestFinished(async () => void (await destroy()));
  return { destroy };
}

/** Status of a search with a body of this length. */
async function searchOf(length: number): Promise<number | undefined> {
  const sent = upload({ target: 'POST /indexes/a/search', length });
  sent.end('{"q":"x"}'.padEnd(length));
  return (await answerTo(sent)).response.statusCode;
}

test.each([
  ['POST /indexes/a/search'],
  ['POST /indexes/b'],
  ['GET /indexes/a/documents'],
  ['POST /indexes/a/documents/get-batch'],
  ['POST /indexes/a/documents/delete-batch'],
])('%s with a body that does not fit beside others is refused at its head', async (target) => {
  await unfinished();
  const { response, body } = await answerTo(upload({ target, length: mebibyte }));
  expect(response.statusCode).toBe(429);
  expect(response.headers['retry-after']).toBe('1');
  expect(body).toMatchObject({ code: 'too_many_requests', type: 'invalid_request' });
});

test('a refused client can send its body all the same, and goes on over the same connection', async () => {
  await unfinished();
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = (length: number) =>
    `POST /indexes/a/search HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n`;
  socket.write(head(mebibyte));
  const [refusal] = (await once(socket, 'data')) as [Buffer];
  expect(refusal.toString()).toMatch(/^HTTP\/1.1 429 /);
  socket.write(' '.repeat(mebibyte));
  socket.write(`${head(9)}{"q":"x"}`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
});

test('a body in chunks is refused as it grows, and its client sees the answer', async () => {
  await unfinished();
  const sent = upload({ target: 'POST /indexes/a/search' });
  const answer = answerTo(sent);
  for (let chunk = 0; chunk < 32; chunk += 1) sent.write(' '.repeat(65_536));
  sent.end();
  const { response, body } = await answer;
  expect([response.statusCode, response.headers.connection]).toEqual([429, 'keep-alive']);
  expect(body).toMatchObject({ code: 'too_many_requests' });
});

test('small bodies pass beside large ones', async () => {
  await unfinished();
  expect(await searchOf(1000)).toBe(200);
});

test('the bytes of a body are given back when it was answered, and when its client has gone', async () => {
  expect(await searchOf(largeBytes)).toBe(200);
  const gone = await unfinished();
  expect(await searchOf(largeBytes)).toBe(429);
  await gone.destroy();
  expect(await searchOf(largeBytes)).toBe(200);
}, 60_000);

test('bodies in chunks arrive whole, whatever their length', async () => {
  for (const length of [9, 16_384, 16_385, 100_000, 3 * mebibyte]) {
    const sent = upload({ target: 'POST /indexes/a/search' });
    const body = Buffer.from('{"q":"x"}'.padEnd(length));
    for (let at = 0; at < length; at += 50_000) sent.write(body.subarray(at, at + 50_000));
    sent.end();
    expect((await answerTo(sent)).response.statusCode).toBe(200);
  }
});

test('adds and updates above the memory budget are refused at their head; everything else goes on', async () => {
  for (const target of ['POST /indexes/a/documents', 'PATCH /indexes/a/documents']) {
    const sent = upload({ target, length: 20 * mebibyte });
    const { response, body } = await answerTo(sent);
    sent.destroy();
    expect(response.statusCode).toBe(507);
    expect(response.headers['retry-after']).toBe('10');
    expect(body).toMatchObject({ code: 'insufficient_memory', message: expect.stringContaining('budget of 128 MiB') });
  }

  expect(await searchOf(100)).toBe(200);
  const deleted = await send(service.app, { request: 'POST /indexes/a/documents/delete-batch', body: ['x'] });
  expect(deleted.statusCode).toBe(200);
  expect((await send(service.app, { request: 'GET /indexes/a/documents', body: ['x'] })).statusCode).toBe(200);
  for (const target of ['/health', '/indexes/a/health']) {
    const health = await send(service.app, { request: `GET ${target}` });
    expect(health.json()).toMatchObject({ status: 'yellow', backend: { memoryIsAvailable: false } });
  }
  const stats = await send(service.app, { request: 'GET /indexes/a/stats' });
  expect(stats.json().backend.memoryUsedPercentage).toBe(100);
});
