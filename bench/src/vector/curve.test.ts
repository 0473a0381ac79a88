import { expect, it } from 'vitest';
import { bracket, Curve, qpsAt } from './curve.ts';

const points = [
  { ef: 10, recall: 0.9, qps: 4000 },
  { ef: 40, recall: 0.98, qps: 1000 },
  { ef: 20, recall: 0.94, qps: 2000 },
];

it('gives the rate of a setting at its own recall', () => {
  expect(qpsAt(0.94, points)).toBeCloseTo(2000);
  expect(qpsAt(0.98, points)).toBeCloseTo(1000);
});

it('goes between two settings along the logarithm of the rate', () => {
  expect(qpsAt(0.92, points)).toBeCloseTo(Math.sqrt(4000 * 2000));
});

it('claims nothing for a recall that was never reached', () => {
  expect(qpsAt(0.99, points)).toBeNull();
  expect(qpsAt(0.5, [])).toBeNull();
});

it('gives the smallest setting where even that exceeds the recall', () => {
  expect(qpsAt(0.8, points)).toBe(4000);
});

it('finds the settings on both sides of a recall', () => {
  expect(bracket(0.95, points)?.map((point) => point?.ef)).toEqual([20, 40]);
  expect(bracket(0.8, points)?.map((point) => point?.ef)).toEqual([undefined, 10]);
  expect(bracket(0.99, points)).toBeNull();
});

it('takes the median of the rounds, and the first pass of settings that no round measured', () => {
  const rounds = [300, 100, 200].map((qps) => new Map([[40, qps]]));
  const curve = new Curve(points, rounds);
  expect(curve.at(0.98)).toBeCloseTo(200);
  expect(curve.inRound(1, 0.98)).toBeCloseTo(100);
  expect(curve.at(0.94)).toBeCloseTo(2000);
});
