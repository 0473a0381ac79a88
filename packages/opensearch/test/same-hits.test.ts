import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedEngine, type SearchPlan, type StorageEngine } from '@pelorus/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../engine/conformance/brute-force.js';
import {
  add,
  definition,
  embed,
  fromJson,
  type Hit,
  lexicalLeg,
  randomNumbers,
  tensorLeg,
  tensorPlan,
} from '../../engine/conformance/fixtures.js';
import type { OpenSearchEngine } from '../src/index.js';
import { hasNoCluster, openSharedEngine } from './cluster.js';

/** Documents, and searches of each kind. */
const SIZE = 600;
const SEARCHES = 40;

const WORDS = ['river', 'stone', 'lamp', 'winter', 'coat', 'green', 'cloud', 'paper', 'rivers', 'nothing'];
const NO_VECTORS = new Float32Array(0);

interface Answer {
  readonly hits: readonly Hit[];
  readonly facets?: unknown;
  readonly totalHits?: number;
}

interface Search {
  readonly plan: SearchPlan;
  readonly vectors: Float32Array;
}

/** The choices of a seeded series of searches. */
class Choices {
  readonly #random: () => number;

  constructor(seed: string) {
    this.#random = randomNumbers(seed);
  }

  upTo(count: number): number {
    return Math.floor(this.#random() * count);
  }

  of<Value>(values: readonly Value[]): Value {
    return values[this.upTo(values.length)] as Value;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  text(): string {
    const words = Array.from({ length: 1 + this.upTo(3) }, () => this.of(WORDS)).join(' ');
    return this.chance(0.2) ? `"${words}" ${this.of(WORDS)}` : words;
  }

  term(): string {
    const least = this.upTo(90);
    return this.of([
      `brand:${this.of(['acme', 'zed', 'unicorn', 'none'])}`,
      `price:[${least} TO ${least + this.upTo(40)}]`,
      `price:[* TO ${least}]`,
      `on:${this.of(['true', 'false'])}`,
      `tags:t${this.upTo(6)}`,
      `tags IN (t${this.upTo(5)}, t${this.upTo(5)})`,
      `_id IN (d${this.upTo(SIZE)}, d${this.upTo(SIZE)}, d${this.upTo(SIZE)})`,
      `title CONTAINS (${this.of(WORDS)} ${this.of(WORDS)})`,
      `body CONTAINS ${this.of(WORDS)}`,
    ]);
  }

  filter(): string {
    const terms = Array.from({ length: 1 + this.upTo(3) }, () => (this.chance(0.2) ? 'NOT ' : '') + this.term());
    return terms.length < 3 ? terms.join(this.of([' AND ', ' OR '])) : `(${terms[0]} OR ${terms[1]}) AND ${terms[2]}`;
  }
}

const modifiers = (choices: Choices) => ({
  multiply: choices.chance(0.5) ? [{ field: 'price', weight: 0.1 }] : [],
  add: [{ field: 'price', weight: choices.of([0.01, -0.02, 0.5]) }],
});

const lexical = (choices: Choices): Partial<SearchPlan> => ({
  retrievalMethod: 'lexical',
  rankingMethod: 'lexical',
  tensor: null,
  lexical: {
    ...lexicalLeg(choices.text(), choices.of([null, null, ['title'], ['title', 'body']])),
    operand: choices.of(['or', 'or', 'and']),
  },
});

const tensor = (choices: Choices): Partial<SearchPlan> => ({
  tensor: { ...tensorLeg, approximate: choices.chance(0.7), fields: choices.of([null, null, ['title'], ['body']]) },
});

/** Boosts by which the nearest documents of one field are far behind those of the other. */
const boosted = (choices: Choices): Partial<SearchPlan> => ({
  tensor: {
    ...tensorLeg,
    approximate: choices.chance(0.5),
    boosts: choices.of([
      [{ field: 'title', weight: 10, bias: 0 }],
      [{ field: 'body', weight: 0.01, bias: -2 }],
      [
        { field: 'title', weight: 0.3, bias: 0.1 },
        { field: 'body', weight: 2, bias: 0.5 },
      ],
    ]),
  },
});

const hybrid = (choices: Choices): Partial<SearchPlan> => ({
  retrievalMethod: 'disjunction',
  rankingMethod: 'rrf',
  rrf: { alpha: choices.of([0.2, 0.5, 0.9]), k: 60 },
  tensor: { ...tensorLeg, approximate: true },
  lexical: lexicalLeg(choices.text()),
});

const anyMethod = (choices: Choices) => choices.of([tensor, lexical, hybrid])(choices);

/** The plans of each kind of search. */
const KINDS: Readonly<Record<string, (choices: Choices) => Partial<SearchPlan>>> = {
  tensor,
  boosts: boosted,
  words: lexical,
  hybrid,
  pages: (choices) => ({ ...anyMethod(choices), offset: choices.of([5, 10, 40]) }),
  filters: (choices) => ({ ...anyMethod(choices), filter: choices.filter() }),
  'one leg for the other': (choices) => {
    const [retrievalMethod, rankingMethod] = choices.of([
      ['tensor', 'lexical'] as const,
      ['lexical', 'tensor'] as const,
    ]);
    return { retrievalMethod, rankingMethod, lexical: lexicalLeg(choices.text()) };
  },
  facets: (choices) => ({
    ...lexical(choices),
    filter: choices.chance(0.5) ? 'brand:acme AND price:[* TO 60]' : null,
    trackTotalHits: true,
    facets: {
      maxDepth: null,
      fields: [
        {
          field: 'brand',
          kind: 'string',
          maxResults: 10,
          order: 'desc',
          ranges: null,
          dates: null,
          excludeTerms: ['brand:acme'],
        },
        { field: 'tags', kind: 'array', maxResults: 3, order: 'asc', ranges: null, dates: null, excludeTerms: [] },
        {
          field: 'price',
          kind: 'number',
          maxResults: 10,
          order: 'desc',
          ranges: choices.of([
            null,
            [
              { name: 'low', from: null, to: 30 },
              { name: 'high', from: 30, to: null },
            ],
          ]),
          dates: null,
          excludeTerms: [],
        },
      ],
    },
  }),
  sort: (choices) => ({
    ...anyMethod(choices),
    sort: {
      fields: [{ field: 'price', dates: choices.chance(0.5), descending: choices.chance(0.5), missingFirst: false }],
      depth: choices.of([null, 20]),
      candidates: choices.of([null, 50]),
    },
  }),
  modifiers: (choices) =>
    choices.of<(choices: Choices) => Partial<SearchPlan>>([
      () => ({ tensor: { ...tensorLeg, scoreModifiers: modifiers(choices) } }),
      () => {
        const plan = lexical(choices);
        return { ...plan, lexical: { ...lexicalLeg(choices.text()), scoreModifiers: modifiers(choices) } };
      },
      () => ({ ...hybrid(choices), rescoring: { scoreModifiers: modifiers(choices), depth: choices.of([null, 30]) } }),
    ])(choices),
  context: (choices) => ({
    tensor: { ...tensorLeg, interpolation: choices.of(['lerp', 'nlerp', 'slerp']) },
    context: {
      documents: [
        { id: `d${choices.upTo(SIZE)}`, weight: 1 },
        { id: `d${choices.upTo(SIZE)}`, weight: 0.5 },
      ],
      tensorFields: choices.of([null, ['title']]),
      excludeInputDocuments: choices.chance(0.5),
      allowMissingDocuments: false,
      allowMissingEmbeddings: true,
    },
  }),
  'pinned and hidden documents': (choices) => ({
    ...anyMethod(choices),
    filter: choices.chance(0.5) ? choices.filter() : null,
    offset: choices.of([0, 0, 3]),
    trackTotalHits: true,
    pinned: [1, 2, 30, 50].map((place) => ({ id: `d${100 * choices.upTo(4) + place}`, place })),
    hidden: [`d${choices.upTo(SIZE)}`, `d${choices.upTo(SIZE)}`],
  }),
  diversity: (choices) => {
    const plan = anyMethod(choices);
    return {
      ...plan,
      ...(plan.tensor && { tensor: { ...plan.tensor, approximate: false } }),
      offset: choices.of([0, 0, 20]),
      diversity: { lambda: choices.of([0, 0.3, 0.7]), candidates: choices.of([5, 40, 200]) },
    };
  },
  'a cut-off': (choices) => ({
    ...anyMethod(choices),
    trackTotalHits: choices.chance(0.5),
    relevanceCutoff: {
      ...choices.of([
        { method: 'relativeMaxScore', factor: 0.6 } as const,
        { method: 'gapDetection', factor: 0 } as const,
        { method: 'meanStdDev', factor: 1 } as const,
      ]),
      probe: lexicalLeg(choices.text(), choices.of([null, ['title']])),
      probeDepth: choices.of([20, 200, SIZE]),
      legs: choices.of(['tensor', 'both']),
      sortsRelevant: false,
      facetsRelevant: false,
      totalsRelevant: choices.chance(0.5),
    },
  }),
  highlights: (choices) => ({
    ...lexical(choices),
    lexicalHighlights: { fields: null, fragmentSize: 60, numberOfFragments: 2, preTag: '<b>', postTag: '</b>' },
  }),
};

/** The share of hits that both have. Hits as good as the last one may stand for each other. */
function overlap(ours: readonly Hit[], theirs: readonly Hit[]): number {
  if (ours.length !== theirs.length) return 0;
  if (ours.length === 0) return 1;
  const last = ours[ours.length - 1]?._score ?? 0;
  const isTied = ({ _score }: Hit) => Math.abs(_score - last) <= 1e-5 * Math.abs(last);
  const known = new Set(ours.map(({ _id }) => _id));
  return theirs.filter((hit) => known.has(hit._id) || isTied(hit)).length / ours.length;
}

/** The largest difference of the scores at one place, as a share of the score. */
function scoreError(ours: readonly Hit[], theirs: readonly Hit[]): number {
  const errors = ours.map(({ _score }, place) => {
    const other = theirs[place]?._score ?? Number.NaN;
    return Math.abs(_score - other) / Math.max(Math.abs(_score), 1e-9);
  });
  return Math.max(0, ...errors);
}

describe.skipIf(hasNoCluster)('searches on a cluster and in this process', () => {
  let cluster: OpenSearchEngine;
  let embedded: EmbeddedEngine;
  let directory: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'pelorus-same-hits-'));
    embedded = await EmbeddedEngine.open(directory);
    cluster = await openSharedEngine();
    const products = await catalogue(SIZE);
    for (const engine of [embedded, cluster] as StorageEngine[]) {
      await engine.createIndex('a', definition);
      for (let start = 0; start < SIZE; start += 100) await add(engine, 'a', products.slice(start, start + 100));
    }
  });

  afterAll(async () => {
    await cluster.dropIndex('a').catch(() => undefined);
    await cluster.close();
    await embedded.close();
    await rm(directory, { recursive: true });
  });

  const answers = async ({ plan, vectors }: Search): Promise<readonly [Answer, Answer]> => {
    const [ours, theirs] = await Promise.all([embedded, cluster].map((engine) => engine.search('a', plan, vectors)));
    return [fromJson<Answer>(ours as Buffer), fromJson<Answer>(theirs as Buffer)];
  };

  it.each(Object.entries(KINDS))('have the same hits: %s', async (kind, planOf) => {
    const choices = new Choices(kind);
    let [shared, error] = [0, 0];
    for (let count = 0; count < SEARCHES; count++) {
      const plan = { ...tensorPlan, ...planOf(choices) };
      const query = await embed(`a query ${choices.upTo(1_000)}`);
      const [ours, theirs] = await answers({ plan, vectors: plan.tensor === null ? NO_VECTORS : query });
      shared += overlap(ours.hits, theirs.hits) / SEARCHES;
      error = Math.max(error, scoreError(ours.hits, theirs.hits));
      expect(theirs.facets, JSON.stringify(plan)).toEqual(ours.facets);
      expect(theirs.totalHits).toBe(ours.totalHits);
    }
    console.log(`overlap@10 of ${kind}: ${shared.toFixed(4)}, largest error of a score: ${error.toExponential(1)}`);
    expect(shared).toBeGreaterThanOrEqual(
      ['tensor', 'boosts', 'hybrid', 'pages', 'a cut-off', 'context', 'diversity'].includes(kind) ? 0.98 : 0.99,
    );
  });
});
