import { expect, test } from 'vitest';
import { RateLimit, sourceOf } from '../../src/http/rate-limit.js';

function limit() {
  const clock = { ms: 0 };
  return { clock, rate: new RateLimit({ burst: 3, perMinute: 6 }, () => clock.ms) };
}

test('a burst passes, then as much as the rate says, each source by itself', () => {
  const { clock, rate } = limit();
  expect([1, 2, 3, 4].map(() => rate.take('a'))).toEqual([0, 0, 0, 10]);
  expect(rate.take('b')).toBe(0);
  clock.ms = 9_000;
  expect(rate.take('a')).toBe(1);
  clock.ms = 10_000;
  expect([rate.take('a'), rate.take('a')]).toEqual([0, 10]);
});

test('after the seconds that it says there is room, however often somebody tried meanwhile', () => {
  const { clock, rate } = limit();
  for (let more = 0; more < 100; more += 1) rate.take('a');
  const wait = rate.take('a');
  clock.ms += wait * 1000;
  expect(rate.take('a')).toBe(0);
});

test('a rest fills no more than the burst', () => {
  const { clock, rate } = limit();
  rate.take('a');
  clock.ms = 3_600_000;
  expect([1, 2, 3, 4].map(() => rate.take('a') > 0)).toEqual([false, false, false, true]);
});

test('the sources seen longest ago begin anew when there are more than it remembers', () => {
  const { rate } = limit();
  for (let more = 0; more < 3; more += 1) rate.take('first');
  expect(rate.take('first')).toBeGreaterThan(0);
  for (let at = 0; at < 10_000; at += 1) rate.take(`${at}`);
  expect(rate.take('first')).toBe(0);
});

test.each([
  ['10.1.2.3', '10.1.2.3'],
  ['::ffff:10.1.2.3', '::ffff:10.1.2.3'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
])('%s comes from %s', (address, source) => {
  expect(sourceOf(address)).toBe(source);
});
