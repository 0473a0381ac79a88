import { describe, expect, test } from 'vitest';
import { checkIndexName, fieldNameProblem } from '../../src/indexes/names.js';

describe('index names', () => {
  test.each(['a', 'A-1_b', '-lead', '_lead', '__proto__'])('%s is one', (name) => {
    expect(() => checkIndexName(name)).not.toThrow();
  });

  test.each(['1abc', 'a.b', 'a b', 'ü', '', '../x', 'a/b', 'a\u0000'])('%j is none', (name) => {
    expect(() => checkIndexName(name)).toThrow(expect.objectContaining({ code: 'invalid_argument', link: '' }));
  });

  test('the message is a JSON array in a string, as clients have seen it', () => {
    expect(() => checkIndexName('1abc')).toThrow(
      String.raw`[{"loc": ["name"], "msg": "\"1abc\" is not a valid index name. Index name must match [a-zA-Z_-][a-zA-Z0-9_-]* and must not start with \"marqo__\"", "type": "value_error"}]`,
    );
    expect(() => checkIndexName('marqo__x')).toThrow(String.raw`must not start with \"marqo__\"`);
  });

  test('nothing outside ASCII stands in that message', () => {
    expect(() => checkIndexName('ü')).toThrow(String.raw`\"\u00fc\" is not`);
  });

  test('the longest name passes, one character more does not', () => {
    expect(() => checkIndexName('a'.repeat(222))).not.toThrow();
    expect(() => checkIndexName('a'.repeat(223))).toThrow(
      'Index name must not be longer than 222 characters, but this one has 223',
    );
  });
});

describe('field names', () => {
  test.each(['a', '_foo', 'a1', 'A', '_embeddings'])('%s is one', (name) => {
    expect(fieldNameProblem(name)).toBeUndefined();
  });
  test.each([
    ['a b', '"a b": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with "marqo__"'],
    ['', '"": Field name must match'],
    ['a.b', '"a.b": Field name must match'],
    ['marqo__x', 'marqo__x: Field name must not start with "marqo__"'],
    ['_score', '_score: Field name must not be one of _id, _tensor_facets, _highlights, _score, _found'],
    ['_embedding', '_embedding: Field name must not be one of'],
  ])('%j is none', (name, message) => {
    expect(fieldNameProblem(name)).toContain(message);
  });
});
