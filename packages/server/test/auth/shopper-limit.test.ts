import { expect, test } from 'vitest';
import { ShopperLimit } from '../../src/auth/shopper-limit.js';

/** Burst 4 of a shop, 2 of an address. */
const perMinute = { shopperCallsPerMinute: 24, shopperCallsPerAddress: 12 };

function limit() {
  const clock = { ms: 0 };
  const shoppers = new ShopperLimit(perMinute, () => clock.ms);
  /** Seconds to wait; 0 for a call that is let in. */
  const take = (shop: string, address: string): number => {
    try {
      shoppers.take(shop, address, { vary: 'Origin' });
      return 0;
    } catch (error) {
      const { code, headers } = error as { code: string; headers: Record<string, string> };
      expect(code).toBe('too_many_requests');
      expect(headers.vary).toBe('Origin');
      return Number(headers['retry-after']);
    }
  };
  return { clock, take };
}

test('one address leaves the others of its shop their share', () => {
  const { take } = limit();
  expect(Array.from({ length: 100 }, () => take('a', '10.0.0.1')).filter((wait) => wait === 0)).toHaveLength(2);
  expect([take('a', '10.0.0.2'), take('a', '10.0.0.2')]).toEqual([0, 0]);
});

test('one shop leaves the others theirs, to the same addresses too', () => {
  const { take } = limit();
  const flood = Array.from({ length: 50 }, (_, number) => take('a', `10.0.0.${number}`));
  expect(flood.filter((wait) => wait === 0)).toHaveLength(4);
  expect([take('b', '10.0.0.1'), take('b', '10.0.0.9')]).toEqual([0, 0]);
});

test('after the seconds that it says there is room again', () => {
  const { clock, take } = limit();
  expect([1, 2, 3].map(() => take('a', '10.0.0.1'))).toEqual([0, 0, 5]);
  clock.ms = 4_999;
  expect(take('a', '10.0.0.1')).toBe(1);
  clock.ms = 5_000;
  expect([take('a', '10.0.0.1'), take('a', '10.0.0.1')]).toEqual([0, 5]);
  const others = ['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6'].map((address) => take('a', address));
  expect(others.filter((wait) => wait > 0)).toEqual([3, 3]);
});

test('the addresses of one network of IPv6 are one', () => {
  const { take } = limit();
  const waits = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:3::4'].map((address) => take('a', address));
  expect(waits).toEqual([0, 0, 5]);
});
