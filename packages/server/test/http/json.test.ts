import { UnprocessableError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { isDeeperThan, jsonDepthMax, parseJson } from '../../src/http/json.js';

function problemOf(text: string | Buffer) {
  try {
    parseJson(Buffer.from(text as string));
  } catch (error) {
    return (error as UnprocessableError).problems[0];
  }
  return undefined;
}

describe('depth', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));

  test('the deepest allowed body passes, one level more does not', () => {
    expect(parseJson(nested(jsonDepthMax))).toBeDefined();
    expect(problemOf(nested(jsonDepthMax + 1))?.msg).toContain('deeper than 64');
  });

  test('brackets inside strings do not count, escaped quotes do not end a string', () => {
    expect(isDeeperThan(2, Buffer.from(String.raw`[{"a":"[[[[\"[[[["}]`))).toBe(false);
    expect(isDeeperThan(2, Buffer.from(String.raw`["\\", [[]]]`))).toBe(true);
  });

  test('siblings do not add up', () => {
    expect(isDeeperThan(2, Buffer.from('[[],[],[],{},{}]'))).toBe(false);
  });

  test('500,000 levels are refused within 50 ms', () => {
    const body = Buffer.from('{"a":'.repeat(500_000));
    const start = performance.now();
    expect(problemOf(body)?.type).toBe('value_error.jsondecode');
    expect(performance.now() - start).toBeLessThan(50);
  });
});

describe('malformed JSON', () => {
  test.each(['{', '{"a" 1}', '[1,]', 'nope', "{'a': 1}", '{"a": NaN}', '\u0000'])('%j is a 422 on the body', (text) => {
    const problem = problemOf(text);
    expect(problem?.loc[0]).toBe('body');
    expect(problem?.type).toBe('value_error.jsondecode');
  });

  test('the place is told where the parser knows it', () => {
    expect(problemOf('{nope')?.loc).toEqual(['body', 1]);
  });

  test('the body is not echoed', () => {
    expect(JSON.stringify(problemOf('{"password": hunter2}'))).not.toContain('hunter2');
  });

  test('bytes that are not UTF-8 are refused', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(UnprocessableError);
  });
});

test('no bytes are no body', () => {
  expect(parseJson(Buffer.alloc(0))).toBeUndefined();
});
