import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { checkEvent, isFinding } from '../src/check-event.js';
import { DAY_MS, HOUR_MS } from '../src/event.js';
import type { AnalyticsQuery } from '../src/event-store.js';
import { type Batch, Recorder } from '../src/recorder.js';
import { Reports } from '../src/reports.js';
import { type Given, Random, shoppers } from './generator.js';
import { ListOracle, SORTS } from './list-oracle.js';
import { Oracle } from './oracle.js';

/** The number of events that are compared: `PELORUS_EVENTS=1000000` for as many as you like. */
const EVENT_COUNT = Number(process.env.PELORUS_EVENTS ?? 10_000);
/** More events take longer; what does not end at all is stopped by this. */
const TIME_LIMIT_MS = 120_000 + EVENT_COUNT;
const SEED = Number(process.env.PELORUS_EVENTS_SEED ?? 1);
const customerId = 'shop';
const now = Date.parse('2026-11-12T10:20:30Z');
const rules = { customerId, earliest: now - 30 * DAY_MS, latest: now + 600_000 };

const folders: string[] = [];
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pelorus-events-'));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function generated(seed: number, count: number, userCount: number): Given[] {
  const source = shoppers({ seed, customerId, from: now - 20 * DAY_MS, to: now, userCount });
  return Array.from({ length: count }, () => source.next().value as Given);
}

function batchOf(events: readonly Given[]): Batch {
  return { customerId, texts: events.map((event) => JSON.stringify(event)) };
}

/** Everything in the tables of figures. */
function tablesOf(recorder: Recorder): unknown[] {
  return ['totals', 'terms', 'products', 'matches', 'choices', 'searchers', 'actions'].map((table) =>
    recorder.figures.db.prepare(`SELECT * FROM ${table}`).all(),
  );
}

const day = Date.parse('2026-11-01T00:00:00Z');
const labels = [
  undefined,
  'user_source:web_prod',
  'user_source:app_prod',
  'pixel_experiment:experiment-1',
  'user_source:none',
];
const ranges = [
  [now - 30 * DAY_MS, now],
  [day - 5 * HOUR_MS, day + 3 * DAY_MS + 7 * HOUR_MS],
  [day + HOUR_MS, day + 9 * HOUR_MS],
  [day - 2 * HOUR_MS, day + 2 * HOUR_MS],
  [day, day + DAY_MS],
].map(([start = 0, end = 0]) => ({ start: start - (start % HOUR_MS), end: end - (end % HOUR_MS) }));

const questions: AnalyticsQuery[] = ranges.flatMap((range) =>
  (['searches', 'collections'] as const).flatMap((context) =>
    labels.flatMap((label) =>
      [undefined, 'lamp', 'summer', ''].map((term): AnalyticsQuery => {
        const query = { customerId, context, ...range };
        return { ...query, ...(label === undefined ? {} : { label }), ...(term === undefined ? {} : { term }) };
      }),
    ),
  ),
);

const pages = [
  { limit: 100, offset: 0 },
  { limit: 3, offset: 0 },
  { limit: 4, offset: 2 },
  { limit: 10, offset: 1_000 },
];

/** Every list of a range is what plain SQL makes of the rows of its hours. */
function expectLists(recorder: Recorder, { term: _, ...question }: AnalyticsQuery, random: Random): void {
  const [reports, oracle] = [new Reports(recorder.figures), new ListOracle(recorder.figures.db)];
  const page = random.pick(pages);
  const sort = random.pick(SORTS);
  const terms = reports.terms(question, { sort, currency: 'EUR', ...page });
  const lists = {
    terms: terms.map(({ term }) => term),
    noResults: reports.noResults(question, page),
    noClicks: reports.noClicks(question, page),
    products: reports.products(question, page),
  };
  expect({ question, sort, page, ...lists }).toEqual({
    ...{ question, sort, page },
    terms: oracle.terms(question, sort, page),
    noResults: oracle.noResults(question, page),
    noClicks: oracle.noClicks(question, page),
    products: oracle.products(question, page),
  });
  for (const { limit } of pages) {
    const asked = [customerId, question.start, limit] as const;
    expect({ asked, top: reports.topQueries(...asked) }).toEqual({ asked, top: oracle.topQueries(...asked) });
  }
  for (const { term, ...metrics } of terms) expect(metrics).toEqual(reports.summary({ ...question, term }));
}

/** Searches that the shop notes of sessions of its events, some of which found nothing. */
function logSome(recorder: Recorder, batch: readonly Given[], random: Random): void {
  const isLogged = (event: Given) => event.eventType === 'SearchEvent' && !isFinding(checkEvent(event, rules));
  const logged = batch.filter((event) => isLogged(event) && random.chance(0.5));
  recorder.logSearches(
    logged.map(({ sessionId, userId, query, timestamp }) => {
      const hits = random.below(3);
      const shown = Array.from({ length: hits }, () => `doc-${random.below(20)}`);
      const session = { sessionId: String(sessionId), userId: String(userId) };
      return { customerId, ...session, query: String(query), hits, shown, at: Date.parse(String(timestamp)) };
    }),
  );
}

describe('figures of generated shoppers', () => {
  test(
    `equal plain loops over ${EVENT_COUNT} raw events, and what a rebuild makes`,
    () => {
      const recorder = new Recorder({ folder: newFolder(), clock: () => now });
      const oracle = new Oracle();
      const random = new Random(SEED);
      const events = generated(SEED, EVENT_COUNT, Math.ceil(EVENT_COUNT / 50));
      for (let at = 0; at < events.length; ) {
        const batch = events.slice(at, at + 1 + random.below(500));
        at += batch.length;
        const expected = { received: batch.length, accepted: 0, duplicates: 0 };
        for (const event of batch) {
          if (isFinding(checkEvent(event, rules))) continue;
          expected[oracle.add(event) === 'accepted' ? 'accepted' : 'duplicates'] += 1;
        }
        const [result] = recorder.accept([batchOf(batch)]);
        expect(result).toMatchObject(expected);
        logSome(recorder, batch, random);
        if (random.chance(0.3)) recorder.rollUp(1 + random.below(2_000));
      }
      recorder.settle();
      const reports = new Reports(recorder.figures);
      for (const question of questions) {
        expect({ question, ...reports.summary(question) }).toEqual({ question, ...oracle.metrics(question) });
        if (random.chance(0.3)) expectLists(recorder, question, random);
      }
      while (recorder.packNext());
      for (const question of questions) if (random.chance(0.3)) expectLists(recorder, question, random);
      for (const range of ranges) {
        expect({ range, named: reports.namedProducts({ customerId, ...range }, 100) }).toEqual({
          range,
          named: oracle.namedProducts(range),
        });
      }
      const before = tablesOf(recorder);
      recorder.rebuild();
      expect(tablesOf(recorder)).toEqual(before);
      recorder.close();
    },
    TIME_LIMIT_MS,
  );

  const sequenceSeeds = Array.from(
    { length: Number(process.env.PELORUS_EVENT_SEQUENCES ?? 6) },
    (_, seed) => seed + SEED,
  );
  test.each(sequenceSeeds)('equal plain loops in whatever order things are done, seed %i', (seed) => {
    const random = new Random(seed);
    const folder = newFolder();
    const open = () => new Recorder({ folder, clock: () => now });
    let recorder = open();
    const oracle = new Oracle();
    const erased = new Set<unknown>();
    const users = Array.from({ length: 8 }, (_, user) => `user-${user}`);
    const source = shoppers({ seed, customerId, from: now - 20 * DAY_MS, to: now, userCount: users.length });

    const accept = () => {
      const batch = Array.from({ length: 1 + random.below(120) }, () => source.next().value as Given);
      let accepted = 0;
      for (const event of batch) {
        if (isFinding(checkEvent(event, rules)) || erased.has(event.userId)) continue;
        if (oracle.add(event) === 'accepted') accepted += 1;
      }
      expect(recorder.accept([batchOf(batch)])[0]?.accepted).toBe(accepted);
      logSome(recorder, batch, random);
    };
    const erase = () => {
      const user = random.pick(users);
      recorder.orderErasure(customerId, user);
      erased.add(user);
      oracle.erase(user);
      if (random.chance(0.5)) reopen();
      while (recorder.eraseNext());
      expect(recorder.exportUser(customerId, user).events).toEqual([]);
      expect(recorder.recentOf(customerId, { userId: user })).toEqual([]);
    };
    const reopen = () => {
      recorder.close();
      recorder = open();
    };
    const compare = () => {
      recorder.settle();
      const reports = new Reports(recorder.figures);
      for (const question of questions.filter(() => random.chance(0.2))) {
        expect({ question, ...reports.summary(question) }).toEqual({ question, ...oracle.metrics(question) });
        expectLists(recorder, question, random);
      }
      const range = random.pick(ranges);
      expect(reports.namedProducts({ customerId, ...range }, 100)).toEqual(oracle.namedProducts(range));
      const user = random.pick(users);
      const sent = oracle.eventsOf(user).map(({ timestamp }) => timestamp);
      const exported = recorder.exportUser(customerId, user).events;
      const own = exported.filter(({ eventType }) => eventType !== 'LoggedSearch');
      expect(own.map(({ timestamp }) => timestamp)).toEqual(sent.sort());
    };
    const pack = () => {
      for (let count = random.below(100); count > 0 && recorder.packNext(); count -= 1);
    };
    const rebuild = () => {
      recorder.settle();
      const before = tablesOf(recorder);
      recorder.rebuild();
      expect(tablesOf(recorder)).toEqual(before);
    };
    const steps = [
      accept,
      accept,
      accept,
      accept,
      () => recorder.rollUp(1 + random.below(200)),
      reopen,
      compare,
      pack,
      rebuild,
      erase,
    ];
    for (let step = 0; step < 25; step += 1) random.pick(steps)();
    compare();

    // Figures outlive their events.
    const before = tablesOf(recorder);
    recorder.setRetention(customerId, 1 + random.below(15));
    recorder.retain();
    recorder.rebuild();
    expect(tablesOf(recorder)).toEqual(before);
    for (const question of questions.filter(() => random.chance(0.1))) expectLists(recorder, question, random);
    recorder.close();
  });
});
