import { readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { memoryLimit } from './memory-limit.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const LIMIT = 1024 * 1024 * 1024;
const READERS = 240;
const DOCUMENTS = 2_000;
/** With it all documents are 12 MB: more than the system takes of a connection that nobody reads. */
const TEXT = 'word '.repeat(1_200);
const SETTINGS = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
const KEY = withAdminKey.PELORUS_ADMIN_KEY;

let folder = '';
const limit = memoryLimit(LIMIT);
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => limit?.remove());

if (limit === null) {
  console.warn('SKIPPED: no memory limit can be set here, neither by control groups nor by systemd-run');
}
const ids = Array.from({ length: DOCUMENTS }, (_, i) => `d${i}`);

async function fill(server: ServerProcess, index: string): Promise<void> {
  for (let from = 0; from < DOCUMENTS; from += 100) {
    const documents = ids.slice(from, from + 100).map((_id) => ({ _id, title: TEXT }));
    expect((await server.ok('POST', `${index}/documents`, { documents })).errors).toBe(false);
  }
}

/** Asks for all documents, and reads nothing. */
function ask(server: ServerProcess, index: string): Promise<Socket> {
  const body = JSON.stringify({ documentIds: ids });
  const head = `POST ${index}/documents/get-batch HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${KEY}\r\ncontent-type: application/json`;
  const { hostname, port } = new URL(server.address);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`, () => resolve(socket));
  });
}

/** Reads the status in the first bytes of an answer of which nobody has read anything so far. */
function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      resolve(Number(String(bytes.subarray(9, 12))));
    });
    socket.once('close', () => resolve(0));
    socket.resume();
  });
}

async function unread(server: ServerProcess, index: string): Promise<void> {
  const crowd = await Promise.all(Array.from({ length: READERS }, () => ask(server, index)));
  onTestFinished(() => crowd.forEach((socket) => void socket.destroy()));
  const search = { q: 'word', searchMethod: 'LEXICAL', limit: 1 };
  for (let round = 0; round < 20; round += 1) {
    expect((await server.call('GET', '/health')).status).toBe(200);
    expect((await server.call('POST', `${index}/search`, search)).status).toBe(200);
  }
  const statuses = await Promise.all(crowd.map(statusOf));
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([200, 429]);
  expect((await server.call('POST', `${index}/search`, search)).status).toBe(200);
  const taken = statuses.filter((status) => status === 200).length;
  const anonymous = /^RssAnon:\s*(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'latin1'))?.[1];
  console.log(`${taken} of ${READERS} answers made, the others refused; ${anonymous} kB of anonymous memory`);
}

test.runIf(limit !== null)(`under a limit of 1 GiB ${READERS} answers that nobody reads end nothing`, async () => {
  folder = emptyFolder('unread');
  const inside = limit?.inside ?? [];
  const server = await ServerProcess.start(['--data', folder], { inside, env: withAdminKey });
  onTestFinished(() => server.end('SIGKILL').then(() => undefined));
  await server.ok('POST', '/indexes/large', SETTINGS);
  await fill(server, '/indexes/large');
  await unread(server, '/indexes/large');
  expect(await server.end(), 'the server was not killed').toBe(0);
});

test.runIf(limit !== null)(`so it is in the hosted form, and neighbours are answered`, async () => {
  folder = emptyFolder('unread-hosted');
  const inside = limit?.inside ?? [];
  const server = await ServerProcess.start(['--hosted', '--data', folder], { inside, env: withAdminKey });
  onTestFinished(() => server.end('SIGKILL').then(() => undefined));
  for (const name of ['large', 'other']) await server.ok('POST', `/api/v2/indexes/${name}`, SETTINGS);
  const records = await settledStates(server, ['large', 'other']);
  const endpoint = (name: string) => `${records.get(name).marqoEndpoint.slice(server.address.length)}/indexes/${name}`;
  await fill(server, endpoint('large'));
  await unread(server, endpoint('large'));
  expect((await server.call('GET', `${endpoint('other')}/stats`)).status).toBe(200);
  expect(server.output).not.toContain('The process of an index ended');
  expect(await server.end(), 'the server was not killed').toBe(0);
});
