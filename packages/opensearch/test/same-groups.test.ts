import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  add,
  embed,
  fromJson,
  type Hit,
  lexicalLeg,
  lexicalPlan,
  tensorPlan,
} from '../../engine/conformance/fixtures.js';
import { EmbeddedEngine, type SearchPlan, type StorageEngine, type StoredDefinition } from '../../engine/src/index.js';
import { hasNoCluster, openEngine } from './cluster.js';
import { definition } from './fixtures.js';

const grouped: StoredDefinition = {
  ...definition,
  settings: { ...definition.settings, collapseFields: [{ name: 'group', minGroups: 10 }] },
};

/** Names of groups that a filter reads otherwise, or that are longer than texts which it takes. */
const names = (number: number) => [
  '5',
  '2026-01-01',
  'true',
  'A b',
  'a b',
  `${'long '.repeat(30)}${number}`,
  `g${number}`,
];

const times = (count: number, word: string) => `${word} `.repeat(count);

/** Two of three documents have a price, a few the same. No two are as near to a query, or match words as well. */
const documents = Array.from({ length: 300 }, (_, at) => {
  const number = at % 23;
  const of = names(number);
  return {
    _id: `d${at}`,
    group: of[Math.min(number, of.length - 1)],
    title: `${times(1 + (at % 5), 'river')}${times(Math.floor(at / 5) % 4, 'lamp')}${times(1 + Math.floor(at / 20), 'stone')}`,
    on: at % 2 === 0,
    ...(at % 3 !== 0 && { price: (at * 31) % 40, rank: { x: at % 50 } }),
  };
});

const collapse = { field: 'group', sort: null };

/** Parts of plans, by what each is about. */
const SEARCHES: Readonly<Record<string, Partial<SearchPlan>>> = {
  'the best': { collapse },
  'of those that pass a filter': { collapse, filter: 'on:true AND NOT price:[0 TO 5]' },
  'on a later page, with facets': {
    collapse,
    offset: 10,
    trackTotalHits: true,
    facets: {
      maxDepth: null,
      fields: [{ field: 'on', kind: 'string', maxResults: 5, order: 'desc', ranges: null, excludeTerms: [] }],
    },
  },
};

/** The scores of a hit, which Lucene rounds otherwise. */
const closeScores = (hit: Hit) => {
  const scores = Object.entries(hit).filter(([name]) => name.endsWith('_score'));
  return Object.fromEntries(scores.map(([name, score]) => [name, expect.closeTo(score as number, 4)]));
};

describe.skipIf(hasNoCluster)('groups of hits on a cluster and in this process', () => {
  it('are the same', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pelorus-same-groups-'));
    const embedded = await EmbeddedEngine.open(directory);
    onTestFinished(async () => {
      await embedded.close();
      await rm(directory, { recursive: true });
    });
    const engines: readonly StorageEngine[] = [embedded, await openEngine()];
    for (const engine of engines) {
      await engine.createIndex('a', grouped);
      await add(engine, 'a', documents);
    }
    const query = await embed('a river');
    const methods: readonly (readonly [SearchPlan, Float32Array])[] = [
      [tensorPlan, query],
      [lexicalPlan('river lamp stone'), new Float32Array(0)],
      [
        {
          ...tensorPlan,
          retrievalMethod: 'disjunction',
          rankingMethod: 'rrf',
          rrf: { alpha: 0.7, k: 60 },
          lexical: lexicalLeg('river lamp stone'),
        },
        query,
      ],
    ];
    for (const [about, search] of Object.entries(SEARCHES)) {
      for (const [method, vectors] of methods) {
        const [ours, theirs] = await Promise.all(
          engines.map(async (engine) =>
            fromJson<{ hits: Hit[] }>(await engine.search('a', { ...method, ...search }, vectors)),
          ),
        );
        const close = (hits: readonly Hit[] = []) => hits.map((hit) => ({ ...hit, ...closeScores(hit) }));
        expect(theirs, about).toEqual({ ...ours, hits: close(ours?.hits) });
      }
    }
  });
});
