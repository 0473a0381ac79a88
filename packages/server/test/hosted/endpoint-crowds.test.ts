import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Memory } from '../../src/services/memory.js';
import { connectionWith, type Endpoint, index, openEndpoint } from './endpoint.js';

/** More clients than an index once had connections. */
const CROWD = 70;
/** Only what hangs meets it. */
const within = { timeout: 60_000 };

const below = `/e/${index.id}/indexes/shoes`;
const head = (bytes: number) =>
  `POST ${below}/search HTTP/1.1\r\nhost: localhost\r\nx-api-key: reader\r\ncontent-length: ${bytes}\r\n\r\n`;

let endpoint: Endpoint;
beforeAll(async () => {
  endpoint = await openEndpoint();
});
afterAll(() => endpoint.close());

const call = (path: string, key: string, method = 'GET') =>
  fetch(`http://127.0.0.1:${endpoint.port}${below}/${path}`, { method, headers: { 'x-api-key': key } });

const crowdOf = (count: number, text: string) =>
  Promise.all(Array.from({ length: count }, () => connectionWith(endpoint.port, text)));

test(`${CROWD} bodies that never come to their end take no connection of the index`, async () => {
  let asked = 0;
  endpoint.answer = (_, response) => {
    asked += 1;
    response.end('{}');
  };
  await crowdOf(CROWD, `${head(100_000)}{"q": `);
  await vi.waitUntil(() => endpoint.admission.bodies.bytes >= CROWD * 100_000, within);
  expect((await call('stats', 'reader')).status).toBe(200);
  expect(asked).toBe(1);
});

test(`${CROWD} answers that nobody reads leave the index to others, and are counted until their clients are gone`, async () => {
  const large = Buffer.alloc(16_000_000, 'x');
  endpoint.answer = ({ url }, response) => response.end(url === '/indexes/shoes/stats' ? '{}' : large);
  const { answers } = endpoint.admission;
  const crowd = await crowdOf(CROWD, `${head(2)}{}`);
  await vi.waitUntil(() => answers.bytes === CROWD * 128 * 1024, within);
  expect((await call('stats', 'reader')).status).toBe(200);
  for (const socket of crowd) socket.destroy();
  await vi.waitUntil(() => answers.bytes === 0, within);
});

test('an answer for which there is no room is refused with the time to wait, and made for others', async () => {
  let ended: Promise<unknown> = Promise.resolve();
  endpoint.answer = (_, response) => {
    ended = once(response, 'close');
    response.end(Buffer.alloc(1_000_000, 'x'));
  };
  const lease = endpoint.admission.answers.lease('reader');
  // Three quarters of what is there for large answers.
  lease.resize(new Memory(null).answersBytesMax * 0.75 * 0.75);
  const refused = await call('search', 'reader', 'POST');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(((await refused.json()) as { message: string }).message).toContain(
    'The answers of other requests with this key hold',
  );
  await ended;
  expect((await call('search', 'another', 'POST')).status).toBe(200);
  lease.release();
  expect((await call('search', 'reader', 'POST')).status).toBe(200);
});

test('the calls of one key leave room for those of others', async () => {
  const waiting: ServerResponse[] = [];
  endpoint.answer = ({ url }, response) => {
    if (url === '/indexes/shoes/stats') response.end('{}');
    else waiting.push(response);
  };
  const crowd = await crowdOf(768, `${head(2)}{}`);
  await vi.waitUntil(() => waiting.length === 768, within);
  const refused = await call('stats', 'reader');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(((await refused.json()) as { message: string }).message).toBe(
    '768 calls of this index with this key are under way, and the limit is 768. Try your request again later.',
  );
  expect((await call('stats', 'another')).status).toBe(200);
  for (const socket of crowd) socket.destroy();
  await vi.waitUntil(async () => (await call('stats', 'reader')).status === 200, within);
});

test('the slow bodies of one key leave memory for the bodies of others', async () => {
  // Six MiB for large bodies at once, of which a key has four and a half.
  const small = await openEndpoint(128 * 1024 * 1024);
  onTestFinished(() => small.close());
  small.answer = (request, response) => request.resume().once('end', () => response.end('{}'));
  await Promise.all(Array.from({ length: 4 }, () => connectionWith(small.port, `${head(1024 * 1024)}{"q": `)));
  await vi.waitUntil(() => small.admission.bodies.bytes === 4 * 1024 * 1024, within);
  const send = (key: string) =>
    fetch(`http://127.0.0.1:${small.port}${below}/search`, {
      ...{ method: 'POST', body: Buffer.alloc(1024 * 1024, ' '), headers: { 'x-api-key': key } },
    });
  const refused = await send('reader');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await send('another')).status).toBe(200);
});

test('the health of an index is answered while answers of others hold all the memory there is for them', async () => {
  const small = await openEndpoint(128 * 1024 * 1024);
  onTestFinished(() => small.close());
  small.answer = (_, response) => response.end('{}');
  const { answers } = small.admission;
  // Two MiB for small answers at once.
  for (let held = 0; held < 32; held += 1) answers.lease().resize(64 * 1024);
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${small.port}/e/${index.id}${path}`)).status;
  expect([await ask('/indexes/shoes/stats'), await ask('/health'), await ask('/')]).toEqual([429, 200, 200]);
});
