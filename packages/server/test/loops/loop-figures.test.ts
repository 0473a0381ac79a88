import { expect, test } from 'vitest';
import { BusyTime, OneLoop } from '../../src/loops/loop-figures.js';

test('a loop is busy for the share of its time since the last look', () => {
  const times = [
    { idle: 100, active: 50 },
    { idle: 130, active: 60 },
    { idle: 130, active: 80 },
    { idle: 130, active: 80 },
    // A thread that has ended has none.
    { idle: 0, active: 0 },
  ];
  const busy = new BusyTime(() => ({ utilization: 0, ...(times.shift() ?? { idle: 0, active: 0 }) }));
  expect([busy.percent(), busy.percent(), busy.percent(), busy.percent()]).toEqual([25, 100, 0, 0]);
});

test('a server with one loop has the figure of that', () => {
  const loop = new OneLoop();
  expect(loop.problems()).toEqual([]);
  const [percent, ...others] = loop.busyPercents();
  expect(percent).toBeGreaterThanOrEqual(0);
  expect(percent).toBeLessThanOrEqual(100);
  expect(others).toEqual([]);
});
