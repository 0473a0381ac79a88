import { afterAll, beforeAll, expect, test } from 'vitest';
import { variant } from '../ecommerce/catalogue.js';
import { openShops, type ShopService } from '../ecommerce/shop-service.js';
import { send } from '../operations/exchange.js';
import { type EventService, openEventService } from './event-service.js';

let shops: ShopService;
let events: EventService;

const call = async (request: string, body: object) => {
  const answer = await send(shops.app, { request, body });
  expect(answer.statusCode, answer.body).toBe(200);
};
const openShop = async (name: string, ids: readonly string[]) => {
  await call('POST /api/v1/indexes', { indexName: name, modelType: 'ecommerce' });
  const documents = ids.map((id) => variant(shops.picture, id, id, 'A thing'));
  await call(`POST /api/v1/indexes/${name}/documents`, { documents });
};
const unknown = async () => {
  await events.store.settled();
  const answer = await events.ask('/api/v1/analytics/data-quality?customerId=shop&days=1');
  expect(answer.statusCode, answer.body).toBe(200);
  const { unknownDocId, unknownDocIds } = answer.json();
  return { unknownDocId, unknownDocIds };
};

beforeAll(async () => {
  shops = await openShops();
  events = await openEventService(shops.shops);
});
afterAll(async () => {
  await events.close();
  await shops.close();
});

const page = { referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' };
const event = (eventType: string, members: object) => ({
  ...{ eventType, customerId: 'shop', experimentId: 'e', userId: 'user-1', sessionId: 'session-1' },
  ...{ customVariant: 'a', userAgent: 'Mozilla/5.0', timestamp: new Date().toISOString(), ...page, ...members },
});

test('events that name products which no shop of the customer has are counted', async () => {
  const click = (docId: string) => event('ClickEvent', { docId, title: 'A thing', eventId: crypto.randomUUID() });
  const two = { title: ['a', 'b'], quantity: [1, 9], price: [1, 1], currency: 'EUR' };
  const answer = await events.send({
    events: [
      event('SearchEvent', { query: 'thing' }),
      ...['here', 'gone', 'gone', ' / ', 'elsewhere', 'a\0b'].map(click),
      event('PurchaseEvent', { docId: ['here', 'gone'], ...two }),
    ],
  });
  expect(answer.json().acceptedEvents).toBe(8);

  expect(await unknown()).toEqual({ unknownDocId: null, unknownDocIds: [] });

  await openShop('shop', ['here']);
  const gone = [
    { docId: 'gone', events: 3 },
    { docId: ' / ', events: 1 },
    { docId: 'a\0b', events: 1 },
  ];
  const elsewhere = { docId: 'elsewhere', events: 1 };
  expect(await unknown()).toEqual({ unknownDocId: 6, unknownDocIds: [...gone, elsewhere] });

  await openShop('second', ['elsewhere']);
  await call('PATCH /api/v1/indexes/second/settings', { customerId: 'shop' });
  expect(await unknown()).toEqual({ unknownDocId: 5, unknownDocIds: gone });

  shops.starting.add('second');
  expect(await unknown()).toEqual({ unknownDocId: null, unknownDocIds: [] });
  shops.starting.delete('second');
  expect(await unknown()).toEqual({ unknownDocId: 5, unknownDocIds: gone });
});
