import { expect, onTestFinished, test } from 'vitest';
import {
  add,
  definition,
  embed,
  hitsOf,
  idsOf,
  lexicalPlan,
  openFor,
  redefined,
  tensorPlan,
  update,
} from './fixtures.js';
import { putQueries, suggestedBy } from './suggestions.js';
import type { EngineSource } from './suite.js';

/** State that outlives an engine. */
export function restartPromises(source: EngineSource): void {
  test('acknowledged writes are there after a restart, and deleted indexes and documents are not', async () => {
    const first = await openFor(source);
    for (const name of ['a', 'b', 'c']) await first.createIndex(name, definition);
    await first.dropIndex('b');
    await add(first, 'a', [
      { _id: '1', title: 'red' },
      { _id: '2', title: 'green' },
      { _id: '3', title: 'blue' },
    ]);
    await add(first, 'a', [{ _id: '3', title: 'blue stone' }]);
    await first.deleteDocuments('a', { documentIds: ['2'], within: null });
    await update(first, 'a', [{ _id: '1', price: 5 }]);
    await putQueries(first, 'a', 'one', 'two', 'three');
    await first.deleteQueries('a', { queries: ['two'] });
    await first.redefineIndex('c', redefined('kept'));
    await first.close();

    const second = await source.reopen?.(first);
    if (second === undefined) throw new Error('an engine that can restart says how');
    onTestFinished(() => source.remove(second));
    expect(await second.listIndexes()).toEqual(['a', 'c']);
    expect(await second.definition('a')).toEqual(definition);
    expect(await second.definition('c')).toEqual(redefined('kept'));
    expect(await second.stats('a')).toMatchObject({ numberOfDocuments: 2, numberOfSuggestions: 2 });
    expect(await suggestedBy(second, 'a', '*')).toEqual(['three', 'one']);
    expect(idsOf(await hitsOf(second, 'a', tensorPlan, await embed('red')))).toEqual(
      expect.arrayContaining(['1', '3']),
    );
    expect(idsOf(await hitsOf(second, 'a', lexicalPlan('stone')))).toEqual(['3']);
    expect(idsOf(await hitsOf(second, 'a', lexicalPlan('green')))).toEqual([]);
    expect(idsOf(await hitsOf(second, 'a', { ...tensorPlan, filter: 'price:5' }, await embed('blue')))).toEqual(['1']);
    expect(await second.getDocument('a', { documentId: '2', exposeFacets: false, within: null })).toBeNull();
    await add(second, 'a', [{ _id: '4', title: 'stone' }]);
    expect(idsOf(await hitsOf(second, 'a', lexicalPlan('stone'))).toSorted()).toEqual(['3', '4']);
  });
}
