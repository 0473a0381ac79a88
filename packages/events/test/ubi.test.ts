import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Recorder } from '../src/recorder.js';

const now = Date.parse('2026-11-01T00:30:00Z');
const customerId = 'shop';

let folder: string;
let recorder: Recorder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-ubi-'));
  recorder = new Recorder({ folder, clock: () => now });
});
afterEach(() => {
  recorder.close();
  rmSync(folder, { recursive: true });
});

const rest = {
  ...{ experimentId: 'none', customVariant: 'a', userAgent: 'Mozilla/5.0' },
  ...{ referrerUrl: 'https://shop.test/', pageUrl: 'https://shop.test/search' },
};
const timestamp = '2026-11-01T00:29:00Z';
const event = (eventType: string, members: object) => ({
  ...{ eventType, customerId, userId: 'u1', sessionId: 's1', timestamp, ...rest, ...members },
});
const accept = (events: readonly object[], customer = customerId) => {
  const [result] = recorder.accept([{ customerId: customer, texts: events.map((event) => JSON.stringify(event)) }]);
  expect(result?.items).toEqual([]);
};
const common = { application: customerId, session_id: 's1', user_id: 'u1', timestamp };

test('each kind of event has its form', () => {
  accept([
    event('SearchEvent', { query: 'Red Tent', queryId: 'q1', campaign: 'autumn' }),
    event('CollectionViewEvent', { collectionId: 'summer' }),
    event('ClickEvent', { docId: 'd1', title: 'A tent', queryId: 'q1' }),
    event('AddToCartEvent', { docId: 'd1', title: 'A tent', currency: 'EUR' }),
    event('PurchaseEvent', {
      docId: ['d1', 'd2'],
      title: ['A', 'B'],
      quantity: [1, 2],
      price: [9, 4],
      currency: 'eur',
    }),
    event('PurchaseEvent', { docId: 'd3', title: 'C', quantity: 3, price: 5, currency: 'EUR' }),
  ]);
  const log = { customerId, query: 'Red Tent', hits: 2, shown: ['d2', 'd1'], queryId: 'q1' };
  recorder.logSearches([{ ...log, sessionId: 's1', userId: 'u1', at: now }]);

  const object = (id: string) => ({ object: { object_id: id, object_id_field: '_id' } });
  const bought = (id: string, title: string, quantity: number, price: number) => ({
    ...{ ...common, action_name: 'purchase' },
    event_attributes: { ...rest, title, quantity, price, currency: 'EUR', ...object(id) },
  });
  expect(recorder.exportUbi(customerId)).toEqual({
    queries: [
      {
        ...{ application: customerId, timestamp, query_id: 'q1', user_query: 'Red Tent' },
        query_attributes: { ...rest, campaign: 'autumn', userId: 'u1', sessionId: 's1' },
      },
      {
        ...{ application: customerId, timestamp: '2026-11-01T00:30:00.000Z', query_id: 'q1', user_query: 'Red Tent' },
        ...{ object_id_field: '_id', query_response_hit_ids: ['d2', 'd1'] },
        query_attributes: { hits: 2, userId: 'u1', sessionId: 's1' },
      },
    ],
    events: [
      {
        ...{ ...common, action_name: 'search', query_id: 'q1', user_query: 'Red Tent' },
        event_attributes: { ...rest, campaign: 'autumn' },
      },
      { ...common, action_name: 'view', event_attributes: { ...rest, collectionId: 'summer' } },
      {
        ...{ ...common, action_name: 'click', query_id: 'q1' },
        event_attributes: { ...rest, title: 'A tent', ...object('d1') },
      },
      {
        ...{ ...common, action_name: 'add_to_cart' },
        event_attributes: { ...rest, title: 'A tent', currency: 'EUR', ...object('d1') },
      },
      ...[bought('d1', 'A', 1, 9), bought('d2', 'B', 2, 4), bought('d3', 'C', 3, 5)],
    ],
    next: '2026-11_7',
  });
  expect(recorder.exportUbi(customerId, '2026-11_7')).toEqual({ queries: [], events: [], next: null });
});

test('all events of a customer come once, page by page, without those of users who asked to be forgotten', () => {
  const view = (members: object) => event('CollectionViewEvent', { collectionId: 'all', ...members });
  const several = (first: number, members: object) =>
    Array.from({ length: 600 }, (_, place) => view({ eventId: `${first + place}`, ...members }));
  accept(several(0, { customerId: 'another' }), 'another');
  accept(several(0, { timestamp: '2026-10-31T23:00:00Z' }));
  accept(several(600, { sessionId: 's2' }));
  accept(several(1_200, { userId: 'leaves', sessionId: 's3' }));
  accept(several(1_800, {}));
  recorder.orderErasure('another', 'u1');
  recorder.orderErasure(customerId, 'leaves');

  const ids: unknown[] = [];
  let pages = 0;
  for (let after: string | undefined; ; pages += 1) {
    const { events, next } = recorder.exportUbi(customerId, after);
    for (const { event_attributes } of events) ids.push((event_attributes as { eventId: string }).eventId);
    if (next === null) break;
    after = next;
  }
  const kept = [...Array(1_200).keys(), ...Array.from({ length: 600 }, (_, place) => 1_800 + place)];
  expect(ids).toEqual(kept.map(String));
  expect(pages).toBe(4);
});
