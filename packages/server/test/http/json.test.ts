import { UnprocessableError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { parseJson as parse } from '../../src/http/json.js';
import { excessOf, JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../src/http/json-bounds.js';
import { expectLinear } from '../growth.js';

const PARTS_MAX = 20_000;
const parseJson = (body: Buffer) => parse(body, PARTS_MAX);

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
    expect(parseJson(nested(JSON_DEPTH_MAX))).toBeDefined();
    expect(problemOf(nested(JSON_DEPTH_MAX + 1))?.msg).toContain('deeper than 64');
  });

  test('brackets inside strings do not count, escaped quotes do not end a string', () => {
    const text = (inner: string) => Buffer.from(`${'['.repeat(JSON_DEPTH_MAX)}${inner}${']'.repeat(JSON_DEPTH_MAX)}`);
    expect(excessOf(text(String.raw`"[[[[\"[[[["`), PARTS_MAX)).toBeUndefined();
    expect(excessOf(text(String.raw`"\\", []`), PARTS_MAX)).toEqual({ of: 'depth', position: JSON_DEPTH_MAX + 6 });
  });

  test('siblings do not add up', () => {
    expect(excessOf(Buffer.from(`[${'[],{},'.repeat(100)}1]`), PARTS_MAX)).toBeUndefined();
  });

  test('of 500,000 levels only those that are allowed are read', () => {
    const level = '{"a":';
    const body = Buffer.from(level.repeat(500_000));
    expect(excessOf(body, PARTS_MAX)).toEqual({ of: 'depth', position: JSON_DEPTH_MAX * level.length });
    expect(problemOf(body)?.type).toBe('value_error.jsondecode');
  });
});

describe('amount', () => {
  test.each<[string, string]>([
    ['names', '"a":1,'],
    ['texts', '"a",'],
    ['objects', '{},'],
    ['arrays', '[],'],
  ])('%s beyond the limit are refused before they are parsed', (_what, one) => {
    expect(excessOf(Buffer.from(one.repeat(10)), 10)).toBeUndefined();
    expect(excessOf(Buffer.from(one.repeat(11)), 10)).toMatchObject({ of: 'parts' });
  });

  test('numbers have a limit of their own, above the largest search', () => {
    expect(excessOf(Buffer.from(`[${'1,'.repeat(65 * 16_384)}1]`), 10)).toBeUndefined();
    expect(excessOf(Buffer.from(`[${'1,'.repeat(JSON_VALUES_MAX)}1]`), 10)).toMatchObject({ of: 'values' });
  });

  test('a body of too much is a 413 that names the limit, before it is parsed', () => {
    const members = Array.from({ length: PARTS_MAX + 1 }, (_, i) => `"k${i}":1`);
    const body = Buffer.from(`{${members.join()}, and no JSON from here on`);
    expect(() => parseJson(body)).toThrow(
      expect.objectContaining({ code: 'payload_too_large', message: expect.stringContaining('20000 names, texts') }),
    );
  });
});

describe('texts that are not Unicode', () => {
  test.each<[string, (string | number)[]]>([
    [String.raw`["a", "\ud800"]`, ['body', 1]],
    [String.raw`{"a": {"b": [1, "\uDFFFx"]}}`, ['body', 'a', 'b', 1]],
  ])('%s is a 422 on the text', (text, loc) => {
    expect(problemOf(text)).toEqual({ loc, msg: 'string is not valid Unicode', type: 'value_error' });
  });

  test('a name is a text as well, and is shown without its half', () => {
    expect(problemOf(String.raw`{"a\ud800": 1}`)?.loc).toEqual(['body', 'a\ufffd']);
  });

  test('whole pairs are characters', () => {
    expect(parseJson(Buffer.from(String.raw`["\ud83d\uDE00", "\\ud800"]`))).toEqual(['😀', String.raw`\ud800`]);
  });
});

describe('malformed JSON', () => {
  test.each(['{', '{"a" 1}', '[1,]', 'nope', "{'a': 1}", '{"a": NaN}', '\u0000'])('%j is a 422 on the body', (text) => {
    const problem = problemOf(text);
    expect(problem?.loc).toEqual(['body', expect.any(Number)]);
    expect(problem?.type).toBe('value_error.jsondecode');
  });

  test('the place is told in two ways', () => {
    expect(problemOf('{nope')?.loc).toEqual(['body', 1]);
    expect(problemOf('{"a": 1,\n  "b": nope}')?.msg).toBe('The body is not valid JSON: line 2 column 8 (char 16)');
  });

  test('mistakes behind a million characters are told in short', () => {
    const long = '1.5,'.repeat(300_000);
    expect(problemOf(`[${long}"a" 1]`)).toMatchObject({
      loc: ['body', 1_200_005],
      msg: expect.stringMatching(/JSON \(char/),
    });
    expect(problemOf(`[${long}`)?.loc).toEqual(['body', 1_200_001]);
    expect(problemOf(`[${long}]`)?.loc).toEqual(['body']);
  });

  test('the body is not echoed', () => {
    expect(JSON.stringify(problemOf('{"password": hunter2}'))).not.toContain('hunter2');
  });

  test('bytes that are not UTF-8 are refused', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(UnprocessableError);
  });
});

describe('what a body costs grows with its length alone', () => {
  const after = (text: string) => (length: number) => Buffer.from(text.repeat(length));

  test.each<[string, (length: number) => Buffer]>([
    ['brackets', after('[],')],
    ['numbers', after('1,')],
    ['texts', after('"a",')],
    ['escapes', after(String.raw`"\\\"",`)],
    ['one text', (length) => Buffer.from(`"${'a'.repeat(length)}`)],
  ])('counting %s', (_what, make) => {
    expectLinear(2_000, make, (body) => excessOf(body, Number.POSITIVE_INFINITY));
  });

  test.each<[string, (length: number) => string]>([
    ['which the parser finds', (length) => `[${'1,'.repeat(length)}x]`],
    ['which the parser does not place', (length) => `[${'1,'.repeat(length)}]`],
    ['behind many lines', (length) => `[${'1,\n'.repeat(length)}"a" 1]`],
    ['at the end of a text', (length) => `["${'a'.repeat(length)}`],
    ['in a text of escapes', (length) => String.raw`["${String.raw`\n`.repeat(length)}\x"]`],
  ])('a mistake %s', (_what, make) => {
    expectLinear(2_000, make, (text) => expect(problemOf(text)).toBeDefined());
  });

  test('characters of two escapes', () => {
    const make = (length: number) => Buffer.from(`[${String.raw`"\ud83d\ude00",`.repeat(length)}1]`);
    expectLinear(500, make, (body) => parse(body, Number.POSITIVE_INFINITY));
  });
});

test('no bytes are no body', () => {
  expect(parseJson(Buffer.alloc(0))).toBeUndefined();
});
