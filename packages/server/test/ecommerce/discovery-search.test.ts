import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { picture } from '../../../inference/test/media/pictures.js';
import { PictureServer } from '../media/picture-server.js';
import { type Exchange, expectMatch, send } from '../operations/exchange.js';
import { catalogue, variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

const SHOP = '/api/v1/indexes/wear';
const base64 = (value: unknown) => encodeURIComponent(Buffer.from(JSON.stringify(value)).toString('base64'));

let service: ShopService;
let pictures: PictureServer;

beforeAll(async () => {
  pictures = await PictureServer.open({ '/blue.png': picture(2), '/green.png': picture(3) });
  service = await openShops();
  await create({ indexName: 'wear', modelType: 'ecommerce' });
  const documents = [
    ...catalogue(service.picture),
    variant(pictures.at('/blue.png'), 'vase', 'vase', 'Vase'),
    variant(pictures.at('/green.png'), 'bowl', 'bowl', 'Bowl'),
  ];
  await send(service.app, { request: `POST ${SHOP}/documents`, body: { documents } });
  const settings = { sortFields: ['price'], profiles: { dear: { defaultFilter: 'price:[200 TO *]' } } };
  await send(service.app, { request: `PATCH ${SHOP}/settings`, body: settings });
});
beforeEach(() => {
  pictures.takeFetches();
});
afterAll(async () => {
  expect(service.responses.faults).toEqual([]);
  await service.close();
  await pictures.close();
});

async function create(body: object): Promise<void> {
  const { statusCode, body: said } = await send(service.app, { request: 'POST /api/v1/indexes', body });
  expect(statusCode, said).toBe(200);
}

/** The ids of what a discovery finds, of all categories. */
async function discover(body: object): Promise<string[]> {
  const answer = await send(service.app, { request: `POST ${SHOP}/agentic-search`, body });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().categories.flatMap(({ hits }: any) => hits.map(({ _id }: any) => _id));
}

describe('a picture', () => {
  const only = { filter: 'NOT (productCollections:Camping OR productCollections:(Outdoor \\(men\\)))' };

  test('is found, and fetched once for all categories', async () => {
    expect((await discover({ q: '*', imageUrls: [pictures.at('/blue.png')], ...only }))[0]).toBe('vase');
    expect((await discover({ q: '*', imageUrls: [pictures.at('/green.png')], ...only }))[0]).toBe('bowl');
    pictures.takeFetches();
    await discover({ q: 'tent', imageUrls: [pictures.at('/blue.png')] });
    expect(pictures.takeFetches()).toBe(1);
  });

  test('joins the words and the other pictures', async () => {
    const both = { imageUrls: [pictures.at('/blue.png'), pictures.at('/green.png')], ...only };
    expect((await discover({ q: '*', ...both })).slice(0, 2).toSorted()).toEqual(['bowl', 'vase']);
    const found = await discover({ q: 'Lamp', imageUrls: [pictures.at('/blue.png')], ...only });
    expect(found.slice(0, 2).toSorted()).toEqual(['lamp', 'vase']);
  });

  test('is taken in a conversation', async () => {
    const payload = base64({ q: '*', imageUrls: [pictures.at('/blue.png')], ...only });
    const answer = await send(service.app, { request: `GET ${SHOP}/agentic-search/converse?payload=${payload}` });
    const [, category = ''] = /^event: category\ndata: (.*)$/m.exec(answer.body) ?? [];
    expect(JSON.parse(category).hits[0]._id).toBe('vase');
  });

  test('is nothing to a model that sees none', async () => {
    await create({ indexName: 'blind', modelType: 'custom', model: 'hf/e5-small-v2' });
    const answer = await send(service.app, {
      request: 'POST /api/v1/indexes/blind/agentic-search',
      body: { q: 'a', imageUrls: [pictures.at('/blue.png')] },
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      { code: 'invalid_argument', message: 'imageUrls must be absent or empty: the model of blind sees no pictures' },
    ]);
    expect(pictures.takeFetches()).toBe(0);
  });

  const withPictures = (...imageUrls: unknown[]) => ({
    request: `POST ${SHOP}/agentic-search`,
    body: { q: 'a', imageUrls },
  });
  test.each<Exchange>([
    { title: 'no URL', ...withPictures('red'), status: 400, message: 'imageUrls[0] must be an http or https URL' },
    { title: 'data', ...withPictures('data:image/png;base64,AAAA'), status: 400, message: 'imageUrls[0]' },
    { title: 'a file', ...withPictures('file:///etc/passwd.png'), status: 400, message: 'imageUrls[0]' },
    { title: 'a long URL', ...withPictures(`http://a/${'x'.repeat(2040)}`), status: 400, message: '2048' },
    {
      title: 'a private address',
      ...withPictures('http://169.254.169.254/latest.png'),
      status: 400,
      message: 'http://169.254.169.254/latest.png',
    },
    { title: 'too many', ...withPictures(...Array(6).fill('http://a/b.png')), status: 422, message: 'imageUrls' },
    { title: 'no list', request: `POST ${SHOP}/agentic-search`, body: { q: 'a', imageUrls: {} }, status: 422 },
    { title: 'no text', ...withPictures({}), status: 422 },
  ])('refused: $title', async (exchange) => {
    expectMatch(await send(service.app, exchange), exchange);
  });

  test('fails the request before the first event when it is not there', async () => {
    const url = pictures.at('/none.png');
    const payload = base64({ q: 'a', imageUrls: [url] });
    const answer = await send(service.app, { request: `GET ${SHOP}/agentic-search/converse?payload=${payload}` });
    expect([answer.statusCode, answer.json().message]).toEqual([400, expect.stringContaining(url)]);
  });
});

describe('settings of the search', () => {
  const byPrice = { sortBy: { fields: [{ fieldName: 'price' }] } };

  test('sort, filter and choose members, as the search of a shop does', async () => {
    const searchSettings = { ...byPrice, filter: 'price:[121 TO *]', attributesToRetrieve: ['price'] };
    const answer = await send(service.app, {
      request: `POST ${SHOP}/agentic-search`,
      body: { q: '*', searchSettings, maxCategories: 1 },
    });
    const [{ hits }] = answer.json().categories;
    expect(hits.map(({ _score, ...hit }: any) => hit)).toEqual([
      { _id: 'tent', price: 300 },
      { _id: 'boot-l', price: 125 },
    ]);
  });

  test('name a profile', async () => {
    expect(new Set(await discover({ q: '*', searchSettings: { profileId: 'dear' } }))).toEqual(new Set(['tent']));
    expect(await discover({ q: '*', searchSettings: { profileId: 'dear' }, filter: 'color:grey' })).toEqual(['sofa']);
  });

  const dear = { filter: 'color:grey' };
  test.each([
    ['JSON', encodeURIComponent(JSON.stringify(dear))],
    ['base64', base64(dear)],
  ])('stand in a query as %s', async (_, searchSettings) => {
    const request = `GET ${SHOP}/agentic-search?q=*&searchSettings=${searchSettings}`;
    const answer = await send(service.app, { request });
    expect(answer.statusCode, answer.body).toBe(200);
    expect([...answer.body.matchAll(/"_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(['sofa']);
  });

  const posted = (searchSettings: unknown, more: object = {}) => ({
    request: `POST ${SHOP}/agentic-search`,
    body: { q: 'a', searchSettings, ...more },
  });
  const asked = (searchSettings: string) => ({
    request: `GET ${SHOP}/agentic-search?q=a&searchSettings=${encodeURIComponent(searchSettings)}`,
  });
  test.each<Exchange>([
    { title: 'another member', ...posted({ limit: 3 }), status: 422, message: 'limit' },
    { title: 'another shape', ...posted({ filter: {} }), status: 422, message: 'filter' },
    { title: 'no object', ...posted([]), status: 422, message: 'searchSettings' },
    { title: 'a bad filter', ...posted({ filter: 'x' }), status: 400 },
    {
      title: 'a field that the shop does not sort by',
      ...posted({ sortBy: { fields: [{ fieldName: 'stock' }] } }),
      status: 400,
      message: 'stock',
    },
    {
      title: 'a filter in two places',
      ...posted(dear, dear),
      status: 400,
      message: 'filter must stand in the request or in its searchSettings',
    },
    { title: 'no JSON', ...asked('{'), status: 400, message: 'searchSettings must be a JSON object' },
    { title: 'no base64', ...asked('[]'), status: 400, message: 'searchSettings must be JSON in base64' },
    { title: 'base64 of a list', ...asked('W10='), status: 400, message: 'searchSettings' },
    { title: 'another member in a query', ...asked('{"limit":3}'), status: 422, message: 'searchSettings' },
  ])('refused: $title', async (exchange) => {
    expectMatch(await send(service.app, exchange), exchange);
  });
});
