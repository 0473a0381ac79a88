import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Backups, openDestination, restoreWhole } from '../../src/backups/index.js';
import { JudgementSets } from '../../src/judgements/judgement-sets.js';
import { emptyFolder } from '../backups/fixtures.js';
import { openService, type Service } from '../operations/service.js';

const place = emptyFolder();
const restored = emptyFolder();
const queries = [{ q: 'warm jacket', judgements: { g1: 3 } }];
const way = { index: 'gear', search: { searchMethod: 'LEXICAL' } };
const configurations = [{ name: 'words', limit: 20, first: way, second: way }];
let service: Service;

beforeAll(async () => {
  service = await openService({}, { backupTo: place });
});
afterAll(async () => {
  await service.close();
  for (const folder of [place, restored]) rmSync(folder, { recursive: true });
});

async function ask(request: string, body?: object | string, key?: string): Promise<{ status: number; body: any }> {
  const [method, url = ''] = request.split(' ');
  const headers = {
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'x-api-key': key }),
  };
  const given = { method: method as 'GET', url, headers, ...(body !== undefined && { payload: body }) };
  const response = await service.app.inject(given);
  return { status: response.statusCode, body: response.json() };
}

test('a backup of everything has the sets, and a restored folder too', async () => {
  await ask('PUT /judgement-sets/gear', { queries, configurations });
  const { id } = (await ask('POST /backups')).body;
  const state = async () => (await ask(`GET /backups/${id}`)).body.state;
  while ((await state()) === 'creating') await new Promise((resolve) => setTimeout(resolve, 5));
  const backups = new Backups(await openDestination(place, { endpoint: '', region: '' }));
  const manifest = await backups.get(id);
  await restoreWhole(backups, manifest, restored, () => Promise.reject(new Error('there is no index')));
  expect(await new JudgementSets(restored).get('gear')).toMatchObject({ version: 1, queries, configurations });
});

/** A set with one configuration, whose first search is written as `search`. */
const setWith = (search: string) => {
  const first = `{"index":"gear","search":${search}}`;
  return `{"queries":[],"configurations":[{"name":"a","first":${first},"second":{"index":"gear","search":{}}}]}`;
};

test.each(['q', 'limit', 'offset', 'cursor', 'withCursor'])(
  'a stored search has no %s: each comparison gives its own',
  async (name) => {
    const { status, body } = await ask(
      'PUT /judgement-sets/pages',
      setWith(`{"searchMethod":"LEXICAL","${name}":null}`),
    );
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'unprocessable_entity' });
    expect(body.detail).toEqual([
      {
        loc: ['body', 'configurations', 0, 'first', 'search', name],
        msg: 'Searches of a comparison have their own query and page: leave this member out',
        type: 'value_error',
      },
    ]);
    expect(await ask('GET /judgement-sets/pages')).toMatchObject({ status: 404 });
  },
);

test('a stored search has finite numbers alone, at any depth', async () => {
  const search = '{"fieldWeights":{"title":1e400},"scoreModifiers":{"add_to_score":[{"weight":2},{"weight":-1e400}]}}';
  const { status, body } = await ask('PUT /judgement-sets/numbers', setWith(search));
  expect(status).toBe(422);
  const here = ['body', 'configurations', 0, 'first', 'search'];
  expect(body.detail).toEqual(
    [
      [...here, 'fieldWeights', 'title'],
      [...here, 'scoreModifiers', 'add_to_score', 1, 'weight'],
    ].map((loc) => ({ loc, msg: 'A number must be finite', type: 'value_error' })),
  );
  expect(await ask('GET /judgement-sets/numbers')).toMatchObject({ status: 404 });
  // As large as one can be is a number like others.
  expect(await ask('PUT /judgement-sets/numbers', setWith('{"efSearch":1e308}'))).toMatchObject({ status: 200 });
});

test('keys that do not manage all indexes are refused', async () => {
  const { body } = await ask('POST /api/v2/keys', { name: 'boss', scope: 'admin' });
  const boss: string = body.secret;
  const make = async (members: object) => (await ask('POST /api/v2/keys', { name: 'a', ...members }, boss)).body.secret;
  const others = [await make({ scope: 'read_write' }), await make({ scope: 'admin', indexes: ['gear'] })];
  const calls = ['GET /judgement-sets', 'GET /judgement-sets/gear', 'DELETE /judgement-sets/gear'];
  for (const key of others) {
    for (const call of calls) expect(await ask(call, undefined, key)).toMatchObject({ status: 403 });
    expect(await ask('PUT /judgement-sets/gear', { queries: [] }, key)).toMatchObject({ status: 403 });
  }
  expect(await ask('GET /judgement-sets/gear')).toMatchObject({ status: 401 });
  expect(await ask('GET /judgement-sets/gear', undefined, boss)).toMatchObject({ status: 200, body: { queries } });
});
