import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { digestOf, newSecret, prefixOf, withoutKeySecrets } from '../src/secret.js';

describe('a secret', () => {
  test.each([
    ['admin', 'svc_a_'],
    ['read_write', 'svc_w_'],
    ['read', 'svc_r_'],
    [null, 'svc_t_'],
  ] as const)('of scope %s begins with %s', (scope, start) => {
    const secret = newSecret(scope);
    expect(secret).toMatch(/^svc_[awrt]_[0-9A-Za-z]{49}$/);
    expect(secret.startsWith(start)).toBe(true);
    expect(prefixOf(secret)).toBe(secret.slice(0, 8));
  });

  test('is never the same, and its random digits are spread evenly', () => {
    const all = Array.from({ length: 2000 }, () => newSecret('read'));
    expect(new Set(all).size).toBe(all.length);
    const counts = new Map<string, number>();
    // The first of 43 digits is small, as 256 bits do not fill it; the others are even.
    for (const digit of all.flatMap((secret) => [...secret.slice(7, 49)])) {
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const mean = (2000 * 42) / 62;
    // Seven standard deviations: once in a hundred billion runs.
    for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(7 * Math.sqrt(mean));
  });

  test('ends in the CRC-32 of what is before it, in base 62', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    for (let more = 0; more < 100; more += 1) {
      const secret = newSecret('admin');
      const told = [...secret.slice(-6)].reduce((value, digit) => value * 62 + digits.indexOf(digit), 0);
      expect(told).toBe(crc32(secret.slice(0, -6)));
    }
  });

  test('is kept as its SHA-256', () => {
    expect(digestOf('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('leaves texts but for its prefix', () => {
    const [one, two] = [newSecret('read'), newSecret(null)];
    expect(withoutKeySecrets(`Index ${one} not found, nor '${two}'`)).toBe(
      `Index ${prefixOf(one)}... not found, nor '${prefixOf(two)}...'`,
    );
    expect(withoutKeySecrets('svc_a_short and svc.basic')).toBe('svc_a_short and svc.basic');
  });
});
