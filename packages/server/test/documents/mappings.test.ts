import { describe, expect, test } from 'vitest';
import { checkMappings, checkMappingsOfStructured } from '../../src/documents/mappings.js';
import type { Settings } from '../../src/indexes/settings.js';

const combination = (weights: unknown) => ({ mm: { type: 'multimodal_combination', weights } });

test.each([{}, combination({ a: 1, b: -0.5 }), combination({}), { c: { type: 'custom_vector' } }])(
  '%j is taken',
  (mappings) => {
    expect(() => checkMappings(mappings)).not.toThrow();
  },
);

test.each<[object, string]>([
  [{ a: 5 }, "Error validating mappings object. Reason: 5 is not of type 'object'"],
  [{ a: {} }, "Error validating mappings object. Reason: 'type' is a required property"],
  [{ a: { type: 'zzz' } }, "Error validating mappings object. Reason: 'zzz' is not one of ["],
  [
    { mm: { type: 'multimodal_combination' } },
    "Error validating multimodal combination mappings object. Reason: 'weights' is a required property",
  ],
  [
    combination({ a: 'x' }),
    "Error validating multimodal combination mappings object. Reason: 'x' is not of type 'number'",
  ],
  [combination([]), "Error validating multimodal combination mappings object. Reason: [] is not of type 'object'"],
  [
    { c: { type: 'custom_vector', x: 1 } },
    "Error validating custom vector mappings object. Reason: Additional properties are not allowed ('x' was unexpected)",
  ],
  [
    { mm: { type: 'multimodal_combination', weights: {}, x: 1 } },
    "Error validating multimodal combination mappings object. Reason: Additional properties are not allowed ('x' was unexpected)",
  ],
])('%j is a 400', (mappings, message) => {
  expect(() => checkMappings(mappings)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  expect(() => checkMappings(mappings)).toThrow(message);
});

test('a combination whose name cannot be a field has a code of its own', () => {
  const mappings = { 'a b': { type: 'multimodal_combination', weights: {} } };
  expect(() => checkMappings(mappings)).toThrow(expect.objectContaining({ code: 'invalid_field_name' }));
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
