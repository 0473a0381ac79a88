import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../src/event.js';
import { MonthFile } from '../src/month-file.js';
import { Recorder } from '../src/recorder.js';
import { Reports } from '../src/reports.js';

const start = Date.parse('2026-11-12T10:20:30Z');
const customerId = 'shop';
const user = 'anna-of-the-many-names';

let now: number;
let root: string;
let folder: string;
const open: Recorder[] = [];
const reports: string[] = [];

function recorderIn(path: string): Recorder {
  const recorder = new Recorder({ folder: path, clock: () => now, report: (message) => reports.push(message) });
  open.push(recorder);
  return recorder;
}

function end(recorder: Recorder): void {
  open.splice(open.indexOf(recorder), 1);
  recorder.close();
}

beforeEach(() => {
  now = start;
  root = mkdtempSync(join(tmpdir(), 'pelorus-erasure-'));
  folder = join(root, 'events');
  reports.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const recorder of open.splice(0)) recorder.close();
  rmSync(root, { recursive: true });
});

type Members = Readonly<Record<string, unknown>>;

function search(userId: string, at: number, members: Members = {}): Members {
  return {
    ...{ eventType: 'SearchEvent', customerId, experimentId: 'e', userId, sessionId: `session of ${at % 7}` },
    ...{ customVariant: 'a', userAgent: 'x', referrerUrl: 'r', pageUrl: 'p', query: `query ${at % 5}` },
    ...{ timestamp: new Date(at).toISOString(), ...members },
  };
}

function accept(recorder: Recorder, events: readonly Members[], customer = customerId): void {
  const texts = events.map((event) => JSON.stringify({ ...event, customerId: customer }));
  recorder.accept([{ customerId: customer, texts }]);
}

/** Events of two months, those of the user among others. */
function fill(recorder: Recorder, userId = user, customer = customerId): void {
  for (let day = 1; day <= 13; day += 1) {
    const at = now - day * DAY_MS;
    accept(recorder, [search(userId, at), search('bert', at + HOUR_MS), search(userId, at + 1)], customer);
  }
  recorder.settle();
}

/** Files in which the bytes of a name are. */
function filesWith(name: string, path: string): string[] {
  return readdirSync(path).filter((file) => readFileSync(join(path, file)).includes(name));
}

function queriesOf(recorder: Recorder, customer = customerId): number {
  recorder.settle();
  const range = { start: start - 30 * DAY_MS - (start % HOUR_MS), end: start + DAY_MS };
  return new Reports(recorder.figures).summary({ customerId: customer, context: 'searches', ...range }).totalQueries;
}

describe('an erasure says done', () => {
  /** Copies the files that a crash leaves at this moment. */
  function crashed(name: string): string {
    const path = join(root, name);
    cpSync(folder, path, { recursive: true });
    return path;
  }

  /** Breaks off before the `place`th of the calls that write; tells whether there were as many. */
  function breakOff(recorder: Recorder, place: number): boolean {
    let calls = 0;
    for (const method of ['exec', 'pragma', 'prepare'] as const) {
      const original = Database.prototype[method] as (...args: unknown[]) => unknown;
      vi.spyOn(Database.prototype, method).mockImplementation(function (this: Database.Database, ...args: unknown[]) {
        calls += 1;
        if (calls > place) throw new Error('broken off');
        return original.apply(this, args) as never;
      });
    }
    try {
      recorder.eraseNext();
    } catch (error) {
      expect(error).toMatchObject({ message: 'broken off' });
    }
    vi.restoreAllMocks();
    return calls > place;
  }

  test('only where no byte of the name is left, wherever it is broken off', () => {
    const recorder = recorderIn(folder);
    fill(recorder);
    const { jobId } = recorder.orderErasure(customerId, user);
    expect(filesWith(user, folder).length).toBeGreaterThan(2);
    const base = crashed('base');
    let hasBroken = true;
    for (let place = 0; hasBroken; place += 1) {
      folder = join(root, `run-${place}`);
      cpSync(base, folder, { recursive: true });
      const broken = recorderIn(folder);
      hasBroken = breakOff(broken, place);
      const left = crashed(`left-${place}`);
      const next = recorderIn(left);
      if (next.erasure(jobId)?.state === 'done')
        expect({ place, files: filesWith(user, left) }).toEqual({ place, files: [] });
      while (next.eraseNext());
      expect({ place, state: next.erasure(jobId)?.state, files: filesWith(user, left) }).toEqual({
        ...{ place, state: 'done', files: [] },
      });
      expect({ place, queries: queriesOf(next) }).toEqual({ place, queries: 13 });
      // A store that failed without a crash gets there too.
      now += HOUR_MS;
      while (broken.eraseNext());
      expect({ place, files: filesWith(user, folder), queries: queriesOf(broken) }).toEqual({
        ...{ place, files: [], queries: 13 },
      });
      now = start;
      for (const used of open.splice(1)) used.close();
      for (const path of [folder, left]) rmSync(path, { recursive: true });
    }
  });

  test('where the name stood only in the ledger, in free space of a month, or with an event that was known already', () => {
    const recorder = recorderIn(folder);
    accept(recorder, [search('bert', now, { eventId: 'own' })]);
    accept(recorder, [search(user, now, { eventId: 'own' })]);
    accept(recorder, [search(`${user}-2`, now - 3 * DAY_MS)]);
    expect(filesWith(user, folder)).not.toEqual([]);
    recorder.setRetention(customerId, 1);
    recorder.retain();
    recorder.orderErasure(customerId, user);
    recorder.orderErasure(customerId, user);
    while (recorder.eraseNext());
    expect(filesWith(user, folder)).toEqual([]);
  });

  test('for each of several jobs for one user at once', () => {
    const recorder = recorderIn(folder);
    fill(recorder);
    const jobs = [1, 2, 3].map(() => recorder.orderErasure(customerId, user).jobId);
    recorder.eraseNext();
    expect(jobs.map((job) => recorder.erasure(job)?.state)).toEqual(['done', 'done', 'done']);
    expect(filesWith(user, folder)).toEqual([]);
  });

  test('not while another process reads a file whose log holds the name', () => {
    const recorder = recorderIn(folder);
    fill(recorder);
    const reader = new Database(join(folder, 'events-2026-11.db'), { readonly: true });
    onTestFinished(() => void reader.close());
    reader.exec('BEGIN');
    reader.prepare('SELECT COUNT(*) FROM events').get();
    const { jobId } = recorder.orderErasure(customerId, user);
    recorder.eraseNext();
    expect(recorder.erasure(jobId)?.state).toBe('pending');
    reader.exec('COMMIT');
    now += HOUR_MS;
    while (recorder.eraseNext());
    expect(recorder.erasure(jobId)?.state).toBe('done');
    expect(filesWith(user, folder)).toEqual([]);
  });
});

test('an erasure that fails holds up no other, is told, and is tried again later and later', () => {
  const recorder = recorderIn(folder);
  fill(recorder, 'evil');
  fill(recorder, user, 'other');
  const original = MonthFile.prototype.removeUser;
  let attempts = 0;
  vi.spyOn(MonthFile.prototype, 'removeUser').mockImplementation(function (this: MonthFile, customer, name) {
    if (name !== 'evil') return original.call(this, customer, name);
    if (this.month === '2026-11') attempts += 1;
    throw new Error('the disk is full');
  });
  const evil = recorder.orderErasure(customerId, 'evil').jobId;
  now += 1;
  const anna = recorder.orderErasure('other', user).jobId;
  while (recorder.eraseNext());
  expect([evil, anna].map((job) => recorder.erasure(job)?.state)).toEqual(['pending', 'done']);
  expect(filesWith(user, folder)).toEqual([]);
  expect(reports).toEqual(['An erasure failed, and will be tried again: the disk is full']);
  expect(recorder.problems()).toEqual([
    {
      status: 'yellow',
      reason: 'Erasures that fail and will be tried again: 1, the first for: the disk is full',
    },
  ]);
  const waits: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const due = recorder.retryDueMs() as number;
    waits.push(due - now);
    now = due - 1;
    expect(recorder.eraseNext()).toBe(false);
    now = due;
    expect(recorder.eraseNext()).toBe(true);
  }
  expect(attempts).toBe(16);
  expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(waits.at(-1)).toBe(600_000);
  vi.restoreAllMocks();
  now = recorder.retryDueMs() as number;
  while (recorder.eraseNext());
  expect([recorder.erasure(evil)?.state, recorder.problems()]).toEqual(['done', []]);
  expect(filesWith('evil', folder)).toEqual([]);
  expect(queriesOf(recorder)).toBe(13);
});

describe('files that are older than an erasure, and put back alone,', () => {
  const figuresOf = (recorder: Recorder) => {
    recorder.settle();
    const rows = (table: string) => recorder.figures.db.prepare(`SELECT * FROM ${table}`).all();
    return ['totals', 'terms', 'actions'].map((table) =>
      rows(table)
        .map((row) => JSON.stringify(row))
        .sort(),
    );
  };
  const isNamedIn = (name: string) => readFileSync(join(folder, name)).includes(user);

  /** A store of whose files there is a copy of before an erasure. */
  function erased() {
    const recorder = recorderIn(folder);
    fill(recorder);
    // An erasure of before is no reason to go through a file.
    recorder.orderErasure(customerId, 'nobody');
    while (recorder.eraseNext());
    end(recorder);
    const copy = join(root, 'copy');
    cpSync(folder, copy, { recursive: true });
    const again = recorderIn(folder);
    now += HOUR_MS;
    again.orderErasure(customerId, user);
    while (again.eraseNext());
    const figures = figuresOf(again);
    end(again);
    reports.length = 0;
    const putBack = (...names: string[]) => {
      for (const name of names) cpSync(join(copy, name), join(folder, name));
      now += DAY_MS;
      return recorderIn(folder);
    };
    return { figures, putBack, copy };
  }

  test('months bring no user back', () => {
    const { figures, putBack } = erased();
    const months = ['events-2026-10.db', 'events-2026-11.db'];
    const recorder = putBack(...months);
    expect(recorder.exportUser(customerId, user).events).toEqual([]);
    expect(recorder.exportUser(customerId, 'bert').events).toHaveLength(13);
    expect(recorder.recentOf(customerId, { userId: user })).toEqual([]);
    expect(months.filter(isNamedIn)).toEqual([]);
    for (const name of months) expect(reports.filter((text) => text.includes(`${name} is older`))).toHaveLength(1);
    expect(figuresOf(recorder)).toEqual(figures);
    accept(recorder, [search(user, now)]);
    end(recorder);
    reports.length = 0;
    expect([recorderIn(folder).exportUser(customerId, user).events.length, reports]).toEqual([1, []]);
  });

  test('figures are counted again', () => {
    const { figures, putBack } = erased();
    const recorder = putBack('figures.db', 'figures.sum');
    expect(figuresOf(recorder)).toEqual(figures);
    expect(reports).toEqual([expect.stringMatching(/^figures\.db is older than erasures/)]);
  });

  test('figures and months together come to the same', () => {
    const { figures, putBack } = erased();
    const recorder = putBack('figures.db', 'figures.sum', 'events-2026-10.db', 'events-2026-11.db');
    expect([figuresOf(recorder), recorder.exportUser(customerId, user).events]).toEqual([figures, []]);
  });

  test('a ledger is told, with its copy or alone', () => {
    const { putBack } = erased();
    const alone = putBack('ledger.db');
    expect(reports.splice(0)).toEqual([expect.stringMatching(/^ledger\.db is damaged .* made anew from ledger-copy/)]);
    end(alone);
    const older = putBack('ledger.db', 'ledger-copy.json');
    expect(reports.splice(0)).toContainEqual(expect.stringMatching(/^ledger\.db is older than events-/));
    const problem = { status: 'yellow', reason: expect.stringContaining('is older than') };
    expect(older.problems()).toContainEqual(problem);
    end(older);
    const again = recorderIn(folder);
    expect(again.problems()).toContainEqual(problem);
    end(again);
    reports.length = 0;
    const third = recorderIn(folder);
    expect([third.problems(), reports]).toEqual([expect.arrayContaining([problem]), [problem.reason]]);
    // The user is named in it, too.
    for (const name of readdirSync(folder)) if (name.includes('.damaged-')) rmSync(join(folder, name));
    third.orderErasure(customerId, user);
    while (third.eraseNext());
    end(third);
    expect(recorderIn(folder).problems()).not.toContainEqual(problem);
  });

  test('a copy of the ledger is written anew, which is told', () => {
    const { putBack } = erased();
    putBack('ledger-copy.json');
    expect(reports).toEqual(['ledger-copy.json is older than ledger.db; it is written anew']);
  });

  test('but with all other files they are as they were', () => {
    const { putBack, copy } = erased();
    const recorder = putBack(...readdirSync(copy));
    expect([recorder.exportUser(customerId, user).events.length, reports]).toEqual([26, []]);
  });

  test('and those of before this was noted are gone through once, and no figures are counted again', () => {
    const { figures, copy } = erased();
    for (const name of readdirSync(folder).filter((one) => /^(events|figures).*\.db$/.test(one))) {
      const db = new Database(join(folder, name));
      db.exec('DROP TABLE cleaned');
      db.close();
    }
    rmSync(join(folder, 'figures.sum'));
    const recorder = recorderIn(folder);
    expect([figuresOf(recorder), reports]).toEqual([figures, []]);
    expect(readdirSync(copy)).toContain('ledger.db');
  });
});
