import { expect, test } from 'vitest';
import { formatDay, formatMoment } from '../../src/strings/strings.js';

test('dates are written in the order of year, month and day, whatever the language of the browser', () => {
  const local = new Date(2026, 10, 4, 13, 5, 9);
  expect(formatMoment(local.toISOString())).toBe('2026-11-04 13:05:09');
  expect(formatDay('2026-11-04T00:00:00Z')).toBe('2026-11-04');
});

test('a text that is no date is shown as it is', () => {
  expect([formatMoment('soon'), formatDay('soon')]).toEqual(['soon', 'soon']);
});
