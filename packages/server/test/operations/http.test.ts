import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

let service: Service;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
});

afterAll(() => service.close());

describe('a request that no route takes', () => {
  test.each([
    ['GET /nope', 404, 'not_found', 'Not Found'],
    ['GET /indexes/a/refresh', 404, 'not_found', 'Not Found'],
    ['GET /api/indexes', 404, 'not_found', 'Not Found'],
    ['POST /indexes/a/b/c', 404, 'not_found', 'Not Found'],
    ['PUT /indexes/a/search', 405, 'method_not_allowed', 'Method Not Allowed'],
    ['PATCH /indexes/a', 405, 'method_not_allowed', 'Method Not Allowed'],
    ['OPTIONS /indexes', 405, 'method_not_allowed', 'Method Not Allowed'],
    ['DELETE /', 405, 'method_not_allowed', 'Method Not Allowed'],
  ])('%s is a %i with code %s', async (request, status, code, detail) => {
    const response = await send(service.app, { request });
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ detail, code, message: expect.any(String), type: 'invalid_request', link: null });
  });

  test.each([
    ['POST /nope', 404],
    ['PUT /indexes/a/search', 405],
  ])('%s is a %i however large its body', async (request, status) => {
    const response = await send(service.app, { request, body: ' '.repeat(3 * 1024 * 1024) });
    expect(response.statusCode).toBe(status);
  });

  test.each([
    ['GET /api/v2/nope', 404],
    ['GET /api/v2', 404],
    ['PATCH /api/v2/keys', 405],
    ['GET /api/v2/%zz', 400],
  ])('%s tells its message by both names', async (request, status) => {
    const response = await send(service.app, { request });
    expect([response.statusCode, response.json().error]).toEqual([status, response.json().message]);
  });

  test('HEAD is no method of any path', async () => {
    expect((await send(service.app, { request: 'HEAD /indexes' })).statusCode).toBe(405);
  });

  test('the allowed methods are told', async () => {
    expect((await send(service.app, { request: 'PUT /indexes/a' })).headers.allow).toBe('POST, DELETE, GET');
  });
});

test.each([
  ['GET /indexes/', '/indexes'],
  ['POST /indexes/a/search/?telemetry=true', '/indexes/a/search?telemetry=true'],
])('%s is sent to %s, method and body kept', async (request, location) => {
  const response = await send(service.app, { request, body: {} });
  expect([response.statusCode, response.headers.location]).toEqual([307, location]);
});

test('slashes in a row are one, but those in the id of a document', async () => {
  const ids = ['x//y', '/x', 'https://shop.example/p'];
  const documents = ids.map((_id) => ({ _id, title: 'a boot' }));
  await send(service.app, { request: 'POST /indexes/a//documents', body: { documents, tensorFields: [] } });
  for (const id of ids) {
    const response = await send(service.app, { request: `GET /indexes//a///documents/${id}` });
    expect(response.json()).toMatchObject({ _id: id });
  }
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  const { results } = (await (await fetch(`http://127.0.0.1:${port}//indexes`)).json()) as any;
  expect(results).toMatchObject([{ indexName: 'a' }]);
});

test.each([
  ['GET /', 200],
  ['GET /nope', 404],
  ['PUT /indexes/a', 405],
  ['GET /indexes/', 307],
  ['GET /indexes/%zz/stats', 400],
  ['POST /indexes/a/search', 422],
  ['GET /docs', 200],
])('%s, answered %i, is told the id that its caller gave', async (request, status) => {
  const headers = { 'x-request-id': 'mine' };
  const answers = [await send(service.app, { request, headers }), await send(service.app, { request })];
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([status, status]);
  const [given, made] = answers.map((answer) => answer.headers['x-request-id']);
  expect(given).toBe('mine');
  expect(made).toMatch(/^[\da-f-]{36}$/);
});

test('a path that is not well encoded is a 400', async () => {
  const response = await send(service.app, { request: 'GET /indexes/%zz/stats' });
  expect([response.statusCode, response.json().code]).toEqual([400, 'bad_request']);
});

describe('bodies', () => {
  const body = { q: 'x', searchMethod: 'LEXICAL' };
  test.each([undefined, 'application/json', 'application/json; charset=utf-8', 'application/vnd.x+json'])(
    'with content type %s are JSON',
    async (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const payload = Buffer.from(JSON.stringify(body));
      const response = await service.app.inject({ method: 'POST', url: '/indexes/a/search', headers, payload });
      expect(response.statusCode, response.body).toBe(200);
    },
  );

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense'])(
    'with content type %s are a 422',
    async (type) => {
      const headers = { 'content-type': type };
      const response = await send(service.app, { request: 'POST /indexes/a/search', body, headers });
      expect([response.statusCode, response.json().detail[0].type]).toEqual([422, 'type_error.dict']);
    },
  );
});

test('a model that is not there is told without the folders of this machine', async () => {
  await send(service.app, { request: 'POST /indexes/absent', body: { model: 'hf/e5-small-v2' } });
  const response = await send(service.app, { request: 'POST /indexes/absent/embed', body: { content: 'a' } });
  expect(response.json()).toMatchObject({ code: 'bad_request', message: expect.stringContaining('<model-dir>') });
  expect(response.json().message).not.toContain(tmpdir());
});

test('queries as the official client spells them are understood', async () => {
  const search = 'POST /indexes/a/search?&device=cpu&telemetry=True';
  const response = await send(service.app, { request: search, body: { q: 'x', searchMethod: 'LEXICAL' } });
  expect(response.json().telemetry).toMatchObject({ timesMs: { 'POST /indexes/a/search': expect.any(Number) } });
  expect((await send(service.app, { request: 'GET /indexes?refresh=false' })).statusCode).toBe(200);
});

test.each(['device=cpu&device=cpu', 'telemetry=false&telemetry=false', 'device=cpu&x=1&de%76ice=cpu'])(
  'a parameter with one value that is given twice is refused: %s',
  async (query) => {
    const body = { documents: [{ _id: 'twice', n: 1 }], tensorFields: [] };
    const request = `POST /indexes/a/documents?${query}`;
    const name = query.startsWith('device') ? 'device' : 'telemetry';
    const refused = await send(service.app, { request, body });
    const msg = 'expected one value, but it is given 2 times';
    expect([refused.statusCode, refused.json().detail]).toEqual([
      422,
      [{ loc: ['query', name], msg, type: 'value_error' }],
    ]);
    expect((await send(service.app, { request: 'GET /indexes/a/documents/twice' })).statusCode).toBe(404);
  },
);

describe('telemetry', () => {
  test('joins every object, errors included, and shows in a header', async () => {
    const plain = await send(service.app, { request: 'GET /indexes?telemetry=TRUE' });
    expect(plain.json().telemetry).toEqual({});
    expect((await send(service.app, { request: 'GET /nope?telemetry=true' })).json().telemetry).toEqual({});
    const body = { q: 'x' };
    const search = await send(service.app, { request: 'POST /indexes/a/search?telemetry=true', body });
    expect(search.headers['server-timing']).toContain('search.vector.store;dur=');
    expect(Object.keys(search.json().telemetry.timesMs)).toEqual(
      expect.arrayContaining([
        'search.vector_inference_full_pipeline',
        'search.vector.vespa',
        'search.vector.postprocess',
        'POST /indexes/a/search',
      ]),
    );
  });

  test('counts what the cache of query vectors knew, in searches and in embedding', async () => {
    const counted = async (request: string, body: object) =>
      (await send(service.app, { request: `POST /indexes/a/${request}?telemetry=true`, body })).json().telemetry
        .counter;
    const counter = (hits: number, misses: number) => ({ 'query_cache.hits': hits, 'query_cache.misses': misses });
    expect(await counted('search', { q: 'counted' })).toEqual(counter(0, 1));
    expect(await counted('search', { q: { counted: 1, again: 2 } })).toEqual(counter(1, 1));
    expect(await counted('embed', { content: ['counted', 'again', 'again', 'new'] })).toEqual(counter(2, 1));
    expect(await counted('search', { q: 'words', searchMethod: 'LEXICAL' })).toBeUndefined();
  });

  test('is left out unless asked for', async () => {
    const response = await send(service.app, { request: 'GET /indexes?telemetry=1' });
    expect(response.json()).not.toHaveProperty('telemetry');
  });
});

test('answers are JSON without a charset', async () => {
  const response = await send(service.app, { request: 'GET /indexes' });
  expect(response.headers['content-type']).toBe('application/json');
});

describe('echoes of what came are cut', () => {
  const long = 'x'.repeat(15_000);
  const structured = { type: 'structured', model: 'random/small', tensorFields: [] };
  test.each<[string, unknown]>([
    [`POST /indexes/${long}`, { model: 'random/small' }],
    [`GET /indexes/${long}/stats`, undefined],
    [`GET /indexes/a/documents/${long}`, undefined],
    [`DELETE /models?model_name=${long.slice(0, 6000)}&model_device=${long.slice(0, 6000)}`, undefined],
    [`POST /indexes/a/search?device=${long}`, { q: 'a' }],
    ['POST /indexes/b', { model: long }],
    ['POST /indexes/b', { model: 'a', modelProperties: { type: long } }],
    ['POST /indexes/b', { model: 'no_model', modelProperties: { type: 'no_model', dimensions: long } }],
    ['POST /indexes/b', { ...structured, allFields: [{ name: `marqo__${long}`, type: 'text' }] }],
    ['POST /indexes/b', { ...structured, allFields: [{ name: long, type: 'text', dependentFields: {} }] }],
    ['POST /indexes/b', { ...structured, allFields: [], tensorFields: [long] }],
    ['POST /indexes/b', { [long]: 1 }],
    ['POST /indexes/a/search', { q: 'a', attributesToRetrieve: [`__chunks${long}`] }],
    ['POST /indexes/a/documents', { documents: [{}], mappings: { [long]: {} } }],
  ])('%.30s with %.60j', async (request, body) => {
    const response = await send(service.app, { request, body });
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.json().message.length).toBeLessThan(1200);
  });
});
