import { expect, test } from 'vitest';
import { LfuCache } from '../../src/runtime/lfu-cache.js';

test('the least used entry goes first, and among equals the one used longest ago', () => {
  const cache = new LfuCache<number>({ countMax: 3, bytesMax: 1000 });
  for (const [i, key] of ['a', 'b', 'c'].entries()) cache.set(key, i, 1);
  for (const key of ['a', 'a', 'c', 'b']) cache.get(key);
  cache.set('d', 3, 1);
  expect([...cache.keys()].sort()).toEqual(['a', 'b', 'd']);
  cache.set('e', 4, 1);
  expect([...cache.keys()].sort()).toEqual(['a', 'b', 'e']);
});

test('bytes are bounded, and what is too large for them is not kept', () => {
  const cache = new LfuCache<number>({ countMax: 100, bytesMax: 10 });
  for (let i = 0; i < 5; i++) cache.set(`${i}`, i, 3);
  expect([...cache.keys()]).toEqual(['2', '3', '4']);
  cache.set('large', 0, 11);
  expect([...cache.keys()]).toEqual(['2', '3', '4']);
  cache.set('3', 0, 9);
  expect([...cache.keys()]).toEqual(['3']);
});

/** Draws from 0 to below `bound`, the same ones each time. */
function numbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

test('any calls leave what a list that is searched anew each time would hold', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const draw = numbers(seed);
    const bounds = { countMax: 1 + draw(6), bytesMax: 5 + draw(30) };
    const cache = new LfuCache<number>(bounds);
    // The oracle: entries in the order of their last use.
    let list: { key: string; value: number; bytes: number; uses: number }[] = [];
    for (let step = 0; step < 400; step++) {
      const key = `k${draw(10)}`;
      const known = list.find((entry) => entry.key === key);
      const others = list.filter((entry) => entry.key !== key);
      const kind = draw(5);
      if (kind === 0) {
        cache.delete(key);
        list = others;
      } else if (kind < 3) {
        expect(cache.get(key)).toBe(known?.value);
        if (known !== undefined) list = [...others, { ...known, uses: known.uses + 1 }];
      } else {
        const bytes = 1 + draw(12);
        cache.set(key, step, bytes);
        list = others;
        if (bytes > bounds.bytesMax) continue;
        while (list.length >= bounds.countMax || list.reduce((sum, one) => sum + one.bytes, bytes) > bounds.bytesMax) {
          const least = Math.min(...list.map(({ uses }) => uses));
          list.splice(
            list.findIndex(({ uses }) => uses === least),
            1,
          );
        }
        list.push({ key, value: step, bytes, uses: 1 });
      }
      expect([...cache.keys()].sort(), `seed ${seed}, step ${step}`).toEqual(list.map((one) => one.key).sort());
    }
  }
});
