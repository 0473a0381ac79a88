import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { Gate } from '../operations/gate.js';
import { openService, type Service } from '../operations/service.js';

const ADMIN = 'an-admin-key-for-tests-of-metrics';
let service: Service;
let narrow: string;

const call = (request: string, body?: unknown, key = ADMIN) =>
  send(service.app, { request, body, headers: { 'x-api-key': key } });

beforeAll(async () => {
  service = await openService({ PELORUS_ADMIN_KEY: ADMIN });
  for (const name of ['shown', 'hidden']) await call(`POST /indexes/${name}`, { model: 'random/small' });
  await call('POST /indexes/shown/documents', { documents: [{ t: 'a' }, { t: 'b' }], tensorFields: ['t'] });
  for (const q of ['a', 'b', 'a']) await call('POST /indexes/shown/search', { q });
  await call('POST /indexes/none/search', { q: 'a' });
  narrow = (await call('POST /api/v2/keys', { name: 'narrow', scope: 'read', indexes: ['shown'] })).json().secret;
});

afterAll(() => service.close());

/** The samples of an answer by name and labels, as they are written. */
async function samplesFor(key: string): Promise<Map<string, number>> {
  const answer = await call('GET /metrics', undefined, key);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = answer.body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

test('requests, indexes, memory, models and health are told', async () => {
  const samples = await samplesFor(ADMIN);
  expect(samples.get('pelorus_requests_total{operation="search",status="200"}')).toBe(3);
  expect(samples.get('pelorus_requests_total{operation="search",status="404"}')).toBe(1);
  expect(samples.get('pelorus_request_duration_seconds_count{operation="search"}')).toBe(4);
  expect(samples.get('pelorus_request_duration_seconds_bucket{operation="search",le="+Inf"}')).toBe(4);
  expect(samples.get('pelorus_searches_total')).toBe(4);
  expect(samples.get('pelorus_requests_in_progress{load="search"}')).toBe(0);
  expect(samples.get('pelorus_indexes')).toBe(2);
  expect(samples.get('pelorus_index_documents{index="shown"}')).toBe(2);
  expect(samples.get('pelorus_index_vectors{index="shown"}')).toBe(2);
  expect(samples.get('pelorus_index_documents{index="hidden"}')).toBe(0);
  expect(samples.get('pelorus_index_memory_bytes{index="shown",owner="vectors"}')).toBeGreaterThan(0);
  expect(samples.get('pelorus_audit_rounds_total{index="shown"}')).toBe(0);
  expect(samples.get('pelorus_audit_differences_total{index="shown",structure="text"}')).toBe(0);
  expect(samples.get('pelorus_health{part="all"}')).toBe(0);
  expect(samples.get('pelorus_memory_budget_bytes')).toBeGreaterThan(samples.get('pelorus_memory_held_bytes') ?? 0);
  expect(samples.get('pelorus_model_loaded{model="random/small",device="cpu",encoder="pelorus",precision="f32"}')).toBe(
    1,
  );
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(samples.get('pelorus_storage_bytes{of="total"}')).toBeGreaterThan(
    samples.get('pelorus_storage_bytes{of="reserve"}') ?? Number.POSITIVE_INFINITY,
  );
  const ours = [...samples].filter(([name]) => name.startsWith('pelorus_'));
  expect(ours.filter(([, value]) => Number.isNaN(value))).toEqual([]);
});

test('stages, errors, the work of models and of indexes, and caches are told', async () => {
  const samples = await samplesFor(ADMIN);
  for (const stage of ['plan', 'embed', 'search'])
    expect(samples.get(`pelorus_search_stage_duration_seconds_count{stage="${stage}"}`), stage).toBe(3);
  for (const stage of ['prepare', 'embed', 'store'])
    expect(samples.get(`pelorus_write_stage_duration_seconds_count{stage="${stage}"}`), stage).toBe(1);
  expect(samples.get('pelorus_errors_total{code="index_not_found"}')).toBe(1);
  const encoder = '{device="cpu",encoder="pelorus"}';
  expect(samples.get(`pelorus_model_waiting_inputs${encoder}`)).toBe(0);
  // The third search asked what the first one did.
  expect(samples.get('pelorus_query_cache_misses_total')).toBe(2);
  expect(samples.get('pelorus_query_cache_hits_total')).toBe(1);
  expect(samples.get('pelorus_query_cache_vectors')).toBe(2);
  const index = 'index="shown"';
  expect(samples.get(`pelorus_index_queued_writes{${index}}`)).toBe(0);
  expect(samples.get(`pelorus_index_unflushed_documents{${index}}`)).toBe(2);
  expect(samples.get(`pelorus_index_store_bytes{${index}}`)).toBeGreaterThan(0);
  expect(samples.get(`pelorus_index_compactions_total{${index}}`)).toBe(0);
  expect(samples.get(`pelorus_index_cache_misses_total{${index},cache="filters"}`)).toBe(0);
  const search = { q: 'a', filter: 'n:[1 TO 2]' };
  for (let i = 0; i < 3; i += 1) await call('POST /indexes/shown/search', search);
  const after = await samplesFor(ADMIN);
  expect(after.get(`pelorus_index_cache_misses_total{${index},cache="filters"}`)).toBe(1);
  expect(after.get(`pelorus_index_cache_hits_total{${index},cache="filters"}`)).toBe(2);
});

test('a search under way is told as one', async () => {
  const gate = new Gate();
  const gated = await openService({}, { inFrontOf: (engine) => gate.before(engine) });
  await send(gated.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  const { reached, open } = gate.hold('search');
  const search = send(gated.app, { request: 'POST /indexes/a/search', body: { q: 'a', searchMethod: 'LEXICAL' } });
  await reached;
  const told = async () => (await send(gated.app, { request: 'GET /metrics' })).body;
  expect(await told()).toContain('pelorus_requests_in_progress{load="search"} 1');
  open();
  await search;
  expect(await told()).toContain('pelorus_requests_in_progress{load="search"} 0');
  await gated.close();
});

test('a key sees the indexes that it may call', async () => {
  const samples = await samplesFor(narrow);
  expect(samples.get('pelorus_indexes')).toBe(1);
  expect(samples.get('pelorus_index_documents{index="shown"}')).toBe(2);
  expect([...samples.keys()].filter((name) => name.includes('hidden'))).toEqual([]);
});

test('nobody without a key is let in', async () => {
  expect((await call('GET /metrics', undefined, 'wrong')).statusCode).toBe(401);
});
