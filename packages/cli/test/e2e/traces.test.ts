import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CollectedSpan, Collector } from '../../../server/test/tracing/collector.js';
import { settledStates } from './hosted-model.js';
import { KeptClient } from './kept-client.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const data = emptyFolder('traces');
let collector: Collector;
let server: ServerProcess;

beforeAll(async () => {
  collector = await Collector.open();
  const args = ['--hosted', '--data', data, '--http-threads', '2', '--log-level', 'debug'];
  const traces = ['--otlp-endpoint', collector.url, '--trace-ratio', '0'];
  server = await ServerProcess.start([...args, ...traces], { env: withAdminKey });
});
afterAll(async () => {
  await server?.end();
  await collector?.close();
  rmSync(data, { recursive: true, force: true });
});

test('a call is one trace through the gateway, the process of the index, the model and the engine', async () => {
  await server.ok('POST', '/api/v2/indexes/shop', { model: 'random/small' });
  const record = (await settledStates(server, ['shop'])).get('shop');
  const shop = `${record.marqoEndpoint.slice(server.address.length)}/indexes/shop`;
  const client = new KeptClient(server.address, undefined, { traceparent: `00-${TRACE}-${SPAN}-01` });
  const added = await client.call('POST', `${shop}/documents`, { documents: [{ t: 'a' }], tensorFields: ['t'] });
  expect(added.status).toBe(200);
  // The second call of a connection, and those behind it, are relayed.
  for (let i = 0; i < 4; i += 1)
    expect((await client.call('POST', `${shop}/search`, { q: `a ${i}` })).status).toBe(200);
  // The gateway asks the index on its own for its counts.
  expect((await client.call('GET', '/api/v2/indexes/shop')).status).toBe(200);
  client.close();
  await server.end();

  const { spans } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const named = (name: string) => spans.filter((span) => span.name === name);
  const parentOf = ({ parentId }: CollectedSpan) => byId.get(parentId);
  const processOf = ({ resource }: CollectedSpan) => resource['process.pid'];
  const searches = named('POST /indexes/:indexName/search');
  expect(searches).toHaveLength(4);
  for (const search of searches) {
    const handedOn = parentOf(search) as CollectedSpan;
    expect([handedOn.name, handedOn.parentId]).toEqual(['POST /e/:endpointId/indexes/:indexName/search', SPAN]);
    expect(processOf(handedOn)).toBe(server.pid);
    expect(processOf(search)).not.toBe(server.pid);
    const stages = spans.filter(({ parentId }) => parentId === search.spanId).map(({ name }) => name);
    expect(stages.sort()).toEqual(['embed', 'plan', 'search']);
  }
  const [add] = named('POST /indexes/:indexName/documents') as [CollectedSpan];
  expect(spans.filter(({ parentId }) => parentId === add.spanId).map(({ name }) => name)).toEqual([
    'prepare',
    'embed',
    'store',
  ]);
  const [counts] = named('GET /indexes/:indexName/stats') as [CollectedSpan];
  expect(parentOf(counts)?.name).toBe('GET /api/v2/indexes/:indexName');
  // Lines of both processes name the trace.
  const written = server.output.split('\n').filter((line) => line.startsWith('{'));
  const lines = written.map((line) => JSON.parse(line)).filter((line) => line.trace_id === TRACE);
  expect(new Set(lines.map(({ pid }) => pid)).size).toBe(2);
});
