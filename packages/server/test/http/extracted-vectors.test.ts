import { type JsonSchema, operations } from '@pelorus/contract';
import type { EncoderInput } from '@pelorus/inference';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { ExtractedVectors } from '../../src/http/extracted-vectors.js';
import { parseJsonInTurns, parseRest } from '../../src/http/json.js';
import { memberBytes } from '../../src/http/json-member.js';
import { planOf } from '../../src/search/plan.js';
import { queryVectors } from '../../src/search/query-vectors.js';
import { checkShape, type SearchRequest } from '../../src/search/shape.js';
import { checkValues } from '../../src/search/values.js';
import { checkOf, requireBody } from '../../src/validation/check.js';
import { unstructured } from '../search/requests.js';

const operation = operations.search;
const check = checkOf(operation.body, 'body');
const config = readConfig();
/** So long that a body is worth taking apart. */
const long = `"filter":"${'a:b OR '.repeat(200)}a:b"`;
const embed = async (inputs: EncoderInput[]) => Float32Array.from(inputs.flatMap(({ text = '' }) => [text.length, -1]));

/** The outcome of a body, which counts only if what was taken out of it are vectors. */
async function outcomeOf(bytes: Buffer, vectors: ExtractedVectors | null): Promise<unknown> {
  const outcome = await outcomeOfParts(bytes, vectors);
  return vectors === null || vectors.areVectors() ? outcome : outcomeOfParts(bytes, null);
}

/** The plan that a search would be run with, or its refusal. */
async function outcomeOfParts(bytes: Buffer, vectors: ExtractedVectors | null): Promise<unknown> {
  try {
    const rest = vectors && (await parseRest(vectors.rest, vectors.valuesTaken, operation));
    const whole = rest == null;
    const request = check(requireBody(whole ? await parseJsonInTurns(bytes, operation) : rest)) as SearchRequest;
    checkShape(request);
    checkValues(request, config);
    const source = { bytes, vectors: whole ? null : vectors };
    const { plan, parts } = planOf(request, source, unstructured, 2000, null, null);
    const numbers = new Uint32Array((await queryVectors(parts, 2, embed)).slice().buffer);
    const isObject = typeof request.q === 'object' && request.q !== null;
    const query = isObject ? ((whole ? undefined : vectors?.query) ?? memberBytes(bytes, 'q')) : request.q;
    const echo = Buffer.isBuffer(query) ? JSON.parse(query.toString()) : query;
    return { plan, numbers: [...numbers], echo };
  } catch (error) {
    const { toBody, status, code } = error as { toBody(): object; status: number; code: string };
    if (toBody === undefined && vectors?.areVectors() === false) return undefined;
    if (toBody === undefined) throw error;
    return { code, status, body: toBody.call(error) };
  }
}

async function expectAlike(body: string | Buffer): Promise<unknown> {
  const bytes = Buffer.from(body as string);
  const split = await outcomeOf(bytes, ExtractedVectors.of(bytes));
  expect(split, bytes.toString('latin1').replace(long, '...')).toEqual(await outcomeOf(bytes, null));
  return split;
}

const inQuery = (vector: string) => `{"q":{"customVector":{"vector":${vector}}},${long}}`;

describe('a body is answered alike, taken apart or not', () => {
  test.each([
    '[0.1,-2.5e3]',
    '[-0,1e-320]',
    '[9007199254740993,0.30000000000000004]',
    '[1]',
    '[1,2,3]',
    '[]',
    '[1,"2"]',
    '[0]',
    '["0"]',
    '[1,null]',
    '[1e39,0]',
    '[1e400,0]',
    '[true,0]',
    '[[1],2]',
    '[NaN,1]',
    '[1,2',
    '[01,2]',
    'null',
    '{"a":1}',
    `[${'1,'.repeat(4095)}1]`,
    `[${'1,'.repeat(4096)}1]`,
    `[${'1,'.repeat(300_000)}1]`,
  ])('the vector %.40s', async (vector) => {
    await expectAlike(inQuery(vector));
  });

  const one = '{"customVector":{"vector":[0.5,0.25]}}';
  test.each([
    [
      'weighted texts and vectors in their order',
      `{"q":{"b":1,"2":2},"context":{"tensor":[{"vector":[1,2],"weight":3}]}}`,
    ],
    [
      'the vector behind those of the context',
      `{"context":{"tensor":[{"weight":2,"vector":[1,2]},{"vector":[3,4],"weight":-1}]},"q":${one}}`,
    ],
    ['the last of repeated members', `{"q":{"customVector":{"vector":[7]}},"q":${one}}`],
    ['a repeated vector', '{"q":{"customVector":{"vector":[7],"vector":[1,2]}}}'],
    ['a text after a vector', `{"q":${one},"q":"text"}`],
    [
      'a row of the rest as a vector',
      '{"q":{"customVector":{"vector":[0,1]}},"context":{"tensor":[{"vector":["0",1],"weight":1}]}}',
    ],
    ['names with escapes', `{"\\u0071":${one},"q":${one}}`],
    ['half of a character', `{"q":${one},"textQueryPrefix":"\\ud800"}`],
    ['levels', `{"q":${one},"boost":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['names by the thousand', `{"q":${one},"boost":[${'"",'.repeat(20_000)}1]}`],
    ['values by the thousand', `{"q":${one},"boost":[${'1,'.repeat(299_990)}1]}`],
    ['a few values less', `{"q":${one},"boost":[${'1,'.repeat(299_980)}1]}`],
    ['more behind the end', `{"q":${one}} {}`],
    ['a mistake behind the vector', `{"q":${one},"limit":}`],
    ['an unknown member', `{"q":${one},"vector":[1,2]}`],
    ['a vector in a lexical search', `{"q":${one},"searchMethod":"LEXICAL"}`],
    ['words beside the vector', '{"q":{"customVector":{"vector":[1,2],"content":"é 😀"}},"searchMethod":"HYBRID"}'],
    [
      'bytes that are no text',
      Buffer.concat([Buffer.from(`{"q":${one},"filter":"`), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
  ])('%s', async (_what, body) => {
    const text = body.toString('latin1');
    await expectAlike(
      Buffer.from(
        text.replace(
          '{',
          `{${text.includes('"filter"') ? `"modelAuth":null,"reRanker":"${'x'.repeat(1100)}"` : long},`,
        ),
        'latin1',
      ),
    );
  });

  test('with a byte changed anywhere, or cut off', async () => {
    const body = Buffer.from(
      `{${long},"context":{"tensor":[{"vector":[1,2.5],"weight":2}]},"q":{"customVector":{"vector":[0.5,-1e1],"content":"a"}}}`,
    );
    const start = body.indexOf('"context"');
    for (let at = start; at < body.length; at += 1) {
      for (const other of '0]"{},:[\\e.- ') {
        const changed = Buffer.from(body);
        changed.write(other, at, 'latin1');
        await expectAlike(changed);
      }
      await expectAlike(body.subarray(0, at));
    }
  });
});

test('only vectors are taken out', () => {
  const bytes = Buffer.from(inQuery('[0.5, 0.25]'));
  const vectors = ExtractedVectors.of(bytes);
  expect(vectors?.rest.toString()).toBe(inQuery('[0]'));
  expect(vectors?.query?.toString()).toBe('{"customVector":{"vector":[0.5, 0.25]}}');
  expect(vectors?.valuesTaken).toBe(1);
  expect(vectors?.at([0]).length).toBe(2);
  expect(vectors?.at([0]).read()).toEqual(Float32Array.of(0.5, 0.25));
  expect(ExtractedVectors.of(Buffer.from('{"q":{"customVector":{"vector":[1,2]}}}'))).toBeNull();
});

test('a list of other numbers than those of JSON is no vector once it is read', () => {
  for (const list of ['[01]', '[1,,2]', '[1,]', '[1e39,2]', '[1-2]', '[/]', '[--1]']) {
    const vectors = ExtractedVectors.of(Buffer.from(inQuery(list))) as ExtractedVectors;
    expect(() => vectors.at([0]).read(), list).toThrow();
    expect(vectors.areVectors(), list).toBe(false);
  }
  const vectors = ExtractedVectors.of(Buffer.from(inQuery('[1,2]'))) as ExtractedVectors;
  expect(vectors.at([0]).isRead).toBe(false);
  expect(vectors.areVectors()).toBe(true);
  expect(vectors.at([0]).isRead).toBe(true);
});

/** The members of the contract's schema on the way to a list of numbers, and the most that it may have. */
function numbersMax(schema: JsonSchema | undefined, ...path: readonly string[]): number | undefined {
  const [name, ...rest] = path;
  if (schema === undefined || name === undefined) return schema?.maxItems;
  if (schema.anyOf === undefined) return numbersMax(schema.properties?.[name] ?? schema.items, ...rest);
  return schema.anyOf.map((each) => numbersMax(each, ...path)).find((max) => max !== undefined);
}

test('a vector is taken out if, and only if, it has no more numbers than the contract allows', () => {
  const max = numbersMax(operation.body, 'q', 'customVector', 'vector') as number;
  expect(numbersMax(operation.body, 'context', 'tensor', '[]', 'vector')).toBe(max);
  const numbers = (count: number) => `[${'1,'.repeat(count - 1)}1]`;
  const inContext = (count: number) => `{"context":{"tensor":[{"vector":${numbers(count)},"weight":1}]}}`;
  expect(ExtractedVectors.of(Buffer.from(inQuery(numbers(max))))?.valuesTaken).toBe(max - 1);
  expect(ExtractedVectors.of(Buffer.from(inContext(max)))?.valuesTaken).toBe(max - 1);
  expect(ExtractedVectors.of(Buffer.from(inQuery(numbers(max + 1))))).toBeNull();
  expect(ExtractedVectors.of(Buffer.from(inContext(max + 1)))).toBeNull();
});
