import { expect, test } from 'vitest';
import { formatZoned, localOf, momentOf, zoneAt } from '../../src/parts/moment.js';

// None of them is an hour that some time zone has twice.
test.each(['2027-01-01T00:00:00Z', '2026-07-15T13:45:00Z', '2026-07-15T13:45:06Z', '2026-07-15T13:45:06.789Z'])(
  'the control shows %s in local time, and gives the same moment back',
  (moment) => {
    const local = localOf(moment);
    expect(local).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d/);
    expect(new Date(local).getTime()).toBe(Date.parse(moment));
    expect(momentOf(local)).toBe(moment);
  },
);

test('a moment with an offset is the same one in UTC', () => {
  expect(momentOf(localOf('2027-01-01T02:30:00+02:30'))).toBe('2027-01-01T00:00:00Z');
});

test('a text that is no moment empties the control, and an empty control is no moment', () => {
  expect(localOf('soon')).toBe('');
  expect(momentOf('')).toBeUndefined();
  expect(formatZoned('soon')).toBe('soon');
});

test('a moment is told with its zone, and with seconds only where it has some', () => {
  expect(formatZoned('2026-07-15T13:45:00Z')).toMatch(/2026.*:\d\d [^:]*$/);
  expect(formatZoned('2026-07-15T13:45:06Z')).toMatch(/:06/);
  expect(zoneAt('2026-07-15T13:45:00Z')).toMatch(/GMT/);
});
