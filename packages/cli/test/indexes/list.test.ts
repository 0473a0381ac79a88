import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { listIndexes } from '../../src/indexes/indexes.js';

// Whoever runs the tests may ask for colours.
vi.stubEnv('FORCE_COLOR', undefined);

const record = {
  ...{ indexName: 'b', index_name: 'b', indexStatus: 'READY', numberOfDocuments: 1234, numberOfVectors: 5 },
  settings: { model: 'random/small' },
};

/** Answers by path: status and body. */
const ANSWERS: Readonly<Record<string, readonly [number, object]>> = {
  '/indexes': [200, { results: ['c', 'b', 'a'].map((indexName) => ({ indexName })) }],
  '/indexes/a': [500, { code: 'internal', message: 'The folder of the index is gone' }],
  '/indexes/b': [200, record],
  '/indexes/c': [404, { code: 'index_not_found', message: 'There is no index c' }],
};

const server = createServer(({ url = '' }, response) => {
  const [status, body] = ANSWERS[url] ?? [404, {}];
  response.writeHead(status).end(JSON.stringify(body));
});
afterEach(() => server.close().closeAllConnections());

test('an index that cannot be read has its reason in the list, and one that is gone by now no line', async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const out = new PassThrough();
  await listIndexes({ url, apiKey: undefined }, false, out);
  expect(String(out.read())).toBe(
    [
      'index  documents  vectors  status  model',
      'a              -        -  FAILED  The folder of the index is gone (internal)',
      'b          1,234        5  READY   random/small',
      '',
    ].join('\n'),
  );
});
