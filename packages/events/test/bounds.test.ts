import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AMOUNT_MAX, DAY_MS, HOUR_MS } from '../src/event.js';
import type { AnalyticsQuery } from '../src/event-store.js';
import { Recorder } from '../src/recorder.js';
import { Reports } from '../src/reports.js';

const now = Date.parse('2026-11-12T10:20:30Z');
const customerId = 'shop';
const query: AnalyticsQuery = { customerId, context: 'searches', start: now - (now % HOUR_MS) - DAY_MS, end: now };

let folder: string;
let recorder: Recorder;
const open = () => new Recorder({ folder, clock: () => now });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-bounds-'));
  recorder = open();
});
afterEach(() => {
  recorder.close();
  rmSync(folder, { recursive: true });
});

let time = now - 12 * HOUR_MS;
type Members = Readonly<Record<string, unknown>>;

function event(eventType: string, members: Members): Members {
  return {
    ...{ eventType, customerId, experimentId: 'e', userId: 'u', sessionId: 's', customVariant: 'a', userAgent: 'x' },
    ...{ referrerUrl: 'r', pageUrl: 'p', timestamp: new Date(time++).toISOString(), ...members },
  };
}

/** A search and a click, and its purchases. */
function order(items: Members, owner: Members = {}): Members[] {
  const product = { docId: 'd', title: 't' };
  return [
    event('SearchEvent', { query: 'shoes', ...owner }),
    event('ClickEvent', { ...product, ...owner }),
    event('PurchaseEvent', { ...product, currency: 'EUR', ...items, ...owner }),
  ];
}

function accept(events: readonly Members[]) {
  const [result] = recorder.accept([{ customerId, texts: events.map((event) => JSON.stringify(event)) }]);
  return result;
}

function answers() {
  recorder.settle();
  const reports = new Reports(recorder.figures);
  const page = { limit: 10, offset: 0 };
  return {
    summary: reports.summary(query),
    series: reports.timeSeries(query, 'hour'),
    terms: reports.terms(query, { sort: 'totalRevenue', currency: 'EUR', ...page }),
    averages: reports.terms(query, { sort: 'averageOrderValue', currency: 'EUR', ...page }),
    products: reports.products(query, page),
  };
}

/** Every number in a value that is none, or null where there should be one. */
function brokenIn(value: unknown): unknown[] {
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return [value];
  return typeof value === 'object' ? Object.values(value as object).flatMap(brokenIn) : [];
}

test('thousands of the largest orders add up exactly, and are taken away again without a rest', () => {
  const count = 1_500;
  accept(order({ quantity: 3, price: 0.1 }, { userId: 'anna', sessionId: 'of anna' }));
  const orders = Array.from({ length: count }, (_, i) =>
    order({ quantity: 1, price: AMOUNT_MAX }, { userId: 'evil', sessionId: `s${i}` }),
  );
  accept(orders.flat());
  const all = answers();
  const largest = count * AMOUNT_MAX;
  expect(brokenIn(all)).toEqual([]);
  expect(all.summary.totalRevenue).toEqual({ EUR: largest + 0.3 });
  expect(all.terms[0]?.averageOrderValue).toEqual({ EUR: (largest + 0.3) / (count + 1) });
  expect(all.products[0]?.revenue).toEqual({ EUR: largest + 0.3 });
  while (recorder.packNext());
  expect(answers()).toEqual(all);
  recorder.orderErasure(customerId, 'evil');
  while (recorder.eraseNext());
  const { summary, terms, products } = answers();
  expect(summary).toMatchObject({ totalRevenue: { EUR: 0.3 }, averageOrderValue: { EUR: 0.3 }, totalPurchases: 3 });
  expect([terms[0]?.totalRevenue, products[0]?.revenue]).toEqual([{ EUR: 0.3 }, { EUR: 0.3 }]);
});

test.each([
  ['docId', { a: 1 }],
  ['docId', [null, [], true]],
  ['docId', 7],
  ['query', { a: 1 }],
  ['collectionId', ['x']],
  ['quantity', 'many'],
  ['price', { toString: 1 }],
  ['currency', [1]],
  ['hits', Number.MAX_VALUE],
])('an event with a member of others, %s: %j, holds up no figures', (name, value) => {
  const search = event('SearchEvent', { query: 'shoes' });
  const view = event('CollectionViewEvent', { collectionId: 'sale' });
  const click = event('ClickEvent', { docId: 'd', title: 't' });
  const given = [search, view, click].filter((one) => !(name in one)).map((one) => ({ ...one, [name]: value }));
  expect(accept(given)).toMatchObject({ accepted: given.length, items: [] });
  accept(order({ quantity: 2, price: 5 }));
  expect(brokenIn(answers())).toEqual([]);
  expect(answers().summary.totalRevenue).toEqual({ EUR: 10 });
  expect(recorder.recentOf(customerId, { userId: 'u' }).flatMap(({ docIds, term }) => [...docIds, term])).not.toContain(
    value,
  );
});

/** Brings figures back to form 0, in which choices stood among the matches, for all shoppers together. */
function makeOfFormZero(figures: Database.Database): void {
  rmSync(join(folder, 'figures.sum'));
  for (const count of ['clicks', 'carts', 'purchases']) {
    figures.exec(`ALTER TABLE matches ADD COLUMN ${count} INTEGER NOT NULL DEFAULT 0`);
  }
  figures.exec(`INSERT INTO matches SELECT customer, start, term, doc, 0, SUM(clicks), SUM(carts), SUM(purchases)
    FROM choices WHERE true GROUP BY customer, start, term, doc`);
  figures.exec(
    'ALTER TABLE watermarks DROP COLUMN sum; DROP TABLE choices; DROP TABLE searchers; PRAGMA user_version = 0',
  );
}

test('figures that an order of earlier days has spoilt are made anew', () => {
  accept(order({ quantity: 2, price: 5 }, { userId: 'anna', sessionId: 'of anna' }));
  const healthy = answers().summary;
  accept(order({ quantity: 1, price: 1 }, { userId: 'evil', sessionId: 'of evil' }));
  recorder.settle();
  recorder.close();
  const raw = new Database(join(folder, 'events-2026-11.db'));
  raw.exec(`UPDATE events SET sum = NULL, body = replace(body, '"price":1', '"price":1.7e308') WHERE body LIKE '%"price":1,%'
    OR body LIKE '%"price":1}%'`);
  raw.close();
  const figures = new Database(join(folder, 'figures.db'));
  for (const table of ['totals', 'terms', 'products']) {
    figures.exec(`UPDATE ${table} SET revenue = 9e999 WHERE currency = 'EUR'`);
    figures.exec(`ALTER TABLE ${table} DROP COLUMN revenue_high`);
  }
  makeOfFormZero(figures);
  figures.close();
  recorder = open();
  const healed = answers();
  expect(brokenIn(healed)).toEqual([]);
  expect(healed.summary.totalRevenue).toEqual(healthy.totalRevenue);
  recorder.orderErasure(customerId, 'evil');
  while (recorder.eraseNext());
  expect(answers().summary).toEqual(healthy);
});

test('figures of before there were bounds are kept where nothing has spoilt them', () => {
  accept(order({ quantity: 1_000, price: 123_456.78 }));
  const before = answers();
  const rows = () => recorder.figures.db.prepare('SELECT * FROM products ORDER BY span, start, doc, currency').all();
  const written = rows();
  recorder.close();
  const figures = new Database(join(folder, 'figures.db'));
  for (const table of ['totals', 'terms', 'products']) {
    figures.exec(`UPDATE ${table} SET revenue = revenue_high * 100000000 + revenue`);
    figures.exec(`ALTER TABLE ${table} DROP COLUMN revenue_high`);
  }
  makeOfFormZero(figures);
  figures.close();
  recorder = open();
  expect(rows()).toEqual(written);
  expect(answers()).toEqual(before);
  // All shoppers of earlier days together count as one.
  expect(recorder.figures.db.prepare('SELECT shopper, clicks, carts, purchases FROM choices').all()).toEqual([
    { shopper: -Math.floor((now - 12 * HOUR_MS) / DAY_MS), clicks: 1, carts: 0, purchases: 1 },
  ]);
  const searchers = recorder.figures.db.prepare('SELECT shopper, queries FROM searchers').all();
  expect(searchers).toEqual([{ shopper: -Math.floor((now - 12 * HOUR_MS) / DAY_MS), queries: 1 }]);
});

test('an answer has the hundred currencies of most orders, however many codes come', () => {
  const codes = Array.from(
    { length: 300 },
    (_, i) => `A${String.fromCharCode(65 + (i % 26), 65 + Math.floor(i / 26))}`,
  );
  accept(codes.flatMap((currency, i) => order({ quantity: 1, price: 1, currency }, { sessionId: `s${i}` })));
  accept(['a', 'b'].flatMap((name) => order({ quantity: 1, price: 7, currency: 'ZAR' }, { sessionId: name })));
  const { summary, terms } = answers();
  for (const money of [summary.totalRevenue, summary.averageOrderValue, terms[0]?.totalRevenue]) {
    expect(Object.keys(money ?? {})).toHaveLength(100);
  }
  expect(summary.totalRevenue).toMatchObject({ ZAR: 14 });
});

test('a session is full by the items that it bought, after a start too', () => {
  const items = (count: number) => {
    const list = <Value>(value: Value) => Array<Value>(count).fill(value);
    return { docId: list('d'), title: list('t'), quantity: list(1), price: list(1) };
  };
  const full = 'sessionId: expected at most 5000 events and items bought of one session in a month';
  expect(accept(order(items(1_000)))?.accepted).toBe(3);
  expect(accept([1, 2, 3].map(() => event('PurchaseEvent', { ...items(1_000), currency: 'EUR' })))?.accepted).toBe(3);
  for (const _ of ['before', 'after']) {
    expect(accept([event('PurchaseEvent', { ...items(999), currency: 'EUR' })])).toMatchObject({
      ...{ accepted: 0, items: [{ status: 400, code: 'session_full', message: full }] },
    });
    recorder.close();
    recorder = open();
  }
  expect(accept([event('PurchaseEvent', { ...items(998), currency: 'EUR' })])?.accepted).toBe(1);
  expect(accept([event('SearchEvent', { query: 'one more' })])?.accepted).toBe(0);
});
