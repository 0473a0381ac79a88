import { UnprocessableError } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { boundJsonInTurns, parseInSteps, parseJsonInTurns } from '../../src/http/json.js';
import { JSON_DEPTH_MAX, type JsonBounds, JsonScan } from '../../src/http/json-bounds.js';
import { expectLinear } from '../growth.js';

const PARTS_MAX = 20_000;
const VALUES_MAX = 300_000;
const bounds = { bodyPartsMax: PARTS_MAX, bodyNamesMax: PARTS_MAX, bodyValuesMax: VALUES_MAX };
const noBounds = { bodyPartsMax: Infinity, bodyNamesMax: Infinity, bodyValuesMax: Infinity };
function parse(body: Buffer, within: JsonBounds): unknown {
  const steps = parseInSteps(body, within);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
const parseJson = (body: Buffer) => parse(body, bounds);
const excessOf = (body: Buffer, bodyPartsMax = PARTS_MAX) =>
  new JsonScan(body, { ...bounds, bodyPartsMax }).next(body.length);

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
    expect(excessOf(text(String.raw`"[[[[\"[[[["`))).toBeUndefined();
    expect(excessOf(text(String.raw`"\\", []`))).toEqual({ of: 'depth', position: JSON_DEPTH_MAX + 6 });
  });

  test('siblings do not add up', () => {
    expect(excessOf(Buffer.from(`[${'[],{},'.repeat(100)}1]`))).toBeUndefined();
  });

  test('only the allowed ones of 500,000 levels are read', () => {
    const level = '{"a":';
    const body = Buffer.from(level.repeat(500_000));
    expect(excessOf(body)).toEqual({ of: 'depth', position: JSON_DEPTH_MAX * level.length });
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

  test('names have a limit of their own, colons in texts are none', () => {
    const of = (text: string) => new JsonScan(Buffer.from(text), { ...bounds, bodyNamesMax: 3 }).next(text.length);
    expect(of(String.raw`{"a":":","b":["\":::"],"c":{}}`)).toBeUndefined();
    const more = String.raw`{"a":":","b":["\":::"],"c":{"d":1}}`;
    expect(of(more)).toEqual({ of: 'names', position: more.lastIndexOf(':') });
  });

  test('numbers have a limit of their own', () => {
    expect(excessOf(Buffer.from(`[${'1,'.repeat(VALUES_MAX - 1)}1]`), 10)).toBeUndefined();
    expect(excessOf(Buffer.from(`[${'1,'.repeat(VALUES_MAX)}1]`), 10)).toEqual({
      of: 'values',
      position: 2 * VALUES_MAX,
    });
  });

  test('is the same however small the pieces', () => {
    const json = Buffer.from(String.raw`{"a":["\"[",{}],""":[1,[2,"]"]]}`);
    for (let size = 1; size <= json.length; size += 1) {
      for (let bodyPartsMax = 0; bodyPartsMax < 12; bodyPartsMax += 1) {
        const scan = new JsonScan(json, { ...bounds, bodyPartsMax });
        let excess = scan.next(size);
        while (excess === undefined && !scan.isAtEnd) excess = scan.next(size);
        expect(excess, `pieces of ${size}`).toEqual(excessOf(json, bodyPartsMax));
      }
    }
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

  test('it is told wherever the pieces of a long body end', () => {
    const half = String.raw`"\ud800"`;
    for (let at = 0; at < half.length; at += 1) {
      const before = ' '.repeat(128 * 1024 - at);
      expect(problemOf(before + half)?.msg, `${at}`).toBe('string is not valid Unicode');
    }
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
    const long = `${'1.50000,'.repeat(150_000)}`;
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

describe('the cost of a body grows with its length alone', () => {
  const after = (text: string) => (length: number) => Buffer.from(text.repeat(length));

  test.each<[string, (length: number) => Buffer]>([
    ['brackets', after('[],')],
    ['numbers', after('1,')],
    ['texts', after('"a",')],
    ['escapes', after(String.raw`"\\\"",`)],
    ['one text', (length) => Buffer.from(`"${'a'.repeat(length)}`)],
  ])('counting %s', (_what, make) => {
    expectLinear(2_000, make, (body) => new JsonScan(body, noBounds).next(body.length));
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
    expectLinear(500, make, (body) => parse(body, noBounds));
  });
});

test('no bytes are no body', () => {
  expect(parseJson(Buffer.alloc(0))).toBeUndefined();
});

describe('in turns of the event loop', () => {
  /** Turns that pass while `work` is under way. */
  async function turnsOf(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    const count = () => {
      turns += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await work();
    clearImmediate(next);
    return turns;
  }

  test.each<[string, string]>([
    ['one text', `"${'a'.repeat(4_000_000)}"`],
    ['blanks', `${' '.repeat(4_000_000)}1`],
  ])('%s of 4 MB takes many, and is what it is at once', async (_what, json) => {
    const body = Buffer.from(json);
    let value: unknown;
    const turns = await turnsOf(async () => {
      value = await parseJsonInTurns(body, bounds);
    });
    expect(value).toEqual(JSON.parse(json));
    expect(turns).toBeGreaterThan(15);
  });

  test.each([parseJsonInTurns, boundJsonInTurns])('a body that breaks a bound is not read beyond it', async (read) => {
    const body = Buffer.from(`[${'{},'.repeat(2_000_000)}`);
    const turns = await turnsOf(() => expect(read(body, bounds)).rejects.toThrow(/20000 names/));
    expect(turns).toBeLessThan(5);
  });
});
