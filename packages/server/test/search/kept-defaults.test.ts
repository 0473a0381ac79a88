import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { isOnCluster, openService, type Service } from '../operations/service.js';
import { randomBody, randomOf } from './random-bodies.js';

let service: Service;

beforeAll(async () => {
  service = await openService();
  for (const index of ['bare', 'kept']) {
    await ok(`POST /indexes/${index}`, { model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } });
    await ok(`POST /indexes/${index}/documents`, {
      documents: texts.map(([title, plot], at) => ({ _id: `${at}`, title, plot, n: at % 3, v: vector(at) })),
      tensorFields: ['v'],
      mappings: { v: { type: 'custom_vector' } },
    });
  }
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
});

const texts = [
  ['red shoes', 'a shoe for the cold'],
  ['cold storms', 'red shoes at sea'],
  ['Herrenschuhe', 'Schuhe in Rot, und der Sturm'],
  ['wifi shoe', 'the sea'],
  ['a shoe and red laces', 'storm'],
  ['shoehorn', 'for red and very old shoes'],
] as const;
const vector = (at: number) => ({ vector: [Math.cos(at), Math.sin(at)], content: '' });

async function ok(request: string, body?: unknown) {
  const response = await send(service.app, { request, body });
  expect(response.statusCode, `${request} ${JSON.stringify(body)}: ${response.body}`).toBe(200);
  return response.json();
}

const keep = (searchDefaults: object | null) => ok('PUT /indexes/kept/curation', { searchDefaults });

/** An answer without what two calls need not have in common. */
function compared({ processingTimeMs, cursor, searchDefaults, ...answer }: Record<string, unknown>) {
  return { ...answer, isLast: cursor === null };
}

const wordDefaults: readonly object[] = [
  { language: 'de' },
  { fieldWeights: { title: 5, plot: 0.01 } },
  { stopWords: ['red'] },
  { textRanking: { proximity: 2, fieldOrder: 3, fields: ['plot', 'title'] } },
  { phraseSlop: 3 },
  // Words that match others are none of a cluster's.
  ...(isOnCluster
    ? []
    : [
        { prefix: 'last' },
        { prefix: { plot: 'all' } },
        { typoTolerance: { oneTypoFrom: 3, fields: { plot: false } } },
        { splitJoinTokens: true },
        { decompound: true, language: 'de' },
        { didYouMean: true },
        { prefix: 'all', typoTolerance: true, fieldWeights: { title: 2 }, didYouMean: true },
      ]),
];
const fusions = [{ alpha: 0 }, { alpha: 1 }, { alpha: 0.9, rrfK: 1 }, { rrfK: 2 }];
const queries = ['red sho', 'shoe "red shoes"', 'wi fi the sea', 'Schuhe', 'laecs shoes'];
const hybrid = (content: string) => ({ q: { customVector: { vector: [0.2, 1], content } }, searchMethod: 'HYBRID' });
const forms = queries.flatMap((q) => [{ q, searchMethod: 'LEXICAL' }, hybrid(q)]);

describe('a search of an index with defaults is the search that names them', () => {
  test.each(wordDefaults)('%j', async (searchDefaults) => {
    await keep(searchDefaults);
    let changed = 0;
    for (const body of forms) {
      const named = compared(await ok('POST /indexes/bare/search', { ...body, ...searchDefaults }));
      expect(compared(await ok('POST /indexes/kept/search', body)), body.searchMethod).toEqual(named);
      const plain = compared(await ok('POST /indexes/bare/search', body));
      expect(compared(await ok('POST /indexes/kept/search', { ...body, rules: false }))).toEqual(plain);
      changed += JSON.stringify(plain) === JSON.stringify(named) ? 0 : 1;
    }
    expect(changed).toBeGreaterThan(0);
  });

  test.each(fusions)('%j', async (hybridParameters) => {
    await keep({ hybridParameters });
    for (const q of queries) {
      const body = hybrid(q);
      const named = compared(await ok('POST /indexes/bare/search', { ...body, hybridParameters }));
      expect(compared(await ok('POST /indexes/kept/search', body))).toEqual(named);
      const byWords = { ...body, hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' } };
      const bare = compared(await ok('POST /indexes/bare/search', byWords));
      expect(compared(await ok('POST /indexes/kept/search', byWords))).toEqual(bare);
    }
  });

  test('it is so among several in one call, page by page, and where members of its own win', async () => {
    const searchDefaults = { fieldWeights: { plot: 9 }, stopWords: ['cold'], hybridParameters: { alpha: 0.2 } };
    await keep(searchDefaults);
    const own = { ...hybrid('red cold shoes'), fieldWeights: { title: 9 }, hybridParameters: { rrfK: 3 } };
    const named = { ...own, stopWords: ['cold'], hybridParameters: { rrfK: 3, alpha: 0.2 } };
    const { results } = await ok('POST /multi-search', {
      queries: [
        { indexName: 'kept', ...own },
        { indexName: 'bare', ...named },
        { indexName: 'bare', ...own },
      ],
    });
    const [first, second, third] = results.map(({ response }: { response: object }) => compared({ ...response }));
    expect(first).toEqual(second);
    expect(first).not.toEqual(third);
    let [kept, bare] = [
      await ok('POST /indexes/kept/search', { ...own, withCursor: true, limit: 2 }),
      await ok('POST /indexes/bare/search', { ...named, withCursor: true, limit: 2 }),
    ];
    let pages = 1;
    for (; ; pages += 1) {
      expect(compared(kept)).toEqual(compared(bare));
      if (bare.cursor === null) break;
      // The pages that follow are those of the search that was begun, whatever the index follows by then.
      await keep({ fieldWeights: { title: 3 + pages } });
      kept = await ok('POST /indexes/kept/search', { cursor: kept.cursor });
      bare = await ok('POST /indexes/bare/search', { cursor: bare.cursor });
    }
    expect(pages).toBeGreaterThan(1);
  });

  test('by vectors alone it has none, nor has a recommendation', async () => {
    await keep({ ...wordDefaults.at(-1), hybridParameters: { alpha: 0.1 } });
    const body = { q: { customVector: { vector: [0.2, 1], content: 'red shoes' } }, searchMethod: 'TENSOR' };
    const bare = compared(await ok('POST /indexes/bare/search', body));
    expect(compared(await ok('POST /indexes/kept/search', body))).toEqual(bare);
    const from = { documents: ['0', '3'] };
    const recommended = compared(await ok('POST /indexes/bare/recommend', from));
    expect(compared(await ok('POST /indexes/kept/recommend', from))).toEqual(recommended);
  });
});

test('no search is refused for what it has from its index', async () => {
  await keep({ ...Object.assign({}, ...wordDefaults), hybridParameters: { alpha: 0.3, rrfK: 9 } });
  const count = isOnCluster ? 100 : 600;
  let answered = 0;
  for (let seed = 0; seed < count; seed += 1) {
    const body = { searchMethod: 'LEXICAL', ...randomBody(randomOf(seed)) };
    const call = async (index: string) =>
      (await send(service.app, { request: `POST /indexes/${index}/search`, body })).statusCode;
    const status = await call('bare');
    expect(await call('kept'), JSON.stringify(body)).toBe(status);
    answered += status === 200 ? 1 : 0;
  }
  expect(answered).toBeGreaterThan(count / 10);
});

test('explain tells the members that came from the index, and answers without it have not a byte more', async () => {
  await keep({ stopWords: 'auto', fieldWeights: { title: 2 }, hybridParameters: { alpha: 0.3, rrfK: 9 } });
  const explained = { ...hybrid('red'), explain: true, hybridParameters: { rrfK: 5 } };
  const names = ['fieldWeights', 'hybridParameters.alpha', 'stopWords'];
  const told = async (body: object) => (await ok('POST /indexes/kept/search', body)).searchDefaults;
  expect((await told(explained)).toSorted()).toEqual(names);
  for (const body of [
    { ...explained, explain: false },
    { ...explained, rules: false },
    { ...explained, q: { customVector: { vector: [0.2, 1] } }, searchMethod: 'TENSOR', hybridParameters: null },
  ]) {
    expect(await told(body)).toBeUndefined();
  }
  await keep(null);
  expect(await told(explained)).toBeUndefined();
});
