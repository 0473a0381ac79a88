import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../src/event.js';
import { queryChoices } from '../src/query-choices.js';
import { Recorder } from '../src/recorder.js';
import { Reports } from '../src/reports.js';
import { productSignals } from '../src/signals.js';

const now = Date.parse('2026-11-12T10:20:30Z');
const customerId = 'shop';

let folder: string;
let recorder: Recorder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-signals-'));
  recorder = new Recorder({ folder, clock: () => now });
});
afterEach(() => {
  recorder.close();
  rmSync(folder, { recursive: true });
});

let sessions = 0;

type Chosen = Record<string, { clicks?: number; bought?: number }>;

/** A search that showed products, each of which was clicked on and bought as often as said. */
function shop(query: string, at: number, products: Chosen, userId = `user-${sessions}`): void {
  sessions += 1;
  const sessionId = `session-${sessions}`;
  let time = at;
  const event = (eventType: string, members: object) => ({
    ...{ eventType, customerId, experimentId: 'e', userId, sessionId, customVariant: 'a', userAgent: 'x' },
    ...{ referrerUrl: 'r', pageUrl: 'p', timestamp: new Date(time++).toISOString(), ...members },
  });
  const events = [event('SearchEvent', { query })];
  for (const [docId, { clicks = 0, bought = 0 }] of Object.entries(products)) {
    const title = 'a product';
    for (let i = 0; i < clicks; i += 1) events.push(event('ClickEvent', { docId, title }));
    if (bought > 0) events.push(event('PurchaseEvent', { docId, title, quantity: bought, price: 1, currency: 'EUR' }));
  }
  expect(recorder.accept([{ customerId, texts: events.map((event) => JSON.stringify(event)) }])[0]?.accepted).toBe(
    events.length,
  );
  const shown = Object.keys(products);
  recorder.logSearches([{ customerId, query, hits: shown.length, shown, sessionId, at }]);
}

/** The same by as many users. */
function shopMany(users: number, query: string, at: number, products: Chosen): void {
  for (let user = 0; user < users; user += 1) shop(query, at, products);
}

function signals(since = now - 30 * DAY_MS) {
  recorder.settle();
  const { overall, byQuery } = productSignals(recorder.figures.db, customerId, since, now);
  const byId = (list: typeof overall = []) => Object.fromEntries(list.map(({ docId, ...rest }) => [docId, rest]));
  return { overall: byId(overall), ofQuery: (query: string) => byId(byQuery.get(query)) };
}

test('rates are shares of what was shown, with twenty observations at the mean', () => {
  shopMany(5, 'Shoes', now, { a: { clicks: 1, bought: 1 }, b: {} });
  // Ten were shown and five clicked on: a mean of a half; of each click came one purchase.
  expect(signals().overall.a).toEqual({ popularity: 55 / (55 + 27.5 + 20), clickRate: 15 / 25, conversionRate: 1 });
  expect(signals().overall.b).toEqual({ popularity: 0, clickRate: 10 / 25, conversionRate: 1 });
});

test('older choices count less: a half after thirty days', () => {
  shopMany(5, 'shoes', now, { a: { clicks: 1 } });
  shopMany(5, 'shoes', now - 29 * DAY_MS, { b: { clicks: 1 } });
  const { a, b } = signals().overall;
  const [fresh, old] = [5, 5 * 0.5 ** (29 / 30)];
  const mean = (fresh + old) / 2;
  expect(a?.popularity).toBeCloseTo(fresh / (fresh + mean + 20), 12);
  expect(b?.popularity).toBeCloseTo(old / (old + mean + 20), 12);
  expect(signals(now - 2 * DAY_MS).overall).not.toHaveProperty('b');
});

test('a product chosen by fewer than five users is not popular, whatever they did and however often', () => {
  for (let round = 0; round < 30; round += 1) {
    const user = `one of few ${round % 4}`;
    shop('shoes', now - round * HOUR_MS, { a: { clicks: 7, bought: 1_000_000 } }, user);
  }
  expect(signals().overall.a).toMatchObject({ popularity: 0 });
  expect(signals().ofQuery('shoes').a).toMatchObject({ popularity: 0 });
  shop('shoes', now, { a: { clicks: 1 } });
  expect(signals().overall.a?.popularity).toBeGreaterThan(0);
  expect(signals().ofQuery('shoes').a?.popularity).toBeGreaterThan(0);
});

test('a user counts once for a product, overall and of each query', () => {
  for (const query of ['shoes', 'boots']) shopMany(5, query, now, { a: { clicks: 1 }, b: { clicks: 1 } });
  const before = signals();
  for (let round = 0; round < 20; round += 1) {
    shop('shoes', now, { a: { clicks: 3, bought: 9 } }, 'eager');
    shop(`other words ${round}`, now, { a: { clicks: 3, bought: 9 } }, 'eager');
  }
  const worthOf = (popularity = 0, mean = 0) => ((mean + 20) * popularity) / (1 - popularity);
  const { overall, ofQuery } = signals();
  // One click and one purchase more.
  expect(worthOf(before.overall.a?.popularity, 10)).toBeCloseTo(10, 9);
  expect(worthOf(overall.a?.popularity, 15.5)).toBeCloseTo(21, 9);
  expect(worthOf(ofQuery('shoes').a?.popularity, 10.5)).toBeCloseTo(16, 9);
});

test('a session that asks the same again is shown nothing new, and may choose something else', () => {
  shopMany(5, 'shoes', now, { a: { clicks: 1 }, b: {} });
  const before = signals().overall;
  const ask = (at: number, ...more: object[]) => {
    const common = { customerId, experimentId: 'e', userId: 'u', sessionId: 'again', customVariant: 'a' };
    const page = { userAgent: 'x', referrerUrl: 'r', pageUrl: 'p' };
    const events = [{ eventType: 'SearchEvent', query: 'shoes' }, ...more].map((event, place) =>
      JSON.stringify({ ...common, ...page, timestamp: new Date(at + place).toISOString(), ...event }),
    );
    recorder.accept([{ customerId, texts: events }]);
    recorder.logSearches([{ customerId, query: 'shoes', hits: 2, shown: ['a', 'b'], sessionId: 'again', at }]);
  };
  ask(now - HOUR_MS);
  const once = signals().overall;
  expect(once.b?.clickRate).toBeLessThan(before.b?.clickRate as number);
  for (let round = 1; round < 30; round += 1) ask(now - HOUR_MS + round * 90_000);
  expect(signals().overall).toEqual(once);
  ask(now - 60_000, { eventType: 'ClickEvent', docId: 'b', title: 't' });
  expect(signals().overall.b?.clickRate).toBeGreaterThan(once.b?.clickRate as number);
});

test('each query has signals of its own', () => {
  shop('red  SHOES', now, { a: { clicks: 1 }, b: {} });
  shop('tents', now, { b: { clicks: 1 }, a: {} });
  const [shoes, tents] = [signals().ofQuery('red shoes'), signals().ofQuery('tents')];
  expect(shoes.a?.clickRate).toBeGreaterThan(shoes.b?.clickRate as number);
  expect(tents.b?.clickRate).toBeGreaterThan(tents.a?.clickRate as number);
  expect(signals().ofQuery('lamps')).toEqual({});
});

test('top queries are those of most users, however often one searches, and tell whether they find something', () => {
  for (const query of ['shoes', 'Shoes', 'shoes', 'tent']) shop(query, now, { a: {} });
  shop('nothing', now, {});
  for (let round = 0; round < 9; round += 1) shop('nothing', now - round * DAY_MS, {}, 'eager');
  recorder.settle();
  expect(new Reports(recorder.figures).topQueries(customerId, now - 10 * DAY_MS, 3)).toEqual([
    { query: 'shoes', count: 3, users: 3, findsSomething: true },
    { query: 'nothing', count: 10, users: 2, findsSomething: false },
    { query: 'tent', count: 1, users: 1, findsSomething: true },
  ]);
});

test('choices after a query count a user once for a product, by the strongest, and leave out queries of few users', () => {
  shop('Red  shoes', now, { a: { clicks: 1 }, b: { clicks: 1 } }, 'u1');
  shop('red shoes', now - DAY_MS, { a: { clicks: 5, bought: 7 } }, 'u1');
  shop('red shoes', now, { a: { clicks: 1 }, c: {} }, 'u2');
  shop('red shoes', now - 9 * DAY_MS, { c: { clicks: 1 } }, 'u3');
  shop('tents', now, { d: { clicks: 1 } }, 'u1');
  shop('tents', now, { d: { clicks: 1 } }, 'u1');
  shop('', now, { e: { clicks: 1 } }, 'u1');
  shop('', now, { e: { clicks: 1 } }, 'u2');
  recorder.settle();
  const choicesOf = (options: object) =>
    queryChoices(recorder.figures.db, customerId, { since: now - 5 * DAY_MS, usersMin: 1, limit: 10, ...options });
  const shoes = {
    query: 'red shoes',
    users: 2,
    products: [
      { docId: 'a', clicked: 1, carted: 0, bought: 1 },
      { docId: 'b', clicked: 1, carted: 0, bought: 0 },
    ],
  };
  const tents = { query: 'tents', users: 1, products: [{ docId: 'd', clicked: 1, carted: 0, bought: 0 }] };
  expect(choicesOf({})).toEqual([shoes, tents]);
  expect(choicesOf({ limit: 1 })).toEqual([shoes]);
  expect(choicesOf({ usersMin: 2 })).toEqual([shoes]);
  expect(choicesOf({ usersMin: 3, since: now - 10 * DAY_MS })).toMatchObject([{ users: 3 }]);
});
