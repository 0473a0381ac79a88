import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Exchange, expectMatch, send } from '../operations/exchange.js';
import { catalogue, variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

let service: ShopService;
let settled: readonly string[];

const INDEXES = '/api/v1/indexes';
const WEAR = `${INDEXES}/wear`;
/** For products that are refused before their picture is looked for. */
const URL_OF_NOTHING = 'https://pictures.example/none.jpg';
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const post = (path: string, body: unknown) => send(service.app, { request: `POST ${WEAR}/${path}`, body });
const idsOf = (answer: { json(): { hits: { _id: string }[] } }) => answer.json().hits.map(({ _id }) => _id);

beforeAll(async () => {
  service = await openShops();
  const made = await send(service.app, {
    request: `POST ${INDEXES}`,
    body: { indexName: 'wear', modelType: 'ecommerce' },
  });
  expect(made.json()).toMatchObject({
    ...{ acknowledged: true, index: 'wear', modelType: 'ecommerce', indexStatus: 'READY' },
    indexId: expect.stringMatching(/^[0-9a-f]{16}-wear$/),
  });
  const added = await post('documents', { documents: catalogue(service.picture) });
  settled = added
    .json()
    .items.map(({ status, message = '' }: { status: number; message?: string }) => `${status} ${message}`.trim());
});
afterAll(() => service.close());

test('every product of the catalogue is taken', () => {
  expect(settled).toEqual(catalogue('').map(() => '200'));
});

const exchanges: Record<string, readonly Exchange[]> = {
  'indexes (4.2)': [
    {
      title: 'a list',
      request: `GET ${INDEXES}`,
      status: 200,
      answer: { results: [{ indexName: 'wear', modelType: 'ecommerce', collectionField: 'productCollections' }] },
    },
    { title: 'a record', request: `GET ${WEAR}`, status: 200, answer: { indexName: 'wear', model: 'random/small' } },
    { title: 'a state', request: `GET ${WEAR}/status`, status: 200, answer: { indexStatus: 'READY' } },
    { title: 'no such shop', request: `GET ${INDEXES}/none`, status: 404, code: 'index_not_found' },
    {
      title: 'another type',
      request: `POST ${INDEXES}`,
      body: { indexName: 'x', modelType: 'grocery' },
      status: 400,
      code: 'invalid_argument',
      message: "'grocery'",
    },
    {
      title: 'custom without a model',
      request: `POST ${INDEXES}`,
      body: { indexName: 'x', modelType: 'custom' },
      status: 400,
      message: 'needs a model',
    },
    {
      title: 'custom with a model nobody knows',
      request: `POST ${INDEXES}`,
      body: { indexName: 'x', modelType: 'custom', model: 'no/such' },
      status: 400,
    },
    {
      title: 'a model for ecommerce',
      request: `POST ${INDEXES}`,
      body: { indexName: 'x', modelType: 'ecommerce', model: 'random/small' },
      status: 400,
      message: "'custom'",
    },
    {
      title: 'a long name',
      request: `POST ${INDEXES}`,
      body: { indexName: 'x'.repeat(33), modelType: 'ecommerce' },
      status: 400,
      message: '32 characters',
    },
    {
      title: 'a bad name',
      request: `POST ${INDEXES}`,
      body: { indexName: '../x', modelType: 'ecommerce' },
      status: 400,
    },
    {
      title: 'a bad collectionField',
      request: `POST ${INDEXES}`,
      body: { indexName: 'x', modelType: 'ecommerce', collectionField: 'a b' },
      status: 400,
      message: 'collectionField',
    },
    { title: 'a missing type', request: `POST ${INDEXES}`, body: { indexName: 'x' }, status: 422 },
    {
      title: 'a name that is taken',
      request: `POST ${INDEXES}`,
      body: { indexName: 'wear', modelType: 'ecommerce' },
      status: 409,
      code: 'index_already_exists',
    },
  ],
  'products (4.3)': [
    {
      title: 'the fault of each of them',
      request: `POST ${WEAR}/documents`,
      body: {
        documents: [
          { _id: 'p1' },
          { ...variant(URL_OF_NOTHING, 'p2', 'p', 'x'), price: '9' },
          { ...variant(URL_OF_NOTHING, 'p3', 'p', 'x'), variantImageUrl: 'javascript:alert(1)' },
          { ...variant(URL_OF_NOTHING, 'p4', 'p', 'x'), parentProductId: ' ' },
          { ...variant(URL_OF_NOTHING, 'p5', 'p', 'x'), productCollections: 'one' },
          { ...variant(URL_OF_NOTHING, 'p6', 'p', 'x'), popularity: 1 },
          { ...variant(URL_OF_NOTHING, 'p7', 'p', 'x'), _id: 7 },
        ],
      },
      status: 200,
      answer: {
        errors: true,
        items: [
          { _id: 'p1', status: 400, message: 'A product must have a productTitle' },
          { _id: 'p2', status: 400, message: 'price must be a number' },
          { _id: 'p3', status: 400, message: 'variantImageUrl must be an http or https URL' },
          { _id: 'p4', status: 400, message: 'parentProductId must be a text of 1 to 256 characters' },
          { _id: 'p5', status: 400, message: 'productCollections must be a list of texts' },
          { _id: 'p6', status: 400, message: 'popularity is kept by the service and cannot be set' },
          { _id: '', status: 400, code: 'invalid_document_id' },
        ],
      },
    },
    {
      title: 'too many',
      request: `POST ${WEAR}/documents`,
      body: { documents: Array(129).fill(variant(URL_OF_NOTHING, 'a', 'a', 'a')) },
      status: 400,
      code: 'illegal_requested_doc_count',
    },
    { title: 'none', request: `POST ${WEAR}/documents`, body: { documents: [] }, status: 422 },
    {
      title: 'a foreign index',
      request: `POST ${INDEXES}/other/documents`,
      body: { documents: catalogue(URL_OF_NOTHING) },
      status: 404,
      code: 'index_not_found',
    },
    {
      title: 'a change',
      request: `PATCH ${WEAR}/documents`,
      body: {
        documents: [
          { _id: 'mug', stock: 3 },
          { _id: 'none', stock: 1 },
        ],
      },
      status: 200,
      answer: {
        errors: true,
        items: [
          { _id: 'mug', status: 200 },
          { _id: 'none', status: 400 },
        ],
      },
    },
    {
      title: 'a change of what the service keeps',
      request: `PATCH ${WEAR}/documents`,
      body: { documents: [{ _id: 'mug', addedAt: 3 }] },
      status: 200,
      answer: { items: [{ status: 400 }] },
    },
    {
      title: 'reading',
      request: `POST ${WEAR}/get-documents`,
      body: { documentIds: ['sofa', 'none'] },
      status: 200,
      answer: {
        results: [
          { _id: 'sofa', _found: true, price: 900 },
          { _id: 'none', _found: false, status: 404 },
        ],
      },
    },
    {
      title: 'reading too many',
      request: `POST ${WEAR}/get-documents`,
      body: { documentIds: Array(101).fill('a') },
      status: 422,
    },
    {
      title: 'deleting with a body',
      request: `DELETE ${WEAR}/documents`,
      body: { ids: ['p8'] },
      status: 200,
      answer: { details: { receivedDocumentIds: 1, deletedDocuments: 0 } },
    },
    {
      title: 'deleting by POST',
      request: `POST ${WEAR}/documents/delete-batch`,
      body: { ids: ['p8'] },
      status: 200,
      answer: { items: [{ _id: 'p8', status: 404 }] },
    },
    {
      title: 'deleting too many',
      request: `POST ${WEAR}/documents/delete-batch`,
      body: { ids: Array(129).fill('a') },
      status: 400,
      code: 'illegal_requested_doc_count',
    },
  ],
  'search (4.4)': [
    {
      title: 'its defaults',
      request: `POST ${WEAR}/search`,
      body: { q: 'hiking boot' },
      status: 200,
      answer: {
        query: 'hiking boot',
        limit: 10,
        offset: 0,
        redirect: null,
        queryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        totalHits: expect.any(Number),
      },
    },
    {
      title: 'limit 0',
      request: `POST ${WEAR}/search`,
      body: { limit: 0 },
      status: 400,
      code: 'illegal_requested_doc_count',
    },
    {
      title: 'limit 1001',
      request: `POST ${WEAR}/search`,
      body: { limit: 1001 },
      status: 400,
      code: 'illegal_requested_doc_count',
    },
    {
      title: 'a negative offset',
      request: `POST ${WEAR}/search`,
      body: { offset: -1 },
      status: 400,
      code: 'illegal_requested_doc_count',
    },
    { title: 'a bad filter', request: `POST ${WEAR}/search`, body: { filter: 'color:' }, status: 400 },
    {
      title: 'a long query',
      request: `POST ${WEAR}/search`,
      body: { q: 'x'.repeat(1025) },
      status: 400,
      message: '1024',
    },
    {
      title: 'a long user',
      request: `POST ${WEAR}/search`,
      body: { userId: 'x'.repeat(257) },
      status: 400,
      message: 'userId',
    },
    { title: 'a wrong type', request: `POST ${WEAR}/search`, body: { q: ['a'] }, status: 422 },
    { title: 'an unknown member', request: `POST ${WEAR}/search`, body: { searchMethod: 'LEXICAL' }, status: 422 },
    {
      title: 'words by their beginnings',
      request: `POST ${WEAR}/search`,
      body: { q: 'h', prefix: 'first' },
      status: 422,
    },
    {
      title: 'browsing with words as they are typed',
      request: `POST ${WEAR}/search`,
      body: { prefix: 'last', typoTolerance: true },
      status: 200,
      answer: { totalHits: 5 },
    },
    { title: 'no such shop', request: `POST ${INDEXES}/none/search`, body: {}, status: 404, code: 'index_not_found' },
    {
      title: 'an unknown profile is the default',
      request: `POST ${WEAR}/search`,
      body: { profileId: 'nobody' },
      status: 200,
    },
    {
      title: 'a profile of every object',
      request: `POST ${WEAR}/search`,
      body: { profileId: '__proto__' },
      status: 200,
    },
  ],
  'collections (4.5)': [
    {
      title: 'a page',
      request: `POST ${WEAR}/collections`,
      body: { collectionName: 'Camping' },
      status: 200,
      answer: {
        totalHits: 2,
        query: null,
        hits: [
          { parentProductId: expect.stringMatching(/^(tent|mug)$/), productCollections: expect.any(Array) },
          { parentProductId: expect.stringMatching(/^(tent|mug)$/), productCollections: expect.any(Array) },
        ],
      },
    },
    {
      title: 'a page with what is asked for alone',
      request: `POST ${WEAR}/collections`,
      body: { collectionName: 'Camping', limit: 1, attributesToRetrieve: ['price'] },
      status: 200,
      answer: { hits: [expect.not.objectContaining({ parentProductId: expect.anything() })] },
    },
    {
      title: 'a page for caches',
      request: `GET ${WEAR}/collections?body=${encodeURIComponent(base64({ collectionName: 'Camping' }))}`,
      status: 200,
      answer: { totalHits: 2 },
    },
    {
      title: 'in base64url without padding',
      request: `GET ${WEAR}/collections?body=${base64url({ collectionName: 'Outdoor (men)' })}`,
      status: 200,
      answer: { totalHits: 2 },
    },
    {
      title: 'an unknown collection',
      request: `POST ${WEAR}/collections`,
      body: { collectionName: 'x) OR (y' },
      status: 200,
      answer: { hits: [], totalHits: 0 },
    },
    {
      title: 'a sort that the index refuses',
      request: `POST ${WEAR}/collections`,
      body: { collectionName: 'Camping', sortBy: { fields: [{ fieldName: '0' }] } },
      status: 422,
      answer: { detail: [{ loc: ['body', 'sortBy', 'fields', 0, 'fieldName'] }], link: '' },
    },
    { title: 'no base64', request: `GET ${WEAR}/collections?body=%25%25`, status: 400, message: 'base64' },
    {
      title: 'no JSON',
      request: `GET ${WEAR}/collections?body=${Buffer.from('{').toString('base64')}`,
      status: 400,
      message: 'JSON object',
    },
    { title: 'no object', request: `GET ${WEAR}/collections?body=${base64([])}`, status: 400 },
    { title: 'another shape', request: `GET ${WEAR}/collections?body=${base64({ q: 'x' })}`, status: 422 },
    { title: 'no body', request: `GET ${WEAR}/collections`, status: 422 },
    { title: 'a blank name', request: `POST ${WEAR}/collections`, body: { collectionName: ' ' }, status: 400 },
    {
      title: 'a collection to be known',
      request: 'POST /api/v1/collections',
      body: { id: 'Camping', displayName: 'For camping', metadata: { banner: 'b.png' } },
      status: 200,
      answer: { id: 'Camping', productCount: 2 },
    },
    {
      title: 'the same again',
      request: 'POST /api/v1/collections',
      body: { id: 'Camping' },
      status: 200,
      answer: { displayName: 'Camping', metadata: {} },
    },
    { title: 'all', request: 'GET /api/v1/collections', status: 200, answer: { results: [{ id: 'Camping' }] } },
    { title: 'one', request: 'GET /api/v1/collections/Camping', status: 200, answer: { productCount: 2 } },
    { title: 'forgotten', request: 'DELETE /api/v1/collections/Camping', status: 200, answer: { acknowledged: true } },
    {
      title: 'forgotten twice',
      request: 'DELETE /api/v1/collections/Camping',
      status: 404,
      code: 'collection_not_found',
    },
    { title: 'unknown', request: 'GET /api/v1/collections/none', status: 404, code: 'collection_not_found' },
    {
      title: 'too much metadata',
      request: 'POST /api/v1/collections',
      body: { id: 'x', metadata: { a: 'x'.repeat(5000) } },
      status: 400,
      message: 'metadata',
    },
  ],
  'recommendations (4.6)': [
    {
      title: 'as many as there are hits',
      request: `POST ${WEAR}/recommendations/similar`,
      body: { documentIds: ['tent'], limit: 2 },
      status: 200,
      answer: { totalHits: 2, hits: [{}, {}] },
    },
    {
      title: 'similar',
      request: `POST ${WEAR}/recommendations/similar`,
      body: { documentIds: ['boot-s'], limit: 3 },
      status: 200,
      answer: { hits: [{}, {}, {}] },
    },
    {
      title: 'similar to nothing',
      request: `POST ${WEAR}/recommendations/similar`,
      body: { documentIds: [] },
      status: 422,
    },
    {
      title: 'similar to what is not there',
      request: `POST ${WEAR}/recommendations/similar`,
      body: { documentIds: ['none'] },
      status: 400,
      message: 'none',
    },
    { title: 'for nobody', request: `POST ${WEAR}/recommendations/for-you`, body: {}, status: 400, message: 'userId' },
    {
      title: 'for a stranger, what is popular',
      request: `POST ${WEAR}/recommendations/for-you`,
      body: { userId: 'u', limit: 2 },
      status: 200,
      answer: { hits: [{}, {}] },
    },
    {
      title: 'a bad namespace',
      request: `POST ${WEAR}/recommendations/queries`,
      body: { namespace: 'A b' },
      status: 400,
      message: 'namespace',
    },
    {
      title: 'no suggestion',
      request: `POST ${WEAR}/recommendations/queries`,
      body: { q: 'zzz' },
      status: 200,
      answer: { suggestions: [] },
    },
  ],
};

describe.each(Object.entries(exchanges))('%s', (_, ofPart) => {
  test.each(ofPart)('$title', async (exchange) => {
    expectMatch(await send(service.app, exchange), exchange);
  });
});

test('a collection is stored and told of while a shop does not answer', async () => {
  const put = () => send(service.app, { request: 'POST /api/v1/collections', body: { id: 'Camping' } });
  const read = async (path: string) => (await send(service.app, { request: `GET /api/v1/collections${path}` })).json();
  onTestFinished(() => service.starting.clear());
  service.starting.add('wear');
  const answer = await put();
  expect(answer.statusCode, answer.body).toBe(200);
  expect(answer.json()).toMatchObject({ id: 'Camping', productCount: null });
  expect(await read('/Camping')).toMatchObject({ productCount: null });
  expect(await read('')).toMatchObject({ results: [{ id: 'Camping', productCount: null }] });
  service.starting.delete('wear');
  expect((await put()).json()).toMatchObject({ productCount: 2 });
});

describe('a search', () => {
  test('finds one variant of each parent product', async () => {
    expect(idsOf(await post('search', { q: 'hiking boot' })).filter((id) => id.startsWith('boot'))).toHaveLength(1);
  });

  test('hits have the documented members', async () => {
    const [hit] = (await post('search', { q: 'tent' })).json().hits;
    expect(Object.keys(hit).toSorted()).toEqual(
      ['_id', '_score', 'price', 'productCollections', 'productTitle', 'variantImageUrl'].toSorted(),
    );
    const named = await post('search', { q: 'tent', attributesToRetrieve: ['collections', '_id', '_score', 'color'] });
    expect(named.json().hits[0]).toMatchObject({ collections: ['Outdoor (men)', 'Camping'], color: 'green' });
  });

  test('sorts, counts and filters', async () => {
    const answer = await post('search', {
      filter: 'color IN (green, black)',
      facets: { fields: { color: { type: 'string' } } },
      sortBy: { fields: [{ fieldName: 'price', order: 'asc' }] },
    });
    expect(idsOf(answer)).toEqual(['mug', 'lamp', 'boot-l', 'tent']);
    expect(answer.json().facets).toMatchObject({ color: { green: { count: 2 }, black: { count: 2 } } });
  });

  test('pages skip and repeat nothing', async () => {
    const all = idsOf(await post('search', {}));
    const pages = [0, 2, 4].map(async (offset) => idsOf(await post('search', { limit: 2, offset })));
    expect((await Promise.all(pages)).flat()).toEqual(all);
    expect(all).toHaveLength(5);
  });
});

test('a product that is replaced keeps its age and what shoppers made of it', async () => {
  const [first] = (await post('search', { filter: '_id:lamp', attributesToRetrieve: ['addedAt'] })).json().hits;
  await post('documents', { documents: [catalogue(service.picture)[5]] });
  const [second] = (await post('search', { filter: '_id:lamp', attributesToRetrieve: ['addedAt'] })).json().hits;
  expect(second.addedAt).toBe(first.addedAt);
});

test('its record counts what shoppers search, and nothing else', async () => {
  const count = async () => Number((await send(service.app, { request: `GET ${WEAR}` })).json()['search.queryTotal']);
  const before = await count();
  const browsed = base64url({ collectionName: 'boots' });
  await post('search', { q: 'boot' });
  await post('collections', { collectionName: 'boots' });
  await send(service.app, { request: `GET ${WEAR}/collections?body=${browsed}` });
  await post('recommendations/for-you', { userId: 'u' });
  await post('recommendations/similar', { documentIds: ['none'] });
  await send(service.app, { request: `GET ${WEAR}/agentic-search?q=boot` });
  expect((await count()) - before).toBe(6);
  await post('recommendations/queries', { q: 'b' });
  await post('get-documents', { documentIds: ['none'] });
  expect((await count()) - before).toBe(6);
});

test('an index can be called by its name alone until it is deleted', async () => {
  await send(service.app, {
    request: `POST ${INDEXES}`,
    body: { indexName: 'brief', modelType: 'custom', model: 'random/small', collectionField: 'groups' },
  });
  const shop = service.shops.get('brief');
  expect(service.shops.byIndexId(shop.shop.indexId)).toEqual({ indexName: 'brief', origins: null, requiresKey: false });
  expect((await send(service.app, { request: `DELETE ${INDEXES}/brief` })).statusCode).toBe(200);
  expect((await send(service.app, { request: `POST ${INDEXES}/brief/search`, body: {} })).statusCode).toBe(404);
  expect((await send(service.app, { request: `GET ${INDEXES}/brief` })).statusCode).toBe(404);
  expect((await send(service.app, { request: `DELETE ${INDEXES}/brief` })).statusCode).toBe(404);
  // Its state is told on: clients wait for the word.
  expect((await send(service.app, { request: `GET ${INDEXES}/brief/status` })).json()).toEqual({
    indexStatus: 'DELETED',
  });
  expect(service.shops.byIndexId(shop.shop.indexId)).toBeUndefined();
});

test('every answer is as the contract says', () => {
  expect(service.responses.faults).toEqual([]);
});

test('words match as they are typed where a search says so', async () => {
  const relevanceCutoff = { method: 'relative_max_score', parameters: { relativeScoreFactor: 0 } };
  const settings = (body: object) => send(service.app, { request: `PATCH ${WEAR}/settings`, body });
  // With it a query whose words no product has finds nothing.
  await settings({ relevanceCutoff });
  const found = async (body: object) => idsOf(await post('search', body));
  expect(await found({ q: 'hikng' })).toEqual([]);
  expect(await found({ q: 'hikng', typoTolerance: true })).toContainEqual(expect.stringMatching(/^boot-/));
  expect(await found({ q: 'readi' })).toEqual([]);
  expect(await found({ q: 'readi', prefix: 'last' })).toContain('lamp');
  expect(await found({ q: 'raedi', prefix: 'last', typoTolerance: true })).toContain('lamp');
  expect(await found({ q: 'readi', prefix: 'none', typoTolerance: false })).toEqual([]);
  expect((await settings({ relevanceCutoff: null })).statusCode).toBe(200);
});

test('a search that names how its words match has its own, whatever the index does by default', async () => {
  const curate = async (searchDefaults: object | null) => {
    const curation = { rules: [], synonyms: [], searchDefaults };
    const { status } = await service.indexes.call('wear', { operation: 'putCuration', body: JSON.stringify(curation) });
    expect(status).toBe(200);
  };
  const relevanceCutoff = { method: 'relative_max_score', parameters: { relativeScoreFactor: 0 } };
  const settings = (body: object) => send(service.app, { request: `PATCH ${WEAR}/settings`, body });
  await settings({ relevanceCutoff });
  await curate({ typoTolerance: true, prefix: 'last' });
  onTestFinished(async () => {
    await curate(null);
    await settings({ relevanceCutoff: null });
  });
  const found = async (body: object) => idsOf(await post('search', body));
  const boot = expect.stringMatching(/^boot-/);
  expect(await found({ q: 'hikng' })).toContainEqual(boot);
  expect(await found({ q: 'hikng', typoTolerance: null })).toContainEqual(boot);
  expect(await found({ q: 'hikng', typoTolerance: false })).toEqual([]);
  expect(await found({ q: 'readi', typoTolerance: false })).toContain('lamp');
  expect(await found({ q: 'readi', typoTolerance: false, prefix: 'none' })).toEqual([]);
});

test('a search with a typo finds by meaning what the words that were meant do', async () => {
  const settings = (body: object) => send(service.app, { request: `PATCH ${WEAR}/settings`, body });
  // By meaning all but alone: with none of the weight words are not looked for, and so not corrected.
  await settings({ alpha: 0.99 });
  onTestFinished(async () => void (await settings({ alpha: null })));
  const found = async (body: object) =>
    (await post('search', body)).json().hits.map(({ _id, _score }: { _id: string; _score: number }) => [_id, _score]);
  for (const [typed, meant] of [
    ['hikng', 'hiking'],
    ['a redaing lamp', 'a reading lamp'],
  ]) {
    const expected = await found({ q: meant });
    expect(await found({ q: typed })).not.toEqual(expected);
    expect(await found({ q: typed, typoTolerance: true })).toEqual(expected);
    expect(await found({ q: typed, typoTolerance: true, limit: 2, offset: 1 })).toEqual(expected.slice(1, 3));
  }
  expect(await found({ q: 'hiking', typoTolerance: true })).toEqual(await found({ q: 'hiking' }));
});
