import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventStore } from '../src/event-store.js';
import { openEventStore } from '../src/open-event-store.js';

const customerId = 'shop';
const module = new URL('../dist/event-thread.js', import.meta.url);
const WAIT = { timeout: 60_000 };

let root: string;
let folder: string;
let store: EventStore;
const faults: string[] = [];
const openStore = (thread = module) => openEventStore({ folder, module: thread, onFault: (text) => faults.push(text) });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pelorus-reopening-'));
  folder = join(root, 'events');
  faults.length = 0;
  store = openStore();
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

let count = 0;

function search(): object {
  count += 1;
  return {
    ...{ eventType: 'SearchEvent', customerId, experimentId: 'e', userId: 'u', sessionId: `s${count}`, userAgent: 'x' },
    ...{ customVariant: 'a', referrerUrl: 'r', pageUrl: 'p', query: 'shoes', timestamp: new Date().toISOString() },
  };
}

/** Sends one event until it is taken. */
async function sendUntilTaken(): Promise<void> {
  const event = search();
  const isTaken = () =>
    store.accept(customerId, [event]).then(
      ({ accepted, duplicates }) => accepted + duplicates,
      (error) => error.code,
    );
  await expect.poll(isTaken, WAIT).toBe(1);
}

async function eventsInFiles(): Promise<number> {
  const { events } = await store.exportUser(customerId, 'u');
  return events.length;
}

function isWhole(path: string): boolean {
  try {
    const database = new Database(path, { readonly: true });
    try {
      return database.pragma('integrity_check', { simple: true }) === 'ok';
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

const fileOfNow = () => join(folder, `events-${new Date().toISOString().slice(0, 7)}.db`);

test('a store that cannot be opened answers 503, tells why, and opens once it can', async () => {
  await store.accept(customerId, [search()]);
  await store.close();
  const ledger = new Database(join(folder, 'ledger.db'));
  ledger.pragma('user_version = 9');
  store = openStore();
  const reason = 'ledger.db is of form 9, which a later version wrote: expected at most 1';
  await expect(store.accept(customerId, [search()])).rejects.toMatchObject({
    code: 'service_unavailable',
    message: `The store of events cannot be used: ${reason}. Try again.`,
  });
  await expect
    .poll(() => store.problems, WAIT)
    .toEqual([{ status: 'red', reason: `The store of events cannot be used, and will be tried again: ${reason}` }]);
  expect(faults[0]).toContain(reason);
  ledger.pragma('user_version = 1');
  ledger.close();
  await sendUntilTaken();
  await expect.poll(() => store.problems, WAIT).toEqual([]);
  expect(await eventsInFiles()).toBe(2);
});

test('a file that is removed while it is open loses nothing that is said to be stored after that', async () => {
  await store.accept(customerId, [search(), search()]);
  for (const end of ['', '-wal', '-shm']) rmSync(fileOfNow() + end, { force: true });
  await sendUntilTaken();
  await expect.poll(() => store.problems.map(({ status }) => status), WAIT).toContain('yellow');
  expect(existsSync(fileOfNow())).toBe(true);
  const known = await eventsInFiles();
  await store.close();
  store = openStore();
  expect(await eventsInFiles()).toBe(known);
  expect(known).toBeGreaterThanOrEqual(1);
});

test.each(['ledger.db', 'figures.db', 'month'])('%s that is cut while it is open is told, and mended', async (file) => {
  for (let batch = 0; batch < 20; batch += 1) {
    await store.accept(customerId, Array.from({ length: 50 }, search));
  }
  await store.settled();
  const path = file === 'month' ? fileOfNow() : join(folder, file);
  await store.close();
  store = openStore();
  await store.settled();
  truncateSync(path, 4096);
  const ask = () =>
    store.settled().then(
      () => store.eraseUser(customerId, 'nobody').then(() => 'erased'),
      () => 'refused',
    );
  await sendUntilTaken();
  await expect.poll(ask, WAIT).toBe('erased');
  await store.close();
  // SQLite's log may have held every page that was cut: then nothing was lost, and there is nothing to tell.
  const isMended = faults.length === 0 && isWhole(path);
  store = openStore();
  await sendUntilTaken();
  if (isMended) return expect(store.problems).toEqual([]);
  await expect.poll(() => store.problems.length, WAIT).toBeGreaterThan(0);
  expect(faults.length).toBeGreaterThan(0);
  expect(readdirSync(folder).some((name) => name.includes('.damaged-'))).toBe(true);
});

test('a thread that ends is started again, and what was under way is refused', async () => {
  await store.close();
  const [flag, thread] = [join(root, 'end'), join(root, 'thread.mjs')];
  writeFileSync(
    thread,
    `import { existsSync, rmSync } from 'node:fs';
     import ${JSON.stringify(module.href)};
     setInterval(() => {
       if (!existsSync(${JSON.stringify(flag)})) return;
       rmSync(${JSON.stringify(flag)});
       process.exit(3);
     }, 5).unref();`,
  );
  store = openStore(pathToFileURL(thread));
  await store.accept(customerId, [search()]);
  writeFileSync(flag, '');
  await expect.poll(() => faults, WAIT).toEqual(['The store of events has ended: its thread ended']);
  expect(store.problems).toMatchObject([{ status: 'red' }]);
  await expect(store.accept(customerId, [search()])).rejects.toMatchObject({ code: 'service_unavailable' });
  await sendUntilTaken();
  await expect.poll(() => store.problems, WAIT).toEqual([]);
  expect(await eventsInFiles()).toBe(2);
});
