import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { load } from './load.ts';

let server: Server;
let address: string;
/** Requests that came since a test began, and the connections on which they came. */
let seen: { requests: string[]; ports: Set<number | undefined> };

beforeEach(() => {
  seen = { requests: [], ports: new Set() };
});

beforeAll(async () => {
  server = createServer(async (request, response) => {
    seen.ports.add(request.socket.remotePort);
    const body = Buffer.concat(await request.toArray()).toString();
    seen.requests.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
    const answer = body || 'é'.repeat(100_000);
    const length = request.url === '/endless' ? {} : { 'content-length': Buffer.byteLength(answer) };
    // In pieces, the head of the answer apart from its body.
    response.writeHead(request.url === '/refused' ? 503 : 200, length).flushHeaders();
    response.write(answer.slice(0, 1));
    await new Promise((resolve) => setImmediate(resolve));
    response.end(answer.slice(1));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

it('asks on so many connections, body after body', async () => {
  const { requests } = await load(`${address}/a`, ['1', '{"é":2}'], 4, 0);
  expect(requests).toBe(4);
  expect(seen.ports.size).toBe(4);
  const [first, second] = ['POST /a application/json 1', 'POST /a application/json {"é":2}'];
  expect(seen.requests.sort()).toEqual([first, first, second, second]);
});

it('asks again and again without a body where there is none, and counts the answers', async () => {
  const { requests, requestsPerSecond, p50Ms, p99Ms } = await load(`${address}/b`, null, 1, 0.1);
  expect(requests).toBe(seen.requests.length);
  expect(new Set(seen.requests)).toEqual(new Set(['GET /b undefined ']));
  expect(seen.ports.size).toBe(1);
  expect(requestsPerSecond).toBeGreaterThan(0);
  expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
});

it('fails where an answer is no success, or does not say how long it is', async () => {
  await expect(load(`${address}/refused`, null, 2, 60)).rejects.toThrow('answered 503');
  await expect(load(`${address}/endless`, null, 2, 60)).rejects.toThrow('how long');
  await expect(load('http://127.0.0.1:1/', null, 2, 60)).rejects.toThrow('ECONNREFUSED');
});
