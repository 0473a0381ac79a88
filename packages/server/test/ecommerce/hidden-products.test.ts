import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations } from '@pelorus/contract';
import type { ShopperFigures } from '@pelorus/ecommerce';
import type { KeyStore } from '@pelorus/keys';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyAccess } from '../../src/auth/key-access.js';
import { openKeys } from '../../src/auth/open-keys.js';
import { fromAnywhere, makeKeys, type Secrets } from '../auth/credentials.js';
import { variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

const SHOP = '/api/v1/indexes/toys';
const SECRETS = ['HIDDENTITLE', 'COST3', 'Vault'];

/** Shopper `curious` had to do with hidden products; `plain` with others. */
const figures: ShopperFigures = {
  logSearch: () => undefined,
  productSignals: async () => ({ overall: [], byQuery: new Map() }),
  topQueries: async () => [],
  queryChoices: async () => [],
  recentOf: async (_customer, { userId }) => [
    { eventType: 'PurchaseEvent', at: Date.now(), docIds: [userId === 'curious' ? 'p3' : 'p1'] },
  ],
};

let folder: string;
let keys: KeyStore;
let secrets: Secrets;
let service: ShopService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-hidden-'));
  keys = await openKeys({ dataDir: folder, keysMax: 50 }, {});
  secrets = await makeKeys(keys);
  const shops = {
    byIndexId: (indexId: string) => service.shops.byIndexId(indexId),
    byIndexName: (name: string) => service.shops.byIndexName(name),
  };
  const access = keyAccess({ keys, enforcement: 'full', isAlwaysRequired: true, shops });
  service = await openShops({ access, figures });
  await own('POST /api/v1/indexes', { indexName: 'toys', modelType: 'ecommerce' });
  const product = (id: string, title: string, more: object) => variant(service.picture, id, id, title, more);
  const documents = [
    product('p1', 'Wooden train', { published: true, secretCost: 'COST1', margin: 1, productCollections: ['Trains'] }),
    product('p2', 'Train tracks', { published: true, secretCost: 'COST2', margin: 2, productCollections: ['Trains'] }),
    product('p3', 'HIDDENTITLE secret prototype', {
      ...{ published: false, secretCost: 'COST3', margin: 3, productCollections: ['Vault'] },
    }),
  ];
  await own(`POST ${SHOP}/documents`, { documents });
  await own('POST /api/v1/collections', { id: 'Vault', displayName: 'Vault' });
  const pins = [{ query: 'train', documentIds: ['p3', 'p2'] }];
  await settings({ defaultFilter: 'published:true', pins });
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
  await keys.close();
  await rm(folder, { recursive: true });
});

function call(request: string, body: object | undefined, headers: Record<string, string>) {
  const [method = '', url = ''] = request.split(' ');
  return fromAnywhere(service.app, method, url, { headers, ...(body !== undefined && { payload: body }) });
}

/** As a page of the shop, by its public id. */
const byPage = (request: string, body?: object) =>
  call(request, body, { 'x-svc-index-id': service.shops.get('toys').shop.indexId });

/** As who manages it. */
async function own(request: string, body?: object) {
  const answer = await call(request, body, { 'x-api-key': secrets.admin });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json();
}

const settings = (change: object) => own(`PATCH ${SHOP}/settings`, change);
const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64');
const suggestions = { sessionId: 's', userId: 'u' };

/** Requests of each operation that pages may call, with all that could bring forward what is hidden. */
const attempts: Readonly<Record<string, readonly (readonly [request: string, body?: object])[]>> = {
  searchProducts: [
    [`POST ${SHOP}/search`, { q: 'HIDDENTITLE secret prototype' }],
    [`POST ${SHOP}/search`, { q: 'train' }],
    [`POST ${SHOP}/search`, { filter: 'published:false' }],
    [`POST ${SHOP}/search`, { filter: '_id:p3 OR published:false' }],
    [`POST ${SHOP}/search`, { profileId: 'none', filter: '_id:p3' }],
    [`POST ${SHOP}/search`, { q: 'wood', userId: 'curious', limit: 3 }],
    [
      `POST ${SHOP}/search`,
      { facets: { fields: { secretCost: { type: 'string' }, productCollections: { type: 'array' } } } },
    ],
    [`POST ${SHOP}/search`, { sortBy: { fields: [{ fieldName: 'margin' }] } }],
  ],
  browseCollection: [[`POST ${SHOP}/collections`, { collectionName: 'Vault', attributesToRetrieve: ['secretCost'] }]],
  browseCachedCollection: [[`GET ${SHOP}/collections?body=${encodeURIComponent(base64({ collectionName: 'Vault' }))}`]],
  recommendSimilar: [
    [`POST ${SHOP}/recommendations/similar`, { documentIds: ['p3'] }],
    [`POST ${SHOP}/recommendations/similar`, { documentIds: ['p1', 'p3'] }],
    [`POST ${SHOP}/recommendations/similar`, { documentIds: ['p1'], filter: 'published:false' }],
  ],
  recommendForYou: [[`POST ${SHOP}/recommendations/for-you`, { userId: 'curious' }]],
  recommendQueries: [[`POST ${SHOP}/recommendations/queries`, { q: 'HIDDEN' }]],
  suggestChat: [
    [
      `POST ${SHOP}/agentic-search/chat-suggestions`,
      { documentId: 'p3', ...suggestions, contextFields: ['secretCost'] },
    ],
  ],
  discoverProducts: [
    [`GET ${SHOP}/agentic-search?q=secret+prototype&documentIds=p3&contextFields=secretCost`],
    [`GET ${SHOP}/agentic-search?q=prototype&filter=${encodeURIComponent('published:false')}`],
  ],
  discoverProductsAtOnce: [
    [`POST ${SHOP}/agentic-search`, { q: 'secret prototype', documentIds: ['p3'], contextFields: ['secretCost'] }],
    [`POST ${SHOP}/agentic-search`, { q: 'prototype', searchSettings: { filter: '_id:p3' } }],
  ],
  discoverProductsStreamed: [[`GET ${SHOP}/agentic-search/stream?q=secret+prototype&documentIds=p3`]],
  converse: [
    [
      `GET ${SHOP}/agentic-search/converse?payload=${encodeURIComponent(base64({ q: 'prototype', documentIds: ['p3'] }))}`,
    ],
  ],
};

test('every operation that pages may call is among the attempts', () => {
  const ofPages = Object.values(operations).filter(({ credential }) => credential === 'shopper');
  expect(Object.keys(attempts).toSorted()).toEqual(ofPages.map(({ operationId }) => operationId).toSorted());
});

describe('a product hidden by the default filter', () => {
  test.each(Object.entries(attempts).flatMap(([id, all]) => all.map(([request, body]) => ({ id, request, body }))))(
    'is not told by $id: $request $body',
    async ({ request, body }) => {
      const { statusCode, body: text } = await byPage(request, body);
      expect([200, 400, 404], text).toContain(statusCode);
      // The query may be repeated.
      const said = text
        .replaceAll('secret prototype', '')
        .replaceAll('HIDDENTITLE', (body as { q?: string })?.q?.includes('HIDDENTITLE') ? '' : 'HIDDENTITLE');
      for (const secret of SECRETS) expect(said).not.toContain(secret);
      expect(said).not.toMatch(/"_id":"p3"/);
    },
  );

  test.each(['p3', 'none', 'p3) OR (published:true', ''])(
    'is answered by its id as what is not there: %j',
    async (documentId) => {
      const answer = await byPage(`POST ${SHOP}/agentic-search/chat-suggestions`, { documentId, ...suggestions });
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'document_not_found']);
      const similar = await byPage(`POST ${SHOP}/recommendations/similar`, { documentIds: [documentId] });
      expect([similar.statusCode, similar.json().code]).toEqual([400, 'invalid_argument']);
      expect(similar.json().message).toBe(`The following document IDs were not found: ${documentId}`);
    },
  );

  test('is not seen by what is near it', async () => {
    const near = async (userId: string) => (await byPage(`POST ${SHOP}/search`, { q: 'toy', userId })).json().hits;
    const stranger = (await byPage(`POST ${SHOP}/search`, { q: 'toy' })).json().hits;
    expect(await near('curious')).toEqual(stranger);
    const forYou = await byPage(`POST ${SHOP}/recommendations/for-you`, { userId: 'curious' });
    const popular = await byPage(`POST ${SHOP}/search`, {});
    expect(forYou.json().hits).toEqual(popular.json().hits);
  });

  test.each([
    'published:true',
    'published:(true)',
    '(published:true)',
    String.raw`publ\ished:true`,
    'published IN (true)',
  ])('is not counted by a facet that leaves out the term %s', async (term) => {
    const facets = { fields: { secretCost: { type: 'string', excludeTerms: ['color:red', term] } } };
    const answer = await byPage(`POST ${SHOP}/search`, { facets, filter: 'NOT color:red' });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_argument']);
    expect(answer.json().message).toContain('facets.fields.secretCost.excludeTerms[1]');
  });

  test('is there for who has a key and names its id, and a facet may leave out terms of its own filter', async () => {
    const { results } = await own(`POST ${SHOP}/get-documents`, { documentIds: ['p3'] });
    expect(results[0]).toMatchObject({ _found: true, secretCost: 'COST3' });
    const facets = {
      fields: { margin: { type: 'number' }, secretCost: { type: 'string', excludeTerms: ['margin:[2 TO 2]'] } },
    };
    const found = (await byPage(`POST ${SHOP}/search`, { facets, filter: 'margin:[2 TO 2]' })).json();
    expect(Object.keys(found.facets.secretCost).toSorted()).toEqual(['COST1', 'COST2']);
  });
});

describe('fields that pages may not see', () => {
  beforeAll(() => settings({ publicFields: ['productTitle', 'price', 'published', 'productCollections', 'margins'] }));
  afterAll(() => settings({ publicFields: null, sortFields: null, facetFields: null }));

  const pages: readonly (readonly [string, object])[] = [
    [`POST ${SHOP}/search`, { q: 'train' }],
    [`POST ${SHOP}/collections`, { collectionName: 'Trains' }],
    [`POST ${SHOP}/recommendations/similar`, { documentIds: ['p1'] }],
    [`POST ${SHOP}/recommendations/for-you`, { userId: 'plain' }],
    [`POST ${SHOP}/recommendations/for-you`, { userId: 'curious' }],
    [`POST ${SHOP}/agentic-search`, { q: 'train' }],
  ];
  const names: readonly (readonly [string, object])[] = [
    ['attributesToRetrieve', { attributesToRetrieve: ['productTitle', 'secretCost'] }],
    ['filter', { filter: 'price:[1 TO 100] AND NOT (secretCost:COST1)' }],
    ['an escaped filter', { filter: String.raw`sec\retCost:COST1` }],
    ['a filter of a list', { filter: 'margin IN (1, 2)' }],
  ];
  test.each(
    pages.flatMap(([request, body]) => names.map(([name, more]) => ({ request, name, body: { ...body, ...more } }))),
  )('are refused to $request: $name', async ({ request, body }) => {
    const answer = await byPage(request, body);
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([400, 'invalid_argument']);
    expect(answer.json().message).toMatch(
      /must be among the publicFields of this shop, but it is '(secretCost|margin)'$/,
    );
  });

  test.each([
    ['facets', `POST ${SHOP}/search`, { facets: { fields: { secretCost: { type: 'string' } } } }],
    ['sorts', `POST ${SHOP}/search`, { sortBy: { fields: [{ fieldName: 'margin' }] } }],
    [
      'sorts of a collection',
      `POST ${SHOP}/collections`,
      { collectionName: 'Trains', sortBy: { fields: [{ fieldName: 'margin' }] } },
    ],
    [
      'sorts of a discovery',
      `POST ${SHOP}/agentic-search`,
      { q: 'a', searchSettings: { sortBy: { fields: [{ fieldName: 'margin' }] } } },
    ],
    ['context of a discovery', `POST ${SHOP}/agentic-search`, { q: 'a', contextFields: ['secretCost'] }],
    [
      'context of suggestions',
      `POST ${SHOP}/agentic-search/chat-suggestions`,
      { documentId: 'p1', ...suggestions, contextFields: ['secretCost'] },
    ],
  ])('are refused as %s, and given to who has a key', async (_what, request, body) => {
    const answer = await byPage(request, body);
    expect([answer.statusCode, answer.json().code], answer.body).toEqual([400, 'invalid_argument']);
    expect((await call(request, body, { 'x-api-key': secrets.read })).statusCode).toBe(200);
  });

  test.each([
    { searchSettings: { attributesToRetrieve: ['secretCost'] } },
    { searchSettings: { filter: 'secretCost:COST1' } },
    { searchSettings: { sortBy: { fields: [{ fieldName: 'margin' }] } } },
    { contextFields: ['secretCost'] },
  ])('are refused before the first event of a stream: %j', async (asked) => {
    const request = { q: 'train', ...asked };
    const { statusCode, body } = await byPage(
      `GET ${SHOP}/agentic-search/converse?payload=${encodeURIComponent(base64(request))}`,
    );
    expect([statusCode, body]).toEqual([400, expect.stringContaining('must be among the publicFields of this shop')]);
    if (request.searchSettings === undefined) return;
    const query = `q=train&searchSettings=${encodeURIComponent(JSON.stringify(request.searchSettings))}`;
    for (const path of ['agentic-search', 'agentic-search/stream']) {
      expect((await byPage(`GET ${SHOP}/${path}?${query}`)).statusCode).toBe(400);
    }
  });

  test.each(pages)('are in no hit of %s', async (request, body) => {
    const answer = await byPage(request, body);
    expect(answer.statusCode, answer.body).toBe(200);
    const { hits, categories = [] } = answer.json();
    const all = [...(hits ?? []), ...categories.flatMap((category: { hits: object[] }) => category.hits)];
    expect(all.length).toBeGreaterThan(0);
    const allowed = ['_id', '_score', 'productTitle', 'price', 'productCollections'];
    for (const hit of all) expect(allowed).toEqual(expect.arrayContaining(Object.keys(hit)));
  });

  test('may be named where the settings name them for pages, and no longer', async () => {
    const sorted = { sortBy: { fields: [{ fieldName: 'margin', order: 'asc' }] } };
    const counted = { facets: { fields: { secretCost: { type: 'string' } } } };
    await settings({ sortFields: ['margin'], facetFields: { secretCost: { type: 'string' } } });
    const byMargin = (await byPage(`POST ${SHOP}/search`, sorted)).json();
    expect(byMargin.hits.map(({ _id }: { _id: string }) => _id)).toEqual(['p1', 'p2']);
    expect(byMargin.facets).toEqual({ secretCost: { COST1: { count: 1 }, COST2: { count: 1 } } });
    expect((await byPage(`POST ${SHOP}/search`, counted)).statusCode).toBe(200);
    await settings({ sortFields: null, facetFields: null });
    for (const body of [sorted, counted]) expect((await byPage(`POST ${SHOP}/search`, body)).statusCode).toBe(400);
  });

  test('name no category of a discovery', async () => {
    await settings({ publicFields: ['productTitle'] });
    const { categories } = (await byPage(`POST ${SHOP}/agentic-search`, { q: 'train' })).json();
    expect(categories).toMatchObject([{ id: '', title: 'train' }]);
    await settings({ publicFields: ['productTitle', 'price', 'published', 'productCollections'] });
  });

  test('are not even in questions where titles are among them', async () => {
    await settings({ publicFields: [] });
    const asked = await byPage(`POST ${SHOP}/agentic-search/chat-suggestions`, { documentId: 'p1', ...suggestions });
    expect(asked.json()).toEqual({ suggestions: [] });
    const found = (await byPage(`POST ${SHOP}/search`, { q: 'train' })).json();
    expect(found.hits.map((hit: object) => Object.keys(hit).toSorted())).toEqual([
      ['_id', '_score'],
      ['_id', '_score'],
    ]);
    await settings({ publicFields: ['productTitle', 'price', 'published', 'productCollections'] });
  });
});

describe('a product of an odd id', () => {
  const ids = [
    ...[
      'a b',
      'a)b',
      '(a',
      String.raw`a\b`,
      '*',
      'x AND y',
      'NOT z',
      '"q"',
      'ünï',
      'u\u0308',
      '[1 TO 2]',
      'a:b',
      'IN (a)',
    ],
    ...[' ', '\u2028', "o'neil", '\u{1F45F}', 'x'.repeat(300), `${'y'.repeat(255)}é`],
  ];
  beforeAll(async () => {
    const documents = ids.map((id, place) =>
      variant(service.picture, id, `parent-${place}`, `Odd thing ${place}`, { published: place % 2 === 0 }),
    );
    const { items } = await own(`POST ${SHOP}/documents`, { documents });
    expect(items.map(({ status }: { status: number }) => status)).toEqual(ids.map(() => 200));
  });

  test.each(ids.map((id, place) => ({ id, isVisible: place % 2 === 0 })))(
    'is seen by its id where the filter lets it through: $id',
    async ({ id: documentId, isVisible }) => {
      const asked = await byPage(`POST ${SHOP}/agentic-search/chat-suggestions`, { documentId, ...suggestions });
      expect(asked.statusCode, asked.body).toBe(isVisible ? 200 : 404);
      if (isVisible)
        expect(asked.json().suggestions[0].suggestion).toBe(`What is like Odd thing ${ids.indexOf(documentId)}?`);
      const similar = await byPage(`POST ${SHOP}/recommendations/similar`, { documentIds: [documentId] });
      expect(similar.statusCode, similar.body).toBe(isVisible ? 200 : 400);
    },
  );
});

test('a shop with a cut-off finds nothing by words that no product has, and says so in its total', async () => {
  const totals = async (q: string) => {
    const { hits, totalHits } = (await byPage(`POST ${SHOP}/search`, { q })).json();
    return [hits.length, totalHits];
  };
  expect((await totals('zzz qqq'))[0]).toBeGreaterThan(0);
  const relevanceCutoff = { method: 'relative_max_score', parameters: { relativeScoreFactor: 0 } };
  await settings({ relevanceCutoff });
  expect(await totals('zzz qqq')).toEqual([0, 0]);
  expect((await totals('train'))[0]).toBeGreaterThan(0);
  expect((await totals('*'))[0]).toBeGreaterThan(0);
  for (const wrong of [
    { relevanceCutoff: { ...relevanceCutoff, method: 'gap_detection' } },
    { profiles: { a: { relevanceCutoff: { method: 'mean_std_dev', parameters: { relativeScoreFactor: 1 } } } } },
  ]) {
    const answer = await call(`PATCH ${SHOP}/settings`, wrong, { 'x-api-key': secrets.admin });
    expect(answer.statusCode, answer.body).toBe(422);
  }
  await settings({ relevanceCutoff: null });
});
