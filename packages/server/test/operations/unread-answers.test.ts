import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openService, type Service } from './service.js';

/** The memory of the service: answers may have 96 MiB at once, of which large ones have 72. */
const BUDGET = '1536MiB';
/** With so many an answer is 33 MB, more than the system takes of a connection that nobody reads: two fit, and no third. */
const DOCUMENTS = 400;
const TEXT = 'word '.repeat(16_500);
/** Only what hangs meets it. */
const within = { timeout: 60_000 };

const ids = Array.from({ length: DOCUMENTS }, (_, i) => `d${i}`);
const all = JSON.stringify({ documentIds: ids });
let service: Service;
let port: number;

beforeAll(async () => {
  service = await openService({ PELORUS_MAX_MEMORY: BUDGET });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
  const model = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
  expect((await post('/indexes/large', JSON.stringify(model))).status).toBe(200);
  for (let from = 0; from < DOCUMENTS; from += 100) {
    const documents = ids.slice(from, from + 100).map((_id) => ({ _id, title: TEXT }));
    expect((await post('/indexes/large/documents', JSON.stringify({ documents }))).status).toBe(200);
  }
});
afterAll(async () => {
  service.app.server.closeAllConnections();
  await service.close();
});

async function post(path: string, body: string): Promise<{ status: number; retryAfter: string | null }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return { status: response.status, retryAfter: response.headers.get('retry-after') };
}

/** Asks for all documents, and reads no more than that the answer begins. */
async function unread(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const head = 'POST /indexes/large/documents/get-batch HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json';
  socket.write(`${head}\r\ncontent-length: ${all.length}\r\n\r\n${all}`);
  const [start] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(String(start.subarray(0, 12))).toBe('HTTP/1.1 200');
  return socket;
}

test('answers that nobody reads count until their clients are gone, and small ones pass beside them', async () => {
  const readers = [await unread(), await unread()];
  const refused = { status: 429, retryAfter: '1' };
  for (let asked = 0; asked < 5; asked += 1) {
    expect(await post('/indexes/large/documents/get-batch', all)).toEqual(refused);
    const search = JSON.stringify({ q: 'word', searchMethod: 'LEXICAL', limit: 1, attributesToRetrieve: [] });
    expect((await post('/indexes/large/search', search)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  }
  for (const socket of readers) socket.destroy();
  const ask = async () => (await post('/indexes/large/documents/get-batch', all)).status;
  await vi.waitUntil(async () => (await ask()) === 200, within);
});

test('the bytes of a read answer are given back: one reader may go on for ever', async () => {
  for (let asked = 0; asked < 6; asked += 1) {
    expect((await post('/indexes/large/documents/get-batch', all)).status).toBe(200);
  }
});
