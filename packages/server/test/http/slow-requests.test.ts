import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SlowRequest, SlowRequests, slowFrom } from '../../src/http/slow-requests.js';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';

const ADMIN = 'an-admin-key-for-tests-of-slow-requests';
const NOW = Date.parse('2026-02-03T04:05:06Z');
const HOUR = 60 * 60_000;

const one = (ms: number, at = NOW): SlowRequest => ({
  ...{ at: new Date(at).toISOString(), requestId: `r${ms}`, operation: 'search', index: 'a' },
  ...{ status: 200, ms, stagesMs: {} },
});

test('the slowest hundred of the last day are kept, the slowest first', () => {
  let now = NOW;
  const slow = new SlowRequests(() => now);
  slow.note(one(1_000_000, NOW - 23 * HOUR));
  for (let ms = 1; ms <= 150; ms += 1) slow.note(one((ms * 7919) % 1009));
  const expected = Array.from({ length: 150 }, (_, at) => ((at + 1) * 7919) % 1009).sort((a, b) => b - a);
  expect(slow.list().map(({ ms }) => ms)).toEqual([1_000_000, ...expected].slice(0, 100));
  now += 2 * HOUR;
  expect(slow.list().map(({ ms }) => ms)).toEqual(expected.slice(0, 99));
});

test.each([
  ['search', 20],
  ['suggest', 20],
  ['addDocuments', 30],
  ['updateDocuments', 30],
  ['getDocument', 1000],
  [undefined, 1000],
] as const)('%s is slow from %i ms', (operation, ms) => {
  expect(slowFrom(operation, { slowSearchMs: 20, slowWriteMs: 30 })).toBe(ms);
});

let service: Service;
const call = (request: string, body?: unknown, key = ADMIN) =>
  send(service.app, { request, body, headers: { 'x-api-key': key } });

beforeAll(async () => {
  // With a limit of a millisecond, whatever does some work is slow.
  service = await openService({ PELORUS_ADMIN_KEY: ADMIN, PELORUS_SLOW_SEARCH_MS: '1', PELORUS_SLOW_WRITE_MS: '1' });
  await call('POST /indexes/a', { model: 'random/small' });
});

afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

/** Repeats a call until one was slow: a fast machine may answer within the millisecond. */
async function slowOnes(...requests: (readonly [string, unknown])[]): Promise<SlowRequest[]> {
  for (;;) {
    for (const [request, body] of requests) expect((await call(request, body)).statusCode).toBe(200);
    const listed: SlowRequest[] = (await call('GET /slow-requests')).json().slowRequests;
    const operations = new Set(listed.map(({ operation }) => operation));
    if (operations.size === requests.length) return listed;
  }
}

test('slow searches and writes are told by their shape, without what they look for', async () => {
  const texts = Array.from({ length: 100 }, (_, at) => ({ t: `secret ${at}` }));
  const search = { q: 'secret', limit: 7, filter: 't:(secret 1)', facets: { fields: { t: { type: 'string' } } } };
  const listed = await slowOnes(
    ['POST /indexes/a/documents', { documents: texts, tensorFields: ['t'] }],
    ['POST /indexes/a/search', { ...search, searchMethod: 'HYBRID' }],
  );
  const found = listed.find(({ operation }) => operation === 'search');
  expect(found).toMatchObject({
    ...{ index: 'a', status: 200, requestId: expect.any(String) },
    search: { retrieval: 'disjunction', limit: 7, offset: 0, filterLength: 12, facets: true, sort: false },
  });
  const { plan = -1, embed = -1, search: searched = -1 } = found?.stagesMs ?? {};
  for (const ms of [plan, embed, searched]) expect(ms).toBeGreaterThanOrEqual(0);
  expect(plan + embed + searched).toBeCloseTo(found?.ms ?? 0, 1);
  expect(listed.find(({ operation }) => operation === 'addDocuments')).toMatchObject({ index: 'a', documents: 100 });
  expect(JSON.stringify(listed)).not.toContain('secret');
  expect(listed.map(({ ms }) => ms)).toEqual(listed.map(({ ms }) => ms).sort((x, y) => y - x));
});

test('whoever asks needs a key that manages all indexes', async () => {
  for (const rights of [{ scope: 'read' }, { scope: 'admin', indexes: ['b'] }]) {
    const { secret } = (await call('POST /api/v2/keys', { name: rights.scope, ...rights })).json();
    expect((await call('GET /slow-requests', undefined, secret)).statusCode).toBe(403);
  }
});
