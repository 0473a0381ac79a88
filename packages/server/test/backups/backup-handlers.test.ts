import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openService, type Service } from '../operations/service.js';
import { emptyFolder } from './fixtures.js';

const file = join(emptyFolder(), 'file');
writeFileSync(file, '');

let service: Service;
let without: Service;
let unusable: Service;

beforeAll(async () => {
  [service, without, unusable] = await Promise.all([
    openService(),
    openService({}, { backupTo: null }),
    openService({}, { backupTo: file }),
  ]);
  await ask(service, 'POST /indexes/notes', {
    model: 'no_model',
    modelProperties: { type: 'no_model', dimensions: 2 },
  });
  await ask(service, 'POST /indexes/notes/documents', { documents: [{ _id: 'a', text: 'one' }], tensorFields: [] });
});

afterAll(() => Promise.all([service, without, unusable].map((one) => one.close())));

async function ask({ app }: Service, request: string, body?: object): Promise<{ status: number; body: any }> {
  const [method, url = ''] = request.split(' ');
  const response = await app.inject({ method: method as 'GET', url, ...(body !== undefined && { payload: body }) });
  return { status: response.statusCode, body: response.json() };
}

/** The backup once nothing is under way with it. */
async function ended(id: string): Promise<any> {
  for (;;) {
    const { body } = await ask(service, `GET /backups/${id}`);
    const states = [body, body.verification, ...body.restores].map((one) => one?.state);
    if (!states.includes('creating') && !states.includes('running')) return body;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('a backup is made, read, restored under another name, and deleted, each step with its state', async () => {
  await ask(service, 'PUT /indexes/notes/curation', { synonyms: [{ terms: ['one', 'first'] }] });
  const begun = await ask(service, 'POST /backups', { indexes: ['notes'] });
  expect(begun).toMatchObject({ status: 202, body: { state: 'creating', isWhole: false, finishedAt: null } });
  const { id } = begun.body;
  expect(await ask(service, 'POST /backups')).toMatchObject({ status: 409, body: { code: 'backup_conflict' } });
  expect(await ended(id)).toMatchObject({
    state: 'ready',
    isWhole: false,
    isScheduled: false,
    indexes: [{ indexName: 'notes', documents: 1 }],
    files: 0,
    verification: null,
    restores: [],
  });

  const read = await ask(service, `POST /backups/${id}/verify`);
  expect(read).toMatchObject({ status: 202, body: { verification: { state: 'running' } } });
  expect(await ask(service, `POST /backups/${id}/verify`)).toMatchObject({ status: 409 });
  expect(await ask(service, `DELETE /backups/${id}`)).toMatchObject({ status: 409 });
  expect((await ended(id)).verification).toMatchObject({ state: 'sound', problems: [] });

  const restored = await ask(service, `POST /backups/${id}/restore`, { indexName: 'notes', as: 'copy' });
  expect(restored).toMatchObject({ status: 202, body: { restores: [{ indexName: 'copy', from: 'notes' }] } });
  expect((await ended(id)).restores).toMatchObject([{ state: 'done', reason: null }]);
  expect((await ask(service, 'GET /indexes/copy/documents/a')).body).toEqual({ _id: 'a', text: 'one' });
  const curation = { version: 1, rules: [], synonyms: [{ terms: ['one', 'first'] }] };
  expect((await ask(service, 'GET /indexes/copy/curation')).body).toMatchObject(curation);
  expect((await ask(service, 'GET /indexes/copy/curation/versions')).body.versions).toMatchObject([
    curation,
    { version: 0, synonyms: [] },
  ]);
  const refusals = [
    [{ indexName: 'notes' }, 409, 'index_already_exists'],
    [{ indexName: 'nope', as: 'other' }, 400, 'invalid_argument'],
    [{ indexName: 'notes', as: '../other' }, 400, 'invalid_argument'],
  ] as const;
  for (const [body, status, code] of refusals) {
    const refused = await ask(service, `POST /backups/${id}/restore`, body);
    expect(refused, JSON.stringify(body)).toMatchObject({ status, body: { code } });
  }

  expect((await ask(service, 'GET /backups')).body.backups).toHaveLength(1);
  expect(await ask(service, `DELETE /backups/${id}`)).toMatchObject({ status: 200, body: { acknowledged: true } });
  expect(await ask(service, `GET /backups/${id}`)).toMatchObject({ status: 404 });
});

test('a server without a place of backups says so, and one whose place cannot be used says why', async () => {
  const calls = ['GET /backups', 'GET /backups/a', 'DELETE /backups/a', 'POST /backups/a/verify'];
  for (const call of calls) {
    expect(await ask(without, call), call).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  }
  for (const [call, body] of [
    ['POST /backups', {}],
    ['POST /backups/a/restore', { indexName: 'a' }],
  ] as const) {
    expect(await ask(without, call, body), call).toMatchObject({ status: 400, body: { code: 'bad_request' } });
  }
  const id = '20260203T040506789Z-0a1b2c';
  const unusables = ['GET /backups', `GET /backups/${id}`, `DELETE /backups/${id}`, `POST /backups/${id}/verify`];
  for (const call of unusables) {
    const { status, body } = await ask(unusable, call);
    expect({ status, code: body.code }, call).toEqual({ status: 503, code: 'backup_storage_unavailable' });
  }
  const restored = await ask(unusable, `POST /backups/${id}/restore`, { indexName: 'a' });
  expect(restored).toMatchObject({ status: 503 });
});

test('a backup that fails is told with its reason until it is deleted', async () => {
  const { body } = await ask(unusable, 'POST /backups');
  let backup = body;
  while (backup.state === 'creating') backup = (await ask(unusable, `GET /backups/${body.id}`)).body;
  expect(backup).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining(file),
    finishedAt: expect.any(String),
  });
  expect(await ask(unusable, `DELETE /backups/${body.id}`)).toMatchObject({ status: 200 });
});

test('every answer had the shape that the contract gives it', () => {
  for (const { responses } of [service, without, unusable]) expect(responses.faults).toEqual([]);
});
