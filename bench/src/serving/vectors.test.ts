import { expect, test } from 'vitest';
import { rowText } from './vectors.ts';

test('a row is written as the numbers that it holds, to six decimals', () => {
  const rows = Float32Array.of(0, 1, -1, 0.5, 9.25, 0.000001, -0.0000004, 0.123457, -0.999999, 0.1, -9.5, 0.000049);
  expect(rowText(rows, 0, 6)).toBe('[0.000000,1.000000,-1.000000,0.500000,9.250000,0.000001]');
  const numbers = JSON.parse(rowText(rows, 1, 6)) as number[];
  expect(numbers.map((number) => Math.fround(number))).toEqual([0, ...rows.slice(7)]);
});
