import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { showDualWrite } from '../../src/dual-write/dual-write.js';

const report = {
  isAlike: false,
  state: 'behind',
  reason: 'nobody answers',
  pendingDocuments: 3,
  refusedDocuments: 0,
  since: '2026-01-02T03:04:05.000Z',
  documents: { first: 1200, second: null },
  searches: { count: 21, failures: 0, lastFailure: null, overlapAt10: 0.9, different: [] },
};
const asked: string[] = [];
let server: Server;
beforeAll(async () => {
  server = createServer(({ method, url = '' }, response) => {
    asked.push(`${method} ${url}`);
    if (url === '/indexes') response.end('{"results":[{"indexName":"b"},{"indexName":"a"}]}');
    else response.end(method === 'POST' ? '{"acknowledged":true}' : JSON.stringify(report));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close().closeAllConnections());

async function shown(options: Partial<Parameters<typeof showDualWrite>[1]> = {}): Promise<string> {
  const out = Object.assign(new PassThrough(), { isTTY: false });
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const all = { index: undefined, repair: false, json: false, ...options };
  await showDualWrite({ url, apiKey: undefined }, all, out);
  return String(out.read());
}

test('each index has a row with both counts and the overlap of searches', async () => {
  const [, a, b] = (await shown()).trim().split('\n');
  expect(a?.trim().split(/ {2,}/)).toEqual(['a', 'no', 'behind', '1,200', '?', '21', '0.900']);
  expect(b).toMatch(/^b /);
});

test('an index is repaired before it is shown, where that is asked for', async () => {
  asked.length = 0;
  expect(JSON.parse(await shown({ index: 'a', repair: true, json: true }))).toEqual({
    indexes: [{ indexName: 'a', ...report }],
  });
  expect(asked).toEqual(['POST /indexes/a/dual-write', 'GET /indexes/a/dual-write']);
});
