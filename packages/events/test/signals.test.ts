import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY_MS } from '../src/event.js';
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

/** A search that showed products, each of which was clicked on and bought as often as said. */
function shop(query: string, at: number, products: Record<string, { clicks?: number; bought?: number }>): void {
  sessions += 1;
  const sessionId = `session-${sessions}`;
  let time = at;
  const event = (eventType: string, members: object) => ({
    ...{ eventType, customerId, experimentId: 'e', userId: 'u', sessionId, customVariant: 'a', userAgent: 'x' },
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

function signals(since = now - 30 * DAY_MS) {
  recorder.settle();
  const { overall, byQuery } = productSignals(recorder.figures.db, customerId, since, now);
  const byId = (list: typeof overall = []) => Object.fromEntries(list.map(({ docId, ...rest }) => [docId, rest]));
  return { overall: byId(overall), ofQuery: (query: string) => byId(byQuery.get(query)) };
}

test('rates are shares of what was shown, with twenty observations at the mean', () => {
  shop('Shoes', now, { a: { clicks: 1, bought: 1 }, b: {} });
  // Two were shown and one clicked on: a mean of a half; of one click came one purchase.
  expect(signals().overall.a).toEqual({ popularity: 11 / (11 + 5.5), clickRate: 11 / 21, conversionRate: 1 });
  expect(signals().overall.b).toEqual({ popularity: 0, clickRate: 10 / 21, conversionRate: 1 });
});

test('what happened longer ago counts less: a half after thirty days', () => {
  shop('shoes', now, { a: { clicks: 1 } });
  shop('shoes', now - 29 * DAY_MS, { b: { clicks: 1 } });
  const { a, b } = signals().overall;
  const [fresh, old] = [1, 0.5 ** (29 / 30)];
  const mean = (fresh + old) / 2;
  expect(a?.popularity).toBeCloseTo(fresh / (fresh + mean), 12);
  expect(b?.popularity).toBeCloseTo(old / (old + mean), 12);
  expect(signals(now - 2 * DAY_MS).overall).not.toHaveProperty('b');
});

test('each query has signals of its own', () => {
  shop('red  SHOES', now, { a: { clicks: 1 }, b: {} });
  shop('tents', now, { b: { clicks: 1 }, a: {} });
  const [shoes, tents] = [signals().ofQuery('red shoes'), signals().ofQuery('tents')];
  expect(shoes.a?.clickRate).toBeGreaterThan(shoes.b?.clickRate as number);
  expect(tents.b?.clickRate).toBeGreaterThan(tents.a?.clickRate as number);
  expect(signals().ofQuery('lamps')).toEqual({});
});

test('top queries are those of most sessions, and tell whether they find something', () => {
  for (const query of ['shoes', 'Shoes', 'tent']) shop(query, now, { a: {} });
  shop('nothing', now, {});
  recorder.settle();
  expect(new Reports(recorder.figures).topQueries(customerId, now - DAY_MS, 3)).toEqual([
    { query: 'shoes', count: 2, sessions: 2, findsSomething: true },
    { query: 'nothing', count: 1, sessions: 1, findsSomething: false },
    { query: 'tent', count: 1, sessions: 1, findsSomething: true },
  ]);
});
