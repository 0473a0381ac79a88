import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../src/event.js';
import type { EventProblem } from '../src/event-store.js';
import { Recorder } from '../src/recorder.js';
import { Reports } from '../src/reports.js';
import { Random } from './generator.js';

const SEED = Number(process.env.PELORUS_DAMAGE_SEED ?? 1);
const BITS = Number(process.env.PELORUS_DAMAGE_BITS ?? 2);
const now = Date.parse('2026-11-12T10:20:30Z');
const customerId = 'shop';
const DAYS = 20;
const erased = 'carla';

const root = mkdtempSync(join(tmpdir(), 'pelorus-damage-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Opened {
  readonly recorder: Recorder;
  readonly reports: string[];
}

function open(folder: string, suspect?: string): Opened {
  const reports: string[] = [];
  const recorder = new Recorder({ folder, clock: () => now, report: (message) => reports.push(message), suspect });
  return { recorder, reports };
}

let count = 0;

function search(at: number, members: object = {}): string {
  count += 1;
  return JSON.stringify({
    ...{ eventType: 'SearchEvent', customerId, experimentId: 'e', userId: `user-${count % 9}`, customVariant: 'a' },
    ...{
      sessionId: `s-${count >> 2}`,
      userAgent: 'x',
      referrerUrl: 'r',
      pageUrl: `p${count}`,
      query: `q ${count % 50}`,
    },
    ...{ timestamp: new Date(at).toISOString(), ...members },
  });
}

/** Everything that the store was told and has to tell. */
function contentOf({ recorder }: Opened) {
  recorder.settle();
  const events: string[] = [];
  let after: string | undefined;
  do {
    const page = recorder.exportUbi(customerId, after);
    events.push(...page.queries.map((query) => JSON.stringify(query)));
    after = page.next ?? undefined;
  } while (after !== undefined);
  const range = { start: now - (now % HOUR_MS) - 30 * DAY_MS, end: now - (now % HOUR_MS) };
  const reports = new Reports(recorder.figures);
  const query = { customerId, context: 'searches' as const, ...range };
  const page = { limit: 100, offset: 0 };
  return {
    events: events.sort(),
    days: recorder.retentionOf(customerId),
    isErased: recorder.accept([{ customerId, texts: [search(now - DAY_MS, { userId: erased })] }])[0]?.accepted === 0,
    summary: reports.summary(query),
    terms: reports.terms(query, { sort: 'totalQueries', ...page }),
    quality: reports.dataQuality({ customerId, ...range }).accepted,
    ...{ series: reports.timeSeries(query, 'hour'), top: reports.topQueries(customerId, range.start, 100) },
  };
}

const orderly = join(root, 'orderly');
const crashed = join(root, 'crashed');
let whole: ReturnType<typeof contentOf>;

beforeAll(() => {
  const folder = join(root, 'made');
  const store = open(folder);
  store.recorder.setRetention(customerId, 400);
  for (let day = DAYS; day >= 1; day -= 1) {
    const texts = Array.from({ length: 30 }, (_, place) => search(now - day * DAY_MS + place * 1_000));
    store.recorder.accept([{ customerId, texts }]);
    // Later events are in the logs of files that nobody closed.
    if (day !== 15) continue;
    store.recorder.orderErasure(customerId, erased);
    while (store.recorder.eraseNext());
  }
  store.recorder.settle();
  store.recorder.noteMonths();
  whole = contentOf(store);
  expect(whole.events).toHaveLength(DAYS * 30);
  cpSync(folder, crashed, { recursive: true });
  store.recorder.close();
  cpSync(folder, orderly, { recursive: true });
});

type Damage = (path: string, random: Random) => void;

const changed =
  (change: (bytes: Buffer) => Buffer): Damage =>
  (path) =>
    writeFileSync(path, change(readFileSync(path)));

const kinds: [string, Damage][] = [
  ...Array.from({ length: BITS }, (_, number): [string, Damage] => [
    `a flipped bit (${number})`,
    (path, random) => {
      const bytes = readFileSync(path);
      const place = random.below(bytes.length);
      bytes[place] = (bytes[place] as number) ^ (1 << random.below(8));
      writeFileSync(path, bytes);
    },
  ]),
  [
    'noise in the middle',
    (path, random) => {
      const bytes = readFileSync(path);
      const place = random.below(Math.max(1, bytes.length - 64));
      for (let at = place; at < Math.min(bytes.length, place + 64); at += 1) bytes[at] = random.below(256);
      writeFileSync(path, bytes);
    },
  ],
  ['noise all over', changed((bytes) => Buffer.from(bytes.map((byte, at) => (byte * 31 + at * 7 + 13) & 255)))],
  ['its second half cut', changed((bytes) => bytes.subarray(0, bytes.length >> 1))],
  ['its last page cut', changed((bytes) => bytes.subarray(0, Math.max(0, bytes.length - 4096)))],
  ['its last bytes cut', changed((bytes) => bytes.subarray(0, bytes.length - 10))],
  ['nothing in it', (path) => truncateSync(path, 0)],
  ['no name any more', (path) => rmSync(path)],
];

const states = [
  [
    'closed',
    orderly,
    ['events-2026-11.db', 'events-2026-10.db', 'ledger.db', 'figures.db', 'ledger-copy.json', 'figures.sum'],
  ],
  [
    'killed',
    crashed,
    [
      'events-2026-11.db',
      'events-2026-11.db-wal',
      'events-2026-10.db-wal',
      'ledger.db',
      'ledger.db-wal',
      'figures.db',
      'figures.db-wal',
      'ledger-copy.json',
    ],
  ],
] as const;

/** Expects all to be there, or its loss to have been told, by a line and to whoever asks how it goes. */
function expectWholeOrTold(
  what: string,
  store: Opened,
  problems: readonly EventProblem[],
): ReturnType<typeof contentOf> {
  const found = contentOf(store);
  const isWhole = JSON.stringify(found) === JSON.stringify(whole);
  const isTold = store.reports.length > 0 && problems.length > 0;
  const differing = Object.keys(whole).filter(
    (name) => JSON.stringify(found[name as 'days']) !== JSON.stringify(whole[name as 'days']),
  );
  expect({
    what,
    isToldOrWhole: isWhole || isTold,
    differing: isTold ? [] : differing,
    reports: store.reports,
  }).toEqual({
    ...{ what, isToldOrWhole: true, differing: [], reports: store.reports },
  });
  for (const event of found.events) expect(whole.events).toContain(event);
  return found;
}

describe.each(states)('in a store that was %s', (state, source, files) => {
  test.each(files)('%s may be damaged in any way', (file) => {
    for (const [kind, damage] of kinds) {
      const what = `${file} of a store that was ${state} with ${kind}, seed ${SEED}`;
      const folder = join(root, 'damaged');
      cpSync(source, folder, { recursive: true });
      damage(join(folder, file), new Random(SEED * 1_000 + kinds.findIndex(([name]) => name === kind)));
      const store = open(folder);
      const problems = store.recorder.problems();
      const found = expectWholeOrTold(what, store, problems);
      // New events of every month are stored, counted, and there after the next start, which finds nothing new.
      const fresh = [now - HOUR_MS, now - 15 * DAY_MS].map((at) => search(at, { query: 'a new one' }));
      const [result] = store.recorder.accept([{ customerId, texts: fresh }]);
      expect({ what, accepted: result?.accepted }).toEqual({ what, accepted: fresh.length });
      store.recorder.settle();
      const queries = found.summary.totalQueries;
      store.recorder.close();
      const again = open(folder);
      expect({ what, reports: again.reports }).toEqual({ what, reports: [] });
      if (problems.length > 0 && file !== 'figures.db') expect(again.recorder.problems()).not.toEqual([]);
      const after = contentOf(again);
      expect({ what, events: after.events.length }).toEqual({ what, events: found.events.length + fresh.length });
      expect({ what, queries: after.summary.totalQueries }).toEqual({ what, queries: queries + fresh.length });
      again.recorder.close();
      rmSync(folder, { recursive: true });
    }
  });
});

/** Opens a store whose file is of a form that nobody knows yet. */
function ofNewerForm(file: string): string {
  const folder = join(root, `newer ${file}`);
  cpSync(orderly, folder, { recursive: true });
  rmSync(join(folder, 'figures.sum'));
  const db = new Database(join(folder, file));
  db.pragma('user_version = 9');
  db.close();
  return folder;
}

describe('a file of a later version', () => {
  test('a month is closed and left as it is, told, and opened once it is known; others go on', () => {
    const folder = ofNewerForm('events-2026-10.db');
    const bytes = readFileSync(join(folder, 'events-2026-10.db'));
    const { recorder, reports } = open(folder);
    const reason =
      'events-2026-10.db cannot be used, and will be tried again: events-2026-10.db is of form 9, which a later version wrote: expected at most 1';
    expect([reports, recorder.problems()]).toEqual([[reason], [{ status: 'red', reason }]]);
    const send = (at: number) => recorder.accept([{ customerId, texts: [search(at)] }])[0]?.accepted;
    expect(send(now - HOUR_MS)).toBe(1);
    expect(() => send(now - 15 * DAY_MS)).toThrow(reason);
    // Nobody can say that nothing is left of a user.
    const { jobId } = recorder.orderErasure(customerId, 'user-1');
    recorder.eraseNext();
    expect(recorder.erasure(jobId)?.state).toBe('pending');
    expect(readFileSync(join(folder, 'events-2026-10.db'))).toEqual(bytes);
    recorder.close();
  });

  test.each(['ledger.db', 'figures.db'])('%s keeps the store closed, and is left as it is', (file) => {
    const folder = ofNewerForm(file);
    const bytes = readFileSync(join(folder, file));
    expect(() => open(folder)).toThrow(`${file} is of form 9, which a later version wrote`);
    expect(readFileSync(join(folder, file))).toEqual(bytes);
  });
});

describe('a stray file', () => {
  test.each(['events-2026-13.db', 'notes.txt', 'events-2026-11.db.bak'])('%s is told, and nothing else', (name) => {
    const folder = join(root, `stray ${name}`);
    cpSync(orderly, folder, { recursive: true });
    cpSync(join(folder, 'events-2026-11.db'), join(folder, name));
    const store = open(folder);
    expect(store.recorder.problems()).toEqual([
      { status: 'yellow', reason: `${name} is none of the files of the store` },
    ]);
    expect(contentOf(store)).toEqual(whole);
    store.recorder.close();
  });

  test('in the place of a month is another month: it is kept aside, and the month goes on', () => {
    const folder = join(root, 'stray month');
    cpSync(orderly, folder, { recursive: true });
    cpSync(join(folder, 'events-2026-11.db'), join(folder, 'events-2026-09.db'));
    const store = open(folder);
    expect(store.reports).toEqual([expect.stringContaining('an event is of another month')]);
    expect(contentOf(store)).toEqual(whole);
    store.recorder.close();
  });
});

test('a file that is large is gone through once something was wrong in it', () => {
  const folder = join(root, 'suspect');
  cpSync(orderly, folder, { recursive: true });
  const db = new Database(join(folder, 'events-2026-10.db'));
  db.exec("UPDATE events SET body = replace(body, 'Mozilla', 'Mosaic'), received = received + 1 WHERE seq = 7");
  db.close();
  const store = open(folder, 'events-2026-10.db');
  expect(store.reports).toEqual([
    expect.stringContaining('269 of its events could be read and go on, up to 1 are lost'),
  ]);
  store.recorder.close();
});

test.each([0.6, 0.9])('a month of which %f is left keeps its readable events', (share) => {
  const folder = join(root, `cut ${share}`);
  cpSync(orderly, folder, { recursive: true });
  const path = join(folder, 'events-2026-11.db');
  truncateSync(path, Math.floor((statSync(path).size * share) / 4096) * 4096);
  const store = open(folder);
  const { events } = contentOf(store);
  const saved = events.length - 9 * 30;
  expect(saved).toBeGreaterThan(share * 330 * 0.6);
  expect(store.reports).toEqual([expect.stringContaining(`; ${saved} of its events could be read and go on`)]);
  store.recorder.close();
});

test('an erasure waits for as long as a damaged file is kept that may hold the user', () => {
  const folder = join(root, 'kept');
  cpSync(orderly, folder, { recursive: true });
  truncateSync(join(folder, 'events-2026-10.db'), 30_000);
  let at = now;
  const recorder = new Recorder({ folder, clock: () => at });
  const { jobId } = recorder.orderErasure(customerId, 'user-1');
  while (recorder.eraseNext());
  expect(recorder.erasure(jobId)?.state).toBe('pending');
  expect(recorder.exportUser(customerId, 'user-1').events).toEqual([]);
  const kept = 'events-2026-10.db.damaged-20261112T102030Z';
  expect(recorder.problems().at(-1)?.reason).toContain(`${kept} may hold the user, and cannot be read`);
  rmSync(join(folder, kept));
  at += HOUR_MS;
  while (recorder.eraseNext());
  expect([recorder.erasure(jobId)?.state, recorder.problems()]).toEqual(['done', []]);
  recorder.close();
});

test('a store of which nothing is left is told as lost and goes on; a new one is told nothing of', () => {
  for (const wasThere of [false, true]) {
    const folder = join(root, `gone ${wasThere}`);
    const reports: string[] = [];
    const recorder = new Recorder({ folder, wasThere, clock: () => now, report: (text) => reports.push(text) });
    expect(reports.some((text) => text.includes('all events are lost that were stored'))).toBe(wasThere);
    expect(
      recorder
        .problems()
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual(wasThere ? [...reports, 'Figures are counted again from raw events'].sort() : []);
    expect(recorder.accept([{ customerId, texts: [search(now - HOUR_MS)] }])[0]?.accepted).toBe(1);
    recorder.close();
  }
});

test.each(['cut', 'gone'])('events that were erased before are not told as lost where a file is %s', (how) => {
  const folder = join(root, `erased, then ${how}`);
  cpSync(orderly, folder, { recursive: true });
  const first = open(folder);
  const before = contentOf(first).events.length;
  for (let user = 0; user < 8; user += 1) first.recorder.orderErasure(customerId, `user-${user}`);
  while (first.recorder.eraseNext());
  const left = contentOf(first).events.length;
  expect(left).toBeLessThan(before / 4);
  first.recorder.close();
  const path = join(folder, 'events-2026-10.db');
  if (how === 'gone') rmSync(path);
  else writeFileSync(path, readFileSync(path).fill(0, 100, 200));
  const { recorder, reports } = open(folder);
  const [, lost] = /up to (\d+) are lost|its events, (\d+) at least/.exec(reports.join())?.filter(Boolean) ?? [];
  expect(Number(lost), reports.join()).toBeLessThanOrEqual(left);
  recorder.close();
});
