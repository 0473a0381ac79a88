import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inventory } from '@pelorus/files';
import { describe, expect, it } from 'vitest';
import { addOptions, definition, tensorPlan } from '../conformance/fixtures.js';
import { EmbeddedEngine, type EngineOptions, isEngineError } from '../src/index.js';
import { requestBytes } from '../src/request-bytes.js';
import { json, openEngine, temporaryDirectory } from './support.js';

// The suite in ../conformance tests the promises of every engine.

const codeOf = (call: () => unknown) =>
  Promise.resolve()
    .then(call)
    .then(
      () => 'no failure',
      (error) => (isEngineError(error) ? error.code : `not an engine error: ${error}`),
    );

describe('an embedded engine', () => {
  it('has its data directory to itself until it is closed', async () => {
    const directory = await temporaryDirectory();
    const first = await EmbeddedEngine.open(directory);
    expect(await codeOf(() => EmbeddedEngine.open(directory))).toBe('data_directory_in_use');
    await first.close();
    const second = await openEngine(directory);
    expect(await second.listIndexes()).toEqual([]);
  });

  it('knows its options', async () => {
    const directory = await temporaryDirectory();
    const unheardOf = { lexicalFieldMax: 1 } as EngineOptions;
    expect(await codeOf(() => EmbeddedEngine.open(directory, unheardOf))).toBe('invalid_argument');
    const engine = await EmbeddedEngine.open(directory, { lexicalFieldsMax: 1 });
    await engine.createIndex('products', definition);
    const batch = await engine.prepareAdd('products', json({ documents: [{ _id: 'a', one: 'text', two: 'text' }] }));
    await batch.prepare({ ...addOptions, tensorFields: [] });
    expect(await batch.apply(new Float32Array(0), { failures: [], parts: [] })).toMatchObject({
      success: 0,
      failure: 1,
    });
    await engine.close();
  });

  it('takes long requests in pieces, between which other work has its turns', async () => {
    const engine = await openEngine();
    await engine.createIndex('products', definition);
    const documents = Array.from({ length: 60 }, (_, i) => ({ _id: `${i}`, text: `${i} `.repeat(30_000) }));
    const body = json({ documents });
    expect(body.length).toBeGreaterThan(5_000_000);
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await requestBytes(body);
    clearImmediate(counting);
    expect(turns).toBeGreaterThanOrEqual(4);

    const batch = await engine.prepareAdd('products', body);
    await batch.prepare({ ...addOptions, tensorFields: [] });
    await batch.apply(new Float32Array(0), { failures: [], parts: [] });
    const stored = await engine.getDocument('products', { documentId: '59', exposeFacets: false, within: null });
    expect(JSON.parse(String(stored))).toEqual(documents[59]);
    await engine.close();
  });

  it('keeps no definition that is read while its index is dropped', async () => {
    const engine = await openEngine();
    for (let round = 0; round < 20; round += 1) {
      const resolved = { ...definition.resolved, modelKey: `round ${round}` };
      await engine.createIndex('products', { ...definition, resolved });
      const dropped = engine.dropIndex('products');
      await Promise.allSettled([engine.definition('products'), dropped, engine.definition('products')]);
      expect(await codeOf(() => engine.definition('products'))).toBe('index_not_found');
    }
  });

  it('misses no index that the process before deleted after its list was read', async () => {
    const directory = await temporaryDirectory();
    const readInventory = () => Inventory.open(join(directory, 'inventory.json'), () => undefined);
    const before = await EmbeddedEngine.open(directory, {}, await readInventory());
    for (const name of ['boots', 'hats']) await before.createIndex(name, definition);
    const inventory = await readInventory();
    await before.dropIndex('boots');
    await before.close();
    const engine = await EmbeddedEngine.open(directory, {}, inventory);
    expect([await engine.listIndexes(), (await engine.health()).status]).toEqual([['hats'], 'green']);
    await engine.close();
  });

  it('keeps the name of an index that is listed and gone, until it is deleted', async () => {
    const directory = await temporaryDirectory();
    const open = async () => {
      const inventory = await Inventory.open(join(directory, 'inventory.json'), () => undefined);
      return await EmbeddedEngine.open(directory, {}, inventory);
    };
    let engine = await open();
    for (const name of ['boots', 'hats', 'gloves']) await engine.createIndex(name, definition);
    await engine.dropIndex('gloves');
    await engine.close();
    const folders = await readdir(join(directory, 'indexes'));
    const folder = folders.find((name) => name.endsWith('.boots')) ?? '';
    const copy = join(directory, 'copy');
    await rename(join(directory, 'indexes', folder), copy);
    engine = await open();
    expect(await engine.listIndexes()).toEqual(['boots', 'hats']);
    const lost = { name: 'boots', status: 'red', code: 'backend_data_parsing_error' };
    expect(await engine.health()).toEqual({
      ...{ status: 'red', indexes: [{ ...lost, reason: expect.stringContaining('boots is gone') }] },
    });
    for (const call of [
      () => engine.definition('boots'),
      () => engine.stats('boots'),
      () => engine.getDocument('boots', { documentId: '1', exposeFacets: false, within: null }),
      () => engine.search('boots', tensorPlan, new Float32Array(0)),
    ]) {
      expect(await codeOf(call)).toBe(lost.code);
    }
    expect(await codeOf(() => engine.createIndex('boots', definition))).toBe('index_already_exists');
    await engine.close();
    await rename(copy, join(directory, 'indexes', folder));
    engine = await open();
    expect([(await engine.health()).status, await engine.definition('boots')]).toEqual(['green', definition]);
    await engine.close();
    await rm(join(directory, 'indexes'), { recursive: true });
    engine = await open();
    expect(await engine.listIndexes()).toEqual(['boots', 'hats']);
    for (const name of ['boots', 'hats']) await engine.dropIndex(name);
    await engine.createIndex('boots', definition);
    await engine.close();
    engine = await open();
    expect([await engine.listIndexes(), (await engine.health()).status]).toEqual([['boots'], 'green']);
    await engine.close();
  });

  it('has a message for people in its errors', async () => {
    const engine = await openEngine();
    const failure = await engine.stats('nothing').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect((failure as Error).message).toBe('Index nothing not found');
  });

  it('refuses a wrong type of argument without harm', async () => {
    const engine = await openEngine();
    const wrong = { length: 1, subarray: () => 1 } as unknown as Uint8Array;
    expect(await codeOf(() => engine.prepareAdd('products', wrong))).toBe('InvalidArg');
    const notARow = [1] as unknown as Float32Array;
    expect(await codeOf(() => engine.search('products', tensorPlan, notARow))).toBe('InvalidArg');
  });
});
