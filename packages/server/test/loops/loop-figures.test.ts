import { expect, test } from 'vitest';
import { LocalCounters } from '../../src/http/counters.js';
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
  const counters = new LocalCounters();
  counters.answered('requests').add(2);
  const loop = new OneLoop(counters);
  expect(loop.problems()).toEqual([]);
  const [figure, ...others] = loop.figures();
  expect(figure).toMatchObject({ requests: 2, searches: 0 });
  expect(figure?.busyPercent).toBeGreaterThanOrEqual(0);
  expect(figure?.busyPercent).toBeLessThanOrEqual(100);
  expect(others).toEqual([]);
});
