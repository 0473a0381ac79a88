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

async function ask(request: string, body?: object, key?: string): Promise<{ status: number; body: any }> {
  const [method, url = ''] = request.split(' ');
  const headers = key === undefined ? {} : { 'x-api-key': key };
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
