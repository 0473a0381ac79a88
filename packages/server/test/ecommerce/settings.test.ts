import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Exchange, expectMatch, send } from '../operations/exchange.js';
import { catalogue, variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

let service: ShopService;

const SHOP = '/api/v1/indexes/wear';
const call = (request: string, body?: unknown, headers = {}) =>
  send(service.app, { request: request.replace(' ', ` ${SHOP}`), body, headers });
const change = (settings: object) => call('PATCH /settings', settings);
const search = async (body: object) => (await call('POST /search', body)).json();
const idsOf = ({ hits }: { hits: { _id: string }[] }) => hits.map(({ _id }) => _id);

/** Every member back to its default. */
const defaults = Object.fromEntries(
  [
    ...[
      'searchableFields',
      'fieldWeights',
      'alpha',
      'facetFields',
      'sortFields',
      'collapseField',
      'defaultFilter',
      'synonyms',
      'redirects',
    ],
    ...['pins', 'hidden', 'boosts', 'profiles', 'suggestions', 'requireApiKey', 'allowedOrigins', 'customerId'],
  ].map((name) => [name, null]),
);

beforeAll(async () => {
  service = await openShops();
  const body = { indexName: 'wear', modelType: 'ecommerce' };
  await send(service.app, { request: 'POST /api/v1/indexes', body });
  await call('POST /documents', { documents: catalogue(service.picture) });
});
beforeEach(async () => {
  expect((await change(defaults)).statusCode).toBe(200);
});
afterAll(() => service.close());

const refused = (title: string, body: unknown, message: string, status = 400): Exchange => ({
  ...{ title, request: `PATCH ${SHOP}/settings`, body, status, message },
});

test.each<Exchange>([
  refused('a filter that no index takes', { defaultFilter: 'color:' }, 'defaultFilter: '),
  refused('a filter that no index parses', { defaultFilter: 'color:' }, 'parse'),
  refused('a filter that leaves a parenthesis open', { defaultFilter: 'color:red OR color:(blue' }, 'parenthes'),
  refused('a filter of a profile', { profiles: { a: { defaultFilter: ')(' } } }, 'profiles.a.defaultFilter: '),
  refused(
    'no field to look in',
    { searchableFields: [] },
    'searchableFields must be null or have at least one name, but it is empty',
  ),
  refused(
    'a number to look in',
    { searchableFields: ['productTitle', 'price'] },
    "searchableFields[1] must be a member of products that is a text, but it is 'price'",
  ),
  refused(
    'a number to look in, in a profile',
    { profiles: { a: { searchableFields: ['addedAt'] } } },
    'profiles.a.searchableFields[0]',
  ),
  refused(
    'a number to weigh',
    { fieldWeights: { productTitle: 2, price: 2 } },
    "fieldWeights must be a member of products that is a text, but it is 'price'",
  ),
  refused('a blank name to weigh', { profiles: { a: { fieldWeights: { ' ': 2 } } } }, 'profiles.a.fieldWeights'),
  refused('no weight', { fieldWeights: { productTitle: 0 } }, '', 422),
  refused('more than all of the weight', { alpha: 1.5 }, '', 422),
  refused(
    'a text to add to scores',
    {
      boosts: [
        { fieldName: 'featured', weight: 1 },
        { fieldName: 'productTitle', weight: 1 },
      ],
    },
    "boosts[1].fieldName must be a member of products that is a number, but it is 'productTitle'",
  ),
  refused('collections to add', { boosts: [{ fieldName: 'productCollections', weight: 1 }] }, 'boosts[0].fieldName'),
  refused(
    'another collapse field',
    { collapseField: 'color' },
    'collapseField must be parentProductId or an empty text',
  ),
  refused('a script for an address', { redirects: [{ query: 'a', url: 'javascript:alert(1)' }] }, 'redirects[0].url'),
  refused('an address of another host', { redirects: [{ query: 'a', url: '//evil.example' }] }, 'redirects[0].url'),
  refused('no origin', { allowedOrigins: ['https://a.example', 'shop'] }, 'allowedOrigins[1]'),
  refused('a blank name', { searchableFields: [' '] }, 'searchableFields[0]'),
  refused('a blank name in a profile', { profiles: { a: { sortFields: [''] } } }, 'profiles.a.sortFields[0]'),
  refused(
    'a namespace in capitals',
    { suggestions: [{ suggestion: 'a', namespace: 'A' }] },
    'suggestions[0].namespace',
  ),
  refused(
    'a product to hide without a name',
    { hidden: [{ query: 'a', productIds: [' '] }] },
    'hidden[0].productIds[0]',
  ),
  refused('a wrong type', { pins: 'boot' }, '', 422),
  refused('an unknown member', { pin: [] }, '', 422),
  refused('too many pins', { pins: Array(1001).fill({ query: 'a', documentIds: ['b'] }) }, '', 422),
  {
    title: 'another version',
    request: `PATCH ${SHOP}/settings`,
    headers: { 'if-match': '"999"' },
    body: {},
    status: 412,
    code: 'version_conflict',
  },
  {
    title: 'no version',
    request: `PATCH ${SHOP}/settings`,
    headers: { 'if-match': 'last' },
    body: {},
    status: 400,
    message: 'If-Match',
  },
  {
    title: 'a version to roll back to that never was',
    request: `POST ${SHOP}/settings/roll-back`,
    body: { version: 999 },
    status: 400,
    message: 'version',
  },
  { title: 'no such shop', request: 'GET /api/v1/indexes/none/settings', status: 404, code: 'index_not_found' },
])('refused: $title', async (exchange) => {
  const before = service.shops.settings(service.shops.get('wear'));
  expectMatch(await send(service.app, exchange), exchange);
  expect(service.shops.settings(service.shops.get('wear'))).toEqual(before);
});

describe('versions', () => {
  test('count up, and an earlier one can be brought back', async () => {
    const { version } = (await change({ pins: [{ query: 'a', documentIds: ['tent'] }] })).json();
    const next = await call('PATCH /settings', { pins: null }, { 'if-match': `"${version}"` });
    expect(next.headers.etag).toBe(`"${version + 1}"`);
    const back = (await call('POST /settings/roll-back', { version })).json();
    expect(back).toMatchObject({ version: version + 2, settings: { pins: [{ query: 'a', documentIds: ['tent'] }] } });
    expect((await call('GET /settings')).json()).toEqual(back);
  });

  test('begin with 0, which can be brought back while it is kept', async () => {
    const fresh = await send(service.app, {
      request: 'POST /api/v1/indexes',
      body: { indexName: 'fresh', modelType: 'ecommerce' },
    });
    expect(fresh.statusCode).toBe(200);
    const settings = '/api/v1/indexes/fresh/settings';
    await send(service.app, { request: `PATCH ${settings}`, body: { customerId: 'me' } });
    const rollBack = (version: number) =>
      send(service.app, { request: `POST ${settings}/roll-back`, body: { version } });
    expect((await rollBack(0)).json()).toMatchObject({ version: 2, settings: { customerId: null } });
    expect((await rollBack(-1)).statusCode).toBe(422);
    for (let count = 0; count < 20; count++) {
      await send(service.app, { request: `PATCH ${settings}`, body: { customerId: `c${count}` } });
    }
    expect((await rollBack(0)).json()).toMatchObject({ code: 'invalid_argument' });
    await send(service.app, { request: 'DELETE /api/v1/indexes/fresh' });
  });

  test('do not count up where nothing changes', async () => {
    const { version } = (await change({ sortFields: ['price'], pins: [{ query: 'a', documentIds: ['b'] }] })).json();
    for (const same of [{}, { sortFields: ['price'], customerId: null }]) {
      const answer = await change(same);
      expect([answer.statusCode, answer.json().version, answer.headers.etag]).toEqual([200, version, `"${version}"`]);
    }
    const stale = await call('PATCH /settings', {}, { 'if-match': `"${version - 1}"` });
    expect(stale.statusCode).toBe(412);
    expect((await call('POST /settings/roll-back', { version })).json()).toMatchObject({ version });
    expect((await change({ sortFields: ['stock'] })).json().version).toBe(version + 1);
  });

  test('the last 20 are kept, through a restart', async () => {
    for (let count = 0; count < 25; count++) await change({ sortFields: [`field${count}`] });
    const before = (await call('GET /settings/versions')).json().versions;
    expect(before).toHaveLength(20);
    await service.reopen();
    const { versions } = (await call('GET /settings/versions')).json();
    expect(versions).toEqual(before);
    const numbers = versions.map(({ version }: { version: number }) => version);
    expect(numbers).toEqual(numbers.map((_: number, place: number) => numbers[0] - place));
  });

  test('none of many changes at once is lost, and one of each version wins', async () => {
    const { version } = (await call('GET /settings')).json();
    const changes = Array.from({ length: 10 }, (_, i) =>
      call('PATCH /settings', { customerId: `c${i}` }, { 'if-match': String(version) }),
    );
    const statuses = (await Promise.all(changes)).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(412)]);
  });
});

describe('a search', () => {
  test('never gets around the default filter', async () => {
    await change({ defaultFilter: 'color:green' });
    expect(idsOf(await search({})).toSorted()).toEqual(['mug', 'tent']);
    for (const filter of [
      'color:red) OR (price:[0 TO *]',
      'color:(x y ) OR (price:[0 TO *]',
      'color:grey OR color:(grey',
    ]) {
      const answer = await search({ filter });
      expect(answer.hits ?? [], filter).toEqual([]);
    }
    expect(idsOf(await search({ filter: 'price:[0 TO 100]' }))).toEqual(['mug']);
  });

  test('goes by the settings of its profile', async () => {
    await change({
      defaultFilter: 'color:green',
      profiles: { dark: { defaultFilter: 'color:black', collapseField: '' } },
    });
    expect(idsOf(await search({ profileId: 'dark' })).toSorted()).toEqual(['boot-l', 'lamp']);
    expect(idsOf(await search({ profileId: 'light' })).toSorted()).toEqual(['mug', 'tent']);
  });

  test('hide products for a query, with all of their variants, and pinned ones too', async () => {
    const odd = 'a (b): c';
    await change({
      hidden: [
        { query: ' Hiking  BOOT', productIds: ['boot', odd, 'none'] },
        { query: '', productIds: ['tent'] },
      ],
      pins: [{ query: 'hiking boot', documentIds: ['boot-l', 'mug'] }],
      collapseField: '',
    });
    const found = await search({ q: 'hiking boot', facets: { fields: { color: { type: 'string' } } } });
    expect(idsOf(found)).toEqual(expect.not.arrayContaining(['boot-s', 'boot-l']));
    expect(idsOf(found)[0]).toBe('mug');
    expect(found.totalHits).toBe(4);
    expect(found.facets.color.brown).toBeUndefined();
    expect(idsOf(await search({ q: 'hiking boot', sortBy: { fields: [{ fieldName: 'price' }] } }))).not.toContain(
      'boot-s',
    );
    expect(idsOf(await search({ q: 'boot' }))).toEqual(expect.arrayContaining(['boot-s', 'boot-l']));
    expect(idsOf(await search({}))).not.toContain('tent');
    const page = (await call('POST /collections', { collectionName: 'Camping' })).json();
    expect(idsOf(page)).toEqual(expect.arrayContaining(['tent', 'mug']));
  });

  test('shows pinned products first, once, on whichever page', async () => {
    await change({ pins: [{ query: ' Reading  LAMP', documentIds: ['sofa', 'none', 'boot-l', 'boot-s'] }] });
    const whole = await search({ q: 'reading lamp' });
    expect(idsOf(whole).slice(0, 3)).toEqual(['sofa', 'boot-l', 'lamp']);
    expect(whole.totalHits).toBe(5);
    const pages = await Promise.all([0, 1, 2, 3, 4].map((offset) => search({ q: 'reading lamp', limit: 1, offset })));
    expect(pages.flatMap(idsOf)).toEqual(idsOf(whole));
    expect(idsOf(await search({ q: 'reading lamp', filter: 'NOT _id:sofa' })).slice(0, 2)).toEqual(['boot-l', 'lamp']);
  });

  test('counts pinned products too', async () => {
    await change({
      pins: [{ query: '', documentIds: ['tent'] }],
      facetFields: { color: { type: 'string' } },
      collapseField: '',
    });
    const answer = await search({});
    expect(idsOf(answer)[0]).toBe('tent');
    expect(answer.facets.color).toMatchObject({ green: { count: 2 }, black: { count: 2 } });
  });

  test('boosts and buries by numbers of products', async () => {
    await change({ boosts: [{ fieldName: 'featured', weight: 1, query: 'tent' }] });
    expect(idsOf(await search({ q: 'tent' }))[0]).toBe('lamp');
    expect(idsOf(await search({ q: 'sofa' }))[0]).toBe('sofa');
  });

  test('is also asked with synonyms', async () => {
    const collapsed = { q: 'settee', limit: 1, filter: 'NOT _id:none' };
    await change({ synonyms: [{ terms: ['settee', 'sofa'] }, { from: 'cup', terms: ['mug'] }] });
    expect(idsOf(await search(collapsed))).toEqual(['sofa']);
    expect(idsOf(await search({ q: 'cup', limit: 1 }))).toEqual(['mug']);
  });

  test('says where a query is sent', async () => {
    await change({ redirects: [{ query: 'Returns', url: '/pages/returns' }] });
    expect(await search({ q: 'returns' })).toMatchObject({ redirect: '/pages/returns' });
    expect(await search({ q: 'return' })).toMatchObject({ redirect: null });
  });

  test('sorts by listed fields alone', async () => {
    await change({ sortFields: ['price'] });
    const sortBy = (fieldName: string) => call('POST /search', { sortBy: { fields: [{ fieldName }] } });
    expect((await sortBy('price')).statusCode).toBe(200);
    expect((await sortBy('stock')).json()).toMatchObject({ code: 'invalid_argument' });
  });

  const keep = async (searchDefaults: object | null) => {
    const body = JSON.stringify({ searchDefaults });
    expect((await service.indexes.call('wear', { operation: 'putCuration', body })).status).toBe(200);
  };

  test('weighs words by their fields, and a member that no product has yet does no harm', async () => {
    const { picture } = service;
    const documents = [
      variant(picture, 'in-title', 'in-title', 'Umbrella', { description: 'For rain and wind on the way home' }),
      variant(picture, 'in-text', 'in-text', 'Stand', { description: 'Umbrella umbrella umbrella' }),
    ];
    expect((await call('POST /documents', { documents })).statusCode).toBe(200);
    const order = async (settings: object) => {
      // Words alone: the model of the test knows no meaning.
      expect((await change({ alpha: 0, ...settings })).statusCode).toBe(200);
      return idsOf(await search({ q: 'umbrella' })).slice(0, 2);
    };
    const byText = { fieldWeights: { productTitle: 0.01, nowhere: 5 } };
    expect(await order({ fieldWeights: { productTitle: 100, nowhere: 5 } })).toEqual(['in-title', 'in-text']);
    expect(await order(byText)).toEqual(['in-text', 'in-title']);
    expect(await order({ ...byText, searchableFields: ['productTitle', 'description', 'no-such'] })).toEqual([
      'in-text',
      'in-title',
    ]);
    const of = async (body: object) => idsOf(await search({ q: 'umbrella', ...body })).slice(0, 2);
    await change({ searchableFields: null, profiles: { titles: { fieldWeights: { productTitle: 100 } } } });
    expect(await of({ profileId: 'titles' })).toEqual(['in-title', 'in-text']);
    expect(await of({})).toEqual(['in-text', 'in-title']);
    // The weights of the index are for a shop that has none.
    await keep({ fieldWeights: { productTitle: 100 } });
    try {
      expect(await order({ fieldWeights: null, profiles: null })).toEqual(['in-title', 'in-text']);
      expect(await order(byText)).toEqual(['in-text', 'in-title']);
      expect(await order({ fieldWeights: { productTitle: 1 } })).toEqual(['in-text', 'in-title']);
    } finally {
      await keep(null);
    }
    await call('DELETE /documents', { ids: ['in-title', 'in-text'] });
  });

  test('goes by words alone with an alpha of 0, and finds what no word is in by default', async () => {
    await change({ alpha: 0 });
    expect(idsOf(await search({ q: 'mug' }))).toEqual(['mug']);
    await change({ alpha: null });
    expect(idsOf(await search({ q: 'mug' })).length).toBeGreaterThan(1);
  });

  test('looks in the fields of the settings, known to the index or not', async () => {
    await change({ searchableFields: ['color'] });
    expect(idsOf(await search({ q: 'grey', limit: 1 }))).toEqual(['sofa']);
    await change({ searchableFields: ['color', 'nowhere'] });
    expect(idsOf(await search({ q: 'grey', limit: 1 }))).toEqual(['sofa']);
  });
});

test('suggestions of the settings come by their beginnings and namespaces', async () => {
  await change({ suggestions: [{ suggestion: 'Hiking boots', namespace: 'shoes' }, { suggestion: 'house lamp' }] });
  const suggest = async (body: object) => (await call('POST /recommendations/queries', body)).json().suggestions;
  expect(await suggest({ q: 'bo' })).toEqual([{ suggestion: 'Hiking boots', namespace: 'shoes' }]);
  expect(await suggest({ q: 'h' })).toEqual([
    { suggestion: 'Hiking boots', namespace: 'shoes' },
    { suggestion: 'house lamp' },
  ]);
  expect(await suggest({ namespace: 'lamps' })).toEqual([]);
});

test('pages may call by the id of the index unless the settings ask for keys', async () => {
  const { indexId } = service.shops.get('wear').shop;
  await change({ allowedOrigins: ['HTTPS://shop.example/'] });
  expect(service.shops.byIndexId(indexId)).toMatchObject({ indexName: 'wear', origins: ['https://shop.example'] });
  expect(service.shops.byIndexName('wear')).toEqual(service.shops.byIndexId(indexId));
  expect(service.shops.byIndexName('none')).toBeUndefined();
  await change({ requireApiKey: true });
  expect(service.shops.byIndexId(indexId)?.requiresKey).toBe(true);
  expect(service.shops.byIndexName('wear')?.requiresKey).toBe(true);
});

test('every answer is as the contract says', () => {
  expect(service.responses.faults).toEqual([]);
});
