import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine, type SearchPlan, type StorageEngine } from '@pelorus/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  add,
  definition,
  embed,
  fromJson,
  type Hit,
  lexicalLeg,
  lexicalPlan,
  randomNumbers,
  tensorPlan,
  update,
} from '../../engine/conformance/fixtures.js';
import type { OpenSearchEngine } from '../src/index.js';
import { hasNoCluster, openSharedEngine } from './cluster.js';

/** Documents, and searches of each kind. */
const SIZE = 500;
const SEARCHES = 25;

const random = randomNumbers('sparse vectors');
const upTo = (count: number) => Math.floor(random() * count);

/** Indices of the whole range, the highest ones among them. */
const INDICES = Array.from({ length: 200 }, (_, at) => (at < 100 ? at : 4_294_967_295 - at * 7_919_000));

/** Weights of all sizes, whose sum depends on the order in which they are added. */
const vector = (count: number) => {
  const indices = [...new Set(Array.from({ length: count }, () => INDICES[upTo(INDICES.length)] as number))];
  return { indices, values: indices.map(() => random() * 10 ** (upTo(12) - 6)) };
};

const documents = Array.from({ length: SIZE }, (_, at) => ({
  _id: `d${at}`,
  title: `document ${at}`,
  price: at % 40,
  ...(at % 7 !== 3 && { splade: vector(upTo(60)) }),
  ...(at % 2 === 0 && { other: vector(upTo(20)) }),
}));
const MAPPINGS = { splade: { type: 'sparse_vector' }, other: { type: 'sparse_vector' } } as const;

interface Answer {
  readonly hits: readonly Hit[];
  readonly facets?: unknown;
  readonly totalHits?: number;
}

/** A lexical leg of a sparse vector. */
const leg = (): SearchPlan['lexical'] => {
  const { indices, values } = vector(1 + upTo(30));
  const field = random() < 0.8 ? 'splade' : 'other';
  return { ...lexicalLeg(''), sparse: { field, indices, weights: values.map(Math.fround) } };
};

/** The plans of each kind of search. */
const KINDS: Readonly<Record<string, () => Partial<SearchPlan>>> = {
  'the best': () => ({}),
  'with their parts': () => ({ explain: true }),
  'on later pages, of those that pass a filter': () => ({ offset: 7, filter: `price:[* TO ${upTo(40)}]` }),
  'sorted, counted and in facets': () => ({
    sort: {
      fields: [{ field: 'price', descending: true, missingFirst: false, dates: false }],
      depth: null,
      candidates: null,
    },
    trackTotalHits: true,
    facets: {
      maxDepth: null,
      fields: [
        {
          ...{ field: 'price', kind: 'number', maxResults: 10, order: 'desc', ranges: null, dates: null },
          excludeTerms: ['price:5'],
        },
      ],
    },
  }),
  'with changed scores': () => ({
    lexical: {
      ...(leg() ?? lexicalLeg('')),
      scoreModifiers: { multiply: [{ field: 'price', weight: 2 }], add: [] },
    },
  }),
  'pinned and hidden': () => ({ pinned: [{ id: 'd7', place: 1 }], hidden: ['d1', 'd2', 'd4'] }),
};

describe.skipIf(hasNoCluster)('sparse vectors on a cluster and in this process', () => {
  let cluster: OpenSearchEngine;
  let embedded: EmbeddedEngine;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pelorus-same-sparse-'));
    embedded = await EmbeddedEngine.open(directory);
    cluster = await openSharedEngine();
    const changed = vector(40);
    for (const engine of [embedded, cluster] as StorageEngine[]) {
      await engine.createIndex('a', definition);
      await add(engine, 'a', documents, { mappings: MAPPINGS });
      await update(engine, 'a', [
        { _id: 'd0', splade: changed },
        { _id: 'd1', splade: null },
        { _id: 'd3', price: 7 },
      ]);
    }
  });

  afterAll(async () => {
    await cluster.dropIndex('a').catch(() => undefined);
    await cluster.close();
    await embedded.close();
    await rm(directory, { recursive: true });
  });

  const answers = async (
    plan: SearchPlan,
    vectors: Float32Array = new Float32Array(0),
  ): Promise<readonly [Answer, Answer]> => {
    const [ours, theirs] = await Promise.all([embedded, cluster].map((engine) => engine.search('a', plan, vectors)));
    return [fromJson<Answer>(ours as Buffer), fromJson<Answer>(theirs as Buffer)];
  };

  it.each(Object.entries(KINDS))('have the same hits, to the last bit of their scores: %s', async (_, planOf) => {
    let found = 0;
    for (let count = 0; count < SEARCHES; count++) {
      const plan = { ...lexicalPlan(''), lexical: leg(), ...planOf() };
      const [ours, theirs] = await answers(plan);
      expect(theirs, JSON.stringify(plan)).toEqual(ours);
      found += ours.hits.length;
    }
    expect(found).toBeGreaterThan(SEARCHES);
  });

  it('are ranked for pages to come', async () => {
    const plan = { ...lexicalPlan(''), lexical: leg() };
    const [whole] = await answers({ ...plan, limit: SIZE });
    const ranked = await cluster.rank('a', plan, new Float32Array(0));
    const page = fromJson<Answer>(await ranked.page(3, 20));
    expect(ranked.count).toBe(whole.hits.length);
    expect(page.hits).toEqual(whole.hits.slice(3, 23));
    ranked.close();
  });

  it('are fused with vectors', async () => {
    for (let count = 0; count < SEARCHES; count++) {
      const plan: SearchPlan = {
        ...tensorPlan,
        retrievalMethod: 'disjunction',
        rankingMethod: 'rrf',
        rrf: { alpha: 0.5, k: 60 },
        lexical: leg(),
      };
      const [ours, theirs] = await answers(plan, await embed(`a query ${count}`));
      const scores = ({ hits }: Answer) => hits.map(({ _id, _lexical_score }) => [_id, _lexical_score]);
      expect(scores(theirs)).toEqual(scores(ours));
    }
  });
});
