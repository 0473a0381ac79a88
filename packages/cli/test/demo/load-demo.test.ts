import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadDemo } from '../../src/demo/load-demo.js';

/** Stands in for the server: an index that holds ids, and a note of every batch it was sent. */
let stored: Set<string>;
let batches: string[][];
let indexCreated: boolean;
let refuse: string | undefined;
let server: Server;
let address: string;

beforeEach(async () => {
  stored = new Set();
  batches = [];
  indexCreated = false;
  refuse = undefined;
  server = createServer(async (request, response) => {
    const [status, body] = answer(request.url as string, JSON.parse(await text(request)));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterEach(() => server.close());

async function text(request: IncomingMessage): Promise<string> {
  let all = '';
  for await (const chunk of request) all += chunk;
  return all;
}

function answer(url: string, body: any): [status: number, body: object] {
  if (url === '/indexes/products') {
    if (indexCreated) return [409, { code: 'index_already_exists', message: 'Index products already exists' }];
    indexCreated = true;
    return [200, { acknowledged: true }];
  }
  if (url === '/indexes/products/documents/get-batch') {
    return [200, { results: body.documentIds.map((_id: string) => ({ _id, _found: stored.has(_id) })) }];
  }
  const ids = body.documents.map((document: { _id: string }) => document._id);
  if (refuse !== undefined) return [200, { errors: true, items: [{ status: 400, message: refuse }] }];
  batches.push(ids);
  for (const id of ids) stored.add(id);
  return [200, { errors: false, items: ids.map((_id: string) => ({ _id, status: 200 })) }];
}

async function load(): Promise<string> {
  const out = new PassThrough();
  await loadDemo(address, out as unknown as NodeJS.WriteStream);
  return String(out.read());
}

test('an empty server gets the whole catalogue in batches, with progress and lines to paste', async () => {
  const said = await load();
  expect(stored.size).toBe(1200);
  expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(128);
  expect(said).toMatch(/Loading the sample catalogue: \d+ of 1200/);
  expect(said.match(/^curl /gm)).toHaveLength(4);
});

test('a server that has it gets nothing', async () => {
  await load();
  batches = [];
  const said = await load();
  expect(batches).toEqual([]);
  expect(said).toContain('1200 products in the index "products"');
});

test('an interrupted run goes on with what is missing', async () => {
  await load();
  stored.delete('product-0007');
  stored.delete('product-1100');
  batches = [];
  await load();
  expect(batches).toEqual([['product-0007', 'product-1100']]);
});

test('a refused document is told with the reason the server gave', async () => {
  refuse = 'the model is not here';
  await expect(load()).rejects.toThrow('the model is not here');
});

test('the lines to paste hold JSON that a shell passes on unharmed', async () => {
  const said = await load();
  for (const line of said.split('\n').filter((one) => one.startsWith('curl '))) {
    const [, quoted] = /-d '([^']*)'$/.exec(line) as RegExpExecArray;
    expect(JSON.parse(quoted as string)).toMatchObject({ limit: 3, q: expect.any(String) });
    expect(line).toContain("-H 'Content-Type: application/json'");
  }
});
