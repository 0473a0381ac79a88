import { beforeEach, expect, test } from 'vitest';
import type { StorageEngine } from '../src/index.js';
import {
  add,
  definition,
  embed,
  fromJson,
  hitsOf,
  idsOf,
  itemsOf,
  lexicalPlan,
  openFor,
  tensorPlan,
  toJson,
  update,
} from './fixtures.js';
import { type EngineSource, testOf } from './suite.js';

/** Changing fields of documents. */
export function updatePromises(source: EngineSource): void {
  let engine: StorageEngine;

  beforeEach(async () => {
    engine = await openFor(source);
    await engine.createIndex('a', definition);
  });

  const get = async (documentId: string, exposeFacets = false) => {
    const body = await engine.getDocument('a', { documentId, exposeFacets, within: null });
    return body && fromJson<Record<string, unknown>>(body);
  };

  beforeEach(async () => {
    await add(engine, 'a', [
      { _id: '1', title: 'red', color: 'red', price: 1, map: { x: 1 } },
      { _id: '2', title: 'green', color: 'green', price: 2 },
    ]);
  });

  test('an update request is taken apart: its documents counted, the rest as it came', async () => {
    const batch = await engine.prepareUpdate('a', toJson({ documents: [{ _id: '1' }, 5, {}, [1]], note: 'kept' }));
    expect([batch.count, batch.nonObjectPlaces]).toEqual([4, [1, 3]]);
    expect(fromJson(batch.envelope)).toEqual({ documents: [], note: 'kept' });
  });

  test('fields are changed, added and removed, and all others stay, vectors among them', async () => {
    const { _tensor_facets: facets } = (await get('1', true)) as { _tensor_facets: unknown };
    const response = await update(engine, 'a', [{ _id: '1', color: null, price: 3, sold: true, map: { y: 2 } }]);
    expect(response).toMatchObject({ success: 1, failure: 0, error: 0 });
    expect(fromJson(response.body)).toEqual({ errors: false, items: [{ _id: '1', status: 200 }] });
    const expected = { _id: '1', title: 'red', price: 3, sold: true, 'map.y': 2, _tensor_facets: facets };
    expect(await get('1', true)).toEqual(expected);
  });

  testOf(source, 'searches')('every search that follows sees them', async () => {
    await update(engine, 'a', [{ _id: '1', color: 'dark blue', price: 5 }]);
    const filtered = { ...tensorPlan, filter: 'price:5' };
    expect(idsOf(await hitsOf(engine, 'a', filtered, await embed('green')))).toEqual(['1']);
    expect(await hitsOf(engine, 'a', { ...tensorPlan, filter: 'price:1' }, await embed('green'))).toEqual([]);
    expect(idsOf(await hitsOf(engine, 'a', lexicalPlan('dark')))).toEqual(['1']);
    expect(idsOf(await hitsOf(engine, 'a', lexicalPlan('red', ['color'])))).toEqual([]);
  });

  test('there is an item for each document, in order, and one that is refused changes nothing', async () => {
    const response = await update(engine, 'a', [
      { _id: 'x', price: 3 },
      { _id: '1', price: 3, title: 'blue' },
      { price: 3 },
      { _id: '2', price: 3 },
    ]);
    const items = itemsOf(response);
    expect(items.map(({ _id, status }) => [_id, status])).toEqual([
      ['x', 400],
      ['1', 400],
      ['', 400],
      ['2', 200],
    ]);
    for (const item of items.slice(0, 3)) {
      expect(item).toEqual({ ...item, message: expect.any(String), error: expect.any(String) });
    }
    expect(response).toMatchObject({ success: 1, failure: 3, error: 0 });
    expect(await get('1')).toMatchObject({ title: 'red', price: 1 });
    expect(await get('x')).toBeNull();
  });

  test('the last of several documents with one id counts', async () => {
    const response = await update(engine, 'a', [{ _id: '1', price: 3 }, { _id: '2' }, { _id: '1', sold: true }]);
    expect(itemsOf(response).map(({ _id }) => _id)).toEqual(['2', '1']);
    expect(await get('1')).toMatchObject({ price: 1, sold: true });
  });

  test('changes that are applied at the same time are all there', async () => {
    const fields = Array.from({ length: 20 }, (_, i) => `f${i}`);
    await Promise.all(fields.map((field) => update(engine, 'a', [{ _id: '1', [field]: true }])));
    expect(await get('1')).toMatchObject(Object.fromEntries(fields.map((field) => [field, true])));
  });

  test('inputs may be reused as soon as a call has returned', async () => {
    const body = toJson({ documents: [{ _id: '1', price: 3 }] });
    const preparing = engine.prepareUpdate('a', body);
    body.fill(0);
    await (await preparing).apply({ maxDocBytes: null, within: null });
    expect(await get('1')).toMatchObject({ price: 3 });
  });
}
