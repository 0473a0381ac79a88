import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { endStalledConnections } from '../../src/http/stalled-connections.js';

/** More than the buffers of the system take of a connection that nobody reads. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, 'x');

/** Only what hangs meets it. */
const within = { timeout: 60_000 };

let app: FastifyInstance;
let sweep: () => void;
let nowMs = 0;
let served: Socket[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  nowMs = 0;
  app = Fastify();
  sweep = endStalledConnections(app, { stallMaxMs: 60_000, now: () => nowMs });
  app.get('/large', (_request, reply) => reply.header('content-type', 'text/plain').send(LARGE));
  app.get('/small', (_request, reply) => reply.send(Buffer.from('small')));
  app.get('/never', () => new Promise(() => undefined));
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  app.server.closeAllConnections();
  await app.close();
});

/** A connection that asks and reads nothing. */
async function unread(...paths: string[]): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.pause();
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return socket;
}

/** The socket of the server for the only connection that there is, once an answer waits in it. */
async function waitingSocket(): Promise<Socket> {
  let found: Socket | undefined;
  await vi.waitUntil(() => {
    found = served.find((socket) => socket.writableLength > 0);
    return found !== undefined;
  }, within);
  return found as Socket;
}

beforeEach(() => {
  served = [];
  app.server.on('connection', (socket) => served.push(socket));
});

/** Lets time pass, a minute at once, until a connection is cut off. */
async function cutOff(socket: Socket): Promise<void> {
  await vi.waitUntil(() => {
    nowMs += 60_000;
    sweep();
    return socket.destroyed;
  }, within);
}

test('a client that takes nothing of its answer is cut off after a while, and not before', async () => {
  await unread('/large');
  const socket = await waitingSocket();
  nowMs = 59_999;
  sweep();
  expect(socket.destroyed).toBe(false);
  await cutOff(socket);
});

test('a client that takes its answer slowly is left alone', async () => {
  const client = await unread('/large');
  const socket = await waitingSocket();
  client.on('data', () => undefined);
  for (let round = 0; round < 5; round += 1) {
    nowMs += 50_000;
    const written = socket.bytesWritten;
    client.resume();
    await vi.waitUntil(() => socket.bytesWritten > written || socket.writableLength === 0, within);
    client.pause();
    sweep();
    expect(socket.destroyed).toBe(false);
  }
});

test('a client whose answer is not there yet is left alone, as one that is idle', async () => {
  await unread('/never');
  const idle = await unread('/small');
  await vi.waitUntil(() => served.length === 2, within);
  const answered = once(idle, 'data');
  idle.resume();
  await answered;
  nowMs = 600_000;
  sweep();
  nowMs = 1_200_000;
  sweep();
  expect(served.map(({ destroyed }) => destroyed)).toEqual([false, false]);
});

test('an answer in pieces is whole, and tells its length', async () => {
  const { port } = app.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/large`);
  expect(response.headers.get('content-length')).toBe(String(LARGE.length));
  const body = Buffer.from(await response.arrayBuffer());
  expect(body.equals(LARGE)).toBe(true);
  const injected = await app.inject('/large');
  expect(injected.rawPayload.length).toBe(LARGE.length);
});

test('a request behind an unread answer is cut off with it', async () => {
  const client = await unread('/large', '/small');
  const socket = await waitingSocket();
  await cutOff(socket);
  client.resume();
  const answered = await buffer(client).catch(() => Buffer.alloc(0));
  expect(answered.length).toBeLessThan(LARGE.length);
});
