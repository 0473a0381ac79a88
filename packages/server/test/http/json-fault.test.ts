import { expect, test } from 'vitest';
import { faultPosition } from '../../src/http/json-fault.js';

test.each<[string, number]>([
  ['', 0],
  ['  ', 2],
  ['{', 1],
  ['["d",]', 5],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{"a":}', 5],
  ['[1 2]', 3],
  ['[,1]', 1],
  ['[}', 1],
  ['{"a":1]', 6],
  ['{} x', 3],
  ['NaN', 0],
  ['{"a": NaN}', 6],
  ["{'a': 1}", 1],
  ['{a: 1}', 1],
  ['01', 1],
  ['[1.]', 2],
  ['-', 0],
  ['tru', 0],
  ['"a', 2],
  ['"a\nb"', 2],
  [String.raw`["\x"]`, 2],
  [String.raw`"\u12g4"`, 1],
  ['\ufeff{}', 0],
])('%j stops being JSON at %i', (text, position) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(faultPosition(text)).toBe(position);
});

/** Deterministic: the same values in every run. */
function* random(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test('all JSON before a character that was put in a wrong place can be the start of JSON', () => {
  const seed = 20_261_121;
  const numbers = random(seed);
  const next = (below: number) => Math.floor((numbers.next().value as number) * below);
  const json = String.raw`{"a": [1, -2.5e3, true, null, "x\u00e9\n"], "b": {"c": {}, "d": []}, "e": false}`;
  let refused = 0;
  for (let i = 0; i < 3000; i += 1) {
    const at = next(json.length);
    const text = json.slice(0, at) + '{}[]:,"x1\\ '.charAt(next(11)) + json.slice(at + next(2));
    try {
      JSON.parse(text);
      expect(faultPosition(text), `seed ${seed}: ${text}`).toBe(text.length);
    } catch (error) {
      refused += 1;
      const known = /position (\d+)/.exec((error as Error).message)?.[1];
      const place = faultPosition(text);
      expect(place, `seed ${seed}: ${text}`).toBeGreaterThanOrEqual(at > 0 ? 1 : 0);
      // The parser looks into words and numbers, which count here as one.
      if (known !== undefined) expect(Math.abs(place - Number(known)), `seed ${seed}: ${text}`).toBeLessThan(6);
    }
  }
  expect(refused).toBeGreaterThan(1000);
});
