import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  definition,
  embed,
  fromJson,
  type Hit,
  lexicalPlan,
  tensorLeg,
  tensorPlan,
} from '../../engine/conformance/fixtures.js';
import { EmbeddedEngine, type SearchPlan, type StorageEngine } from '../../engine/src/index.js';
import type { OpenSearchEngine } from '../src/index.js';
import { hasNoCluster, openSharedEngine } from './cluster.js';

/** More documents than OpenSearch gives for a search of an index that says nothing of it. */
const SIZE = 10_300;

const modifiers = { multiply: [], add: [{ field: 'price', weight: 1 }] };
const words = lexicalPlan('lamp');

const PLANS: Readonly<Record<string, SearchPlan>> = {
  'an exact page': { ...tensorPlan, offset: 10_200 },
  'a page of vectors': { ...tensorPlan, offset: 10_200, tensor: { ...tensorLeg, approximate: true } },
  'a page of changed scores': { ...words, lexical: words.lexical && { ...words.lexical, scoreModifiers: modifiers } },
};

describe.skipIf(hasNoCluster)('searches beyond the first 10,000 documents', () => {
  let cluster: OpenSearchEngine;
  let embedded: EmbeddedEngine;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pelorus-deep-searches-'));
    embedded = await EmbeddedEngine.open(directory);
    cluster = await openSharedEngine();
    const documents = Array.from({ length: SIZE }, (_, at) => ({
      _id: `d${at}`,
      title: `lamp ${at}`,
      price: (at * 7_919) % SIZE,
      kind: `k${at % 7}`,
    }));
    for (const engine of [embedded, cluster] as StorageEngine[]) {
      await engine.createIndex('a', definition);
      const starts = Array.from({ length: Math.ceil(SIZE / 2_600) }, (_, part) => part * 2_600);
      await Promise.all(starts.map((start) => add(engine, 'a', documents.slice(start, start + 2_600))));
    }
  }, 120_000);

  afterAll(async () => {
    await cluster.dropIndex('a').catch(() => undefined);
    await cluster.close();
    await embedded.close();
    await rm(directory, { recursive: true });
  });

  it.each(Object.entries(PLANS))('are those of the embedded engine: %s', async (_about, plan) => {
    const vectors = plan.tensor === null ? new Float32Array(0) : await embed('a query');
    const [ours, theirs] = await Promise.all(
      [embedded, cluster].map(async (engine) => fromJson<{ hits: Hit[] }>(await engine.search('a', plan, vectors))),
    );
    expect(theirs?.hits).toHaveLength(10);
    if (plan.tensor?.approximate !== true)
      expect(theirs?.hits.map(({ _id }) => _id)).toEqual(ours?.hits.map(({ _id }) => _id));
  });

  it('rank all that there is', async () => {
    const ranked = await cluster.rank('a', tensorPlan, await embed('a query'));
    expect(ranked.count).toBe(SIZE);
    const { hits } = fromJson<{ hits: Hit[] }>(await ranked.page(SIZE - 5, 10));
    expect(hits).toHaveLength(5);
    ranked.close();
  });
});
