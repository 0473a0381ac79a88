import { expect, test } from 'vitest';
import { greatestError } from './dropped-file.ts';
import { withUntold } from './keys.ts';
import { csvOf, productAt, queriesOf } from './products.ts';

test('a product is the same each time, and its words are in the queries for it', () => {
  expect(productAt(7)).toEqual(productAt(7));
  expect(productAt(7)).not.toEqual(productAt(8));
  const queries = queriesOf(30, 100_000);
  expect(new Set(queries).size).toBe(30);
  expect(productAt(7_919).title).toContain(queries[1]);
});

test('a file has a line for each product, with a cell for each column', () => {
  const lines = csvOf(50).trimEnd().split('\n');
  expect(lines).toHaveLength(51);
  expect(new Set(lines.map((line) => line.split(',').length))).toEqual(new Set([7]));
});

test('interactions that are too short to be told count as the least that is', () => {
  expect(withUntold([40, 24], 4)).toEqual([40, 24, 16, 16]);
  expect(withUntold([40, 24], 1)).toEqual([40, 24]);
});

test('progress is off by its distance from the rows, in either direction, but not by what moved during a look', () => {
  const looks = [
    { before: 0.1, share: 0.12, after: 0.15 },
    { before: 0.5, share: 0.3, after: 0.5 },
    { before: 0.5, share: 0.9, after: 0.65 },
  ];
  expect(greatestError(looks.slice(0, 1))).toBe(0);
  expect(greatestError(looks.slice(0, 2))).toBeCloseTo(0.2);
  expect(greatestError(looks)).toBeCloseTo(0.25);
});
