import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { healthOf } from '../../src/host/health.js';
import { HostMonitor } from '../../src/host/monitor.js';

test('usage is told in percent', async () => {
  const usage = await new HostMonitor(tmpdir()).usage();
  expect(usage.memoryPercent).toBeGreaterThan(0);
  expect(usage.memoryPercent).toBeLessThanOrEqual(100);
  expect(usage.storagePercent).toBeGreaterThanOrEqual(0);
  expect(usage.storagePercent).toBeLessThanOrEqual(100);
});

test('a folder that is not there has no usage', async () => {
  expect((await new HostMonitor('/nowhere/at/all').usage()).storagePercent).toBeNull();
});

test('the share of working time is a percentage', () => {
  const percent = new HostMonitor(tmpdir()).cpuPercent();
  expect(percent).toBeGreaterThanOrEqual(0);
  expect(percent).toBeLessThanOrEqual(100);
});

test.each([
  [{ memoryPercent: 40, storagePercent: 40 }, 'green', 'green', true, true],
  [{ memoryPercent: 98, storagePercent: 40 }, 'green', 'yellow', true, true],
  [{ memoryPercent: 40, storagePercent: null }, 'green', 'yellow', true, false],
  [{ memoryPercent: 40, storagePercent: 100 }, 'green', 'yellow', true, false],
  [{ memoryPercent: 98, storagePercent: 40 }, 'red', 'red', true, true],
] as const)('%j with a %s store is %s', (usage, engine, status, memory, storage) => {
  expect(healthOf({ ...usage, memoryUsedBytes: 1 }, engine)).toEqual({
    status,
    inference: { status: 'green' },
    backend: { status, memoryIsAvailable: memory, storageIsAvailable: storage },
  });
});
