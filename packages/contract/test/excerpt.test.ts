import { describe, expect, test } from 'vitest';
import { echoed, joinedTruncated, truncated } from '../src/excerpt.js';

test('a text is cut only where it is long, and then ends in dots', () => {
  const whole = 'é'.repeat(256);
  expect(truncated(whole)).toBe(whole);
  expect(truncated(`${whole}x`)).toBe(`${whole}...`);
});

test('no half of a character is shown', () => {
  expect(truncated('a\ud800')).toBe('a\ufffd');
  expect(truncated(`${'a'.repeat(255)}😀`)).toBe(`${'a'.repeat(255)}\ufffd...`);
});

test('names are listed as far as there is room', () => {
  expect(joinedTruncated(['a', 'b'])).toBe('a, b');
  expect(joinedTruncated([])).toBe('');
  const line = joinedTruncated(Array(9).fill('é'.repeat(3000)));
  expect(line).toHaveLength(4096 + 3);
  expect(line.endsWith('é...')).toBe(true);
});

describe('a value is echoed', () => {
  test.each<[unknown, string]>([
    ['x', "'x'"],
    [null, 'None'],
    [undefined, 'None'],
    [true, 'True'],
    [false, 'False'],
    [1.5, '1.5'],
    [[], '[]'],
    [{}, '{}'],
    [['x', 1, null, [true, ['y']]], "['x', 1, None, [True, ['y']]]"],
    [{ a: 1, b: { c: ['x'], d: false } }, "{'a': 1, 'b': {'c': ['x'], 'd': False}}"],
  ])('%j as %s', (value, echo) => {
    expect(echoed(value)).toBe(echo);
  });

  const long = 'x'.repeat(60_000);
  test.each<[string, unknown]>([
    ['text', long],
    ['list', Array(60_000).fill(1)],
    ['list of lists', Array(60_000).fill(Array(60_000).fill([long]))],
    ['object', Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`${long}${i % 9}`, long]))],
  ])('in part where it is a long %s', (_kind, value) => {
    expect(echoed(value)).toHaveLength(256 + 3);
  });
});
