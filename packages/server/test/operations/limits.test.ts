import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from './exchange.js';
import { Gate } from './gate.js';
import { openService, type Service } from './service.js';

const AT_ONCE = {
  MARQO_MAX_CONCURRENT_INDEX: '1',
  MARQO_MAX_CONCURRENT_PARTIAL_UPDATE: '1',
  MARQO_MAX_CONCURRENT_SEARCH: '1',
};
const gate = new Gate();
let service: Service;

beforeAll(async () => {
  const limits = {
    ...AT_ONCE,
    MARQO_INDEX_DEPLOYMENT_LOCK_TIMEOUT: '0',
    MARQO_MAX_DOCUMENTS_BATCH_SIZE: '2',
    MARQO_MAX_SEARCH_LIMIT: '20',
    MARQO_MAX_IN_FILTER_IDS: '2',
    MARQO_MAX_LEXICAL_FIELD_COUNT_UNSTRUCTURED: '2',
    MARQO_MAX_TENSOR_FIELD_COUNT_UNSTRUCTURED: '1',
    PELORUS_MAX_INDEXES: '1',
  };
  service = await openService(limits, { inFrontOf: (engine) => gate.before(engine) });
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
});

afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

const COUNTED = [
  ['prepareAdd', 'POST /indexes/a/documents', { documents: [{ t: 'x' }], tensorFields: ['t'] }],
  ['prepareUpdate', 'PATCH /indexes/a/documents', { documents: [{ _id: 'nobody' }] }],
  ['search', 'POST /indexes/a/search', { q: 'x' }],
] as const;

test.each(COUNTED)(
  'models 6.6: %s beyond the number at once is refused with the time to wait',
  async (method, request, body) => {
    const { reached, open } = gate.hold(method);
    const first = send(service.app, { request, body });
    await reached;

    const refused = await send(service.app, { request, body });
    open();

    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json()).toMatchObject({ code: 'too_many_requests', type: 'invalid_request' });
    expect((await first).statusCode).toBe(200);
  },
);

test('models 6.6: without throttling nothing is refused for what is under way', async () => {
  const open = new Gate();
  const lenient = await openService(
    { ...AT_ONCE, MARQO_ENABLE_THROTTLING: 'FALSE' },
    { inFrontOf: (engine) => open.before(engine) },
  );
  await send(lenient.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
  for (const [method, request, body] of COUNTED) {
    const held = open.hold(method);
    const first = send(lenient.app, { request, body });
    await held.reached;
    expect((await send(lenient.app, { request, body })).statusCode).toBe(200);
    held.open();
    expect((await first).statusCode).toBe(200);
  }
  await lenient.close();
});

test('an index change that finds another one under way is refused', async () => {
  const { reached, open } = gate.hold('dropIndex');
  const first = send(service.app, { request: 'DELETE /indexes/nope' });
  await reached;

  const refused = await send(service.app, { request: 'DELETE /indexes/nope' });
  open();

  expect(refused.json()).toMatchObject({ code: 'operation_conflict_error' });
  expect((await first).json()).toMatchObject({ code: 'index_not_found' });
});

test('limits are those of the configuration', async () => {
  const documents = await send(service.app, {
    request: 'POST /indexes/a/documents',
    body: { documents: [{}, {}, {}] },
  });
  expect(documents.json().message).toContain('(3) exceeds limit of 2');
  const updates = await send(service.app, {
    request: 'PATCH /indexes/a/documents',
    body: { documents: [{}, {}, {}] },
  });
  expect(updates.json().message).toContain('update_documents request (3) exceeds limit of 2');
  const search = await send(service.app, { request: 'POST /indexes/a/search', body: { q: 'x', limit: 21 } });
  expect(search.json().message).toContain('limit of [20]');
  const index = await send(service.app, { request: 'POST /indexes/b', body: { model: 'random/small' } });
  expect(index.json()).toMatchObject({ code: 'bad_request', message: expect.stringContaining('PELORUS_MAX_INDEXES') });
});

test.each([
  [{ documents: [{ t: 'x', a: 'y', b: 'z' }], tensorFields: [] }, 'LEXICAL'],
  [{ documents: [{ t: 'x', a: 'y' }], tensorFields: ['t', 'a'] }, 'TENSOR'],
])('a document with more fields than the configuration allows is an item', async (body, kind) => {
  const response = await send(service.app, { request: 'POST /indexes/a/documents', body });
  expect(response.json()).toMatchObject({ errors: true, items: [{ status: 400, code: 'bad_request' }] });
  expect(response.json().items[0].message).toContain(`MARQO_MAX_${kind}_FIELD_COUNT_UNSTRUCTURED`);
});

test('a filter with more values than the configuration allows is refused', async () => {
  const body = { q: 'x', filter: '_id IN (1,2,3)' };
  const response = await send(service.app, { request: 'POST /indexes/a/search', body });
  expect(response.json().message).toContain('exceeds the maximum of 2 (MARQO_MAX_IN_FILTER_IDS)');
});

test.each([
  ['POST /batch/indexes/create', 'MARQO_ENABLE_BATCH_APIS'],
  ['POST /batch/indexes/delete', 'MARQO_ENABLE_BATCH_APIS'],
  ['POST /validate/index/b', 'MARQO_ENABLE_OPS_API'],
  ['PATCH /indexes/a/index-settings', 'MARQO_ENABLE_OPS_API'],
  ['DELETE /indexes/a/suggestions/queries/delete-all', 'MARQO_ENABLE_BATCH_APIS'],
  ['GET /memory', 'MARQO_ENABLE_DEBUG_API'],
])('%s is not served until the operator says so', async (request, variable) => {
  const response = await send(service.app, { request, body: request.startsWith('POST') ? [] : undefined });
  const text = `This API endpoint is disabled. Please set ${variable} to true to enable it.`;
  expect(response.statusCode).toBe(403);
  expect(response.json()).toMatchObject({ detail: text, message: text, code: 'forbidden', type: 'invalid_request' });
});
