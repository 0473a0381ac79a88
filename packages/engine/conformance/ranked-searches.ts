import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RankedSearch, SearchPlan, StorageEngine } from '../src/index.js';
import { catalogue } from './brute-force.js';
import {
  add,
  definition,
  embed,
  fromJson,
  type Hit,
  hitsOf,
  idsOf,
  lexicalPlan,
  openFor,
  tensorPlan,
} from './fixtures.js';
import type { EngineSource } from './suite.js';

const size = 60;
const products = await catalogue(size);
const query = await embed('a query');
const noVectors = new Float32Array(0);
const words = lexicalPlan('winter coat river');
const fused: SearchPlan = {
  ...tensorPlan,
  retrievalMethod: 'disjunction',
  rankingMethod: 'rrf',
  rrf: { alpha: 0.5, k: 60 },
  lexical: words.lexical,
  trackTotalHits: true,
};

const searches: readonly (readonly [about: string, plan: SearchPlan, vectors: Float32Array])[] = [
  ['by vector', tensorPlan, query],
  ['by words', words, noVectors],
  ['by both', fused, query],
  ['of everything', lexicalPlan('*'), noVectors],
];

/** Searches whose ranking is kept for pages that follow. */
export function rankedSearchPromises(source: EngineSource): void {
  let engine: StorageEngine;

  beforeEach(async () => {
    engine = await openFor(source);
    await engine.createIndex('a', definition);
    await add(engine, 'a', products);
  });

  /** A ranking that is let go when the test is over. */
  const rank = async (plan: SearchPlan, vectors: Float32Array): Promise<RankedSearch> => {
    const ranked = await engine.rank('a', plan, vectors);
    onTestFinished(() => ranked.close());
    return ranked;
  };

  const read = async (ranked: RankedSearch, start: number, limit: number) =>
    fromJson<{ hits: Hit[] }>(await ranked.page(start, limit)).hits;

  describe.each(searches)('%s', (_about, plan, vectors) => {
    test('pages join to what offsets find, whatever is written meanwhile', async () => {
      const whole: Hit[] = [];
      for (let offset = 0; offset < size; offset += 7) {
        whole.push(...(await hitsOf(engine, 'a', { ...plan, limit: 7, offset }, vectors)));
      }
      const ranked = await rank({ ...plan, limit: 7 }, vectors);
      expect(ranked.count).toBe(whole.length);
      expect(ranked.memoryBytes).toBeGreaterThan(0);
      const joined: Hit[] = [];
      for (let start = 0; start < ranked.count; start += 11) {
        joined.push(...(await read(ranked, start, 11)));
        const [gone, changed] = [products[start], products[start + 1]];
        await engine.deleteDocuments('a', { documentIds: gone === undefined ? [] : [gone._id], within: null });
        await add(engine, 'a', [{ _id: `new${start}`, title: 'winter coat river' }]);
        if (changed !== undefined) await add(engine, 'a', [{ ...changed, title: 'winter winter winter' }]);
      }
      expect(joined).toEqual(whole);
      expect(await read(ranked, ranked.count, 11)).toEqual([]);
    });
  });

  test('a page can be asked for again, and the total is told with the first alone', async () => {
    const ranked = await rank(fused, query);
    const first = await ranked.page(0, 10);
    expect(await ranked.page(0, 10)).toEqual(first);
    expect(fromJson(first)).toMatchObject({ totalHits: ranked.count });
    expect(fromJson(await ranked.page(10, 10))).not.toHaveProperty('totalHits');
  });

  test('one that was closed is refused, and so is a search that is none', async () => {
    const ranked = await rank(words, noVectors);
    expect(idsOf(await read(ranked, 0, 3))).toHaveLength(3);
    ranked.close();
    ranked.close();
    await expect(ranked.page(0, 1)).rejects.toMatchObject({ code: 'invalid_argument' });
    const broken = engine.rank('a', { ...words, filter: '(' }, noVectors);
    await expect(broken).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(engine.rank('nope', words, noVectors)).rejects.toMatchObject({ code: 'index_not_found' });
  });

  test('nobody waits beyond the deadline', async () => {
    const over = { deadlineMs: 0, onEnd: () => undefined };
    const refused = engine.rank('a', words, noVectors, over);
    await expect(refused).rejects.toMatchObject({ code: 'vector_store_timeout' });
    const ranked = await rank(words, noVectors);
    await expect(ranked.page(0, 1, over)).rejects.toMatchObject({ code: 'vector_store_timeout' });
    expect(await read(ranked, 0, 1)).toHaveLength(1);
  });
}
