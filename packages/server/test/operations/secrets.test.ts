import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loggedError } from '../../src/http/errors.js';
import { send } from './exchange.js';
import { openService, type Service } from './service.js';

const secret = 'S3CRET';

let service: Service;

beforeAll(async () => {
  service = await openService({ MARQO_ENABLE_OPS_API: 'true' });
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
});

afterAll(() => service.close());

test('settings show a signed URL without its signature, and the index keeps it whole', async () => {
  const url = `https://models.example/m.zip?X-Amz-Signature=${secret}`;
  const modelProperties = { type: 'hf', dimensions: 3, url };
  const created = await send(service.app, { request: 'POST /indexes/signed', body: { model: 'own', modelProperties } });
  expect(created.statusCode, created.body).toBe(200);

  const shown = await send(service.app, { request: 'GET /indexes/signed/settings' });
  expect(shown.json().modelProperties).toMatchObject({ type: 'hf', url: 'https://models.example/m.zip' });
  expect(shown.body).not.toContain(secret);
  expect((await service.engine.definition('signed')).settings.modelProperties).toMatchObject({ url });
});

test('a dry run that refuses a change shows no secrets of its URLs', async () => {
  const own = { type: 'hf', dimensions: 3, name: 'org/model' };
  await send(service.app, { request: 'POST /indexes/tried', body: { model: 'own', modelProperties: own } });
  const modelProperties = { ...own, name: `https://user:${secret}@models.example/m?sig=${secret}` };
  const request = 'PATCH /indexes/tried/index-settings?dry_run=true';
  const tried = await send(service.app, { request, body: { modelProperties } });
  expect(tried.json()).toMatchObject({ error: true, reason: expect.stringContaining('https://models.example/m') });
  expect(tried.body).not.toContain(secret);
});

describe('credentials in a wrong place are in no answer', () => {
  const hf = { hf: { token: 'a' } };
  test.each<[string, string, unknown]>([
    ['a member of modelAuth', 'POST /indexes/a/search', { q: 'a', modelAuth: { [secret]: 'x' } }],
    ['a member of its s3', 'POST /indexes/a/search', { q: 'a', modelAuth: { s3: { [secret]: 'x' } } }],
    ['a member of its hf', 'POST /indexes/a/embed', { content: 'a', modelAuth: { hf: { ...hf.hf, [secret]: 1 } } }],
    ['a member of its service', 'POST /indexes/a/search', { q: 'a', modelAuth: { service: { [secret]: 'x' } } }],
    ['in an add', 'POST /indexes/a/documents', { documents: [{ t: 'a' }], modelAuth: { ...hf, [secret]: 1 } }],
    ['at creation', 'POST /indexes/b', { model: 'random/small', modelAuth: { [`my_${secret}`]: 1 } }],
    ['in a URL for a name', 'POST /indexes/b', { model: `https://user:${secret}@models.example/m.zip` }],
    ['in a query for a name', 'POST /indexes/b', { model: `https://models.example/m.zip?sig=${secret}` }],
  ])('%s', async (_title, request, body) => {
    const response = await send(service.app, { request, body });
    expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400);
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).not.toContain(secret);
  });

  test('the members that modelAuth takes are told instead', async () => {
    const body = { q: 'a', modelAuth: { s3: { [secret]: 'x' }, gcs: {} } };
    const response = await send(service.app, { request: 'POST /indexes/a/search', body });
    expect(response.json().detail).toContainEqual({
      loc: ['body', 'modelAuth'],
      msg: "extra fields not permitted; permitted: 's3', 'hf', 'service'",
      type: 'value_error.extra',
    });
  });
});

test('the log shows errors without the secrets of URLs', () => {
  const cause = new Error(`reading https://user:${secret}@h/m?sig=${secret} failed`);
  const logged = loggedError(new Error(`no model at https://h/m?sig=${secret}`, { cause }));
  expect(JSON.stringify(logged)).not.toContain(secret);
  expect(logged.message).toContain('no model at https://h/m');
  expect(logged.stack).toContain('https://h/m');
});
