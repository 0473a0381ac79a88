import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settledStates } from './hosted-model.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';

/** A call of the control plane or of the endpoint of the shop, `{shop}`, and what it is answered. */
interface Case {
  readonly about: string;
  readonly call: string;
  readonly body?: unknown;
  readonly status: number;
  readonly answer: object;
}

const refused = (status: number, code: string, message: RegExp) => ({
  status,
  answer: { code, type: expect.any(String), message: expect.stringMatching(message) },
});

const V2 = '/api/v2/indexes';
const acknowledged = { status: 200, answer: { acknowledged: true } };

const cases: readonly Case[] = [
  { about: 'the greeting', call: 'GET /', status: 200, answer: { version: '2.26.0' } },
  { about: 'the greeting below /api', call: 'GET /api', status: 200, answer: { version: '2.26.0' } },
  { about: 'the greeting of an endpoint', call: 'GET {shop}/', status: 200, answer: { version: '2.26.0' } },
  {
    about: 'hosted 1.3: slashes in a row',
    call: 'GET /api//v2/indexes/shop',
    status: 200,
    answer: { indexName: 'shop' },
  },
  {
    about: 'hosted 1.3: a slash at the end of an endpoint',
    call: 'GET {shop}//indexes/shop/stats',
    status: 200,
    answer: { numberOfDocuments: 0 },
  },
  {
    about: 'hosted 1.3: another index behind slashes in a row',
    call: 'GET {shop}//indexes//large/stats',
    ...refused(404, 'index_not_found', /^Index large not found$/),
  },
  { about: 'hosted 1.6: health', call: 'GET /health', status: 200, answer: { status: 'green' } },
  { about: 'no data plane beside the endpoints', call: 'GET /indexes', ...refused(404, 'not_found', /no such path/) },
  { about: 'hosted 1.2: status', call: `GET ${V2}/shop/status`, status: 200, answer: { indexStatus: 'READY' } },
  {
    about: 'hosted 1.1: one record',
    call: `GET ${V2}/shop`,
    status: 200,
    answer: { indexName: 'shop', storageClass: 'BASIC' },
  },
  { about: 'hosted 1.1: settings', call: `GET ${V2}/shop/settings`, status: 200, answer: { model: 'random/small' } },
  { about: 'hosted 1.1: stats', call: `GET ${V2}/shop/stats`, status: 200, answer: { numberOfDocuments: 0 } },
  {
    about: 'hosted 1.6: a name that is taken',
    call: `POST ${V2}/shop`,
    body: {},
    ...refused(409, 'index_already_exists', /^Index shop already exists$/),
  },
  {
    about: 'hosted 1.6: no such index: record',
    call: `GET ${V2}/none`,
    ...refused(404, 'index_not_found', /^Index none not found$/),
  },
  {
    about: 'hosted 1.6: no such index: status',
    call: `GET ${V2}/none/status`,
    ...refused(404, 'index_not_found', /not found/),
  },
  {
    about: 'hosted 1.6: no such index: stats',
    call: `GET ${V2}/none/stats`,
    ...refused(404, 'index_not_found', /not found/),
  },
  {
    about: 'hosted 1.6: no such index: modify',
    call: `PUT ${V2}/none`,
    body: {},
    ...refused(404, 'index_not_found', /not found/),
  },
  {
    about: 'hosted 1.6: no such index: delete',
    call: `DELETE ${V2}/none`,
    ...refused(404, 'index_not_found', /not found/),
  },
  {
    about: 'hosted 1.5: a name of more than 32 characters',
    call: `POST ${V2}/${'n'.repeat(33)}`,
    body: {},
    ...refused(400, 'invalid_argument', /32 characters, but .* has 33/),
  },
  {
    about: 'hosted 1.6: a bad name',
    call: `POST ${V2}/9%20lives`,
    body: {},
    ...refused(400, 'invalid_argument', /not a valid index name/),
  },
  {
    about: 'hosted 1.5: unknown settings',
    call: `POST ${V2}/x`,
    body: { infereceType: 'svc.GPU' },
    ...refused(422, 'unprocessable_entity', /infereceType/),
  },
  {
    about: 'a member of the wrong type',
    call: `POST ${V2}/x`,
    body: { model: 7, normalizeEmbeddings: 'perhaps' },
    ...refused(422, 'unprocessable_entity', /normalizeEmbeddings/),
  },
  {
    about: 'a model nobody knows',
    call: `POST ${V2}/x`,
    body: { model: 'hf/nobody' },
    ...refused(400, 'invalid_argument', /hf\/nobody/),
  },
  {
    about: 'a storage class nobody knows',
    call: `POST ${V2}/x`,
    body: { storageClass: 'svc.huge' },
    ...refused(400, 'invalid_argument', /storageClass is 'svc.huge', but must be one of svc.basic/),
  },
  {
    about: 'an inference type nobody knows',
    call: `POST ${V2}/x`,
    body: { inferenceType: 'TPU' },
    ...refused(400, 'invalid_argument', /inferenceType is 'TPU', but must be one of svc.CPU.small/),
  },
  {
    about: 'hosted 1.5: a GPU where there is none',
    call: `POST ${V2}/x`,
    body: { inferenceType: 'svc.GPU' },
    ...refused(400, 'hardware_compatability_error', /cuda/i),
  },
  {
    about: 'hosted 1.5: too many inferences',
    call: `POST ${V2}/x`,
    body: { numberOfInferences: 6 },
    ...refused(422, 'unprocessable_entity', /numberOfInferences/),
  },
  {
    about: 'hosted 1.5: too many shards',
    call: `POST ${V2}/x`,
    body: { numberOfShards: 6 },
    ...refused(422, 'unprocessable_entity', /numberOfShards/),
  },
  {
    about: 'hosted 1.5: too many replicas',
    call: `POST ${V2}/x`,
    body: { numberOfReplicas: 2 },
    ...refused(422, 'unprocessable_entity', /numberOfReplicas/),
  },
  {
    about: 'hosted 1.5: basic storage has no replicas',
    call: `POST ${V2}/x`,
    body: { numberOfReplicas: 1 },
    ...refused(400, 'invalid_argument', /svc.basic, which has no replicas/),
  },
  {
    about: 'settings that contradict each other',
    call: `POST ${V2}/x`,
    body: { treatUrlsAndPointersAsMedia: true, treatUrlsAndPointersAsImages: false },
    ...refused(400, 'invalid_argument', /Invalid combination/),
  },
  {
    about: 'hosted 1.5: shards only grow',
    call: `PUT ${V2}/large`,
    body: { numberOfShards: 1 },
    ...refused(400, 'invalid_argument', /numberOfShards cannot be lowered: the index has 2, and 1 was asked for/),
  },
  {
    about: 'hosted 1.5: replicas only grow',
    call: `PUT ${V2}/large`,
    body: { numberOfReplicas: 0 },
    ...refused(400, 'invalid_argument', /numberOfReplicas cannot be lowered/),
  },
  {
    about: 'a model that does not fit into the storage class',
    call: `POST ${V2}/x`,
    body: { model: 'open_clip/ViT-L-14/openai' },
    ...refused(400, 'invalid_argument', /takes 1.5 of model memory, expected less than the 1.07 that 1 of svc.basic/),
  },
  {
    about: 'a model of a field that does not fit into the storage class',
    call: `POST ${V2}/x`,
    body: {
      model: 'random/small',
      fieldModels: {
        s: { model: 'large', modelProperties: { type: 'splade', name: 'a/b', dimensions: 8, modelSize: 3 } },
      },
    },
    ...refused(
      400,
      'invalid_argument',
      /The model large takes 3 of model memory, expected less than the 1.07 that 1 of/,
    ),
  },
  {
    about: 'a model that does not fit into what the operator allows',
    call: `POST ${V2}/x`,
    body: { model: 'open_clip/ViT-bigG-14/laion2b_s39b_b160k', storageClass: 'svc.performance' },
    ...refused(400, 'invalid_argument', /takes 6 of model memory, expected less than the 4 that the operator allows/),
  },
  {
    about: 'hosted 1.5: a provider that sends everything, nulls and more',
    call: `PUT ${V2}/large`,
    body: {
      storageClass: 'marqo.balanced',
      inferenceType: 'marqo.CPU.small',
      numberOfInferences: 1,
      numberOfShards: 2,
      numberOfReplicas: null,
      timeouts: {},
    },
    ...acknowledged,
  },
  {
    about: 'a body that is a list',
    call: `PUT ${V2}/large`,
    body: [],
    ...refused(422, 'unprocessable_entity', /dict/),
  },
  { about: 'no body', call: `PUT ${V2}/large`, ...refused(422, 'unprocessable_entity', /body/) },
  {
    about: 'a method that is none of the path',
    call: `PATCH ${V2}/shop`,
    body: {},
    ...refused(405, 'method_not_allowed', /PATCH/),
  },
  {
    about: 'hosted 1.1: the control plane of older clients',
    call: 'POST /api/indexes/shop',
    body: { index_defaults: {} },
    ...refused(410, 'unsupported_operation', /expected \/api\/v2\/indexes/),
  },
  {
    about: 'a path that is none of the control plane',
    call: `GET ${V2}/shop/nothing`,
    ...refused(404, 'not_found', /no such path/),
  },
  {
    about: 'an endpoint that nobody has',
    call: 'GET /e/0123456789abcdef/indexes/shop/stats',
    ...refused(404, 'index_not_found', /no endpoint/),
  },
  {
    about: 'another index at an endpoint',
    call: 'GET {shop}/indexes/large/stats',
    ...refused(404, 'index_not_found', /^Index large not found$/),
  },
  {
    about: 'creating at an endpoint',
    call: 'POST {shop}/indexes/shop',
    body: {},
    ...refused(405, 'method_not_allowed', /POST/),
  },
  {
    about: 'deleting at an endpoint',
    call: 'DELETE {shop}/indexes/shop',
    ...refused(405, 'method_not_allowed', /DELETE/),
  },
  {
    about: 'a refusal of the index itself',
    call: 'POST {shop}/indexes/shop/search',
    body: { q: 'x', limit: 'many' },
    ...refused(422, 'unprocessable_entity', /limit/),
  },
];

describe('the control plane and endpoints answer', () => {
  const data = emptyFolder('hosted-answers');
  let server: ServerProcess;
  let shop: string;

  beforeAll(async () => {
    server = await ServerProcess.start(['--hosted', '--data', data, '--max-hosted-indexes', '2'], {
      env: withAdminKey,
    });
    await server.ok('POST', `${V2}/shop`, { model: 'random/small' });
    await server.ok('POST', `${V2}/large`, {
      model: 'random/small',
      storageClass: 'svc.balanced.storage',
      numberOfShards: 2,
      numberOfReplicas: 1,
    });
    const records = await settledStates(server, ['shop', 'large']);
    shop = records.get('shop').marqoEndpoint.slice(server.address.length);
  });
  afterAll(async () => {
    await server?.end();
    rmSync(data, { recursive: true, force: true });
  });

  test.each(cases.map((row) => [row.about, row] as const))('%s', async (_about, { call, body, status, answer }) => {
    const [method, path] = call.split(' ') as [string, string];
    const found = await server.call(method, path.replace('{shop}', shop), body);
    expect(found, JSON.stringify(found.body)).toMatchObject({ status, body: answer });
    if (status >= 400 && path.startsWith('/api/v2')) expect(found.body.error).toBe(found.body.message);
    await settledStates(server, ['shop', 'large']);
  });

  test('hosted 1.6: no more indexes than the quota', async () => {
    const { status, body } = await server.call('POST', `${V2}/third`, { model: 'random/small' });
    expect({ status, body }).toMatchObject({ status: 403, body: { code: 'quota_exceeded' } });
    expect(body.message).toBe('There are 2 indexes, and the quota is 2');
  });

  test('hosted 1.4: records are what strict clients parse', async () => {
    const { results } = await server.ok('GET', V2);
    expect(results.map(({ indexName }: any) => indexName)).toEqual(['large', 'shop']);
    for (const record of results) {
      expect(Object.keys(record.annParameters).toSorted()).toEqual(['parameters', 'spaceType']);
      expect(Object.keys(record.annParameters.parameters).toSorted()).toEqual(['ef_construction', 'm']);
      expect(Object.keys(record.textPreprocessing).toSorted()).toEqual([
        'split_length',
        'split_method',
        'split_overlap',
      ]);
      for (const name of ['numberOfShards', 'numberOfReplicas', 'numberOfInferences', 'docs.count', 'store.size']) {
        expect(record[name], name).toMatch(/^\d+$/);
      }
      expect(record.marqoEndpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/e\/[0-9a-f]{16}$/);
    }
    expect(results[0]).toMatchObject({ storageClass: 'BALANCED.STORAGE', numberOfShards: '2', numberOfReplicas: '1' });
  });

  test('a body of many megabytes and its answer pass an endpoint whole', async () => {
    const documents = Array.from({ length: 100 }, (_, i) => ({ _id: `d${i}`, title: `word${i} `.repeat(9_000) }));
    const added = await server.ok('POST', `${shop}/indexes/shop/documents`, { documents });
    expect(added.errors).toBe(false);
    const { results } = await server.ok('POST', `${shop}/indexes/shop/documents/get-batch`, {
      documentIds: documents.map(({ _id }) => _id),
    });
    expect(results.map(({ _found, ...document }: any) => document)).toEqual(documents);
  });

  test('hosted 1.2: a deleted index is gone from the list and remembered by its status', async () => {
    await server.ok('DELETE', `${V2}/large`);
    await expect
      .poll(() => server.call('GET', `${V2}/large/status`), { timeout: 60_000 })
      .toMatchObject({ status: 200, body: { indexStatus: 'DELETED' } });
    expect((await server.ok('GET', V2)).results.map(({ indexName }: any) => indexName)).toEqual(['shop']);
    expect(await server.call('DELETE', `${V2}/large`)).toMatchObject({ status: 404 });
    expect(await server.call('GET', `${V2}/large/stats`)).toMatchObject({ status: 404 });
  });
});
