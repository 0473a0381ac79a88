import { expect, test } from 'vitest';
import type { StoredDefinition } from '../src/index.js';
import { add, definition, openFor, redefined } from './fixtures.js';
import { type EngineSource, testOf } from './suite.js';

/** Creation, deletion, and what is known of an index. */
export function indexPromises(source: EngineSource): void {
  test('there are those that were created, sorted by name', async () => {
    const engine = await openFor(source);
    expect(await engine.listIndexes()).toEqual([]);
    for (const name of ['b', 'c', 'a']) await engine.createIndex(name, definition);
    expect(await engine.listIndexes()).toEqual(['a', 'b', 'c']);
    await engine.dropIndex('b');
    expect(await engine.listIndexes()).toEqual(['a', 'c']);
  });

  test('a definition comes back as it was given, the same object as long as the index lives', async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    const first = await engine.definition('a');
    expect(first).toEqual(definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    expect(await engine.definition('a')).toBe(first);
    expect(await Promise.all([engine.definition('a'), engine.definition('a')])).toEqual([first, first]);
  });

  testOf(source, 'redefinitions')('a redefined index has its new definition at once, and its documents', async () => {
    const engine = await openFor(source);
    for (const name of ['a', 'b']) await engine.createIndex(name, definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    const first = await engine.definition('a');
    const other = redefined('tuned');
    await engine.redefineIndex('a', other);
    const second = await engine.definition('a');
    expect(second).toEqual(other);
    expect(second).not.toBe(first);
    expect(await engine.definition('a')).toBe(second);
    expect(await engine.definition('b')).toEqual(definition);
    expect(await engine.getDocument('a', { documentId: '1', exposeFacets: false, within: null })).not.toBeNull();
  });

  testOf(source, 'redefinitions')('the last of several redefinitions stays', async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    for (let i = 0; i < 10; i += 1) {
      const [note] = await Promise.all([engine.redefineIndex('a', redefined(`${i}`)), engine.definition('a')]);
      expect(note).toBeUndefined();
      expect(await engine.definition('a')).toEqual(redefined(`${i}`));
    }
  });

  testOf(source, 'redefinitions')('a change of how documents are stored or searched is no redefinition', async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    const { settings, resolved } = definition;
    for (const other of [
      { settings, resolved: { ...resolved, dimensions: 9 } },
      { settings: { ...settings, normalizeEmbeddings: false }, resolved },
      { settings: { ...settings, model: 'other' }, resolved },
    ]) {
      await expect(engine.redefineIndex('a', other)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
    expect(await engine.definition('a')).toEqual(definition);
  });

  test('an index of a name that was dropped has a definition and documents of its own', async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    const first = await engine.definition('a');
    await engine.dropIndex('a');
    const other: StoredDefinition = {
      ...definition,
      resolved: { ...definition.resolved, createdAt: '2026-02-02T00:00:00.000Z' },
    };
    await engine.createIndex('a', other);
    expect(await engine.definition('a')).toEqual(other);
    expect(await engine.definition('a')).not.toBe(first);
    expect(await engine.getDocument('a', { documentId: '1', exposeFacets: false, within: null })).toBeNull();
  });

  test('indexes know nothing of each other', async () => {
    const engine = await openFor(source);
    for (const name of ['a', 'b']) await engine.createIndex(name, definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 1 });
    expect(await engine.stats('b')).toMatchObject({ numberOfDocuments: 0, numberOfVectors: 0 });
  });

  test('stats count documents and vectors, and add up what they hold in memory', async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    await add(engine, 'a', [
      { _id: '1', title: 'red', body: 'One sentence. Another sentence.' },
      { _id: '2', colour: 'green' },
    ]);
    const { memoryBytes, memory, work, audit, ...counts } = await engine.stats('a');
    expect(counts).toEqual({ numberOfDocuments: 2, numberOfVectors: 3, numberOfSuggestions: 0 });
    expect(Object.values(memory).reduce((sum, bytes) => sum + bytes, 0)).toBe(memoryBytes);
    // Whoever keeps an index in memory knows what waits for it there.
    if (source.lacks?.includes('memory')) return;
    expect(memoryBytes).toBeGreaterThan(0);
    expect(work).toMatchObject({ queuedWrites: 0, unflushedDocuments: 2, filterHits: 0, filterMisses: 0 });
    expect(work?.storeBytes).toBeGreaterThan(0);
    expect(audit).toMatchObject({ relinked: 0, differences: { columns: 0, text: 0 } });
  });

  test('an engine that is well says so', async () => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    expect(await engine.health()).toEqual({ status: 'green', indexes: [] });
  });
}
