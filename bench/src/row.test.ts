import { expect, it } from 'vitest';
import { median, quantile } from './quantile.ts';
import { asTable, compare } from './row.ts';

it('gives a ratio above one where ours is better, whichever way the metric grows', () => {
  expect(compare('rate', 'higher', 20, 'peer', 10).ratio).toBe(2);
  expect(compare('time', 'lower', 20, 'peer', 10).ratio).toBe(0.5);
  expect(compare('rate', 'higher', 20).ratio).toBeNull();
  expect(compare('rate', 'higher', null, 'peer', 10).ratio).toBeNull();
});

it('prints a line for each row, with the recall beside the speed', () => {
  const table = asTable([
    compare('QPS', 'higher', 20, 'peer 1.0', 10, 0.99),
    { ...compare('build (s)', 'lower', 1.23456), disturbed: true },
  ]).split('\n');
  expect(table).toHaveLength(4);
  expect(table[2]).toMatch(/^QPS\s+peer 1\.0\s+20\s+10\s+2\.00x\s+0\.99$/);
  expect(table[3]).toMatch(/^build \(s\) ~\s+-\s+1\.235\s+-\s+-\s+-$/);
});

it('has columns for sets and targets only where rows have them', () => {
  const plain = compare('QPS', 'higher', 20);
  expect(asTable([plain])).not.toContain('reach');
  const [titles, , aimed, aimless] = asTable([
    { ...plain, set: 'all', target: { reach: 1.2, chase: 2 } },
    { ...plain, set: 'all' },
  ]).split('\n');
  expect(titles).toMatch(/^set\s+metric\s+peer\s+ours\s+theirs\s+ratio\s+reach\s+chase\s+recall$/);
  expect(aimed).toMatch(/^all\s+QPS\s+-\s+20\s+-\s+-\s+1\.2x\s+2x\s+-$/);
  expect(aimless).toMatch(/^all\s+QPS\s+-\s+20\s+-\s+-\s+-\s+-\s+-$/);
});

it('finds quantiles between neighbors', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1])).toBe(2.5);
  expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
  expect(() => median([])).toThrow(RangeError);
});
