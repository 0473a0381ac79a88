import { expect, test } from 'vitest';
import { lineLevel } from '../../src/http/observe.js';

test.each([
  [200, 0.2, 'debug'],
  [307, 0.2, 'debug'],
  [404, 0.2, 'info'],
  [429, 999.9, 'info'],
  [200, 1000, 'warn'],
  [404, 1000, 'warn'],
  [500, 0.2, 'error'],
  [507, 5000, 'error'],
  [504, 5000, 'warn'],
])('the line of a request that answers %i after %d ms is of level %s', (status, ms, level) => {
  expect(lineLevel(status, ms, 1000)).toBe(level);
});
