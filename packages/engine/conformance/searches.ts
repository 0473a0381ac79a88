import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LexicalLeg, SearchPlan, StorageEngine } from '../src/index.js';
import {
  byDistance,
  byWords,
  catalogue,
  chunksOf,
  combined,
  fusedRanksMax,
  fusedScore,
  nearestChunk,
  type Product,
  type Ranked,
  type TextField,
  tokensOf,
} from './brute-force.js';
import {
  add,
  definition,
  embed,
  type Hit,
  hitsOf,
  idsOf,
  lexicalLeg,
  lexicalPlan,
  openFor,
  rowAt,
  rowsOf,
  tensorLeg,
  tensorPlan,
} from './fixtures.js';
import type { EngineSource } from './suite.js';

/** Beyond the ranks that fusion adds up, and few enough for brute force. */
const size = 150;
const products = await catalogue(size);
const query = await embed('a query');
const words = 'winter coat river';

/** The relative error of a score in 32-bit sums against one in 64. */
const precision = 1e-5;

/**
 * Checks a page against a ranking: its scores are those at these places, and each hit has the score of its document.
 * Hits of one score may stand in any order.
 */
function expectRanked(hits: readonly Hit[], ranking: readonly Ranked[], offset = 0): void {
  const expected = new Map(ranking.map(({ product, score }) => [product._id, score]));
  const close = (received: number, score: number | undefined) =>
    expect(Math.abs(received - (score ?? Number.NaN))).toBeLessThan(precision * Math.abs(score ?? 0));
  for (const [place, { _id, _score }] of hits.entries()) {
    close(_score, ranking[offset + place]?.score);
    close(_score, expected.get(_id));
  }
  expect(new Set(idsOf(hits)).size).toBe(hits.length);
}

async function fill(engine: StorageEngine): Promise<void> {
  await engine.createIndex('a', definition);
  for (let start = 0; start < size; start += 50) await add(engine, 'a', products.slice(start, start + 50));
}

/** Every method of search, over documents whose answers brute force knows. */
export function searchPromises(source: EngineSource): void {
  /** The engine with every product. No test changes it. */
  let engine: StorageEngine;

  beforeAll(async () => {
    engine = await source.open();
    await fill(engine);
  });

  afterAll(() => source.remove(engine));

  const search = (engine: StorageEngine, changes: Partial<SearchPlan>, vectors = query) =>
    hitsOf(engine, 'a', { ...tensorPlan, ...changes }, vectors);

  describe('by vector', () => {
    test('the nearest chunk of a document ranks it, over all fields or some', async () => {
      expectRanked(await search(engine, { limit: size }), byDistance(products, query));
      expect(await search(engine, { limit: size })).toHaveLength(size);
      for (const field of ['title', 'body'] as const) {
        const hits = await search(engine, { tensor: { ...tensorLeg, fields: [field] } });
        expectRanked(hits, byDistance(products, query, [field]));
      }
    });

    test('the graph finds nine of the ten nearest at least', async () => {
      const hits = idsOf(await search(engine, { tensor: { ...tensorLeg, approximate: true } }));
      const nearest = byDistance(products, query).slice(0, 10);
      expect(nearest.filter(({ product }) => hits.includes(product._id)).length).toBeGreaterThanOrEqual(9);
    });

    test.each(['lerp', 'nlerp', 'slerp'] as const)('weighted vectors become one by %s', async (interpolation) => {
      const texts = ['first', 'second'] as const;
      const weights = [0.75, 0.25] as const;
      const rows = await rowsOf(texts);
      const vector = combined(interpolation, [rowAt(rows, 0), rowAt(rows, 1)], weights);
      const length = Math.hypot(...vector);
      const unit = vector.map((component) => component / length);
      // A line between two vectors passes nearer to the origin than they are, and by a query below unit length several
      // documents may be as near as can be.
      const long = rows.map((component) => 4 * component);
      const hits = await search(engine, { tensor: { ...tensorLeg, weights, interpolation } }, long);
      const ids = byDistance(products, unit).map(({ product }) => product._id);
      expect(idsOf(hits)).toEqual(ids.slice(0, 10));
    });

    test('rows may be a view on part of a larger buffer', async () => {
      const rows = rowAt(await rowsOf(['another', 'a query']), 1);
      expectRanked(await search(engine, {}, rows), byDistance(products, query));
    });

    test('rows may be reused as soon as the call has returned', async () => {
      const rows = Float32Array.from(query);
      const searching = search(engine, {}, rows);
      rows.fill(Number.NaN);
      expectRanked(await searching, byDistance(products, query));
    });

    test('a highlight is the nearest chunk', async () => {
      const hits = await search(engine, { showHighlights: true });
      for (const { _id, _highlights } of hits) {
        const product = products.find((one) => one._id === _id) as Product;
        const { field, text } = nearestChunk(product, query);
        expect(chunksOf(product, field)).toContain(text);
        expect(_highlights).toEqual([{ [field]: text }]);
      }
      const [plain] = await search(engine, { showHighlights: false });
      expect(plain).not.toHaveProperty('_highlights');
    });
  });

  describe('by words', () => {
    test.each<[string, TextField[] | null]>([
      [words, null],
      [words, ['title']],
      ['green', ['body']],
      ['nothing', null],
    ])('documents with a word are ranked by BM25: %s in %j', async (text, fields) => {
      const ranking = byWords(products, text, fields);
      const hits = await hitsOf(engine, 'a', { ...lexicalPlan(text, fields), limit: size });
      expect(hits).toHaveLength(ranking.length);
      expectRanked(hits, ranking);
    });

    test('with the operand and, every word has to be there', async () => {
      const lexical: LexicalLeg = { ...lexicalLeg('winter coat', ['title']), operand: 'and' };
      const hits = await hitsOf(engine, 'a', { ...lexicalPlan(words), lexical, limit: size });
      const expected = products.filter(({ title }) =>
        ['winter', 'coat'].every((word) => tokensOf(title).includes(word)),
      );
      expect(expected.length).toBeGreaterThan(0);
      expect(idsOf(hits).toSorted()).toEqual(idsOf(expected).toSorted());
    });

    test('a phrase in quotes has to be there', async () => {
      const hits = await hitsOf(engine, 'a', { ...lexicalPlan('"winter coat"', ['title']), limit: size });
      const expected = products.filter(({ title }) => tokensOf(title).join(' ').includes('winter coat'));
      expect(expected.length).toBeGreaterThan(0);
      expect(idsOf(hits).toSorted()).toEqual(idsOf(expected).toSorted());
    });
  });

  describe('by both', () => {
    const lexical = lexicalLeg(words);
    const fused = (alpha: number): Partial<SearchPlan> => ({
      retrievalMethod: 'disjunction',
      rankingMethod: 'rrf',
      rrf: { alpha, k: 60 },
      tensor: alpha > 0 ? tensorLeg : null,
      lexical: alpha < 1 ? lexical : null,
    });

    test.each([0.2, 0.5, 0.9])('ranks are fused by their reciprocals, alpha %d', async (alpha) => {
      const near = idsOf(await search(engine, { limit: fusedRanksMax }));
      const worded = idsOf(await hitsOf(engine, 'a', { ...lexicalPlan(words), limit: fusedRanksMax }));
      const rankings = [
        { ids: near, weight: alpha },
        { ids: worded, weight: 1 - alpha },
      ];
      const scores = products.map(({ _id }) => fusedScore(_id, rankings, 60)).sort((a, b) => b - a);
      const hits = await search(engine, { ...fused(alpha), limit: 20 });
      expect(hits).toHaveLength(20);
      for (const [place, { _id, _score }] of hits.entries()) {
        expect(_score).toBeCloseTo(scores[place] ?? Number.NaN, 9);
        expect(_score).toBeCloseTo(fusedScore(_id, rankings, 60), 9);
      }
    });

    test('a leg without weight is left out, and the other ranks alone', async () => {
      const near = idsOf(await search(engine, {}));
      const worded = idsOf(await hitsOf(engine, 'a', lexicalPlan(words)));
      expect(idsOf(await search(engine, fused(1)))).toEqual(near);
      expect(idsOf(await search(engine, fused(0), new Float32Array(0)))).toEqual(worded);
    });

    test('one leg finds and the other ranks', async () => {
      const near = byDistance(products, query);
      const worded = byWords(products, words);
      const hitsBy = (retrievalMethod: 'tensor' | 'lexical', rankingMethod: 'tensor' | 'lexical') =>
        search(engine, { retrievalMethod, rankingMethod, tensor: tensorLeg, lexical });
      const found = async (plan: Promise<readonly Hit[]>) => idsOf(await plan).toSorted();

      const nearByWords = await hitsBy('tensor', 'lexical');
      expect(await found(hitsBy('tensor', 'tensor'))).toEqual(idsOf(nearByWords).toSorted());
      const among = new Set(idsOf(nearByWords));
      const scored = worded.filter(({ product }) => among.has(product._id));
      expectRanked(nearByWords.slice(0, scored.length), scored);

      const wordedByDistance = await hitsBy('lexical', 'tensor');
      expect(await found(hitsBy('lexical', 'lexical'))).toEqual(idsOf(wordedByDistance).toSorted());
      const within = new Set(idsOf(wordedByDistance));
      expectRanked(
        wordedByDistance,
        near.filter(({ product }) => within.has(product._id)),
      );
    });
  });

  const methods: [string, Partial<SearchPlan>][] = [
    ['by vector', {}],
    ['by words', lexicalPlan(words)],
    [
      'by both',
      {
        retrievalMethod: 'disjunction',
        rankingMethod: 'rrf',
        rrf: { alpha: 0.5, k: 60 },
        lexical: lexicalLeg(words),
      },
    ],
  ];
  const vectorsOf = ({ tensor }: Partial<SearchPlan>) => (tensor === null ? new Float32Array(0) : query);

  describe.each(methods)('pages %s', (_, method) => {
    test('tile the ranking, whatever their size', async () => {
      const whole = idsOf(await search(engine, { ...method, limit: 63 }, vectorsOf(method)));
      for (const limit of [1, 7, 30]) {
        const pages: string[] = [];
        for (let offset = 0; offset < 63; offset += limit) {
          const page = await search(
            engine,
            { ...method, limit: Math.min(limit, 63 - offset), offset },
            vectorsOf(method),
          );
          pages.push(...idsOf(page));
        }
        expect(pages).toEqual(whole);
      }
    });

    test('behind the end are empty', async () => {
      expect(await search(engine, { ...method, offset: size }, vectorsOf(method))).toEqual([]);
      expect(await search(engine, { ...method, limit: 0 }, vectorsOf(method))).toEqual([]);
    });
  });

  describe('filters', () => {
    const cases: [string, (product: Product) => boolean][] = [
      ['brand:acme', ({ brand }) => brand === 'acme'],
      ['price:[10 TO 19.5]', ({ price }) => price >= 10 && price <= 19.5],
      ['price:[* TO 30] AND on:true', ({ price, on }) => price <= 30 && on],
      ['NOT (brand:acme OR tags:t1)', ({ brand, tags }) => brand !== 'acme' && !tags.includes('t1')],
      ['_id:d7 OR _id IN (d9, d11, nope)', ({ _id }) => ['d7', 'd9', 'd11'].includes(_id)],
      ['(brand:zed OR brand:unicorn) AND NOT on:false', ({ brand, on }) => brand !== 'acme' && on],
      ['missing:1', () => false],
    ];

    test.each(cases)('%s lets through what it says, by vector and by words', async (filter, passes) => {
      const passing = products.filter(passes);
      const hits = await search(engine, { filter, limit: size });
      expect(hits).toHaveLength(passing.length);
      expectRanked(hits, byDistance(passing, query));
      // Statistics are those of all documents, whatever passes.
      const worded = byWords(products, words).filter(({ product }) => passes(product));
      const wordHits = await hitsOf(engine, 'a', { ...lexicalPlan(words), filter, limit: size });
      expect(wordHits).toHaveLength(worded.length);
      expectRanked(wordHits, worded);
    });
  });

  describe('hits', () => {
    test('have the fields of their document, or those that were asked for', async () => {
      for (const { _id, _score, ...fields } of await search(engine, {})) {
        const { _id: _, ...expected } = products.find((one) => one._id === _id) as Product;
        expect(fields).toEqual(expected);
      }
      const some = await search(engine, { attributesToRetrieve: ['price', 'brand'] });
      for (const hit of some) expect(Object.keys(hit).toSorted()).toEqual(['_id', '_score', 'brand', 'price']);
      const none = await search(engine, { attributesToRetrieve: [] });
      for (const hit of none) expect(Object.keys(hit).toSorted()).toEqual(['_id', '_score']);
    });

    test('are those of the documents of the moment', async () => {
      const engine = await openFor(source);
      await fill(engine);
      const [first] = await search(engine, {});
      const id = first?._id ?? '';
      await engine.deleteDocuments('a', { documentIds: [id], within: null });
      expect(idsOf(await search(engine, { limit: size }))).not.toContain(id);
      await add(engine, 'a', [{ _id: 'new', title: 'a query', body: 'Wholly different.' }]);
      const [nearest] = await search(engine, {});
      expect(nearest?._id).toBe('new');
      expect(nearest?._score).toBeCloseTo(1, 5);
      expect(idsOf(await hitsOf(engine, 'a', lexicalPlan('different')))).toEqual(['new']);
      await add(engine, 'a', [{ _id: 'new', title: 'another', body: 'Not the same.' }]);
      expect(idsOf(await hitsOf(engine, 'a', lexicalPlan('different')))).toEqual([]);
    });

    test('come to nobody who does not wait, and to the next as before', async () => {
      const later = performance.now() + 3_600_000;
      const gone = { deadlineMs: later, onEnd: (end: () => void) => end() };
      await expect(engine.search('a', tensorPlan, query, gone)).rejects.toMatchObject({
        code: 'client_closed_request',
      });
      const late = { deadlineMs: performance.now(), onEnd: () => undefined };
      await expect(engine.search('a', tensorPlan, query, late)).rejects.toMatchObject({ code: 'vector_store_timeout' });
      const waits = { deadlineMs: later, onEnd: () => undefined };
      const answer = await engine.search('a', tensorPlan, query, waits);
      expect(answer).toEqual(await engine.search('a', tensorPlan, query));
    });

    test('are the same for a vector as it is written', async () => {
      const written = (list: string) => engine.search('a', tensorPlan, { list: Buffer.from(list) });
      const answer = await engine.search('a', tensorPlan, query);
      expect(await written(JSON.stringify([...query]))).toEqual(answer);
      expect(await written(`[ ${[...query].join(' , ')} ]`)).toEqual(answer);
      for (const list of ['[]', '[1', `[${[...query].join(',')},]`, `["${[...query].join('","')}"]`, 'null', '']) {
        await expect(written(list), list).rejects.toMatchObject({ code: 'invalid_argument' });
      }
    });

    test('come to many searches at once', async () => {
      const expected = await search(engine, {});
      const answers = await Promise.all(Array.from({ length: 200 }, () => search(engine, {})));
      for (const hits of answers) expect(hits).toEqual(expected);
    });
  });

  test('an index without documents has no hits', async () => {
    const empty = await openFor(source);
    await empty.createIndex('a', definition);
    for (const [, method] of methods) expect(await search(empty, method, vectorsOf(method))).toEqual([]);
  });
}
