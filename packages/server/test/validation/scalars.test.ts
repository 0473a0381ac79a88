import { describe, expect, test } from 'vitest';
import { readBoolean, readInteger, readNumber, readString, unreadable } from '../../src/validation/scalars.js';

describe('booleans', () => {
  test.each(['true', 'True', 'TRUE', '1', 'yes', 'On', 't', 'Y', 1, true])('%j is true', (value) => {
    expect(readBoolean(value)).toBe(true);
  });
  test.each(['false', 'False', '0', 'no', 'OFF', 'f', 'n', 0, false])('%j is false', (value) => {
    expect(readBoolean(value)).toBe(false);
  });
  test.each(['', 'maybe', 2, null, undefined, {}, []])('%j is neither', (value) => {
    expect(readBoolean(value)).toBe(unreadable);
  });
});

describe('integers', () => {
  test.each([
    [2, 2],
    ['2', 2],
    [' -7 ', -7],
    [10.0, 10],
  ])('%j is %j', (value, expected) => {
    expect(readInteger(value)).toBe(expected);
  });
  test.each([
    1.5,
    '1.5',
    '10.0',
    '',
    'x',
    '0x10',
    '1e3',
    null,
    true,
    false,
    [],
    {},
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('%j is none', (value) => {
    expect(readInteger(value)).toBe(unreadable);
  });
});

describe('numbers', () => {
  test.each([
    [1.5, 1.5],
    ['1.5', 1.5],
    ['-.5', -0.5],
    ['1e3', 1000],
  ])('%j is %j', (value, expected) => {
    expect(readNumber(value)).toBe(expected);
  });
  test.each(['', 'nan', 'inf', 'Infinity', '0x1', '1e400', Number.NaN, Number.NEGATIVE_INFINITY, null, true, {}])(
    '%j is none',
    (value) => {
      expect(readNumber(value)).toBe(unreadable);
    },
  );
});

test('a number becomes its decimal text where a string is due, nothing else does', () => {
  expect(readString('a')).toBe('a');
  expect(readString(5)).toBe('5');
  for (const value of [true, null, [], {}]) expect(readString(value)).toBe(unreadable);
});
