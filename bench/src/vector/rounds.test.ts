import { expect, it } from 'vitest';
import { effortsAround } from './curves.ts';
import { medianOf, medianRatio, turned } from './rounds.ts';

it('lets everyone begin once', () => {
  expect([0, 1, 2, 3].map((round) => turned(['a', 'b', 'c'], round)[0])).toEqual(['a', 'b', 'c', 'a']);
  expect(turned([], 3)).toEqual([]);
});

it('takes the median of ratios from rounds in which both were measured', () => {
  expect(medianRatio([10, 20, null, 90], [10, 10, 10, 30])).toBe(2);
  expect(medianRatio([1, null], [null, 1])).toBeNull();
  expect(medianOf([null, 3, 1, 2])).toBe(2);
  expect(medianOf([null])).toBeNull();
});

it('times only the efforts around the recalls that are compared', () => {
  const points = [0.9, 0.94, 0.96, 0.985, 0.992].map((recall, i) => ({ ef: 10 * (i + 1), recall, qps: 1 }));
  expect(effortsAround([0.95, 0.99], points)).toEqual([20, 30, 40, 50]);
  expect(effortsAround([0.95], points)).toEqual([20, 30]);
  expect(effortsAround([0.999], points)).toEqual([]);
});
