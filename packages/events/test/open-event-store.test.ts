import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { EventStore } from '../src/event-store.js';
import { openEventStore } from '../src/open-event-store.js';
import { shoppers } from './generator.js';

const customerId = 'shop';
const module = new URL('../dist/event-thread.js', import.meta.url);

let folder: string;
let store: EventStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-store-'));
  store = openEventStore({ folder, module });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function batch(count: number, now = Date.now()): unknown[] {
  const source = shoppers({ seed: 7, customerId, from: now - 3_600_000, to: now, userCount: 10 });
  return Array.from({ length: count }, () => source.next().value as object);
}

test('more events than may wait are refused, and nothing of what waits is lost', async () => {
  const events = batch(1_000);
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => store.accept(customerId, events)));
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(10);
  expect(refused[0]).toMatchObject({ reason: { code: 'service_unavailable', headers: { 'retry-after': '1' } } });
  const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const [first, ...others] = stored;
  expect(first?.accepted).toBeGreaterThan(500);
  for (const other of others)
    expect(other).toMatchObject({ accepted: 0, duplicates: (first?.accepted ?? 0) + (first?.duplicates ?? 0) });
  const { accepted, duplicates, rejected, ...more } = store.counts;
  expect([accepted, more]).toEqual([first?.accepted, { refused: 10_000, waiting: 0 }]);
  expect(accepted + duplicates + rejected).toBe(20_000);
});

test('searches are dropped and counted past what may wait', () => {
  const search = { customerId, query: 'shoes', hits: 1, sessionId: 's', at: Date.now() };
  for (let i = 0; i < 5_010; i += 1) store.logSearch(search);
  expect(store.droppedSearches).toBe(10);
});

test('accepted events are there after the end, and a closed store says so', async () => {
  const events = batch(100);
  const { accepted } = await store.accept(customerId, events);
  await store.close();
  await expect(store.accept(customerId, events)).rejects.toThrow('The store of events has ended: it was closed');
  store = openEventStore({ folder, module });
  expect(await store.accept(customerId, events)).toMatchObject({ accepted: 0 });
  expect(accepted).toBeGreaterThan(50);
});

test('figures of quiet days are packed, while events and questions go on', async () => {
  await store.accept(customerId, batch(300, Date.now() - 5 * 86_400_000));
  const db = new Database(join(folder, 'figures.db'), { readonly: true });
  onTestFinished(() => {
    db.close();
  });
  const left = db.prepare('SELECT COUNT(*) AS units, COUNT(columns) AS packed FROM packed');
  const range = { start: Date.now() - 10 * 86_400_000, end: Date.now() };
  const ask = () => store.analytics.products({ customerId, context: 'searches', ...range }, { limit: 10, offset: 0 });
  await store.settled();
  const answer = await ask();
  const packed = async () => {
    await ask();
    const { units, packed } = left.get() as { units: number; packed: number };
    return units > 0 && packed === units;
  };
  await expect.poll(packed, { timeout: 60_000 }).toBe(true);
  expect(await ask()).toEqual(answer);
  expect(answer.length).toBeGreaterThan(5);
});
