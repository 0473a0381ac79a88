import { type JsonSchema, operations, PelorusError, type Problem } from '@pelorus/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { placeOf } from '../../src/validation/problems.js';
import { readerOf } from '../../src/validation/reader.js';

function read(schema: JsonSchema, value: unknown): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = [];
  return { value: readerOf(schema)(value, placeOf('body'), problems), problems };
}

const settings = operations.createIndex.body as JsonSchema;
const schemaOfB: JsonSchema = { type: 'object', properties: { c: { type: 'integer' } } };
const searching = operations.search.body as JsonSchema;

describe('problems are told in the words clients know', () => {
  test.each<[string, JsonSchema, unknown, Problem[]]>([
    [
      'a missing member',
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      {},
      [{ loc: ['body', 'a'], msg: 'field required', type: 'value_error.missing' }],
    ],
    [
      'an unknown member',
      { type: 'object', additionalProperties: false },
      { b: 1 },
      [{ loc: ['body', 'b'], msg: 'extra fields not permitted', type: 'value_error.extra' }],
    ],
    [
      'null where a value is due',
      settings,
      { model: null },
      [{ loc: ['body', 'model'], msg: 'none is not an allowed value', type: 'type_error.none.not_allowed' }],
    ],
    [
      'a word outside the list',
      { type: 'string', enum: ['a', 'b'] },
      'c',
      [
        {
          loc: ['body'],
          msg: "value is not a valid enumeration member; permitted: 'a', 'b'",
          type: 'type_error.enum',
          ctx: { enum_values: ['a', 'b'] },
        },
      ],
    ],
    [
      'a bound that excludes itself',
      { type: 'integer', exclusiveMinimum: 0 },
      0,
      [
        {
          loc: ['body'],
          msg: 'ensure this value is greater than 0',
          type: 'value_error.number.not_gt',
          ctx: { limit_value: 0 },
        },
      ],
    ],
    [
      'a lower bound',
      { type: 'integer', minimum: 0 },
      -1,
      [
        {
          loc: ['body'],
          msg: 'ensure this value is greater than or equal to 0',
          type: 'value_error.number.not_ge',
          ctx: { limit_value: 0 },
        },
      ],
    ],
    [
      'an upper bound',
      { type: 'integer', maximum: 4096 },
      4097,
      [
        {
          loc: ['body'],
          msg: 'ensure this value is less than or equal to 4096',
          type: 'value_error.number.not_le',
          ctx: { limit_value: 4096 },
        },
      ],
    ],
    [
      'an object that is none',
      { type: 'object' },
      [],
      [{ loc: ['body'], msg: 'value is not a valid dict', type: 'type_error.dict' }],
    ],
    [
      'an array that is none',
      { type: 'array' },
      {},
      [{ loc: ['body'], msg: 'value is not a valid list', type: 'type_error.list' }],
    ],
    [
      'a sequence that is none',
      { type: 'array', 'x-error-kind': 'sequence' },
      5,
      [{ loc: ['body'], msg: 'value is not a valid sequence', type: 'type_error.sequence' }],
    ],
    [
      'an item',
      { type: 'array', items: { type: 'number' } },
      [1, 'x'],
      [{ loc: ['body', 1], msg: 'value is not a valid float', type: 'type_error.float' }],
    ],
    [
      'too few items',
      { type: 'array', minItems: 1 },
      [],
      [
        {
          loc: ['body'],
          msg: 'ensure this value has at least 1 items',
          type: 'value_error.list.min_items',
          ctx: { limit_value: 1 },
        },
      ],
    ],
  ])('%s', (_name, schema, value, expected) => {
    expect(read(schema, value).problems).toEqual(expected);
  });
});

test('a value that holds too much is told so, and not looked at', () => {
  const wrongCount = { type: 'value_error.list.max_items', ctx: { limit_value: 1 } };
  expect(read({ type: 'array', maxItems: 1, items: { type: 'string' } }, [{}, {}]).problems).toEqual([
    expect.objectContaining(wrongCount),
  ]);
  const schema: JsonSchema = { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } };
  expect(read(schema, { a: {}, b: {} }).problems).toEqual([expect.objectContaining(wrongCount)]);
});

test('an integer that has lost digits is out of bounds', () => {
  for (const value of [1e30, -(2 ** 53), '9007199254740993']) {
    expect(read({ type: 'integer' }, value).problems).toEqual([expect.objectContaining({ ctx: expect.any(Object) })]);
  }
  expect(read({ type: 'integer' }, Number.MAX_SAFE_INTEGER).problems).toEqual([]);
});

test('all problems are listed, members in the order of the schema, unknown ones last', () => {
  const { problems } = read(settings, { zzz: 1, normalizeEmbeddings: 'perhaps', type: 'other' });
  expect(problems.map(({ loc }) => loc[1])).toEqual(['type', 'normalizeEmbeddings', 'zzz']);
});

test('defaults are filled in and are not shared between requests', () => {
  const schema: JsonSchema = { type: 'object', properties: { list: { type: 'array', default: [] } } };
  const first = read(schema, {}).value as { list: unknown[] };
  first.list.push(1);
  expect(read(schema, {}).value).toEqual({ list: [] });
});

test('letters of either case become the listed spelling where the schema says so', () => {
  expect(read(searching, { searchMethod: 'hybrid' }).value).toMatchObject({ searchMethod: 'HYBRID' });
  expect(read(settings, { type: 'Structured' }).problems).toHaveLength(1);
});

describe('a choice', () => {
  const schema = (searching.properties as Record<string, JsonSchema>).q as JsonSchema;
  test.each([['text'], [{ a: 1, b: -2 }], [{ customVector: { vector: [1, 2] } }], [null]])(
    'takes %j as it is',
    (value) => {
      expect(read(schema, structuredClone(value))).toEqual({ value, problems: [] });
    },
  );
  test('leaves a value intact that an earlier branch refused', () => {
    expect(read(schema, { red: '2', blue: 1 }).value).toEqual({ red: 2, blue: 1 });
  });
  test('converts only when no branch is of the JSON type', () => {
    expect(read(schema, 5)).toEqual({ value: '5', problems: [] });
  });
  test('tells what is wrong with the branch that comes closest', () => {
    expect(read(schema, { a: 1, b: 'x' }).problems).toEqual([
      { loc: ['body', 'b'], msg: 'value is not a valid float', type: 'type_error.float' },
    ]);
  });
});

test('a body of nothing but mistakes is answered briefly', () => {
  const wrong = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`${'x'.repeat(300)}${i}`, i]));
  const { problems } = read(settings, wrong);
  expect(problems).toHaveLength(100);
  expect(String(problems[0]?.loc[1])).toHaveLength(256 + '...'.length);
  expect(read({ type: 'array', items: { type: 'string' } }, Array(50_000).fill(null)).problems).toHaveLength(100);
});

test('a member called __proto__ is an ordinary member', () => {
  const schema: JsonSchema = { type: 'object', additionalProperties: { type: 'number' } };
  const { value, problems } = read(schema, JSON.parse('{"__proto__": "3", "constructor": 1}'));
  expect(problems).toEqual([]);
  expect(JSON.stringify(value)).toBe('{"__proto__":3,"constructor":1}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

/** Deterministic: the same values in every run. */
function* random(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Values around `schema`: mostly fitting, sometimes of another kind; never a scalar in another spelling. */
function sample(schema: JsonSchema, next: () => number): unknown {
  if (next() < 0.04) return [{}, [], null, { zzz: [] }][Math.floor(next() * 4)];
  if (schema.anyOf) return sample(schema.anyOf[Math.floor(next() * schema.anyOf.length)] as JsonSchema, next);
  const types = [schema.type ?? 'null'].flat();
  switch (types[Math.floor(next() * types.length)]) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).filter(() => next() < 0.6);
      const value = Object.fromEntries(members.map(([name, one]) => [name, sample(one, next)]));
      const others = schema.additionalProperties;
      return typeof others === 'object' ? { ...value, k: sample(others, next) } : value;
    }
    case 'array':
      return Array.from({ length: Math.floor(next() * 3) }, () => sample(schema.items ?? {}, next));
    case 'string':
      return schema.enum ? schema.enum[Math.floor(next() * schema.enum.length)] : 'text';
    case 'integer':
      return Math.floor(next() * 6000) - 500;
    case 'number':
      return next() * 10 - 5;
    case 'boolean':
      return next() < 0.5;
    default:
      return null;
  }
}

function takes(schema: JsonSchema, value: unknown): boolean {
  try {
    return read(schema, value).problems.length === 0;
  } catch (error) {
    expect(error).toBeInstanceOf(PelorusError);
    return false;
  }
}

test('a value that a code of its own refuses ends the check, whatever else is wrong', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { 'x-refused-as': 'invalid_argument', type: 'array', items: schemaOfB } },
  };
  const text = '[{"loc": [1, "c"], "msg": "value is not a valid integer", "type": "type_error.integer"}]';
  expect(() => read(schema, { a: 'x', b: [{ c: 1 }, { c: 'x' }] })).toThrow(
    new PelorusError('invalid_argument', `Error validating b: ${text}`),
  );
  const whole: JsonSchema = { 'x-refused-as': 'invalid_argument', type: 'array', items: schemaOfB };
  expect(() => read(whole, [{ c: 1 }, { c: 'x' }])).toThrow(
    new PelorusError('invalid_argument', 'body.1.c: value is not a valid integer'),
  );
  expect(() => read(whole, {})).toThrow(new PelorusError('invalid_argument', 'body: value is not a valid list'));
  expect(read(schema, { a: 'x', b: [{ c: 1 }] }).problems).toHaveLength(1);
});

test('values without other spellings are taken exactly when an independent validator takes them', () => {
  const seed = 20_261_121;
  const numbers = random(seed);
  const next = () => numbers.next().value as number;
  const ajv = new Ajv2020({ strict: false });
  let refused = 0;
  for (const { body, operationId } of Object.values(operations)) {
    if (body === null) continue;
    const validate = ajv.compile(body);
    for (let i = 0; i < 1500; i += 1) {
      const value = sample(body, next);
      const before = JSON.stringify(value);
      const expected = validate(value);
      expect(takes(body, value), `seed ${seed}, ${operationId}: ${before}`).toBe(expected);
      if (!expected) refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(500);
});
