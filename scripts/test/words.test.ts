import { expect, test } from 'vitest';
import { duration } from '../progress.mjs';
import { compareVersions } from '../toolchain.mjs';

test.each([
  [40, '0.0 s'],
  [1234, '1.2 s'],
  [12_345, '12 s'],
  [185_000, '3 min 5 s'],
])('%d ms is said as %s', (ms, said) => {
  expect(duration(ms)).toBe(said);
});

test.each([
  ['1.94.1', '1.95.0', -1],
  ['1.95.0', '1.95.0', 0],
  ['1.95.1', '1.95.0', 1],
  ['2.0.0', '1.95.0', 1],
])('version %s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});
