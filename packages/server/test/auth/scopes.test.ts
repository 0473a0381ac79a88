import { type Operation, operations } from '@pelorus/contract';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationsOf } from '../../src/app.js';
import { openService, type Service } from '../operations/service.js';
import { fromAnywhere, makeKeys, OTHER_INDEX, type Secrets } from './credentials.js';

/** Everything that an operator can switch on. */
const switches = { MARQO_ENABLE_BATCH_APIS: 'true', MARQO_ENABLE_OPS_API: 'true', MARQO_ENABLE_DEBUG_API: 'true' };

const guarded: readonly Operation[] = operationsOf('search').filter(({ scope }) => scope !== 'none');
const cases = guarded.map((operation) => [operation.operationId, operation] as const);

/** The path of an index that is not there, so that a call that is let in changes nothing. */
const target = ({ path }: Operation, index = 'absent') => path.replace('{indexName}', index).replaceAll(/[{}]/g, '');

let service: Service;
let secrets: Secrets;

beforeAll(async () => {
  service = await openService(switches);
  secrets = await makeKeys(service.keys);
  const model = { model: 'random/small' };
  for (const name of ['real', OTHER_INDEX])
    await callWith(service.app, 'POST', `/indexes/${name}`, secrets.admin, model);
});

afterAll(() => service.close());

function callWith(app: FastifyInstance, method: string, url: string, secret: string, payload?: object) {
  return fromAnywhere(app, method, url, { headers: { 'x-api-key': secret }, ...(payload && { payload }) });
}

/** Asks for an operation with these headers, and a body that is none. */
function ask(operation: Operation, headers: Record<string, string>, index?: string): Promise<LightMyRequestResponse> {
  return fromAnywhere(service.app, operation.method, target(operation, index), { headers, payload: '{' });
}

const codesOfKeys = ['missing_api_key', 'invalid_api_key', 'api_key_expired', 'insufficient_scope'];

function expectLetIn(answer: LightMyRequestResponse): void {
  if (answer.statusCode >= 400) expect(codesOfKeys, answer.body).not.toContain(answer.json().code);
}

function expectUnknown(answer: LightMyRequestResponse, code: string, message: unknown): void {
  const fault = { message, code, type: 'authentication_error', link: '' };
  expect([answer.statusCode, answer.json()]).toEqual([401, expect.objectContaining(fault)]);
  expect(answer.headers['www-authenticate']).toBe('ApiKey');
}

describe.each(cases)('%s', (_id, operation) => {
  test('takes a key', async () => {
    expectUnknown(await ask(operation, {}), 'missing_api_key', 'Missing API key');
    expectUnknown(await ask(operation, { 'x-api-key': '' }), 'missing_api_key', 'Missing API key');
    const inUrl = { ...operation, path: `${operation.path}?x-api-key=${secrets.admin}&k=${secrets.tracking}` };
    expectUnknown(await ask(inUrl, {}), 'missing_api_key', 'Missing API key');
    expectUnknown(await ask(operation, { 'x-svc-index-id': 'absent' }), 'missing_api_key', 'Missing API key');
  });

  test('answers alike for keys that are no good', async () => {
    const { admin, revoked, replaced } = secrets;
    const bad = [revoked, replaced, 'x', admin.slice(1), `${admin}x`, `${admin.slice(0, -1)}!`, `${admin}, ${admin}`];
    const answers = await Promise.all(bad.map((secret) => ask(operation, { 'x-api-key': secret })));
    for (const answer of answers) expectUnknown(answer, 'invalid_api_key', 'Invalid API key');
    const { expired } = secrets;
    expectUnknown(await ask(operation, { 'x-api-key': expired }), 'api_key_expired', 'The API key has expired');
  });

  test('takes one of its scope or more', async () => {
    const { admin, unscoped, overlapping, readWrite, read } = secrets;
    const byScope: Record<Operation['scope'], string[]> = {
      admin: [],
      read_write: [readWrite],
      read: [readWrite, read],
      none: [],
    };
    const enough = byScope[operation.scope];
    for (const secret of [admin, unscoped, overlapping, ...enough]) {
      expectLetIn(await ask(operation, { 'x-api-key': secret }));
      expectLetIn(await ask(operation, { authorization: `Bearer ${secret}` }));
      expectLetIn(await ask(operation, { 'x-api-key': secret, authorization: `bearer ${secret}` }));
    }
    for (const secret of [readWrite, read].filter((one) => !enough.includes(one))) {
      const answer = await ask(operation, { 'x-api-key': secret });
      const message = `This operation requires ${operation.scope === 'admin' ? 'an' : 'a'} ${operation.scope}-scoped API key.`;
      expect([answer.statusCode, answer.json()]).toEqual([
        403,
        {
          ...{ message, error: message, code: 'insufficient_scope', type: 'permission_error', link: '' },
          requiredScope: operation.scope,
        },
      ]);
    }
  });

  test('takes no key for events', async () => {
    const answer = await ask(operation, { 'x-api-key': secrets.tracking });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'insufficient_scope']);
  });

  test('takes a key for another index for what is of no index and changes nothing', async () => {
    const answer = await ask(operation, { 'x-api-key': secrets.otherIndex }, 'real');
    if (operation.path.includes('{indexName}')) {
      expect([answer.statusCode, answer.json()]).toEqual([
        404,
        expect.objectContaining({ message: 'Index real not found', code: 'index_not_found', link: null }),
      ]);
      const absent = await ask(operation, { 'x-api-key': secrets.otherIndex }, 'absent');
      expect(answer.body).toBe(absent.body.replace('absent', 'real'));
      expect(Object.keys(answer.headers)).toEqual(Object.keys(absent.headers));
    } else if (operation.scope === 'read') expectLetIn(answer);
    else expect([answer.statusCode, answer.json().code]).toEqual([403, 'insufficient_scope']);
  });
});

test('an index that is not there and one that a key is not for are told in the same words', async () => {
  const absent = await callWith(service.app, 'GET', '/indexes/absent/settings', secrets.admin);
  const foreign = await callWith(service.app, 'GET', '/indexes/absent/settings', secrets.otherIndex);
  expect([foreign.statusCode, foreign.body]).toEqual([absent.statusCode, absent.body]);
});

test.each(['/indexes//real/stats', '/indexes///real//documents/a'])(
  'slashes in a row pass by no check: %s',
  async (path) => {
    const told = async (secret: string) => (await callWith(service.app, 'GET', path, secret)).json().code;
    expect([await told(''), await told(secrets.otherIndex)]).toEqual(['missing_api_key', 'index_not_found']);
  },
);

test('a key for some indexes sees those', async () => {
  const names = async (secret: string) =>
    (await callWith(service.app, 'GET', '/indexes', secret)).json().results.map((row: any) => row.indexName);
  expect(await names(secrets.read)).toEqual([OTHER_INDEX, 'real']);
  expect(await names(secrets.otherIndex)).toEqual([OTHER_INDEX]);
  expect((await callWith(service.app, 'GET', `/indexes/${OTHER_INDEX}/stats`, secrets.otherIndex)).statusCode).toBe(
    200,
  );
});

test.each([
  'Basic dXNlcjpwYXNz',
  'basic dXNlcjpwYXNz',
  'Digest username="a"',
  'Bearer',
  'Bearer ',
  'Bearer a b',
  'svc_a_x',
])('credentials of another form are told apart: %s', async (authorization) => {
  const answer = await fromAnywhere(service.app, 'GET', '/indexes', { headers: { authorization } });
  const isBasic = /^basic/i.test(authorization);
  expectUnknown(
    answer,
    'missing_api_key',
    expect.stringMatching(isBasic ? /a user and a password/ : /no bearer token/),
  );
  expect(answer.body).not.toContain('dXNlcjpwYXNz');
  const withKey = { authorization, 'x-api-key': secrets.read };
  expect((await fromAnywhere(service.app, 'GET', '/indexes', { headers: withKey })).statusCode).toBe(200);
});

test('two keys that differ are none', async () => {
  const headers = { 'x-api-key': secrets.admin, authorization: `Bearer ${secrets.read}` };
  expectUnknown(await fromAnywhere(service.app, 'GET', '/indexes', { headers }), 'invalid_api_key', 'Invalid API key');
});

test.each(['GET /', 'GET /health', 'GET /docs/', 'GET /openapi.json'])('%s is for all', async (request) => {
  const [method = '', url = ''] = request.split(' ');
  for (const headers of [{}, { 'x-api-key': 'x' }, { 'x-api-key': secrets.expired }]) {
    expect((await fromAnywhere(service.app, method, url, { headers })).statusCode).toBe(200);
  }
});

test.each([
  'HEAD /indexes',
  'OPTIONS /indexes',
  'PUT /indexes',
  'TRACE /indexes',
  'GET /nope',
  'GET //indexes',
  'GET /INDEXES',
])('%s leads past no check', async (request) => {
  const [method = '', url = ''] = request.split(' ');
  expect((await fromAnywhere(service.app, method, url)).statusCode).toBeGreaterThanOrEqual(400);
});

test('a slash too many is sent where a key is asked for', async () => {
  expect((await fromAnywhere(service.app, 'GET', '/indexes/')).headers.location).toBe('/indexes');
  expect((await fromAnywhere(service.app, 'GET', '/%69ndexes')).statusCode).toBe(401);
});

test.each([
  [
    'two keys that differ',
    '/indexes',
    () => ({ 'x-api-key': secrets.admin, authorization: `Bearer ${secrets.read}` }),
    401,
  ],
  ['keys that are no good, of a call for all', '/health', () => ({ 'x-api-key': 'guess' }), 200],
  [
    'two keys that differ, of a call for all',
    '/health',
    () => ({ 'x-api-key': secrets.admin, authorization: `Bearer ${secrets.read}` }),
    200,
  ],
])('%s count as attempts', async (about, url, headers, status) => {
  const remoteAddress = `192.0.2.${100 + about.length}`;
  for (let attempts = 0; attempts < 20; attempts += 1) {
    const { statusCode } = await fromAnywhere(service.app, 'GET', url, { remoteAddress, headers: headers() });
    expect(statusCode).toBe(status);
  }
  const next = await fromAnywhere(service.app, 'GET', '/indexes', { remoteAddress, headers: { 'x-api-key': 'guess' } });
  expect(next.statusCode).toBe(429);
});

test('keys that are refused are counted by address, and good ones let in all the same', async () => {
  const remoteAddress = '192.0.2.1';
  const attempt = (secret: string) =>
    fromAnywhere(service.app, 'GET', '/indexes', { remoteAddress, headers: { 'x-api-key': secret } });
  const statuses: number[] = [];
  for (let more = 0; more < 21; more += 1) statuses.push((await attempt(`wrong ${more}`)).statusCode);
  expect(statuses).toEqual([...Array(20).fill(401), 429]);
  const limited = await attempt(secrets.expired);
  expect([limited.statusCode, limited.json().code, limited.headers['retry-after']]).toEqual([
    429,
    'too_many_requests',
    '3',
  ]);
  expect((await attempt(secrets.read)).statusCode).toBe(200);
  expect((await fromAnywhere(service.app, 'GET', '/indexes')).statusCode).toBe(401);
});

describe('health', () => {
  const broken = { name: OTHER_INDEX, status: 'red', code: 'internal', reason: 'why' } as const;

  test('names to who calls the indexes that it may know of', async () => {
    const ill = await openService(
      {},
      {
        inFrontOf: (engine) =>
          new Proxy(engine, {
            get: (of, name) =>
              name === 'health'
                ? async () => ({ status: 'red', indexes: [broken, { ...broken, name: 'real' }] })
                : bound(of, Reflect.get(of, name)),
          }),
      },
    );
    const told = async (headers = {}) => {
      const { status, backend } = (await fromAnywhere(ill.app, 'GET', '/health', { headers })).json();
      return [status, backend.indexes?.map((row: any) => row.indexName)];
    };
    expect(await told()).toEqual(['red', [OTHER_INDEX, 'real']]);
    const keys = await makeKeys(ill.keys);
    expect(await told()).toEqual(['red', undefined]);
    expect(await told({ 'x-api-key': 'x' })).toEqual(['red', undefined]);
    expect(await told({ 'x-api-key': keys.otherIndex })).toEqual(['red', [OTHER_INDEX]]);
    expect(await told({ authorization: `Bearer ${keys.read}` })).toEqual(['red', [OTHER_INDEX, 'real']]);
    await ill.close();
  });
});

describe('the mode of enforcement', () => {
  const statusOf = async (mode: string, secret: string | null, request: string) => {
    const { app, keys, close } = await openService({ PELORUS_KEYS_ENFORCEMENT: mode });
    const made: Record<string, string> = { ...(await makeKeys(keys)) };
    const [method = '', url = ''] = request.split(' ');
    const headers = secret === null ? {} : { 'x-api-key': made[secret] as string };
    const { statusCode } = await fromAnywhere(app, method, url, { headers, payload: '{}' });
    await close();
    return statusCode;
  };

  test.each([
    ['full', 'read', 'POST /indexes/new', 403],
    ['contract', 'read', 'POST /indexes/new', 200],
    ['contract', 'read', 'POST /api/v2/keys', 403],
    ['contract', 'admin', 'GET /api/v2/keys', 200],
    ['contract', null, 'GET /indexes', 401],
    ['contract', 'revoked', 'GET /indexes', 401],
    ['contract', 'tracking', 'GET /indexes', 403],
    ['contract', 'otherIndex', 'POST /indexes/new', 404],
    ['off', null, 'POST /indexes/new', 200],
    ['off', 'revoked', 'POST /indexes/new', 200],
  ])('%s: with the key %s, %s is answered %d', async (mode, secret, request, status) => {
    expect(await statusOf(mode, secret, request)).toBe(status);
  });
});

test('the contract tells of each operation that takes a key or its like that it may be refused', () => {
  const taking = Object.values<Operation>(operations).filter(
    ({ scope, credential }) => scope !== 'none' || credential !== 'key',
  );
  const silent = taking.filter(({ responses }) => !('401' in responses && '403' in responses));
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

test('every answer had the shape that the contract gives it', () => {
  expect(service.responses.faults).toEqual([]);
});

/** A member of an engine, which may have some that are none. */
const bound = (engine: object, member: unknown) => (typeof member === 'function' ? member.bind(engine) : member);
