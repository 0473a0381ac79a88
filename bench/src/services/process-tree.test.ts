import { expect, it } from 'vitest';
import { parseStat, useOf } from './process-tree.ts';

it('reads parent and processor time behind a name with brackets', () => {
  const line = '42 (a) b (c)) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 25 75 20 0 1 0 100 5 6';
  expect(parseStat(line)).toEqual({ parent: 7, cpuSeconds: 3 });
});

it.runIf(process.platform === 'linux')('tells what this process uses', () => {
  const use = useOf(process.pid);
  expect(use?.residentBytes).toBeGreaterThan(2 ** 20);
  expect(use?.cpuSeconds).toBeGreaterThanOrEqual(0);
});
