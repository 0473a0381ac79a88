import { isDeepStrictEqual } from 'node:util';
import type { StorageEngine } from '@pelorus/engine';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Random } from '../../../cli/src/demo/random.js';
import { fromAnywhere } from '../auth/credentials.js';
import { send } from '../operations/exchange.js';
import { Gate } from '../operations/gate.js';
import { openService, type Service } from '../operations/service.js';

const SEED = Number(process.env.PELORUS_FAULTS_SEED ?? 20_261_129);
const own = { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } };
const lexical = (q: string) => ({ q, searchMethod: 'LEXICAL' });

const gate = new Gate();
/** Stops the next page of a scan, until the promise that it gives resolves. */
let beforePage: (() => Promise<void>) | undefined;
let service: Service;
function withPages(engine: StorageEngine): StorageEngine {
  const scanDocuments: StorageEngine['scanDocuments'] = async (...given) => {
    const scan = await engine.scanDocuments(...given);
    const page: typeof scan.page = async (...of) => {
      const stop = beforePage;
      beforePage = undefined;
      await stop?.();
      return scan.page(...of);
    };
    return { page, close: () => scan.close() };
  };
  return new Proxy(engine, {
    get: (target, name) => {
      const member = name === 'scanDocuments' ? scanDocuments : Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

beforeAll(async () => {
  service = await openService(
    { MARQO_ENABLE_BATCH_APIS: 'true' },
    { inFrontOf: (engine) => gate.before(withPages(engine)) },
  );
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

const call = (request: string, body?: unknown) => send(service.app, { request, body });

async function ok(request: string, body?: unknown) {
  const response = await call(request, body);
  expect(response.statusCode, `${request}: ${response.body}`).toBe(200);
  return response.json();
}

/** An index with documents that all name it. */
async function make(index: string, count = 3): Promise<void> {
  await ok(`POST /indexes/${index}`, own);
  const documents = Array.from({ length: count }, (_, at) => ({ _id: `${at}`, title: 'word', of: index }));
  await ok(`POST /indexes/${index}/documents`, { documents, tensorFields: [] });
}

const point = (alias: string, index: string) => ok(`PUT /aliases/${alias}`, { indexName: index });

beforeEach(async () => {
  const { results: aliases } = await ok('GET /aliases');
  for (const { aliasName } of aliases) await ok(`DELETE /aliases/${aliasName}`);
  const { results: indexes } = await ok('GET /indexes');
  for (const { indexName } of indexes) await ok(`DELETE /indexes/${indexName}`);
});

describe('an alias in a path', () => {
  test('reaches the index in every operation on its documents, its settings and its state', async () => {
    await make('a');
    await point('shop', 'a');
    const index = '/indexes/shop';
    expect(await ok(`GET ${index}`)).toMatchObject({ indexName: 'a', numberOfDocuments: 3 });
    for (const part of ['settings', 'status', 'stats', 'health', 'suggestions/stats']) {
      // Work in the background may change a figure between the two calls, but not for ever.
      const differs = async () =>
        !isDeepStrictEqual(await ok(`GET ${index}/${part}`), await ok(`GET /indexes/a/${part}`));
      await expect.poll(differs, { message: part }).toBe(false);
    }
    await ok(`POST ${index}/documents`, { documents: [{ _id: 'new', title: 'other' }], tensorFields: [] });
    await ok(`PATCH ${index}/documents`, { documents: [{ _id: 'new', n: 1 }] });
    expect(await ok('GET /indexes/a/documents/new')).toMatchObject({ title: 'other', n: 1 });
    expect(await ok(`GET ${index}/documents/new`)).toMatchObject({ title: 'other', n: 1 });
    expect((await ok(`GET ${index}/documents`, ['new'])).results).toHaveLength(1);
    expect((await ok(`POST ${index}/documents/get-batch`, { documentIds: ['new'] })).results).toHaveLength(1);
    expect((await ok(`POST ${index}/documents/scan`, {})).documents).toHaveLength(4);
    expect((await ok(`POST ${index}/search`, lexical('other'))).hits).toHaveLength(1);
    await ok(`POST ${index}/suggestions/queries`, { queries: [{ query: 'red' }] });
    expect((await ok(`POST ${index}/suggestions`, { q: 're' })).suggestions).toHaveLength(1);
    await ok(`POST ${index}/documents/delete-batch`, ['new']);
    expect((await ok('GET /indexes/a/stats')).numberOfDocuments).toBe(3);
    await ok(`DELETE ${index}/documents/delete-all`);
    expect(await ok('GET /indexes/a/stats')).toMatchObject({ numberOfDocuments: 0, aliases: ['shop'] });
  });

  test('is no index in the list of indexes and in metrics', async () => {
    await make('a');
    await point('shop', 'a');
    await ok('POST /indexes/shop/search', lexical('word'));
    expect((await ok('GET /indexes')).results).toEqual([{ indexName: 'a', index_name: 'a' }]);
    const metrics = (await call('GET /metrics')).body;
    expect(metrics).toContain('index="a"');
    expect(metrics).not.toContain('shop');
  });
});

describe('a request', () => {
  test('ends on the index that it began with, and one that comes after the change goes to the other', async () => {
    for (const index of ['a', 'b']) await make(index);
    await point('shop', 'a');
    const { reached, open } = gate.hold('search');
    const held = ok('POST /indexes/shop/search', lexical('word'));
    await reached;
    await point('shop', 'b');
    expect((await ok('POST /indexes/shop/search', lexical('word'))).hits[0].of).toBe('b');
    open();
    expect((await held).hits[0].of).toBe('a');
  });

  test.each(['search', 'prepareAdd', 'getDocument', 'scanDocuments', 'rank'] as const)(
    'whose index is deleted behind its alias before %s begins anew on the other one',
    async (method) => {
      for (const index of ['a', 'b']) await make(index);
      await point('shop', 'a');
      const { reached, open } = gate.hold(method);
      const requests = {
        search: ['POST /indexes/shop/search', lexical('word')],
        prepareAdd: ['POST /indexes/shop/documents', { documents: [{ _id: 'new' }], tensorFields: [] }],
        getDocument: ['GET /indexes/shop/documents/0', undefined],
        scanDocuments: ['POST /indexes/shop/documents/scan', {}],
        rank: ['POST /indexes/shop/search', { ...lexical('word'), withCursor: true, limit: 1 }],
      } as const;
      const [request, body] = requests[method];
      const held = ok(request, body);
      await reached;
      await point('shop', 'b');
      await ok('DELETE /indexes/a');
      open();
      const answer = await held;
      if (method === 'prepareAdd') expect((await ok('GET /indexes/b/stats')).numberOfDocuments).toBe(4);
      else expect(JSON.stringify(answer)).toContain('"of":"b"');
    },
  );

  test('begins anew where its scan ends as the index is being deleted behind the alias', async () => {
    for (const index of ['a', 'b']) await make(index);
    await point('shop', 'a');
    const [read, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    beforePage = () => {
      read.resolve();
      return opened.promise;
    };
    const held = ok('POST /indexes/shop/documents/scan', {});
    await read.promise;
    await point('shop', 'b');
    // Its scans are ended, and the index is still there.
    const { reached, open } = gate.hold('dropIndex');
    const deleted = ok('DELETE /indexes/a');
    await reached;
    opened.resolve();
    expect((await held).documents.map(({ of }: { of: string }) => of)).toEqual(['b', 'b', 'b']);
    open();
    await deleted;
  });

  test('for several searches sees one index behind an alias in all of them', async () => {
    for (const index of ['a', 'b']) await make(index);
    await point('shop', 'a');
    const queries = Array.from({ length: 6 }, () => ({ indexName: 'shop', ...lexical('word') }));
    const { reached, open } = gate.hold('search');
    const held = ok('POST /multi-search', { queries });
    await reached;
    await point('shop', 'b');
    open();
    const seen = (answer: { results: { indexName: string; response: { hits: { of: string }[] } }[] }) =>
      answer.results.map(({ indexName, response }) => [indexName, response.hits[0]?.of]);
    expect(seen(await held)).toEqual(queries.map(() => ['shop', 'a']));
    const again = gate.hold('search');
    const behind = ok('POST /multi-search', { queries: [...queries, { indexName: 'nowhere', q: 'x' }] });
    await again.reached;
    await point('shop', 'a');
    await ok('DELETE /indexes/b');
    again.open();
    const { results, errors } = await behind;
    expect(results.at(-1)).toMatchObject({ indexName: 'nowhere', status: 404 });
    expect(seen({ results: results.slice(0, -1) })).toEqual(queries.map(() => ['shop', 'a']));
    expect(errors).toBe(true);
  });
});

test('a scan and a search with a cursor go on with what they began with, by the name that they began by', async () => {
  for (const index of ['a', 'b']) await make(index);
  await point('shop', 'a');
  const scan = await ok('POST /indexes/shop/documents/scan', { limit: 1 });
  const search = await ok('POST /indexes/shop/search', { ...lexical('word'), limit: 1, withCursor: true });
  await point('shop', 'b');
  const next = await ok('POST /indexes/shop/documents/scan', { cursor: scan.cursor, limit: 2 });
  expect(next.documents.map(({ of }: { of: string }) => of)).toEqual(['a', 'a']);
  const page = await ok('POST /indexes/shop/search', { cursor: search.cursor });
  expect(page.hits.map(({ of }: { of: string }) => of)).toEqual(['a']);
  const byItsName = await call('POST /indexes/a/search', { cursor: page.cursor });
  expect([byItsName.statusCode, byItsName.json().code]).toEqual([400, 'invalid_argument']);
  await ok('DELETE /indexes/a');
  const ended = await call('POST /indexes/shop/search', { cursor: page.cursor });
  expect([ended.statusCode, ended.json().code]).toEqual([400, 'invalid_argument']);
});

test('a random sequence of changes among concurrent requests: each answer is of one index whole', async () => {
  const random = new Random(SEED);
  const pick = <Item>(items: readonly Item[]) => items[random.int(0, items.length - 1)] as Item;
  const [aliases, count] = [['x', 'y'], 5];
  let made = 0;
  const indexes: string[] = [];
  const makeNext = async () => {
    indexes.push(`i${made++}`);
    await make(indexes.at(-1) as string, count);
  };
  const of = new Map<string, string>();
  for (const alias of aliases) {
    await makeNext();
    of.set(alias, indexes.at(-1) as string);
    await point(alias, indexes.at(-1) as string);
  }
  const said = `PELORUS_FAULTS_SEED=${SEED}`;
  let isOver = false;
  let answered = 0;
  let changedAt = 0;
  const owners = (documents: readonly { of: string }[]) => new Set(documents.map((document) => document.of));
  const readers = Array.from({ length: 4 }, async (_, reader) => {
    const own = new Random(SEED + reader);
    while (!isOver) {
      const alias = aliases[own.int(0, 1)] as string;
      const [before, changed] = [of.get(alias), changedAt];
      const kind = own.int(0, 2);
      if (kind === 0) {
        const { hits } = await ok(`POST /indexes/${alias}/search`, { ...lexical('word'), limit: 10 });
        expect([hits.length, owners(hits).size], said).toEqual([count, 1]);
        // Nobody pointed it elsewhere meanwhile.
        if (changed === changedAt && before !== undefined) expect([...owners(hits)], said).toEqual([before]);
      } else if (kind === 1) {
        const { documents } = await ok(`POST /indexes/${alias}/documents/scan`, {});
        expect([documents.length, owners(documents).size], said).toEqual([count, 1]);
      } else {
        const queries = Array.from({ length: 3 }, () => ({ indexName: alias, ...lexical('word') }));
        const { results } = await ok('POST /multi-search', { queries });
        const hits = results.flatMap(({ response }: { response: { hits: { of: string }[] } }) => response.hits);
        expect([hits.length, owners(hits).size], said).toEqual([3 * count, 1]);
      }
      answered += 1;
    }
  });
  const changes = async () => {
    for (let step = 0; step < 30; step += 1) {
      const alias = pick(aliases);
      const kind = pick(['rebuild', 'swap', 'create'] as const);
      if (kind === 'create') await makeNext();
      const unnamed = indexes.filter((index) => ![...of.values()].includes(index));
      if (kind === 'rebuild') {
        const old = of.get(alias) as string;
        await makeNext();
        // Between the two either may answer.
        of.delete(alias);
        changedAt += 1;
        await point(alias, indexes.at(-1) as string);
        of.set(alias, indexes.at(-1) as string);
        if (![...of.values()].includes(old)) {
          await ok(`DELETE /indexes/${old}`);
          indexes.splice(indexes.indexOf(old), 1);
        }
      } else if (kind === 'swap' && unnamed.length > 0) {
        const [x, y] = [pick(unnamed), of.get(pick(aliases)) as string];
        of.clear();
        changedAt += 1;
        await ok('POST /aliases', {
          changes: [
            { aliasName: 'x', indexName: x },
            { aliasName: 'y', indexName: y },
          ],
        });
        of.set('x', x).set('y', y);
      }
      expect(Object.fromEntries((await ok('GET /aliases')).results.map(Object.values)), said).toEqual(
        Object.fromEntries(of),
      );
    }
  };
  try {
    await Promise.race([changes(), Promise.all(readers)]);
  } finally {
    isOver = true;
  }
  await Promise.all(readers);
  expect(answered).toBeGreaterThan(20);
});

test('a key reaches an index by the names that it has, and changes no alias unless it is for all indexes', async () => {
  const keyed = await openService();
  const base = { kind: 'api', name: 'k', origins: null, expiresAt: null } as const;
  const secretOf = async (scope: 'admin' | 'read', indexes: string[] | null) =>
    (await keyed.keys.create({ ...base, scope, indexes })).secret;
  const [boss, ofAlias, ofIndex] = [
    await secretOf('admin', null),
    await secretOf('admin', ['shop']),
    await secretOf('admin', ['a']),
  ];
  const ask = async (request: string, secret: string, payload?: object) => {
    const [method = '', url = ''] = request.split(' ');
    const headers = { 'x-api-key': secret };
    const answer = await fromAnywhere(keyed.app, method, url, { headers, ...(payload && { payload }) });
    return [answer.statusCode, answer.json()] as const;
  };
  const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked))[0];
  for (const index of ['a', 'b']) expect(await statusOf(`POST /indexes/${index}`, boss, own)).toBe(200);
  expect(await statusOf('PUT /aliases/shop', boss, { indexName: 'a' })).toBe(200);

  expect(await statusOf('GET /indexes/shop/stats', ofAlias)).toBe(200);
  expect(await ask('GET /indexes/a/stats', ofAlias)).toMatchObject([404, { code: 'index_not_found' }]);
  expect((await ask('GET /indexes/a/stats', ofIndex))[1]).not.toHaveProperty('aliases');
  expect((await ask('GET /indexes/shop/stats', ofAlias))[1]).toHaveProperty('aliases', ['shop']);
  expect(await ask('GET /indexes/shop/stats', ofIndex)).toMatchObject([404, { code: 'index_not_found' }]);
  const queries = ['shop', 'a'].map((indexName) => ({ indexName, ...lexical('word') }));
  const statuses = async (secret: string) =>
    (await ask('POST /multi-search', secret, { queries }))[1].results.map(({ status }: { status: number }) => status);
  expect(await statuses(ofAlias)).toEqual([200, 404]);
  expect(await statuses(ofIndex)).toEqual([404, 200]);

  expect((await ask('GET /aliases', ofAlias))[1].results).toEqual([{ aliasName: 'shop', indexName: 'a' }]);
  expect((await ask('GET /aliases', ofIndex))[1].results).toEqual([]);
  expect(await ask('GET /aliases/shop', ofIndex)).toMatchObject([404, { code: 'alias_not_found' }]);
  for (const secret of [ofAlias, ofIndex]) {
    expect(await statusOf('PUT /aliases/shop', secret, { indexName: 'b' })).toBe(403);
    expect(await statusOf('PUT /aliases/a', secret, { indexName: 'b' })).toBe(403);
    expect(await statusOf('DELETE /aliases/shop', secret)).toBe(403);
    const changes = [{ aliasName: 'shop', indexName: 'b' }];
    expect(await statusOf('POST /aliases', secret, { changes })).toBe(403);
  }
  const reader = await secretOf('read', null);
  expect(await statusOf('PUT /aliases/shop', reader, { indexName: 'b' })).toBe(403);
  expect((await ask('GET /aliases/shop', reader))[1]).toEqual({ aliasName: 'shop', indexName: 'a' });
  await keyed.close();
});

test('where the file of aliases cannot be read, health says so, and a name that is no index is not said to be none', async () => {
  const fault = 'aliases.json is damaged: nobody knows';
  const damaged = await openService(
    {},
    {
      inFrontOf: (engine) =>
        new Proxy(engine, {
          get: (target, name) =>
            name === 'aliases'
              ? { now: () => ({ indexes: new Map(), fault }), change: engine.aliases?.change }
              : Reflect.get(target, name, target) instanceof Function
                ? Reflect.get(target, name, target).bind(target)
                : Reflect.get(target, name, target),
        }),
    },
  );
  const ask = (request: string, body?: unknown) => send(damaged.app, { request, body });
  const told = { code: 'backend_data_parsing_error', message: fault };
  for (const [request, body] of [
    ['GET /aliases'],
    ['GET /aliases/shop'],
    ['GET /indexes/shop/stats'],
    ['POST /indexes/shop/search', lexical('word')],
    ['POST /indexes/shop', own],
  ] as const) {
    expect((await ask(request, body)).json(), request).toMatchObject(told);
  }
  const { results } = (await ask('POST /multi-search', { queries: [{ indexName: 'shop', q: 'a' }] })).json();
  expect(results[0].error).toMatchObject(told);
  expect((await ask('GET /health')).json()).toMatchObject({
    status: 'red',
    files: { status: 'red', reasons: [fault] },
  });
  await damaged.close();
});
