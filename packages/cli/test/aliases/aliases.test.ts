import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteAlias, listAliases, setAlias } from '../../src/aliases/aliases.js';

const results = [
  { aliasName: 'books', indexName: 'books-2' },
  { aliasName: 'magazines', indexName: 'm' },
];
const asked: string[] = [];
let server: Server;
let at: { url: string; apiKey: undefined };
beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url} ${await text(request)}`.trim());
    response.end(JSON.stringify({ results }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  at = { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, apiKey: undefined };
});
afterAll(() => server.close().closeAllConnections());

test('each alias has a row with its index', async () => {
  const out = Object.assign(new PassThrough(), { isTTY: false });
  await listAliases(at, false, out);
  const [titles, ...rows] = String(out.read())
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  expect(titles).toEqual(['alias', 'index']);
  expect(rows).toEqual([
    ['books', 'books-2'],
    ['magazines', 'm'],
  ]);
});

test('an alias is set and deleted by its name, and none leads to another path', async () => {
  asked.length = 0;
  await setAlias(at, 'a b', 'books-2', true);
  await deleteAlias(at, 'books', true);
  expect(asked).toEqual(['PUT /aliases/a%20b {"indexName":"books-2"}', 'DELETE /aliases/books']);
  await expect(deleteAlias(at, '..', true)).rejects.toThrow('must have a name');
});
