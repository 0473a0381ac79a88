import type { DocumentScan, RankedSearch } from '@pelorus/engine';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Cursors, type ReadDocuments, type SharedCursors } from '../../src/services/cursors.js';
import { RankedPages } from '../../src/services/ranked-pages.js';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';

const everything = {
  filter: null,
  within: null,
  attributesToRetrieve: null,
  exposeFacets: false,
  exposeTensors: false,
};
const few = { countMax: { scan: 2, search: 2 }, bytesMax: 1000, idleMs: 1000, ageMs: 60_000 };
/** All documents of an index, by its name. */
const [ofA, ofB] = ['a', 'b'].map((index) => ({ index, calledAs: index, within: null })) as [
  ReadDocuments,
  ReadDocuments,
];
let service: Service;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
});

afterAll(() => service.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const begun = () => service.engine.scanDocuments('a', everything);

/** Tells whether a scan is closed: then no page can be asked for. */
async function isClosed(scan: DocumentScan): Promise<boolean> {
  try {
    await scan.page(0, 1);
    return false;
  } catch {
    return true;
  }
}

/** A search whose query takes so many bytes, and how often it was closed. */
function searched(bytes = 0) {
  const close = vi.fn();
  const ranked: RankedSearch = { count: 9, memoryBytes: 0, page: async () => Buffer.from('{}'), close };
  return { pages: new RankedPages(ranked, Buffer.alloc(bytes), 3, 'search.vector'), close };
}

/** The records that servers share, whose readings are counted. */
function sharedBy() {
  const records = new Map<string, unknown>();
  const [close, end] = [vi.fn(), vi.fn()];
  const search = () => {
    const ranked = {
      count: 9,
      memoryBytes: 0,
      page: async () => Buffer.from('{}'),
      close,
      end,
      share: () => ({ of: 'a' }),
    };
    return new RankedPages(ranked, Buffer.from('"dog"'), 3, 'search.vector');
  };
  const shared: SharedCursors = {
    keep: async (id, kept) => void records.set(id, structuredClone(kept)),
    find: async (id) => records.get(id),
    forget: async (id) => void records.delete(id),
    resume: {
      scan: async () => undefined,
      search: async (_, pages) => {
        expect(pages).toEqual({ ranking: { of: 'a' }, query: '"dog"', limit: 3, area: 'search.vector' });
        return search();
      },
    },
  };
  return { shared, records, close, end, search };
}

test('a reading is there for nobody who reaches other documents', async () => {
  const cursors = new Cursors(few);
  const [acme, other] = ['tenant:acme', 'tenant:other'].map((within) => ({ ...ofA, within })) as [
    ReadDocuments,
    ReadDocuments,
  ];
  const id = cursors.hold('scan', acme, await begun());
  const cursor = cursors.cursorOf(id, 1);
  for (const of of [other, ofA]) expect(() => cursors.find('scan', of, cursor)).toThrow('There is no scan of index a');
  expect(cursors.find('scan', acme, cursor).id).toBe(id);
  cursors.close();
});

test('a search goes on at another server, whatever becomes of the one that began it', async () => {
  const { shared, records, close, end, search } = sharedBy();
  const [one, other] = [new Cursors(few, shared), new Cursors(few, shared)];
  const id = one.hold('search', ofA, search());
  await one.share(id);
  const cursor = one.cursorOf(id, 3);
  one.close();
  expect([close.mock.calls.length, end.mock.calls.length]).toEqual([1, 0]);
  await expect(other.reach('search', ofB, cursor)).rejects.toThrow('There is no search of index b');
  await expect(other.reach('scan', ofA, cursor)).rejects.toThrow('There is no scan of index a');
  const bound = { ...ofA, within: 'tenant:acme' };
  await expect(other.reach('search', bound, cursor)).rejects.toThrow('There is no search of index a');
  expect(await other.reach('search', ofA, cursor)).toMatchObject({ id, start: 3 });
  // Held from then on, until it is read to its end.
  vi.advanceTimersByTime(900);
  expect(await other.reach('search', ofA, cursor)).toMatchObject({ id, start: 3 });
  other.end(id);
  expect([end.mock.calls.length, records.size]).toEqual([1, 0]);
  await expect(other.reach('search', ofA, cursor)).rejects.toThrow('There is no search of index a');
});

test('a search that nobody asks for a page goes on at any server until it is too old', async () => {
  const { shared, search, end } = sharedBy();
  const cursors = new Cursors(few, shared);
  vi.setSystemTime(0);
  const id = cursors.hold('search', ofA, search());
  await cursors.share(id);
  vi.advanceTimersByTime(5_000);
  expect(await cursors.reach('search', ofA, cursors.cursorOf(id, 3))).toMatchObject({ start: 3 });
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  const late = new Cursors(few, shared).reach('search', ofA, cursors.cursorOf(id, 3));
  await expect(late).rejects.toMatchObject({ code: 'snapshot_too_old' });
});

test('a search that cannot be told to other servers is ended', async () => {
  const { shared, search, close } = sharedBy();
  const keep = () => Promise.reject(new Error('nobody answers'));
  const cursors = new Cursors(few, { ...shared, keep });
  const id = cursors.hold('search', ofA, search());
  await expect(cursors.share(id)).rejects.toThrow('nobody answers');
  expect(close).toHaveBeenCalled();
});

test('a cursor leads to its scan and to the place in it', async () => {
  const cursors = new Cursors(few);
  const scan = await begun();
  const id = cursors.hold('scan', ofA, scan);
  expect(cursors.find('scan', ofA, cursors.cursorOf(id, 70))).toEqual({ id, reading: scan, start: 70 });
});

test.each(['', 'x', '0.0', `${'0'.repeat(36)}.1`])('the cursor %j leads nowhere', async (cursor) => {
  const cursors = new Cursors(few);
  cursors.hold('scan', ofA, await begun());
  expect(() => cursors.find('scan', ofA, cursor)).toThrow('There is no scan of index a');
});

test('a cursor of another index leads nowhere', async () => {
  const cursors = new Cursors(few);
  const cursor = cursors.cursorOf(cursors.hold('scan', ofA, await begun()), 1);
  expect(() => cursors.find('scan', ofB, cursor)).toThrow('There is no scan of index b');
});

test('a cursor of a scan is none of a search, and the other way round', async () => {
  const cursors = new Cursors(few);
  const scan = cursors.cursorOf(cursors.hold('scan', ofA, await begun()), 1);
  const search = cursors.cursorOf(cursors.hold('search', ofA, searched().pages), 1);
  expect(() => cursors.find('search', ofA, scan)).toThrow('There is no search of index a');
  expect(() => cursors.find('scan', ofA, search)).toThrow('There is no scan of index a');
  expect(cursors.find('search', ofA, search).start).toBe(1);
});

test('a scan and a search are too old after a while, however often somebody asks for a page', async () => {
  const cursors = new Cursors(few);
  const scan = await begun();
  const { pages, close } = searched();
  const ofScan = cursors.cursorOf(cursors.hold('scan', ofA, scan), 1);
  const ofSearch = cursors.cursorOf(cursors.hold('search', ofA, pages), 1);
  for (let at = 0; at < 59_500; at += 500) {
    vi.advanceTimersByTime(500);
    cursors.find('scan', ofA, ofScan);
    cursors.find('search', ofA, ofSearch);
  }
  expect([await isClosed(scan), close.mock.calls.length]).toEqual([false, 0]);
  vi.advanceTimersByTime(500);
  expect([await isClosed(scan), close.mock.calls.length]).toEqual([true, 1]);
  for (const [kind, cursor] of [
    ['scan', ofScan],
    ['search', ofSearch],
  ] as const) {
    expect(() => cursors.find(kind, ofA, cursor)).toThrow(
      expect.objectContaining({
        code: 'snapshot_too_old',
        message: expect.stringContaining('more than 1 minutes ago'),
      }),
    );
  }
  expect(() => cursors.requireRoom('scan')).not.toThrow();
});

test('a scan ends when nobody asks for a page, and each page puts that off', async () => {
  const cursors = new Cursors(few);
  const scan = await begun();
  const cursor = cursors.cursorOf(cursors.hold('scan', ofA, scan), 1);
  vi.advanceTimersByTime(900);
  cursors.find('scan', ofA, cursor);
  vi.advanceTimersByTime(900);
  expect(await isClosed(scan)).toBe(false);
  vi.advanceTimersByTime(100);
  expect(await isClosed(scan)).toBe(true);
  expect(() => cursors.find('scan', ofA, cursor)).toThrow('begin again');
});

test('so does a search', () => {
  const cursors = new Cursors(few);
  const { pages, close } = searched();
  const cursor = cursors.cursorOf(cursors.hold('search', ofA, pages), 1);
  vi.advanceTimersByTime(999);
  expect(close).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(close).toHaveBeenCalledTimes(1);
  expect(() => cursors.find('search', ofA, cursor)).toThrow('nobody asked for a page for 1 s');
});

test('there are no more than so many of a kind at once', async () => {
  const cursors = new Cursors(few);
  const id = cursors.hold('scan', ofA, await begun());
  cursors.hold('scan', ofA, await begun());
  expect(() => cursors.requireRoom('scan')).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
  expect(() => cursors.requireRoom('search')).not.toThrow();
  cursors.end(id);
  expect(() => cursors.requireRoom('scan')).not.toThrow();
});

test('one that finds no room when it is to be held is closed', () => {
  const cursors = new Cursors(few);
  cursors.hold('search', ofA, searched().pages);
  cursors.hold('search', ofA, searched().pages);
  const { pages, close } = searched();
  expect(() => cursors.hold('search', ofA, pages)).toThrow('There are 2 searches that were begun');
  expect(close).toHaveBeenCalledTimes(1);
});

test('they take no more memory together than they may', () => {
  const cursors = new Cursors(few);
  const { pages } = searched(1000);
  expect(pages.memoryBytes).toBe(1000);
  const id = cursors.hold('search', ofA, pages, pages.memoryBytes);
  expect(() => cursors.requireRoom('search')).toThrow('begun and not read to their end, of 1000 bytes');
  cursors.end(id);
  expect(() => cursors.requireRoom('search')).not.toThrow();
});

test('those of an index end with it, all of them with the server', async () => {
  const cursors = new Cursors({ ...few, countMax: { scan: 3, search: 1 } });
  const [a, b, c] = [await begun(), await begun(), await begun()] as const;
  const { pages, close } = searched();
  cursors.hold('scan', ofA, a);
  cursors.hold('scan', ofB, b);
  cursors.hold('scan', ofA, c);
  cursors.hold('search', ofA, pages);
  cursors.endOf('a');
  expect(await Promise.all([a, b, c].map(isClosed))).toEqual([true, false, true]);
  expect(close).toHaveBeenCalledTimes(1);
  cursors.close();
  expect(await isClosed(b)).toBe(true);
});
