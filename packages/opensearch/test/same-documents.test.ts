import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  add,
  definition,
  embed,
  fromJson,
  hitsOf,
  idsOf,
  itemsOf,
  lexicalPlan,
  randomNumbers,
  tensorPlan,
  update,
} from '../../engine/conformance/fixtures.js';
import { type AddOptions, EmbeddedEngine, type StorageEngine, type StoredDefinition } from '../../engine/src/index.js';
import { freshPrefix, hasNoCluster, openEngine } from './cluster.js';

const upserting: Partial<AddOptions> = { keepsOtherFields: true, reportsCreation: true };

/** An engine of this process and one over the cluster, each with an index `a`. */
async function engines(of: StoredDefinition = definition): Promise<readonly [StorageEngine, StorageEngine]> {
  const directory = await mkdtemp(join(tmpdir(), 'pelorus-same-documents-'));
  const embedded = await EmbeddedEngine.open(directory);
  onTestFinished(async () => {
    await embedded.close();
    await rm(directory, { recursive: true });
  });
  const cluster = await openEngine();
  await Promise.all([embedded, cluster].map((engine) => engine.createIndex('a', of)));
  return [embedded, cluster];
}

/** A document with its vectors as numbers that are equal where the floats are. */
async function documentOf(engine: StorageEngine, documentId: string): Promise<unknown> {
  const body = await engine.getDocument('a', { documentId, exposeFacets: true, within: null });
  if (body === null) return null;
  const document = fromJson<{ _tensor_facets: { _embedding: number[] }[] }>(body);
  const facets = document._tensor_facets.map((facet) => ({ ...facet, _embedding: facet._embedding.map(Math.fround) }));
  return { ...document, _tensor_facets: facets.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) };
}

describe.skipIf(hasNoCluster)('writes to a cluster and in this process', () => {
  it('leave the same documents where some keep the fields that are not named', async () => {
    const both = await engines();
    const random = randomNumbers('documents that keep fields');
    const of = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
    const fields: Readonly<Record<string, readonly unknown[]>> = {
      title: ['One. Two.', 'Three.', 'Four. Five. Six.', null],
      body: ['Seven.', 'Eight. Nine.', null],
      price: [1, 2, 2.5, null, 'a price'],
      tags: [['a', 'b'], ['c'], null],
      map: [{ x: 1 }, { x: 2, y: 3 }, null],
      note: ['a note', 'another note', 5],
    };
    const ids = ['1', '2', '3', '4', '5', '6'];
    const change = (_id: string) => {
      const named = Object.keys(fields).filter(() => random() < 0.35);
      return { _id, ...Object.fromEntries(named.map((field) => [field, of(fields[field] ?? [])])) };
    };
    for (let round = 0; round < 24; round++) {
      const documents = ids.filter(() => random() < 0.5).map(change);
      const write = of<(engine: StorageEngine) => Promise<unknown>>([
        async (engine) => itemsOf((await add(engine, 'a', documents, upserting)).response),
        async (engine) =>
          itemsOf((await add(engine, 'a', documents, { ...upserting, useExistingTensors: true })).response),
        async (engine) => itemsOf(await update(engine, 'a', documents)),
        async (engine) =>
          fromJson<object>((await engine.deleteDocuments('a', { documentIds: ['3', '4'], within: null })).body),
      ]);
      if (documents.length === 0) continue;
      const [ours, theirs] = await Promise.all(both.map(write));
      expect(theirs, JSON.stringify(documents)).toEqual(ours);
    }
    for (const id of ids) {
      const [ours, theirs] = await Promise.all(both.map((engine) => documentOf(engine, id)));
      expect(theirs, id).toEqual(ours);
    }
    const query = await embed('Nine.');
    for (const [plan, vectors] of [
      [lexicalPlan('two three five seven nine note'), new Float32Array()],
      [tensorPlan, query],
    ] as const) {
      const [ours, theirs] = await Promise.all(both.map((engine) => hitsOf(engine, 'a', plan, vectors)));
      // Lucene counts the words of documents that others took the place of until their segment goes.
      expect(idsOf(theirs ?? []).toSorted()).toEqual(idsOf(ours ?? []).toSorted());
    }
  });

  it('refuse fields beyond the limits that an update brings', async () => {
    const engine = await openEngine(freshPrefix(), { limits: { lexicalFieldsMax: 1, tensorFieldsMax: 1 } });
    await engine.createIndex('a', definition);
    await add(engine, 'a', [{ _id: '1', title: 'red' }]);
    const documents = [
      { _id: '1', body: 'blue' },
      { _id: '2', body: 'blue' },
      { _id: '3', title: 'blue' },
    ];
    const items = itemsOf((await add(engine, 'a', documents, upserting)).response);
    expect(items.map(({ status }) => status)).toEqual([400, 400, 201]);
    expect(items[0]?.message).toContain('exceeds the limit of 1');
  });

  it('have the fields of all servers that create one document at once', async () => {
    const prefix = freshPrefix();
    const servers = [await openEngine(prefix), await openEngine(prefix)];
    await servers[0]?.createIndex('a', definition);
    const names = Array.from({ length: 8 }, (_, number) => `f${number}`);
    const results = await Promise.all(
      names.map(async (name, number) => {
        const { response } = await add(
          servers[number % 2] as StorageEngine,
          'a',
          [{ _id: '1', [name]: number }],
          upserting,
        );
        return (itemsOf(response)[0] as { result?: string } | undefined)?.result;
      }),
    );
    expect(results.filter((result) => result === 'created')).toHaveLength(1);
    const body = await servers[0]?.getDocument('a', { documentId: '1', exposeFacets: false, within: null });
    expect(body && fromJson(body)).toEqual({ _id: '1', ...Object.fromEntries(names.map((name, at) => [name, at])) });
  });
});
