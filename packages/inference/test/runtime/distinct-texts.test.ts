import { expect, test } from 'vitest';
import { distinctTexts, spreadRows } from '../../src/runtime/distinct-texts.js';

test('repeated texts are one, in order of appearance', () => {
  expect(distinctTexts(['b', 'a', 'b'])).toEqual({ distinct: ['b', 'a'], rows: [0, 1, 0] });
});

test('texts that all differ need no rows', () => {
  expect(distinctTexts(['b', 'a'])).toEqual({ distinct: ['b', 'a'], rows: null });
  expect(distinctTexts([])).toEqual({ distinct: [], rows: null });
});

test('rows are spread to where their texts stood', () => {
  expect([...spreadRows(Float32Array.of(1, 2, 3, 4), [1, 0, 1], 2)]).toEqual([3, 4, 1, 2, 3, 4]);
});
