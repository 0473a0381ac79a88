import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { healthOf, healthOfIndex } from '../../src/host/health.js';
import { Memory } from '../../src/services/memory.js';
import { HostMonitor, storageUsage } from '../../src/services/monitor.js';

function monitor(folder: string): HostMonitor {
  const host = new HostMonitor(folder, new Memory(1000, { read: () => 800 }));
  onTestFinished(() => host.close());
  return host;
}

test('usage is told in percent, of memory by the budget', () => {
  const { memoryPercent, memoryHasRoom, storagePercent } = monitor(tmpdir()).usage();
  expect([memoryPercent, memoryHasRoom]).toEqual([80, false]);
  expect(storagePercent).toBeGreaterThanOrEqual(0);
  expect(storagePercent).toBeLessThanOrEqual(100);
});

test('a folder that is not there has no usage', () => {
  expect(monitor('/nowhere/at/all').usage()).toMatchObject({ storagePercent: null, storageHasRoom: null });
});

test('the disk is looked at again and again', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const parent = await mkdtemp(join(tmpdir(), 'pelorus-monitor-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'data');
  const host = monitor(folder);
  expect(host.usage().storagePercent).toBeNull();
  await mkdir(folder);
  vi.advanceTimersByTime(1000);
  await expect.poll(() => host.usage().storagePercent).toEqual(expect.any(Number));
});

test('documents on other machines have the usage of their disks, until it cannot be told', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const looks = [Promise.resolve({ storagePercent: 50, storageHasRoom: true }), Promise.reject(new Error('away'))];
  for (const each of looks) each.catch(() => undefined);
  const first = { storagePercent: 40, storageHasRoom: true };
  const elsewhere = { first, look: () => looks.shift() ?? Promise.resolve(first) };
  const host = new HostMonitor('/nowhere/at/all', new Memory(1000, { read: () => 800 }), elsewhere);
  onTestFinished(() => host.close());
  for (const storagePercent of [40, 50, null, 40]) {
    await expect.poll(() => host.usage().storagePercent).toBe(storagePercent);
    vi.advanceTimersByTime(10_000);
  }
});

const MIB = 1024 * 1024;

test.each([
  ['small', 24, 17, true],
  ['small', 24, 16, false],
  ['of a hundredth above the least', 10_000, 101, true],
  ['of a hundredth above the least', 10_000, 100, false],
  ['large', 1_000_000, 257, true],
  ['large', 1_000_000, 256, false],
  ['full', 1_000, 0, false],
])('a disk that is %s, of %d MiB, with %d left has room: %s', (_, blocks, left, hasRoom) => {
  const usage = storageUsage({ bsize: MIB, blocks, bfree: left, bavail: left });
  expect(usage.storageHasRoom).toBe(hasRoom);
  expect(usage.storagePercent).toBeCloseTo(((blocks - left) / blocks) * 100);
});

test('disk space that only the system may use does not let documents in', () => {
  const usage = storageUsage({ bsize: MIB, blocks: 1_000, bfree: 500, bavail: 10 });
  expect(usage.storageHasRoom).toBe(false);
  expect(usage.storagePercent).toBeCloseTo((500 / 510) * 100);
});

test('a file system without blocks has no usage', () => {
  const none = { storagePercent: null, storageHasRoom: null };
  expect(storageUsage({ bsize: MIB, blocks: 0, bfree: 0, bavail: 0 })).toEqual(none);
});

test('the share of working time is a percentage', () => {
  const percent = monitor(tmpdir()).cpuPercent();
  expect(percent).toBeGreaterThanOrEqual(0);
  expect(percent).toBeLessThanOrEqual(100);
});

const engine = (status: 'green' | 'red') => ({ status, indexes: [] });

test.each([
  [{ memoryHasRoom: true, storagePercent: 40, storageHasRoom: true }, 'green', 'green', true, true],
  [{ memoryHasRoom: false, storagePercent: 40, storageHasRoom: true }, 'green', 'yellow', false, true],
  [{ memoryHasRoom: true, storagePercent: null, storageHasRoom: null }, 'green', 'yellow', true, false],
  [{ memoryHasRoom: true, storagePercent: 98, storageHasRoom: true }, 'green', 'yellow', true, true],
  [{ memoryHasRoom: true, storagePercent: 60, storageHasRoom: false }, 'green', 'yellow', true, false],
  [{ memoryHasRoom: true, storagePercent: 100, storageHasRoom: false }, 'green', 'yellow', true, false],
  [{ memoryHasRoom: false, storagePercent: 40, storageHasRoom: true }, 'red', 'red', false, true],
] as const)('%j with a %s store is %s', (usage, store, status, memory, storage) => {
  expect(healthOf({ ...usage, memoryPercent: 50 }, engine(store))).toEqual({
    status,
    inference: { status: 'green' },
    backend: { status, memoryIsAvailable: memory, storageIsAvailable: storage },
  });
});

const shop = { name: 'shop', status: 'red', code: 'index_damaged', reason: 'index.redb: a checksum is wrong' } as const;
const notes = { name: 'notes', status: 'yellow', code: 'backend_data_parsing_error', reason: 'rebuilding' } as const;
const damaged = { status: 'red' as const, indexes: [shop, notes] };
const calm = { memoryPercent: 10, memoryHasRoom: true, storagePercent: 40, storageHasRoom: true };

test('indexes that are not well are told by name, with the reason', () => {
  const { name, ...of } = shop;
  expect(healthOf(calm, damaged)).toMatchObject({
    status: 'red',
    backend: {
      status: 'red',
      indexes: [
        { indexName: name, ...of },
        { indexName: 'notes', status: 'yellow' },
      ],
    },
  });
});

test("an index's own health is its own, whatever became of the others", () => {
  expect(healthOf(calm, healthOfIndex(damaged, 'shop'))).toMatchObject({
    status: 'red',
    backend: { indexes: [{ indexName: 'shop', reason: shop.reason }] },
  });
  expect(healthOf(calm, healthOfIndex(damaged, 'notes')).status).toBe('yellow');
  const { status, backend } = healthOf(calm, healthOfIndex(damaged, 'other'));
  expect([status, backend.indexes]).toEqual(['green', undefined]);
});

test('health tells what does not work in the store of events, by the worst of it', () => {
  const usage = { memoryPercent: 0, memoryHasRoom: true, storagePercent: 0, storageHasRoom: true };
  const engine = { status: 'green' as const, indexes: [] };
  const [yellow, red] = (['yellow', 'red'] as const).map((status) => ({ status, reason: `it is ${status}` }));
  const of = (...problems: { status: 'yellow' | 'red'; reason: string }[]) => {
    const { status, backend, events } = healthOf(usage, engine, { events: problems });
    return [status, backend.status, events];
  };
  expect(of()).toEqual(['green', 'green', undefined]);
  expect(of(yellow as never)).toEqual(['yellow', 'green', { status: 'yellow', reasons: ['it is yellow'] }]);
  expect(of(yellow as never, red as never)).toEqual([
    ...['red', 'green'],
    { status: 'red', reasons: ['it is yellow', 'it is red'] },
  ]);
  expect(healthOf(usage, { ...engine, status: 'red' }, { events: [yellow as never] }).status).toBe('red');
});
