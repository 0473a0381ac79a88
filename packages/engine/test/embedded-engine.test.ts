import { describe, expect, it } from 'vitest';
import { EmbeddedEngine, isEngineError, type SearchPlan, type StorageEngine } from '../src/index.js';
import {
  addOptions,
  definition,
  json,
  openEngine,
  parse,
  temporaryDirectory,
  tensorPlan,
  unitRows,
} from './support.js';

async function add(engine: StorageEngine, index: string, documents: object[]) {
  const batch = await engine.prepareAdd(index, json({ documents, note: 'kept' }));
  const texts = await batch.prepare(addOptions);
  return { batch, texts, response: await batch.apply(unitRows(texts.length)) };
}

describe('an embedded engine', () => {
  it('takes documents in and answers searches, gets and deletes with finished bodies', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    expect(await engine.listIndexes()).toEqual(['products']);
    expect(await engine.definition('products')).toEqual(definition);

    const documents = [
      { _id: 'a', title: 'red' },
      { _id: 'b', title: 'green' },
      { _id: 'c', title: 7, ignored: null },
    ];
    const { batch, texts, response } = await add(engine, 'products', documents);
    expect(batch.count).toBe(3);
    expect(parse(batch.envelope)).toEqual({ documents: [], note: 'kept' });
    expect(texts).toEqual(['red', 'green']);
    const items = parse(response.body).items as { status: number }[];
    expect(items.map((item) => Math.floor(item.status / 100))).toEqual([2, 2, 4]);
    expect(response).toMatchObject({ success: 2, failure: 1, error: 0 });

    const found = parse(await engine.search('products', tensorPlan, unitRows(1)));
    expect(found.hits.map((hit: { _id: string }) => hit._id)).toEqual(['a', 'b']);
    expect(found.hits[0]).toMatchObject({ title: 'red', _score: 1 });
    expect(await engine.stats('products')).toMatchObject({ numberOfDocuments: 2, numberOfVectors: 2 });

    const deleted = await engine.deleteDocuments('products', { documentIds: ['a'] });
    expect(deleted.success).toBe(1);
    const got = await engine.getDocuments('products', { documentIds: ['a', 'b'], exposeFacets: false });
    expect(parse(got.body).results.map((result: { _found: boolean }) => result._found)).toEqual([false, true]);
    expect(got).toMatchObject({ success: 1, failure: 1 });

    await engine.dropIndex('products');
    expect(await engine.listIndexes()).toEqual([]);
  });

  it('copies its inputs before a call returns', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    await add(engine, 'products', [
      { _id: 'a', title: 'red' },
      { _id: 'b', title: 'green' },
    ]);
    const vector = unitRows(1);
    const search = engine.search('products', tensorPlan, vector);
    vector.fill(Number.NaN);
    expect(parse(await search).hits[0]._id).toBe('a');
  });

  it('reads a view on part of a larger buffer', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    await add(engine, 'products', [
      { _id: 'a', title: 'red' },
      { _id: 'b', title: 'green' },
    ]);
    const rows = unitRows(2).subarray(4);
    const found = parse(await engine.search('products', tensorPlan, rows));
    expect(found.hits[0]._id).toBe('b');
  });

  it('keeps what it acknowledged over a restart', async () => {
    const directory = await temporaryDirectory();
    const first = await EmbeddedEngine.open(directory);
    await first.createIndex('products', definition);
    await add(first, 'products', [{ _id: 'a', title: 'red' }]);
    await first.close();
    const second = await openEngine(directory);
    expect(parse(await second.search('products', tensorPlan, unitRows(1))).hits[0]._id).toBe('a');
  });

  it('serves many calls in flight at once', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    await add(engine, 'products', [{ _id: 'a', title: 'red' }]);
    const calls = Array.from({ length: 500 }, () => engine.search('products', tensorPlan, unitRows(1)));
    for (const answer of await Promise.all(calls)) expect(parse(answer).hits).toHaveLength(1);
  });
});

describe('its failures', () => {
  const codeOf = (call: () => unknown) =>
    Promise.resolve()
      .then(call)
      .then(
        () => 'no failure',
        (error) => (isEngineError(error) ? error.code : `not an engine error: ${error}`),
      );

  it('carry a stable code', async () => {
    const directory = await temporaryDirectory();
    const engine = await openEngine(directory);
    await engine.createIndex('products', definition);
    expect(await codeOf(() => engine.createIndex('products', definition))).toBe('index_already_exists');
    expect(await codeOf(() => engine.dropIndex('nothing'))).toBe('index_not_found');
    expect(await codeOf(() => engine.definition('nothing'))).toBe('index_not_found');
    expect(await codeOf(() => engine.stats('nothing'))).toBe('index_not_found');
    expect(await codeOf(() => engine.search('nothing', tensorPlan, unitRows(1)))).toBe('index_not_found');
    expect(await codeOf(() => engine.deleteDocuments('nothing', { documentIds: ['a'] }))).toBe('index_not_found');
    expect(await codeOf(() => engine.prepareAdd('products', Buffer.from('{"documents":')))).toBe('json_decode_error');
    expect(
      await codeOf(() => engine.search('products', { ...tensorPlan, weights: [1] } as SearchPlan, unitRows(1))),
    ).toBe('invalid_argument');
    expect(await codeOf(() => EmbeddedEngine.open(directory))).toBe('data_directory_in_use');
  });

  it('have a message for people and are errors', async () => {
    const engine = await openEngine();
    const failure = await engine.stats('nothing').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toBe('Index nothing not found');
  });

  it('name a batch that is not ready, or is used up', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    const batch = await engine.prepareAdd('products', json({ documents: [{ _id: 'a', title: 'red' }] }));
    expect(await codeOf(() => batch.apply(unitRows(1)))).toBe('invalid_argument');
    await batch.prepare(addOptions);
    expect(await codeOf(() => batch.prepare(addOptions))).toBe('invalid_argument');
    await batch.apply(unitRows(1));
    expect(await codeOf(() => batch.apply(unitRows(1)))).toBe('invalid_argument');
  });

  it('refuse a wrong type of argument without harm', async () => {
    const engine = await openEngine();
    const wrong = 1 as unknown as Uint8Array;
    expect(await codeOf(() => engine.prepareAdd('products', wrong))).toBe('InvalidArg');
    const notARow = [1] as unknown as Float32Array;
    expect(await codeOf(() => engine.search('products', tensorPlan, notARow))).toBe('InvalidArg');
  });

  it('include every call after close', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    await engine.close();
    expect(await codeOf(() => engine.stats('products'))).toBe('index_not_found');
    await engine.close();
  });
});
