import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EventService, openEventService } from './event-service.js';

let service: EventService;
beforeEach(async () => {
  service = await openEventService();
});
afterEach(() => service.close());

const hour = 3_600_000;
const now = Date.now();
const isoAt = (ms: number) => new Date(ms).toISOString();
const page = { referrerUrl: 'https://shop.example/', pageUrl: 'https://shop.example/search' };

function event(eventType: string, members: object = {}): Record<string, unknown> {
  return {
    ...{ eventType, customerId: 'shop', experimentId: 'e', userId: 'user-1', sessionId: 'session-1' },
    ...{ customVariant: 'a', userAgent: 'Mozilla/5.0', timestamp: isoAt(now), ...page, ...members },
  };
}
const search = (members: object = {}) => event('SearchEvent', { query: 'Red  Shoes', ...members });
const click = (members: object = {}) => event('ClickEvent', { docId: 'd1', title: 'A shoe', ...members });
const purchase = (members: object = {}) =>
  event('PurchaseEvent', {
    docId: ['d1', 'd2'],
    title: ['a', 'b'],
    quantity: [2, 1],
    price: [10.5, 4],
    currency: 'eur',
    ...members,
  });

describe('a batch of events', () => {
  test('is stored, each event once', async () => {
    const batch = { events: [search(), click({ timestamp: isoAt(now + 1) })] };
    expect((await service.send(batch)).json()).toEqual({
      ...{ errors: false, receivedEvents: 2, acceptedEvents: 2, duplicateEvents: 0, items: [] },
      processingTimeMs: expect.any(Number),
    });
    const again = await service.send({
      events: [...batch.events, search({ eventId: 'own' }), search({ eventId: 'own' })],
    });
    expect(again.json()).toMatchObject({ acceptedEvents: 1, duplicateEvents: 3 });
  });

  test('keeps its good events where others are bad', async () => {
    const answer = await service.send({ events: [search(), search({ sessionId: '' }), 7] });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      errors: true,
      acceptedEvents: 1,
      items: [
        {
          index: 1,
          status: 400,
          code: 'invalid_member',
          message: "sessionId: expected a text of 1 to 256 characters, received ''",
        },
        { index: 2, status: 400, code: 'invalid_event', message: 'Expected an object for an event, received 7' },
      ],
    });
  });

  test('is answered without a body where that is preferred', async () => {
    const answer = await service.send({ events: [search()] }, { prefer: 'respond-async, Return=minimal' });
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
  });

  test('comes as a text, with the key in the query, from a page that is left', async () => {
    const target = `/?k=${service.secrets.tracking}`;
    const headers = { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://shop.example' };
    const answer = await service.send({ events: [search()] }, headers, target);
    expect([answer.statusCode, answer.headers['access-control-allow-origin']]).toEqual([200, 'https://shop.example']);
    expect(
      (await service.send({ events: [search()] }, { ...headers, origin: 'https://evil.example' }, target)).statusCode,
    ).toBe(403);
  });

  test.each([
    ['no object', [], 400, 'invalid_argument', 'body: value is not a valid dict'],
    ['nothing', '', 400, 'invalid_argument', 'body: field required'],
    ['null', 'null', 400, 'invalid_argument', 'body: field required'],
    ['null for events', { events: null }, 400, 'invalid_argument', 'body.events: none is not an allowed value'],
    ['no events', {}, 400, 'invalid_argument', 'body.events: field required'],
    ['an empty array', { events: [] }, 400, 'invalid_argument', 'body.events: ensure this value has at least 1 items'],
    ['events that are no array', { events: {} }, 400, 'invalid_argument', 'body.events: value is not a valid list'],
    ['too many events', { events: Array(1_001).fill({}) }, 413, 'payload_too_large'],
    ['too many bytes', { events: ['x'.repeat(2 * 1024 * 1024)] }, 413, 'payload_too_large'],
    ['no JSON', '{"events":', 422, 'unprocessable_entity'],
  ])('of %s is refused', async (_what, payload, status, code, message = expect.any(String)) => {
    const answer = await service.send(payload);
    expect([answer.statusCode, answer.json()]).toMatchObject([status, { code, message }]);
  });

  test('needs a tracking key', async () => {
    const answer = await service.send({ events: [search()] }, { 'x-api-key': service.secrets.admin });
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'insufficient_scope']);
    expect((await service.send({ events: [search()] }, { 'x-api-key': '' })).statusCode).toBe(401);
  });
});

describe('an event with', () => {
  const text = (max: number) => `a text of 1 to ${max} characters`;
  test.each<[string, Record<string, unknown>, string, string]>([
    [
      'another type',
      search({ eventType: 'searchEvent' }),
      'invalid_member',
      "eventType: expected one of SearchEvent, CollectionViewEvent, ClickEvent, AddToCartEvent, PurchaseEvent, received 'searchEvent'",
    ],
    ['no user', search({ userId: undefined }), 'missing_member', `userId: expected ${text(256)}, received nothing`],
    [
      'a number for a session',
      search({ sessionId: 7 }),
      'invalid_member',
      `sessionId: expected ${text(256)}, received 7`,
    ],
    [
      'a long agent',
      search({ userAgent: 'x'.repeat(1_025) }),
      'invalid_member',
      `userAgent: expected ${text(1024)}, received '${'x'.repeat(60)}...' (1025 characters)`,
    ],
    [
      'a long query',
      search({ query: 'x'.repeat(1_025) }),
      'invalid_member',
      `query: expected a text of 0 to 1024 characters, received '${'x'.repeat(60)}...' (1025 characters)`,
    ],
    [
      'a long title among others',
      purchase({ title: ['a', 'x'.repeat(4_097)] }),
      'invalid_member',
      `title.1: expected a text of 0 to 4096 characters, received '${'x'.repeat(60)}...' (4097 characters)`,
    ],
    [
      'no address of its page',
      search({ pageUrl: '' }),
      'invalid_member',
      "pageUrl: expected a text of 1 to 2048 characters, received ''",
    ],
    [
      'another customer',
      search({ customerId: 'other' }),
      'wrong_customer',
      "customerId: expected that of the tracking key, received 'other'",
    ],
    [
      'a time without offset',
      search({ timestamp: '2026-01-01T00:00:00' }),
      'invalid_member',
      "timestamp: expected a time in ISO 8601 with Z or an offset, received '2026-01-01T00:00:00'",
    ],
    [
      'a day that is not',
      search({ timestamp: '2026-02-30T00:00:00Z' }),
      'invalid_member',
      "timestamp: expected a time in ISO 8601 with Z or an offset, received '2026-02-30T00:00:00Z'",
    ],
    ['no product', click({ docId: undefined }), 'missing_member', `docId: expected ${text(256)}, received nothing`],
    [
      'many products in a click',
      click({ docId: ['a'] }),
      'invalid_member',
      `docId: expected ${text(256)}, received an array of 1 items`,
    ],
    [
      'no currency',
      purchase({ currency: undefined }),
      'missing_member',
      'currency: expected a code of three letters, received nothing',
    ],
    [
      'half a product',
      purchase({ quantity: [1, 1.5] }),
      'invalid_member',
      'quantity.1: expected an integer from 1 to 1000000, received 1.5',
    ],
    [
      'a price below nothing',
      purchase({ price: [1, -1] }),
      'invalid_member',
      'price.1: expected a number from 0 to 1000000000000, received -1',
    ],
    [
      'a price beyond any order',
      purchase({ price: [1, 1.7e308] }),
      'invalid_member',
      'price.1: expected a number from 0 to 1000000000000, received 1.7e+308',
    ],
    [
      'more pieces than are sold',
      purchase({ quantity: [1, 2 ** 53 - 1] }),
      'invalid_member',
      'quantity.1: expected an integer from 1 to 1000000, received 9007199254740991',
    ],
    [
      'too many pieces of all items',
      purchase({ quantity: [999_999, 2] }),
      'invalid_member',
      'quantity: expected at most 1000000 pieces of all items together, received 1000001',
    ],
    [
      'too large an amount',
      purchase({ quantity: [1, 2], price: [1, 5e11] }),
      'invalid_member',
      'price: expected items that come to at most 1000000000000 together, received 1000000000001',
    ],
    [
      'much in a member of other events',
      search({ docId: 'x'.repeat(4_096) }),
      'event_too_large',
      'Expected at most 4096 bytes of members that this interface does not name for such an event, received 4108',
    ],
    [
      'products without prices',
      purchase({ price: 1 }),
      'invalid_member',
      'price: expected an array of 1 to 1000 items, as many as docId has, where docId, quantity, title or price is one, received 1',
    ],
    [
      'too many tags',
      search({ tags: Array(21).fill('x') }),
      'invalid_member',
      'tags: expected an array of at most 20 texts of at most 256 characters, received an array of 21 items',
    ],
    [
      'much of its own',
      search({ extra: 'x'.repeat(4_096) }),
      'event_too_large',
      'Expected at most 4096 bytes of members that this interface does not name for such an event, received 4108',
    ],
  ])('%s is refused, and the batch with it', async (_what, bad, code, message) => {
    const answer = await service.send({ events: [bad] });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().items).toEqual([{ index: 0, status: 400, code, message }]);
  });

  test.each([
    ['no referrer', search({ referrerUrl: '' })],
    ['an empty query', search({ query: '' })],
    ['a blank query', search({ query: '  ' })],
    ['no title', click({ title: '' })],
    ['a long title', click({ title: 'x'.repeat(4_096) })],
    ['long titles', purchase({ title: ['', 'x'.repeat(4_096)], currency: 'EUR' })],
    ['members of other events', search({ docId: { a: 1 }, collectionId: [1], price: 'x', quantity: -1 })],
    ['the most that an order may be', purchase({ quantity: [999_999, 1], price: [1e6, 1e6], currency: 'IRR' })],
    ['null for what may be absent', search({ tags: null, eventId: null, queryId: null })],
  ])('%s is stored as it came', async (_what, good) => {
    expect((await service.send({ events: [good] })).json()).toMatchObject({ errors: false, acceptedEvents: 1 });
    const { events } = (await service.ask('/api/v1/events/users/user-1?customerId=shop')).json();
    expect(events).toEqual([good]);
  });

  test('no id of its own is told apart from others by what it says', async () => {
    const events = [search({ eventId: null }), search({ eventId: null, query: 'another' }), search()];
    expect((await service.send({ events })).json()).toMatchObject({ acceptedEvents: 2, duplicateEvents: 1 });
    const { queries } = (await service.ask('/api/v1/events/ubi?customerId=shop')).json();
    expect(queries).toHaveLength(2);
  });

  test('an empty query is a term like others', async () => {
    const at = (ms: number) => ({ timestamp: isoAt(now - hour + ms) });
    await service.send({ events: [search({ query: ' ', ...at(0) }), click(at(1)), search({ sessionId: 's2' })] });
    await service.store.settled();
    const ask = async (path: string) =>
      (await service.ask(`/api/v1/analytics/${path}customerId=shop&days=1&context=searches`)).json();
    const { results } = await ask('terms?sort=totalQueries&');
    expect(results.toSorted((a: { term: string }, b: { term: string }) => (a.term < b.term ? -1 : 1))).toMatchObject([
      { term: '', totalQueries: 1, clickThroughRate: 1 },
      { term: 'red shoes', totalQueries: 1, clickThroughRate: 0 },
    ]);
    expect((await ask('summary?term=&')).metrics).toMatchObject({ totalQueries: 1, totalClicks: 1 });
  });

  test.each([
    ['ahead', 11 * 60_000, 'timestamp_ahead'],
    ['too old', -31 * 24 * hour, 'timestamp_too_old'],
  ])('a time that is %s is refused', async (_what, distance, code) => {
    const { items } = (await service.send({ events: [search({ timestamp: isoAt(Date.now() + distance) })] })).json();
    expect(items).toMatchObject([{ code }]);
  });

  test('two traffic sources counts for the first one', async () => {
    const answer = await service.send({ events: [search({ tags: ['x', 'web_prod', 'app_prod'] })] });
    expect([answer.statusCode, answer.json().errors, answer.json().items]).toEqual([
      200,
      false,
      [
        {
          index: 0,
          status: 200,
          code: 'several_traffic_sources',
          message: 'tags: expected one traffic source, received web_prod, app_prod; the first one counts',
        },
      ],
    ]);
  });
});

/** One search that led to everything, an hour ago, and one that led to nothing. */
async function sendShopping(): Promise<void> {
  const at = (ms: number) => ({ timestamp: isoAt(now - hour + ms), tags: ['web_prod'] });
  const events = [
    search(at(0)),
    click(at(1)),
    event('AddToCartEvent', { docId: 'd2', title: 'b', currency: 'EUR', ...at(2) }),
    purchase(at(3)),
  ];
  events.push(
    search({ query: 'nothing', sessionId: 'session-2', ...at(4) }),
    event('CollectionViewEvent', { collectionId: 'sale', ...at(5) }),
  );
  expect((await service.send({ events })).json()).toMatchObject({ acceptedEvents: 6 });
  service.store.logSearch({ customerId: 'shop', query: 'nothing', hits: 0, sessionId: 'session-2', at: now - hour });
  service.store.logSearch({
    customerId: 'shop',
    query: 'red shoes',
    hits: 2,
    shown: ['d1', 'd2'],
    sessionId: 'session-1',
    at: now - hour,
  });
  await service.store.settled();
}

describe('analytics', () => {
  const ask = async (path: string, query = '') => {
    const answer = await service.ask(`/api/v1/analytics/${path}?customerId=shop&days=1${query}`);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json();
  };
  const metrics = {
    ...{ totalQueries: 2, clickThroughRate: 0.5, addToCartRate: 0.5, conversionRate: 0.5, totalClicks: 1 },
    ...{ totalAddToCarts: 1, totalPurchases: 3, totalSessions: 2 },
    ...{ averageOrderValue: { EUR: 25 }, totalRevenue: { EUR: 25 } },
  };

  test('answer what shoppers did', async () => {
    await sendShopping();
    expect(await ask('summary', '&context=searches')).toMatchObject({
      metrics,
      previous: { totalQueries: 0, totalRevenue: {} },
    });
    expect(
      (await ask('summary', '&context=searches&term=RED%20shoes&label=user_source:web_prod')).metrics,
    ).toMatchObject({ totalQueries: 1, clickThroughRate: 1 });
    expect((await ask('summary', '&context=searches&label=user_source:app_prod')).metrics.totalQueries).toBe(0);
    expect((await ask('summary', '&context=collections')).metrics).toMatchObject({ totalQueries: 1, totalClicks: 0 });
    expect((await ask('terms', '&context=searches&sort=totalRevenue&currency=eur')).results).toMatchObject([
      { term: 'red shoes', totalRevenue: 25 },
      { term: 'nothing', totalRevenue: 0 },
    ]);
    expect((await ask('no-results')).results).toEqual([
      { term: 'nothing', count: 1, sessions: 1, lastSeen: `${isoAt(now - hour).slice(0, 10)}T00:00:00.000Z` },
    ]);
    expect((await ask('no-clicks', '&context=collections')).results).toMatchObject([{ term: 'sale', count: 1 }]);
    expect((await ask('no-clicks', '&context=searches')).results).toEqual([]);
    expect((await ask('products', '&context=searches')).results).toEqual([
      { docId: 'd1', impressions: 1, clicks: 1, addToCarts: 0, purchases: 2, revenue: { EUR: 21 } },
      { docId: 'd2', impressions: 1, clicks: 0, addToCarts: 1, purchases: 1, revenue: { EUR: 4 } },
    ]);
    expect((await ask('labels', '&context=searches')).results).toEqual([
      { label: 'pixel_experiment:e', queries: 2 },
      { label: 'user_source:web_prod', queries: 2 },
    ]);
    const { points } = await ask('time-series', '&context=searches&metric=totalRevenue&interval=hour');
    expect(points.filter(({ byCurrency }: { byCurrency: object }) => 'EUR' in byCurrency)).toHaveLength(1);
    expect(points).toHaveLength(24);
    const days = (await ask('time-series', '&context=searches&metric=totalQueries')).points;
    expect(days.reduce((sum: number, { value }: { value: number }) => sum + value, 0)).toBe(2);
  });

  test('tell what was wrong with what came', async () => {
    await service.send({
      events: [search(), search(), search({ userId: '' }), search({ timestamp: isoAt(now - 2 * hour) })],
    });
    expect(await ask('data-quality')).toEqual({
      accepted: 2,
      duplicates: 1,
      late: 1,
      rejected: 1,
      rejectedByReason: { invalid_member: 1 },
      unknownDocId: null,
      unknownDocIds: [],
    });
  });

  test.each([
    ['no range', 'context=searches', 400],
    ['two ranges', 'context=searches&days=1&start=2026-01-01&end=2026-01-02', 400],
    ['no day', 'context=searches&days=0', 422],
    ['an end before its start', 'context=searches&start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z', 400],
    ['an end in the hour of its start', 'context=searches&start=2026-01-02T01:10:00Z&end=2026-01-02T01:50:00Z', 400],
    ['a start that is no time', 'context=searches&start=soon&end=2026-01-01T00:00:00Z', 400],
    ['no context', 'days=1', 422],
    ['another context', 'context=views&days=1', 422],
    ['a currency that is none', 'context=searches&days=1&currency=euro', 400],
    ['a label of no form', 'context=searches&days=1&label=foo', 400],
    ['a label of no experiment', 'context=searches&days=1&label=pixel_experiment:', 400],
  ])('refuse %s', async (_what, query, status) => {
    expect((await service.ask(`/api/v1/analytics/summary?customerId=shop&${query}`)).statusCode).toBe(status);
  });

  test('know labels of two forms', async () => {
    await sendShopping();
    const queriesOf = async (label: string) =>
      (await ask('summary', `&context=searches&label=${label}`)).metrics.totalQueries;
    expect(await queriesOf('user_source:web_prod')).toBe(2);
    expect(await queriesOf('user_source:app_prod')).toBe(0);
    expect(await queriesOf('pixel_experiment:e')).toBe(2);
    expect(await queriesOf('pixel_experiment:none')).toBe(0);
    const wrong = await service.ask('/api/v1/analytics/terms?customerId=shop&context=searches&days=1&label=foo');
    expect(wrong.json().message).toBe(
      "label: expected user_source:<traffic source> or pixel_experiment:<id>, received 'foo'",
    );
  });

  test('are for keys of all indexes', async () => {
    const headers = { 'x-api-key': service.secrets.otherIndex };
    const url = '/api/v1/analytics/summary?customerId=shop&context=searches&days=1';
    expect((await service.app.inject({ url, headers })).statusCode).toBe(403);
    const read = { 'x-api-key': service.secrets.read };
    expect((await service.app.inject({ url, headers: read })).statusCode).toBe(200);
  });
});

test('events can be taken to tools that know User Behavior Insights', async () => {
  const url = '/api/v1/events/ubi?customerId=shop';
  await service.send({ events: [search({ queryId: 'q1' }), click()] });
  const { queries, events, next } = (await service.ask(url)).json();
  expect(queries).toMatchObject([{ query_id: 'q1', user_query: 'Red  Shoes' }]);
  expect(events).toMatchObject([{ action_name: 'search' }, { action_name: 'click', application: 'shop' }]);
  expect((await service.ask(`${url}&after=${next}`)).json()).toEqual({ queries: [], events: [], next: null });
  const wrong = await service.ask(`${url}&after=nowhere`);
  expect([wrong.statusCode, wrong.json().message]).toEqual([
    400,
    "after: expected the next of another page, received 'nowhere'",
  ]);
});

/** Tells whether the bytes of `text` stand in any file of the store. */
function standsInFiles(text: string): boolean {
  return readdirSync(service.folder).some((file) => readFileSync(join(service.folder, file)).includes(text));
}

describe('a user', () => {
  const user = 'somebody-who-leaves';
  const url = `/api/v1/events/users/${user}?customerId=shop`;

  test('is exported, and forgotten so that no byte is left', async () => {
    const at = (ms: number) => ({ timestamp: isoAt(now - hour + ms), userId: user, sessionId: 'theirs' });
    await sendShopping();
    const before = await service.ask('/api/v1/analytics/summary?customerId=shop&context=searches&days=1');
    await service.send({ events: [search(at(0)), click(at(1)), purchase(at(2))] });
    const exported = (await service.ask(url)).json();
    expect(exported).toMatchObject({
      events: [search(at(0)), click(at(1)), { ...purchase(at(2)), currency: 'EUR' }],
      next: null,
    });
    expect(standsInFiles(user)).toBe(true);
    expect(await service.store.recentOf('shop', { userId: user })).toMatchObject([
      { docIds: ['d1', 'd2'] },
      { docIds: ['d1'] },
      { term: 'Red  Shoes' },
    ]);

    // Somebody else at the same screen.
    const other = { userId: 'somebody-who-stays', sessionId: 'theirs' };
    await service.send({ events: [click({ ...at(3), ...other, timestamp: isoAt(now - hour + 3), docId: 'd9' })] });
    const ofSession = { sessionId: 'theirs' };
    expect((await service.store.recentOf('shop', ofSession)).map(({ docIds }) => docIds)).toEqual([
      ...[['d9'], ['d1', 'd2'], ['d1'], []],
    ]);
    const both = await service.store.recentOf('shop', { userId: user, sessionId: 'theirs' });
    expect(both).toEqual(await service.store.recentOf('shop', ofSession));
    expect(await service.store.recentOf('shop', { userId: user, sessionId: 'none' })).toHaveLength(3);

    const order = await service.ask(url, 'DELETE');
    expect([order.statusCode, order.json()]).toMatchObject([202, { state: 'pending', finishedAt: null }]);
    expect(await service.store.recentOf('shop', { userId: user })).toEqual([]);
    for (const shopper of [ofSession, { userId: user, ...ofSession }]) {
      expect(await service.store.recentOf('shop', shopper)).toMatchObject([{ docIds: ['d9'] }]);
    }
    await expect
      .poll(async () => (await service.ask(`/api/v1/events/erasures/${order.json().jobId}`)).json().state)
      .toBe('done');

    expect(standsInFiles(user)).toBe(false);
    expect((await service.ask(url)).json()).toEqual({ events: [], next: null });
    const after = await service.ask('/api/v1/analytics/summary?customerId=shop&context=searches&days=1');
    expect(after.json().metrics).toEqual(before.json().metrics);
    expect((await service.send({ events: [search(at(0))] })).json().items).toMatchObject([{ code: 'user_erased' }]);
    expect(
      (await service.send({ events: [search({ ...at(0), timestamp: isoAt(Date.now() + 1_000) })] })).json(),
    ).toMatchObject({ acceptedEvents: 1 });
  });

  test.each([
    ['GET', url],
    ['DELETE', url],
    ['GET', '/api/v1/events/erasures/none'],
    ['GET', '/api/v1/events/ubi?customerId=shop'],
    ['PUT', '/api/v1/events/retention'],
  ] as const)('%s %s takes a key of scope admin', async (method, target) => {
    const answer = await service.app.inject({
      method,
      url: target,
      headers: { 'x-api-key': service.secrets.readWrite },
      payload: {},
    });
    expect([answer.statusCode, answer.json().requiredScope]).toEqual([403, 'admin']);
  });

  test('without a known erasure is not found', async () => {
    expect((await service.ask('/api/v1/events/erasures/none')).statusCode).toBe(404);
    expect((await service.ask(`${url}&after=nowhere`)).statusCode).toBe(400);
  });
});

test.each(['', 'x'.repeat(257)])('how long events are kept is of a customer, and none has the id %j', async (id) => {
  const set = await service.ask('/api/v1/events/retention', 'PUT', { customerId: id, days: 1 });
  const got = await service.ask(`/api/v1/events/retention?customerId=${id}`);
  for (const answer of [set, got]) {
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { code: 'invalid_argument' }]);
    expect(answer.json().message).toMatch(/^customerId: expected a text of 1 to 256 characters, received '/);
  }
});

test('how long events are kept may be read by keys for all indexes', async () => {
  const url = '/api/v1/events/retention?customerId=shop';
  const ask = async (key: string) => (await service.app.inject({ url, headers: { 'x-api-key': key } })).statusCode;
  expect(await ask(service.secrets.read)).toBe(200);
  expect(await ask(service.secrets.otherIndex)).toBe(403);
  expect(await ask(service.secrets.tracking)).toBe(403);
});

test('events are kept as long as a customer says, figures for longer', async () => {
  await service.send({ events: [search({ timestamp: isoAt(now - 5 * 24 * hour) }), search()] });
  const put = (days: number) => service.ask('/api/v1/events/retention', 'PUT', { customerId: 'shop', days });
  expect([(await put(0)).statusCode, (await put(731)).statusCode, (await put(2)).statusCode]).toEqual([422, 422, 200]);
  const retentionOf = async (customer: string) =>
    (await service.ask(`/api/v1/events/retention?customerId=${customer}`)).json();
  expect(await retentionOf('shop')).toEqual({ customerId: 'shop', days: 2 });
  expect(await retentionOf('another')).toEqual({ customerId: 'another', days: 730 });
  const kept = async () => (await service.ask('/api/v1/events/users/user-1?customerId=shop')).json().events;
  await expect.poll(kept).toEqual([search()]);
  const old = await service.send({ events: [search({ timestamp: isoAt(now - 4 * 24 * hour) })] });
  expect(old.json().items).toMatchObject([{ code: 'timestamp_too_old' }]);
  await service.store.rebuild();
  const { metrics } = (await service.ask('/api/v1/analytics/summary?customerId=shop&context=searches&days=9')).json();
  expect(metrics.totalQueries).toBe(2);
});
