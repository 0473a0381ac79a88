import { describe, expect, test } from 'vitest';
import { checkMappings, checkMappingsOfStructured } from '../../src/documents/mappings.js';
import type { Settings } from '../../src/indexes/settings.js';

const combination = (weights: unknown) => ({ mm: { type: 'multimodal_combination', weights } });

test.each([
  {},
  combination({ a: 1, b: -0.5 }),
  combination({}),
  { c: { type: 'custom_vector' } },
  { t: { type: 'text_field', language: 'de' } },
  { t: { type: 'text_field', stemming: 'none' } },
])('%j is taken', (mappings) => {
  expect(() => checkMappings(mappings)).not.toThrow();
});

test.each<[object, string]>([
  [{ a: 5 }, "Error validating mappings object. Reason: mappings.a: 5 is not of type 'object'"],
  [{ a: {} }, "Error validating mappings object. Reason: mappings.a: 'type' is a required property"],
  [{ a: { type: 'zzz' } }, "Error validating mappings object. Reason: mappings.a: 'zzz' is not one of ["],
  [
    { mm: { type: 'multimodal_combination' } },
    "Error validating multimodal combination mappings object. Reason: mappings.mm: 'weights' is a required property",
  ],
  [
    combination({ a: 'x' }),
    "Error validating multimodal combination mappings object. Reason: mappings.mm.weights.a: 'x' is not of type 'number'",
  ],
  [
    combination([]),
    "Error validating multimodal combination mappings object. Reason: mappings.mm.weights: [] is not of type 'object'",
  ],
  [
    { c: { type: 'custom_vector', x: 1 } },
    "Error validating custom vector mappings object. Reason: mappings.c: Additional properties are not allowed ('x' was unexpected)",
  ],
  [
    { t: { type: 'text_field' } },
    "Error validating text field mappings object. Reason: mappings.t: one of 'language' and 'stemming' is a required property",
  ],
  [
    { t: { type: 'text_field', language: '' } },
    "Error validating text field mappings object. Reason: mappings.t.language: '' should be non-empty",
  ],
  [
    { t: { type: 'text_field', language: null } },
    "Error validating text field mappings object. Reason: mappings.t.language: None is not of type 'string'",
  ],
  [
    { t: { type: 'text_field', stemming: 'all' } },
    "Error validating text field mappings object. Reason: mappings.t.stemming: 'all' is not one of ['none', 'best', 'shortest', 'multiple']",
  ],
  [
    { t: { type: 'text_field', language: 'de', weights: {} } },
    "Error validating text field mappings object. Reason: mappings.t: Additional properties are not allowed ('weights' was unexpected)",
  ],
  [
    { mm: { type: 'multimodal_combination', weights: {}, x: 1 } },
    "Error validating multimodal combination mappings object. Reason: mappings.mm: Additional properties are not allowed ('x' was unexpected)",
  ],
])('%j is a 400', (mappings, message) => {
  expect(() => checkMappings(mappings)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  expect(() => checkMappings(mappings)).toThrow(message);
});

test.each([{ 'a b': { type: 'multimodal_combination', weights: {} } }, combination({ a: 1, 'b.c': 1 })])(
  'a combination that is or has what cannot be a field, %j, has a code of its own',
  (mappings) => {
    expect(() => checkMappings(mappings)).toThrow(expect.objectContaining({ code: 'invalid_field_name' }));
  },
);

test('a combination has at most 1,000 parts', () => {
  const parts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, 1]));
  expect(() => checkMappings(combination(parts(1000)))).not.toThrow();
  expect(() => checkMappings(combination(parts(1001)))).toThrow('mappings.mm.weights: 1001 properties are more than');
});

test('names and values are echoed in part', () => {
  const long = 'x'.repeat(60_000);
  for (const mappings of [{ [long]: {} }, { a: { type: long } }, { a: long }, { a: Array(60_000).fill(1) }]) {
    try {
      checkMappings(mappings);
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(600);
    }
  }
});

describe('on a structured index', () => {
  const settings = {
    type: 'structured',
    allFields: [
      { name: 't', type: 'text', features: [] },
      { name: 'mm', type: 'multimodal_combination', features: [], dependentFields: { t: 1, u: 2 } },
    ],
  } as unknown as Settings;

  test('other weights for some of the dependent fields are taken, custom vectors are ignored', () => {
    expect(() => checkMappingsOfStructured(combination({ t: 5 }), settings)).not.toThrow();
    expect(() => checkMappingsOfStructured({ zzz: { type: 'custom_vector' } }, settings)).not.toThrow();
  });

  test.each<[object, string]>([
    [
      { t: { type: 'multimodal_combination', weights: {} } },
      'Invalid mapping t. Index has no multimodal combination field t',
    ],
    [combination({ zzz: 1 }), 'Invalid mapping mm. Field zzz is not a dependent field of mm'],
  ])('%j is a 400', (mappings, message) => {
    expect(() => checkMappingsOfStructured(mappings, settings)).toThrow(message);
  });
});
