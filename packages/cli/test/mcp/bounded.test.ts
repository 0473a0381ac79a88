import { describe, expect, test } from 'vitest';
import { rawNumber } from '../../src/exact-json.js';
import { bounded, noteOf } from '../../src/mcp/bounded.js';

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

test('items that fit are the same', () => {
  const items = [{ _id: 'a', text: 'x'.repeat(900) }];
  expect(bounded(items, 1000)).toEqual({ items, isCut: false, leftOut: 0 });
  expect(noteOf(bounded(items, 1000), 'ask again')).toBeUndefined();
});

test('a long text is cut where it says so, and the other fields stay', () => {
  const { items, isCut, leftOut } = bounded([{ _id: 'a', text: 'x'.repeat(9000), year: 1999 }], 5000);
  expect(items).toEqual([{ _id: 'a', text: `${'x'.repeat(4000)}… 9000 characters in all`, year: 1999 }]);
  expect([isCut, leftOut]).toEqual([true, 0]);
});

test('an id is never cut, as a part of it finds nothing', () => {
  const _id = `https://example.com/${'x'.repeat(2000)}`;
  const { items, isCut } = bounded([{ _id, text: 'x'.repeat(9000) }], 3000);
  expect(items).toEqual([{ _id, text: `${'x'.repeat(250)}… 9000 characters in all` }]);
  expect(isCut).toBe(true);
  expect(bounded([{ _id }, { _id }], 2100)).toEqual({ items: [{ _id }], isCut: true, leftOut: 1 });
});

test('no more is cut than is needed for all items', () => {
  const items = Array.from({ length: 10 }, (_, i) => ({ _id: `${i}`, text: 'x'.repeat(3000) }));
  const { items: kept, leftOut } = bounded(items, 12_000);
  expect(leftOut).toBe(0);
  expect(kept.map(({ text }) => text.length)).toEqual(items.map(() => 1000 + '… 3000 characters in all'.length));
});

test('items at the end are left out where cutting is not enough', () => {
  const items = Array.from({ length: 100 }, (_, i) => ({ _id: `${i}`, text: 'x'.repeat(3000) }));
  const fitting = bounded(items, 3000);
  expect(fitting.items.length).toBeGreaterThan(5);
  expect(fitting.items.length + fitting.leftOut).toBe(100);
  expect(noteOf(fitting, 'ask for fewer')).toBe(
    `To keep this answer short, long texts and lists are cut where … says so and the last ${fitting.leftOut} are left out: ask for fewer`,
  );
});

test('long lists and objects are cut, too', () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`n${i}`, i]));
  const [item] = bounded([{ list: Array.from({ length: 5000 }, (_, i) => i), many }], 30_000).items as any[];
  expect(item.list.at(-1)).toBe('… 5000 entries in all');
  expect(item.many['…']).toBe('2000 members in all');
});

test('a text is not cut between the halves of a character, and a number is no object', () => {
  const big = rawNumber('9007199254740993');
  const { items } = bounded([{ text: `${'x'.repeat(3999)}😀${'y'.repeat(5000)}`, big }], 6000);
  expect(JSON.stringify(items)).toContain('9007199254740993');
  expect(items[0]?.text.isWellFormed()).toBe(true);
});

describe('no answer is longer than its bound', () => {
  /** Numbers from 0 to 1 that are the same every time. */
  function random(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('with documents of any shape, seed %i', (seed) => {
    const next = random(seed);
    const upTo = (max: number) => Math.floor(next() ** 3 * max);
    const value = (depth: number): unknown => {
      const kind = upTo(depth > 2 ? 2 : 4);
      if (kind === 0) return 'ü😀a'.repeat(upTo(3000));
      if (kind === 1) return next() * 1e9;
      const entries = Array.from({ length: upTo(depth === 0 ? 300 : 5) }, () => value(depth + 1));
      return kind === 2 ? entries : Object.fromEntries(entries.map((entry, i) => [`m${i}`, entry]));
    };
    for (let round = 0; round < 20; round += 1) {
      const items = Array.from({ length: upTo(20) }, (_, i) => ({ _id: `${i}`, value: value(0) }));
      const bytesMax = 200 + upTo(40_000);
      const fitting = bounded(items, bytesMax);
      expect(bytes(fitting.items)).toBeLessThanOrEqual(bytesMax);
      expect(fitting.items.length + fitting.leftOut).toBe(items.length);
    }
  });
});
