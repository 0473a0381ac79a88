import type { DocumentScan } from '@pelorus/engine';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Scans } from '../../src/documents/scans.js';
import { send } from '../operations/exchange.js';
import { openService, type Service } from '../operations/service.js';

const everything = { filter: null, attributesToRetrieve: null, exposeFacets: false, exposeTensors: false };
let service: Service;

beforeAll(async () => {
  service = await openService();
  await send(service.app, { request: 'POST /indexes/a', body: { model: 'random/small' } });
});

afterAll(() => service.close());
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const begun = () => service.engine.scanDocuments('a', everything);

/** Of one that is closed no page can be asked for. */
async function isClosed(scan: DocumentScan): Promise<boolean> {
  try {
    await scan.page(0, 1);
    return false;
  } catch {
    return true;
  }
}

test('a cursor leads to its scan and to the place in it', async () => {
  const scans = new Scans(2, 1000);
  const scan = await begun();
  const id = scans.hold('a', scan);
  expect(scans.find('a', scans.cursorOf(id, 70))).toEqual({ id, scan, start: 70 });
});

test.each(['', 'x', '0.0', `${'0'.repeat(36)}.1`])('the cursor %j leads nowhere', async (cursor) => {
  const scans = new Scans(2, 1000);
  scans.hold('a', await begun());
  expect(() => scans.find('a', cursor)).toThrow('There is no scan of index a');
});

test('a cursor of another index leads nowhere', async () => {
  const scans = new Scans(2, 1000);
  const cursor = scans.cursorOf(scans.hold('a', await begun()), 1);
  expect(() => scans.find('b', cursor)).toThrow('There is no scan of index b');
});

test('a scan ends when nobody asks for a page, and each page puts that off', async () => {
  const scans = new Scans(2, 1000);
  const scan = await begun();
  const cursor = scans.cursorOf(scans.hold('a', scan), 1);
  vi.advanceTimersByTime(900);
  scans.find('a', cursor);
  vi.advanceTimersByTime(900);
  expect(await isClosed(scan)).toBe(false);
  vi.advanceTimersByTime(100);
  expect(await isClosed(scan)).toBe(true);
  expect(() => scans.find('a', cursor)).toThrow('begin again');
});

test('there are no more than so many at once', async () => {
  const scans = new Scans(2, 1000);
  const id = scans.hold('a', await begun());
  scans.hold('a', await begun());
  expect(() => scans.requireRoom()).toThrow(expect.objectContaining({ code: 'too_many_requests' }));
  scans.end(id);
  expect(() => scans.requireRoom()).not.toThrow();
});

test('those of an index end with it, all of them with the server', async () => {
  const scans = new Scans(3, 1000);
  const [a, b, c] = [await begun(), await begun(), await begun()] as const;
  scans.hold('a', a);
  scans.hold('b', b);
  scans.hold('a', c);
  scans.endOf('a');
  expect(await Promise.all([a, b, c].map(isClosed))).toEqual([true, false, true]);
  scans.close();
  expect(await isClosed(b)).toBe(true);
});
