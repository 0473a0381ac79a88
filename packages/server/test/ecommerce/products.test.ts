import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';

let service: ShopService;

const SHOP = '/api/v1/indexes/shop';
const write = (method: 'POST' | 'PATCH', documents: readonly unknown[]) =>
  send(service.app, { request: `${method} ${SHOP}/documents`, body: { documents } });
const product = (id: string, more: object = {}) => variant(service.picture, id, id, 'Red boot', more);
const priceOf = async (id: string) => {
  const answer = await send(service.app, { request: `POST ${SHOP}/get-documents`, body: { documentIds: [id] } });
  return answer.json().results[0].price;
};

beforeAll(async () => {
  service = await openShops();
  await send(service.app, { request: 'POST /api/v1/indexes', body: { indexName: 'shop', modelType: 'ecommerce' } });
});
afterAll(() => service.close());

describe('a product without an id', () => {
  test.each([undefined, null])('is refused as one where its _id is %s, whatever parent it has', async (_id) => {
    for (const parentProductId of ['pp', undefined]) {
      const answer = await write('POST', [{ ...product('x'), _id, parentProductId }]);
      expect(answer.json()).toMatchObject({
        errors: true,
        items: [{ _id: '', status: 400, message: 'A product must have an _id', code: 'invalid_argument' }],
      });
    }
    const { totalHits } = (await send(service.app, { request: `POST ${SHOP}/search`, body: { q: 'boot' } })).json();
    expect(totalHits).toBe(0);
  });

  test('has its own item beside others', async () => {
    const others = [
      { ...product('x'), _id: undefined },
      { ...product('x'), _id: 9 },
      { ...product('x'), _id: '' },
    ];
    const added = await write('POST', [...others, product('k'), { ...product('x'), _id: 9 }]);
    expect(added.json().items).toMatchObject([
      { _id: '', status: 400, message: 'A product must have an _id' },
      { _id: '', status: 400, code: 'invalid_document_id' },
      { _id: '', status: 400, code: 'invalid_document_id' },
      { _id: 'k', status: 200 },
      { _id: '', status: 400, code: 'invalid_document_id' },
    ]);
  });
});

test.each(['POST', 'PATCH'] as const)('a product that is no object has its own item in a %s', async (method) => {
  await write('POST', [product('good', { price: 1 })]);
  const good = method === 'POST' ? product('good', { price: 2 }) : { _id: 'good', price: 2 };
  const none = { _id: '', status: 400, message: 'Docs must be dicts', error: 'Docs must be dicts' };
  const answer = await write(method, ['text', good, null, 5, [good]]);
  expect(answer.json(), answer.body).toMatchObject({
    errors: true,
    items: [none, { _id: 'good', status: 200 }, none, none, none],
  });
  expect(await priceOf('good')).toBe(2);
});

test('a change whose id is no text has its own item', async () => {
  await write('POST', [product('k')]);
  const changed = await write('PATCH', [{ price: 1 }, { _id: 9, price: 1 }, { _id: 'k', price: 2 }, { price: 'x' }]);
  expect(changed.json().items).toMatchObject([
    ...[{ status: 400 }, { status: 400 }, { _id: 'k', status: 200 }],
    { _id: '', status: 400, message: 'price must be a number' },
  ]);
});

describe.each(['POST', 'PATCH'] as const)('several products with one id in a %s', (method) => {
  const written = (id: string, price: unknown) => (method === 'POST' ? product(id, { price }) : { _id: id, price });

  test('the last counts and is the only item, even where it is refused', async () => {
    await write('POST', [product('twice', { price: 1 }), product('once', { price: 1 })]);
    const answer = await write(method, [written('twice', 77), written('once', 2), written('twice', 'x')]);
    expect(answer.json()).toMatchObject({
      errors: true,
      items: [
        { _id: 'once', status: 200 },
        { _id: 'twice', status: 400, message: 'price must be a number' },
      ],
    });
    expect(await priceOf('twice')).toBe(1);
    expect(await priceOf('once')).toBe(2);
  });

  test('ids are one however their letters are encoded', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];
    await write('POST', [product(composed, { price: 1 })]);
    const answer = await write(method, [written(composed, 2), written(decomposed, 3), written(composed, 'x')]);
    expect(answer.json()).toMatchObject({
      errors: true,
      items: [{ _id: composed, status: 400, message: 'price must be a number' }],
    });
    const last = await write(method, [written(composed, 4), written(decomposed, 5)]);
    expect(last.json()).toMatchObject({ errors: false, items: [{ _id: decomposed, status: 200 }] });
    expect(await priceOf(composed)).toBe(5);
  });

  test('a wrong one before it does not matter', async () => {
    await write('POST', [product('again', { price: 1 })]);
    const answer = await write(method, [written('again', 'x'), written('again', 3)]);
    expect(answer.json()).toMatchObject({ errors: false, items: [{ _id: 'again', status: 200 }] });
    expect(answer.json().items).toHaveLength(1);
    expect(await priceOf('again')).toBe(3);
  });
});
