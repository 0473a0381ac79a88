import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openTracing } from '../../src/tracing/tracing.js';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';
import { type CollectedSpan, Collector } from './collector.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const SAMPLED = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'shop=1' };

let collector: Collector;
let service: Service;
const call = (request: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(service.app, { request, body, headers });

beforeAll(async () => {
  collector = await Collector.open();
  service = await openService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
    // Nothing is told but what a caller asks for.
    OTEL_TRACES_SAMPLER_ARG: '0',
    OTEL_SERVICE_NAME: 'shop-search',
  });
  await call('POST /indexes/a', { model: 'random/small' });
  const documents = ['secret one', 'secret two'].map((t, at) => ({ _id: `secret-${at}`, t }));
  await call('POST /indexes/a/documents', { documents, tensorFields: ['t'] }, SAMPLED);
  await call('POST /indexes/a/search', { q: 'secret wish', limit: 7, filter: 't:(secret one)' }, SAMPLED);
  await call('POST /multi-search', { queries: ['b', 'c'].map((q) => ({ indexName: 'a', q })) }, SAMPLED);
  await call('GET /indexes/a/documents/secret-0', undefined, SAMPLED);
  await call('POST /indexes/none/search', { q: 'secret' }, SAMPLED);
  await call('POST /indexes/a/search', { q: 'not told' }, { traceparent: `00-${TRACE}-${SPAN}-00` });
  await call('POST /indexes/a/search', { q: 'not told' });
  // Spans that wait are told before the server is closed.
  await service.close();
});
afterAll(() => collector.close());

const named = (name: string) => collector.spans.filter((span) => span.name === name);
const childrenOf = ({ spanId }: CollectedSpan) =>
  collector.spans.filter(({ parentId }) => parentId === spanId).sort((a, b) => Number(a.start - b.start));
const only = (name: string): CollectedSpan => {
  const [span, ...others] = named(name);
  expect(others, name).toEqual([]);
  return span as CollectedSpan;
};

test('a search is told with its stages, by its index, its method and its model', () => {
  const [span, refused] = named('POST /indexes/:indexName/search');
  expect(span).toMatchObject({
    ...{ traceId: TRACE, parentId: SPAN, state: 'shop=1', kind: 2, status: 0 },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/indexes/:indexName/search',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'pelorus.operation': 'search',
      'pelorus.index': 'a',
      'pelorus.request_id': expect.any(String),
    },
    resource: {
      'service.name': 'shop-search',
      'service.version': expect.any(String),
      'service.instance.id': expect.any(String),
    },
  });
  const stages = childrenOf(span as CollectedSpan);
  const shape = { 'pelorus.index': 'a', 'pelorus.retrieval': 'tensor', 'pelorus.ranking': 'tensor' };
  expect(stages.map(({ name, kind, attributes }) => [name, kind, attributes])).toEqual([
    ['plan', 1, shape],
    ['embed', 1, { 'pelorus.index': 'a', 'pelorus.model': 'random/small', 'pelorus.inputs': 1 }],
    ['search', 1, { ...shape, 'pelorus.limit': 7, 'pelorus.offset': 0 }],
  ]);
  for (const { start, end, traceId } of stages) {
    expect(traceId).toBe(TRACE);
    expect(start <= end && start >= (span?.start ?? 0n) && end <= (span?.end ?? 0n)).toBe(true);
  }
  // One that was refused before it was planned has none.
  expect([refused?.attributes['http.response.status_code'], childrenOf(refused as CollectedSpan)]).toEqual([404, []]);
});

test('documents that are added are told with their stages, of several searches each with its own', () => {
  const added = childrenOf(only('POST /indexes/:indexName/documents'));
  expect(added.map(({ name, attributes }) => [name, attributes])).toEqual([
    ['prepare', { 'pelorus.index': 'a', 'pelorus.documents': 2 }],
    ['embed', { 'pelorus.index': 'a', 'pelorus.model': 'random/small', 'pelorus.inputs': 2 }],
    ['store', { 'pelorus.index': 'a', 'pelorus.documents': 2 }],
  ]);
  const searched = childrenOf(only('POST /multi-search')).map(({ name }) => name);
  expect(searched.sort()).toEqual(['embed', 'embed', 'plan', 'plan', 'search', 'search']);
});

test('neither contents nor ids of documents, nor what is looked for, is told to anybody', () => {
  expect(only('GET /indexes/:indexName/documents/*').attributes['pelorus.index']).toBe('a');
  expect(collector.text).not.toContain('secret ');
  expect(collector.text).not.toContain('secret-');
});

test('a request that nobody records, and no share of the others, is told', () => {
  expect(collector.spans.map(({ traceId }) => traceId)).toEqual(collector.spans.map(() => TRACE));
  expect(named('POST /indexes/:indexName/search')).toHaveLength(2);
});

test('a collector that takes nothing is told of in the log, once', async () => {
  const refusing = await Collector.open();
  refusing.status = 400;
  const told: string[] = [];
  const config = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url });
  const tracing = await openTracing(config, { warn: (message: string) => told.push(message) });
  const begun = () => tracing?.begin({ traceId: TRACE, spanId: SPAN, flags: 1, state: null }, performance.now());
  const facts = { method: 'GET', route: '/', operation: undefined, index: undefined, requestId: 'r', status: 200 };
  for (let i = 0; i < 2; i += 1) begun()?.end({ ...facts, endMs: performance.now(), searches: [], write: null });
  await tracing?.close();
  expect(told).toEqual([expect.stringMatching(/^The collector of traces did not take 2 spans: /)]);
  await refusing.close();
});

test('nothing is loaded where nobody asked for traces', async () => {
  expect(await openTracing(readConfig({}), { warn: () => undefined })).toBeNull();
});

test('a collector is sent the headers of the settings', () => {
  expect(collector.headers.map((headers) => headers['x-tenant'])).toContain('a b');
});
