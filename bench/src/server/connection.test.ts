import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Connection } from './connection.ts';

let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const status = request.url === '/refused' ? 400 : 200;
    const answer = `${request.method} ${request.headers['x-api-key']} ${request.headers['content-type']} ${body}`;
    // In pieces, the head of the answer apart from its body.
    response.writeHead(status, { 'content-length': Buffer.byteLength(answer) }).flushHeaders();
    for (const character of answer.match(/.{1,60000}/gsu) ?? []) response.write(character);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

it('asks again and again, with long bodies and with none', async () => {
  const connection = new Connection(address, 'k');
  expect(await connection.send('GET', '/a')).toBe('GET k undefined ');
  const long = 'é'.repeat(300_000);
  expect(await connection.post('/b', long)).toBe(`POST k application/json ${long}`);
  expect(await connection.send('DELETE', '/c')).toBe('DELETE k undefined ');
  connection.close();
});

it('fails where the answer is no success, and goes on', async () => {
  const connection = new Connection(address);
  await expect(connection.post('/refused', '{}')).rejects.toThrow('POST /refused answered 400');
  expect(await connection.post('/a', '{}')).toContain('{}');
  connection.close();
});

it('opens anew what the server closed between two requests', async () => {
  const connection = new Connection(address);
  await connection.send('GET', '/a');
  server.closeAllConnections();
  await new Promise((resolve) => setImmediate(resolve));
  await expect.poll(() => connection.send('GET', '/a').catch(() => '')).toContain('GET');
  connection.close();
});

it('fails while the server is not there', async () => {
  const connection = new Connection('http://127.0.0.1:1');
  await expect(connection.send('GET', '/a')).rejects.toThrow('ECONNREFUSED');
});
