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

const collapse = (sort: NonNullable<SearchPlan['collapse']>['sort']): Partial<SearchPlan> => ({
  collapse: { field: 'group', sort, counts: true, others: 0 },
});
const least = { field: 'price', dates: false, order: 'asc', alwaysFetchVariants: false } as const;

/** Parts of plans, by what each is about. */
const SORTS: Readonly<Record<string, Partial<SearchPlan>>> = {
  'the best': collapse(null),
  'least first': collapse(least),
  'greatest first, for hits without a number too': collapse({ ...least, order: 'desc', alwaysFetchVariants: true }),
  'by an entry of a map': collapse({ ...least, field: 'rank.x' }),
  'of those that pass a filter': { ...collapse(least), filter: 'on:true AND NOT price:[0 TO 5]' },
  'on a later page, with facets': {
    ...collapse(least),
    offset: 10,
    trackTotalHits: true,
    facets: {
      maxDepth: null,
      fields: [
        { field: 'on', kind: 'string', maxResults: 5, order: 'desc', ranges: null, dates: null, excludeTerms: [] },
      ],
    },
  },
  'with pinned documents, two of one group': {
    ...collapse(least),
    trackTotalHits: true,
    pinned: [
      { id: 'd7', place: 1 },
      { id: 'd30', place: 2 },
      { id: 'd200', place: 6 },
    ],
    hidden: ['d1', 'd2'],
  },
  'by a field that nothing has': collapse({ ...least, field: 'nothing', alwaysFetchVariants: true }),
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
    let replaced = 0;
    for (const [about, sort] of Object.entries(SORTS)) {
      for (const [method, vectors] of methods) {
        const [best, ours, theirs] = await Promise.all(
          [embedded, ...engines].map(async (engine, at) => {
            const plan = { ...method, ...sort, ...(at === 0 && collapse(null)) };
            return fromJson<{ hits: Hit[] }>(await engine.search('a', plan, vectors));
          }),
        );
        const close = (hits: readonly Hit[] = []) => hits.map((hit) => ({ ...hit, ...closeScores(hit) }));
        expect(theirs, about).toEqual({ ...ours, hits: close(ours?.hits) });
        replaced += ours?.hits.filter(({ _id }, place) => _id !== best?.hits[place]?._id).length ?? 0;
      }
    }
    expect(replaced).toBeGreaterThan(20);
  });
});
