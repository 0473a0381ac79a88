import { expect, onTestFinished, test } from 'vitest';
import { Random } from '../../cli/src/demo/random.js';
import { ALIASES_MAX } from '../src/aliases.js';
import type { IndexAliases, StorageEngine } from '../src/index.js';
import { definition, openFor } from './fixtures.js';
import type { EngineSource } from './suite.js';

export const aliasesIn = (engine: StorageEngine): IndexAliases => engine.aliases as IndexAliases;

const shown = (engine: StorageEngine) => Object.fromEntries(aliasesIn(engine).now().indexes);

async function openWith(source: EngineSource, ...indexes: string[]): Promise<StorageEngine> {
  const engine = await openFor(source);
  for (const name of indexes) await engine.createIndex(name, definition);
  return engine;
}

/** Other names of indexes. */
export function aliasPromises(source: EngineSource): void {
  test('an alias stands for the index that it was last given, until it is removed', async () => {
    const engine = await openWith(source, 'a', 'b');
    const { change, now } = aliasesIn(engine);
    expect(now()).toEqual({ indexes: new Map(), fault: null });
    await change([{ alias: 'shop', index: 'a' }]);
    const first = now();
    expect(now()).toBe(first);
    await change([
      { alias: 'shop', index: 'b' },
      { alias: 'other', index: 'b' },
    ]);
    expect(shown(engine)).toEqual({ shop: 'b', other: 'b' });
    expect([...first.indexes]).toEqual([['shop', 'a']]);
    await change([{ alias: 'shop', index: null }]);
    expect(shown(engine)).toEqual({ other: 'b' });
    expect(await engine.listIndexes()).toEqual(['a', 'b']);
  });

  test('several changes are made together or not at all', async () => {
    const engine = await openWith(source, 'a', 'b');
    const { change } = aliasesIn(engine);
    await change([{ alias: 'shop', index: 'a' }]);
    for (const [wrong, code] of [
      [{ alias: 'x', index: 'nowhere' }, 'index_not_found'],
      [{ alias: 'x', index: 'shop' }, 'invalid_argument'],
      [{ alias: 'x', index: null }, 'alias_not_found'],
      [{ alias: 'a', index: 'b' }, 'index_already_exists'],
    ] as const) {
      await expect(change([{ alias: 'shop', index: 'b' }, wrong])).rejects.toMatchObject({ code });
      expect(shown(engine)).toEqual({ shop: 'a' });
    }
    const many = Array.from({ length: ALIASES_MAX }, (_, at) => ({ alias: `n${at}`, index: 'a' }));
    await expect(change(many)).rejects.toMatchObject({ code: 'bad_request' });
    await change(many.slice(1));
    expect(aliasesIn(engine).now().indexes.size).toBe(ALIASES_MAX);
  });

  test('an alias has no name of an index, and an index that has one stays', async () => {
    const engine = await openWith(source, 'a', 'b');
    const { change } = aliasesIn(engine);
    await change([{ alias: 'shop', index: 'a' }]);
    await expect(engine.createIndex('shop', definition)).rejects.toMatchObject({ code: 'index_already_exists' });
    await expect(engine.dropIndex('a')).rejects.toMatchObject({
      code: 'index_has_alias',
      message: expect.stringContaining('alias shop'),
    });
    await change([{ alias: 'shop', index: 'b' }]);
    await engine.dropIndex('a');
    await change([{ alias: 'shop', index: null }]);
    await engine.createIndex('shop', definition);
    expect(await engine.listIndexes()).toEqual(['b', 'shop']);
  });

  test('any sequence of changes leaves what a model of it has, before and after a restart', async () => {
    const random = new Random(20_261_129);
    const pick = <Item>(items: readonly Item[]) => items[random.int(0, items.length - 1)] as Item;
    const names = ['a', 'b', 'c', 'd', 'e'];
    let engine = await openFor(source);
    const indexes = new Set<string>();
    const aliases = new Map<string, string>();
    for (let step = 0; step < 120; step += 1) {
      const [name, of] = [pick(names), pick(names)];
      const isDone = (call: Promise<unknown>) => call.then(() => true).catch(() => false);
      const kind = pick(['create', 'drop', 'point', 'point', 'remove'] as const);
      if (kind === 'create') {
        const may = !indexes.has(name) && !aliases.has(name);
        expect(await isDone(engine.createIndex(name, definition)), `${step} ${kind} ${name}`).toBe(may);
        if (may) indexes.add(name);
      } else if (kind === 'drop') {
        const may = indexes.has(name) && ![...aliases.values()].includes(name);
        expect(await isDone(engine.dropIndex(name)), `${step} ${kind} ${name}`).toBe(may);
        if (may) indexes.delete(name);
      } else {
        const index = kind === 'point' ? of : null;
        const may = !indexes.has(name) && (index === null ? aliases.has(name) : indexes.has(index));
        const changed = aliasesIn(engine).change([{ alias: name, index }]);
        expect(await isDone(changed), `${step} ${kind} ${name} ${index}`).toBe(may);
        if (may && index !== null) aliases.set(name, index);
        else if (may) aliases.delete(name);
      }
      if (step % 40 === 39 && source.reopen !== undefined) {
        await engine.close();
        const opened = await source.reopen(engine);
        onTestFinished(() => source.remove(opened));
        engine = opened;
      }
      expect(shown(engine), `${step}`).toEqual(Object.fromEntries(aliases));
      expect(await engine.listIndexes()).toEqual([...indexes].sort());
    }
  });
}
