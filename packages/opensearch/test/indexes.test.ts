import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redefined } from '../../engine/conformance/fixtures.js';
import { Connection } from '../src/connection.js';
import { Indexes } from '../src/indexes.js';
import { IndexNames } from '../src/names.js';
import { freshPrefix, hasNoCluster, NODES, openEngine } from './cluster.js';
import { definition, ofSpace } from './fixtures.js';

describe.skipIf(hasNoCluster)('indexes on a cluster', () => {
  it('are created, listed and dropped by their names, whose cases differ', async () => {
    const engine = await openEngine();
    for (const name of ['b', 'A-1', 'a-1']) await engine.createIndex(name, definition);
    expect(await engine.listIndexes()).toEqual(['A-1', 'a-1', 'b']);
    await expect(engine.createIndex('b', definition)).rejects.toMatchObject({ code: 'index_already_exists' });
    await engine.dropIndex('b');
    expect(await engine.listIndexes()).toEqual(['A-1', 'a-1']);
    await expect(engine.dropIndex('b')).rejects.toMatchObject({ code: 'index_not_found' });
    await expect(engine.definition('b')).rejects.toMatchObject({ code: 'index_not_found' });
    await engine.createIndex('b', ofSpace('euclidean'));
    expect(await engine.definition('b')).toEqual(ofSpace('euclidean'));
  });

  it('one of several calls at once creates an index', async () => {
    const engine = await openEngine();
    const calls = await Promise.allSettled(Array.from({ length: 5 }, () => engine.createIndex('a', definition)));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const call of calls)
      if (call.status === 'rejected') expect(call.reason).toMatchObject({ code: 'index_already_exists' });
    expect(await engine.definition('a')).toEqual(definition);
  });

  it('have a definition that is one object, until another engine has made another one', async () => {
    const prefix = freshPrefix();
    const [engine, other] = [await openEngine(prefix), await openEngine(prefix)];
    await engine.createIndex('a', definition);
    const first = await engine.definition('a');
    expect(await engine.definition('a')).toBe(first);
    await setTimeout(1_100);
    expect(await engine.definition('a'), 'asked anew, and the same').toBe(first);
    await other.dropIndex('a');
    await other.createIndex('a', ofSpace('dotproduct'));
    await setTimeout(1_100);
    expect(await engine.definition('a')).toEqual(ofSpace('dotproduct'));
  });

  it('are read from their mapping when that is another one, however often it is asked for', async () => {
    const prefix = freshPrefix();
    const engine = await openEngine(prefix);
    await engine.createIndex('a', definition);
    const connection = await Connection.open({ nodes: NODES });
    onTestFinished(() => connection.close());
    const indexes = new Indexes(connection, new IndexNames(prefix), { shards: 1, replicas: 0 }, {});
    const { native } = await indexes.known('a');
    await setTimeout(1_100);
    expect((await indexes.known('a')).native, 'the mapping is the same').toBe(native);
    await engine.redefineIndex('a', redefined('other'));
    await setTimeout(1_100);
    const other = await indexes.known('a');
    expect(other.native).not.toBe(native);
    expect(other.definition).toEqual(redefined('other'));
  });

  it('are not those of another prefix', async () => {
    const [engine, other] = [await openEngine(), await openEngine()];
    await engine.createIndex('a', definition);
    expect(await other.listIndexes()).toEqual([]);
    expect(await engine.health()).toEqual({ status: 'green', indexes: [] });
  });

  it('have another definition on all servers within a second, the last one that was given', async () => {
    const prefix = freshPrefix();
    const [engine, other] = [await openEngine(prefix), await openEngine(prefix)];
    await engine.createIndex('a', definition);
    expect(await other.definition('a')).toEqual(definition);
    await Promise.all(['1', '2', '3'].map((note) => engine.redefineIndex('a', redefined(note))));
    await engine.redefineIndex('a', redefined('last'));
    expect(await engine.definition('a')).toEqual(redefined('last'));
    await setTimeout(1_100);
    expect(await other.definition('a')).toEqual(redefined('last'));
    await expect(other.redefineIndex('a', ofSpace('euclidean'))).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(other.redefineIndex('b', definition)).rejects.toMatchObject({ code: 'index_not_found' });
    const connection = await Connection.open({ nodes: NODES });
    onTestFinished(() => connection.close());
    const kept = await connection.call((client) => client.indices.getAlias({ index: `${prefix}-a` }));
    expect(Object.values(kept).map(({ aliases }) => Object.keys(aliases).length)).toEqual([2]);
  });

  it('refuse spaces and numbers that Lucene has no graph for', async () => {
    const engine = await openEngine();
    const refusal = { code: 'invalid_argument', message: expect.stringContaining('spaceType') };
    await expect(engine.createIndex('a', ofSpace('geodegrees'))).rejects.toMatchObject(refusal);
    const settings = { ...definition.settings, vectorNumericType: 'bfloat16' as const };
    const numbers = { code: 'invalid_argument', message: expect.stringContaining('vectorNumericType') };
    await expect(engine.createIndex('a', { ...definition, settings })).rejects.toMatchObject(numbers);
    expect(await engine.listIndexes()).toEqual([]);
  });
});
