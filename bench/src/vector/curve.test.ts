import { expect, it } from 'vitest';
import { qpsAt } from './curve.ts';

const curve = [
  { ef: 10, recall: 0.9, qps: 4000 },
  { ef: 40, recall: 0.98, qps: 1000 },
  { ef: 20, recall: 0.94, qps: 2000 },
];

it('gives the rate of a setting at its own recall', () => {
  expect(qpsAt(0.94, curve)).toBeCloseTo(2000);
  expect(qpsAt(0.98, curve)).toBeCloseTo(1000);
});

it('goes between two settings along the logarithm of the rate', () => {
  expect(qpsAt(0.92, curve)).toBeCloseTo(Math.sqrt(4000 * 2000));
});

it('claims nothing for a recall that was never reached', () => {
  expect(qpsAt(0.99, curve)).toBeNull();
  expect(qpsAt(0.5, [])).toBeNull();
});

it('gives the smallest setting where even that exceeds the recall', () => {
  expect(qpsAt(0.8, curve)).toBe(4000);
});
