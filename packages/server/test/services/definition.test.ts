import type { StorageEngine, StoredDefinition } from '@pelorus/engine';
import type { Inference, ResolvedModel } from '@pelorus/inference';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/indexes/requested-settings.js';
import { settingsOf } from '../../src/indexes/settings.js';
import { Definitions } from '../../src/services/definition.js';

function stored(dimensions: number): StoredDefinition {
  const settings = settingsOf(readSettings({ model: 'random/small' }));
  const prefixes = { textQueryPrefix: '', textChunkPrefix: '' };
  const createdAt = '2026-01-01T00:00:00.000Z';
  return {
    settings,
    resolved: { dimensions, ...prefixes, embeds: true, chunksEveryScript: true, createdAt, modelKey: 'random/small' },
  };
}

/** Definitions of an engine whose one answer is set by the test, and how often a model was looked up. */
function definitionsOf(answer: () => StoredDefinition) {
  const lookups: string[] = [];
  const engine = { definition: async () => answer() } as unknown as StorageEngine;
  const resolve = (model: string) => {
    lookups.push(model);
    return { dimensions: 4 } as ResolvedModel;
  };
  return { definitions: new Definitions(engine, { resolve } as unknown as Inference), lookups };
}

test('a derived definition is kept as long as the engine answers the same object', async () => {
  const [first, other] = [stored(4), stored(4)];
  let answer = first;
  const { definitions, lookups } = definitionsOf(() => answer);
  const derived = await definitions.get('a');
  derived.model();
  expect(await definitions.get('a')).toBe(derived);
  (await definitions.get('a')).model();
  expect(lookups).toHaveLength(1);

  answer = other;
  const anew = await definitions.get('a');
  expect(anew).not.toBe(derived);
  expect(anew).toEqual({ ...derived, model: expect.any(Function), fieldModel: expect.any(Function) });
  anew.model();
  expect(lookups).toHaveLength(2);
});

test('a model that has other dimensions by now is refused', async () => {
  const { definitions } = definitionsOf(() => stored(3));
  const { model } = await definitions.get('a');
  expect(model).toThrow('The model random/small now has 4 dimensions, index a was made for 3');
});
