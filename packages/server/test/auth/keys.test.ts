import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectMatch } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';
import { fromAnywhere } from './credentials.js';

let service: Service;
let admin: string;

beforeAll(async () => {
  service = await openService({ PELORUS_MAX_KEYS: '12' });
  const key = { name: 'boss', scope: 'admin', indexes: null, origins: null, expiresAt: null } as const;
  ({ secret: admin } = await service.keys.create({ kind: 'api', ...key }));
});

afterAll(() => service.close());

/** Sends JSON with a key, that of the first test unless another is named. */
async function call(request: string, body?: unknown, secret = admin) {
  const [method = '', path = ''] = request.split(' ');
  return fromAnywhere(service.app, method, path.replace('KEYS', '/api/v2/keys'), {
    headers: secret === undefined ? {} : { 'x-api-key': secret },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function ok(request: string, body?: unknown, secret?: string) {
  const response = await call(request, body, secret);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

const inAYear = new Date(Date.now() + 365 * 86_400_000);
const reader = { name: 'reader', scope: 'read' };
const tracker = { kind: 'tracking', name: 'tracker', customerId: 'c', origins: ['https://shop.example'] };

describe('keys by HTTP', () => {
  test('none is needed until there is one, which must be one that can manage keys', async () => {
    const { app, close } = await openService();
    const send = (method: string, body?: object, secret = '') =>
      fromAnywhere(app, method, '/api/v2/keys', { headers: { 'x-api-key': secret }, ...(body && { payload: body }) });
    expect((await send('GET')).json()).toEqual({ results: [] });
    for (const other of [reader, tracker, { ...reader, scope: 'admin', indexes: ['a'] }]) {
      expectMatch(await send('POST', other), { ...bad('the first'), status: 409, code: 'last_admin_key' });
    }
    const { secret } = (await send('POST', { name: 'boss', scope: 'admin' })).json();
    expect((await send('GET')).statusCode).toBe(401);
    const first = { name: 'boss', scope: 'admin', prefix: secret.slice(0, 8) };
    expect((await send('GET', undefined, secret)).json()).toMatchObject({ results: [first] });
    await close();
  });

  test('a key is made as it was asked for, and its secret is shown once', async () => {
    const asked = { ...reader, indexes: ['a', 'b', 'a'], origins: ['https://Shop.Example/'], expiresAt: inAYear };
    const { secret, ...made } = await ok('POST KEYS', asked);
    expect(made).toEqual({
      ...{ id: made.id, kind: 'api', name: 'reader', scope: 'read', prefix: secret.slice(0, 8), indexes: ['a', 'b'] },
      ...{
        filter: null,
        origins: ['https://shop.example'],
        customerId: null,
        allowsNoOrigin: false,
        createdAt: made.createdAt,
      },
      ...{ lastUsedAt: null, expiresAt: inAYear.toISOString(), overlapping: [] },
    });
    const listed = await call('GET KEYS');
    expect(listed.json().results).toContainEqual(made);
    expect(listed.body).not.toContain(secret.slice(8));
    expect(service.keys.find(secret)).toBeDefined();
  });

  test('one for events is made', async () => {
    const { secret, ...made } = await ok('POST KEYS', { ...tracker, allowsNoOrigin: true });
    expect(secret).toMatch(/^svc_t_/);
    expect(made).toMatchObject({ kind: 'tracking', scope: null, customerId: 'c', allowsNoOrigin: true, indexes: null });
  });

  test('one for the events of servers alone needs no origin', async () => {
    const { origins, ...ofServers } = tracker;
    for (const none of [{}, { origins: null }, { origins: [] }]) {
      const made = await ok('POST KEYS', { ...ofServers, ...none, allowsNoOrigin: true });
      expect(made).toMatchObject({ kind: 'tracking', origins: [], allowsNoOrigin: true });
      const path = `KEYS/${made.id}`;
      expect(await ok(`PATCH ${path}`, { name: 'b' })).toMatchObject({ name: 'b', origins: [] });
      expect((await call(`PATCH ${path}`, { allowsNoOrigin: false })).json().message).toContain("needs 'origins'");
      const both = { origins, allowsNoOrigin: false };
      expect(await ok(`PATCH ${path}`, both)).toMatchObject(both);
      for (const change of [{ origins: null }, { origins: [] }]) {
        expect((await call(`PATCH ${path}`, change)).statusCode).toBe(400);
      }
      expect(await ok(`PATCH ${path}`, { origins: null, allowsNoOrigin: true })).toMatchObject({ origins: [] });
      await ok(`DELETE ${path}`);
    }
  });

  test('its use is told', async () => {
    await ok('GET KEYS');
    const { results } = await ok('GET KEYS');
    const { lastUsedAt } = results.find((key: any) => key.name === 'boss');
    expect(Date.now() - Date.parse(lastUsedAt)).toBeLessThan(60_000);
  });

  test('the members named of it change, and the rest stays', async () => {
    const { secret, ...made } = await ok('POST KEYS', { ...reader, indexes: ['a'] });
    const path = `KEYS/${made.id}`;
    expect(await ok(`PATCH ${path}`, { name: 'other' })).toEqual({ ...made, name: 'other' });
    const changed = { ...made, name: 'other', indexes: null, origins: ['https://*.shop.example'] };
    expect(await ok(`PATCH ${path}`, { indexes: null, origins: ['https://*.shop.example'] })).toEqual(changed);
    const ending = await ok(`PATCH ${path}`, { expiresAt: '2100-01-01T01:00:00+01:00' });
    expect(ending).toEqual({ ...changed, expiresAt: '2100-01-01T00:00:00.000Z' });
    expect(await ok(`PATCH ${path}`, { expiresAt: null, origins: null })).toEqual({ ...changed, origins: null });
    await ok(`DELETE ${path}`);
    expect(service.keys.find(secret)).toBeUndefined();
  });

  test('it is rotated, with and without an overlap', async () => {
    const { secret, id } = await ok('POST KEYS', { name: 'boss 2', scope: 'admin' });
    const second = await ok(`POST KEYS/${id}/rotate`, { overlapSeconds: 3600 });
    expect(second).toMatchObject({ id, name: 'boss 2', overlapping: [{ prefix: secret.slice(0, 8) }] });
    const third = await ok(`POST KEYS/${id}/rotate`, {}, secret);
    expect((await call('GET KEYS', undefined, secret)).statusCode).toBe(200);
    expect((await call('GET KEYS', undefined, second.secret)).statusCode).toBe(401);
    expect((await call('GET KEYS', undefined, third.secret)).statusCode).toBe(200);
    const fourth = await ok(`POST KEYS/${id}/rotate`, undefined, third.secret);
    expect((await call('GET KEYS', undefined, third.secret)).statusCode).toBe(401);
    await ok(`DELETE KEYS/${id}`, undefined, fourth.secret);
    for (const gone of [secret, second.secret, third.secret, fourth.secret]) {
      expect((await call('GET KEYS', undefined, gone)).statusCode).toBe(401);
    }
  });

  test('the last one that can manage keys stays', async () => {
    const { results } = await ok('GET KEYS');
    const { id } = results.find((key: any) => key.name === 'boss');
    const last = { ...bad('the last'), status: 409, code: 'last_admin_key' };
    expectMatch(await call(`DELETE KEYS/${id}`), last);
    expectMatch(await call(`PATCH KEYS/${id}`, { indexes: ['a'] }), last);
    expect(await ok('GET KEYS')).toBeDefined();
  });

  test('there are so many at most', async () => {
    let answer = await call('POST KEYS', reader);
    for (let more = 0; more < 12 && answer.statusCode === 200; more += 1) answer = await call('POST KEYS', reader);
    expectMatch(answer, { ...bad('many'), status: 403, code: 'quota_exceeded', message: '12 keys, of at most 12' });
    const { results } = await ok('GET KEYS');
    for (const { id } of results.filter((key: any) => key.name === 'reader')) await ok(`DELETE KEYS/${id}`);
  });

  test('a key that is sent in a wrong place is not echoed whole', async () => {
    const places = [`GET /indexes/${admin}/stats`, `POST KEYS`, `PATCH KEYS/${admin}`];
    for (const request of places) {
      const answer = await call(request, { name: 'x', customerId: admin, scope: admin, [admin]: 1 });
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.body).not.toContain(admin.slice(8));
    }
  });

  test.each<[string, number, string, string, unknown]>([
    ['no name', 422, 'unprocessable_entity', 'field required', { scope: 'read' }],
    ['an empty name', 400, 'invalid_argument', "'name' is ''", { ...reader, name: '' }],
    ['a blank name', 400, 'invalid_argument', "'name'", { ...reader, name: ' ' }],
    ['a long name', 400, 'invalid_argument', "'name' has 129 characters", { ...reader, name: 'n'.repeat(129) }],
    ['a name of two lines', 400, 'invalid_argument', "'name'", { ...reader, name: 'a\nb' }],
    ['half a character', 422, 'unprocessable_entity', 'name', '{"name": "\\ud800", "scope": "read"}'],
    ['no scope', 400, 'invalid_argument', "'scope'", { name: 'a' }],
    ['an unknown scope', 422, 'unprocessable_entity', 'scope', { ...reader, scope: 'root' }],
    ['a scope of another case', 422, 'unprocessable_entity', 'scope', { ...reader, scope: 'ADMIN' }],
    ['no index at all', 400, 'invalid_argument', "'indexes' is an empty list", { ...reader, indexes: [] }],
    [
      'a name of no index',
      400,
      'invalid_argument',
      "'indexes' has 'bad name'",
      { ...reader, indexes: ['a', 'bad name'] },
    ],
    ['a reserved name', 400, 'invalid_argument', "'indexes' has 'marqo__a'", { ...reader, indexes: ['marqo__a'] }],
    ['indexes that are a text', 422, 'unprocessable_entity', 'indexes', { ...reader, indexes: 'a' }],
    ['too many indexes', 422, 'unprocessable_entity', 'indexes', { ...reader, indexes: Array(1001).fill('a') }],
    [
      'an origin with a path',
      400,
      'invalid_argument',
      "'origins' has",
      { ...reader, origins: ['https://a.example/b'] },
    ],
    ['any origin', 400, 'invalid_argument', "'origins' has '*'", { ...reader, origins: ['*'] }],
    ['a day', 400, 'invalid_argument', "'expiresAt' is '2100-01-01'", { ...reader, expiresAt: '2100-01-01' }],
    [
      'a time without an offset',
      400,
      'invalid_argument',
      "'expiresAt'",
      { ...reader, expiresAt: '2100-01-01T00:00:00' },
    ],
    ['a day that is none', 400, 'invalid_argument', "'expiresAt'", { ...reader, expiresAt: '2100-13-01T00:00:00Z' }],
    ['a time that has passed', 400, 'invalid_argument', 'has passed', { ...reader, expiresAt: '2020-01-01T00:00:00Z' }],
    ['an unknown kind', 422, 'unprocessable_entity', 'kind', { ...reader, kind: 'other' }],
    ['an unknown member', 422, 'unprocessable_entity', 'extra', { ...reader, admin: true }],
    ['a customer of an API key', 400, 'invalid_argument', "'customerId' is no member", { ...reader, customerId: 'c' }],
    ['no origin of an API key', 400, 'invalid_argument', "'allowsNoOrigin'", { ...reader, allowsNoOrigin: true }],
    ['a scope of one for events', 400, 'invalid_argument', "'scope' is no member", { ...tracker, scope: 'read' }],
    ['indexes of one for events', 400, 'invalid_argument', "'indexes' is no member", { ...tracker, indexes: ['a'] }],
    ['one for events without origins', 400, 'invalid_argument', "'origins'", { ...tracker, origins: null }],
    ['one for events with no origin', 400, 'invalid_argument', "needs 'origins'", { ...tracker, origins: [] }],
    ['one for nobody', 400, 'invalid_argument', "'customerId'", { ...tracker, customerId: undefined }],
    ['one for an empty name', 400, 'invalid_argument', "'customerId'", { ...tracker, customerId: '' }],
    ['no JSON', 422, 'unprocessable_entity', '', '{'],
    ['a list', 422, 'unprocessable_entity', '', []],
    ['too many bytes', 413, 'payload_too_large', '65536', { ...reader, name: 'n'.repeat(70_000) }],
  ])('a key is not made with %s', async (title, status, code, message, body) => {
    expectMatch(await call('POST KEYS', body), { ...bad(title), status, code, message });
  });

  test.each<[string, string, unknown, number, string]>([
    ['a change of nothing', 'PATCH KEYS/{id}', {}, 422, 'unprocessable_entity'],
    ['another scope', 'PATCH KEYS/{id}', { scope: 'admin' }, 422, 'unprocessable_entity'],
    ['no name', 'PATCH KEYS/{id}', { name: null }, 422, 'unprocessable_entity'],
    ['no indexes', 'PATCH KEYS/{id}', { indexes: [] }, 400, 'invalid_argument'],
    ['a name of no index', 'PATCH KEYS/{id}', { indexes: ['bad name'] }, 400, 'invalid_argument'],
    ['a member of keys for events', 'PATCH KEYS/{id}', { allowsNoOrigin: true }, 400, 'invalid_argument'],
    ['a change of no key', 'PATCH KEYS/none', { name: 'a' }, 404, 'key_not_found'],
    ['a rotation of no key', 'POST KEYS/none/rotate', {}, 404, 'key_not_found'],
    ['the end of no key', 'DELETE KEYS/none', undefined, 404, 'key_not_found'],
    ['a path for an id', 'DELETE KEYS/..%2F..%2Fformat', undefined, 404, 'key_not_found'],
    ['an overlap below nothing', 'POST KEYS/{id}/rotate', { overlapSeconds: -1 }, 422, 'unprocessable_entity'],
    ['an overlap of a year', 'POST KEYS/{id}/rotate', { overlapSeconds: 31_536_000 }, 422, 'unprocessable_entity'],
    ['part of a second', 'POST KEYS/{id}/rotate', { overlapSeconds: 0.5 }, 422, 'unprocessable_entity'],
  ])('%s is refused', async (title, request, body, status, code) => {
    const { results } = await ok('GET KEYS');
    expectMatch(await call(request.replace('{id}', results[0].id), body), { ...bad(title), status, code });
  });

  test('every answer had the shape that the contract gives it', () => {
    expect(service.responses.faults).toEqual([]);
  });
});

const bad = (title: string) => ({ title, request: '' });
