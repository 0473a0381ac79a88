import { describe, expect, test } from 'vitest';
import { planOf } from '../../src/search/plan.js';
import { searchRequest, structured, structuredWithout, unstructured } from './requests.js';

const plan = (body: object, index = unstructured) =>
  planOf(searchRequest(body), Buffer.from(JSON.stringify(body)), index, 2000);
const context = { tensor: [{ vector: [1, 2], weight: 0.5 }] };
const customVector = { vector: [3, 4], content: 'words' };

test('a plain text has one part, prefixed, and nothing to interpolate', () => {
  expect(plan({ q: 'red shoe', filter: 'a:b' })).toEqual({
    searchMethod: 'TENSOR',
    limit: 10,
    offset: 0,
    filter: 'a:b',
    attributesToRetrieve: null,
    showHighlights: true,
    tensor: {
      fields: null,
      efSearch: 2000,
      approximate: true,
      approximateThreshold: null,
      parts: [{ text: 'query: red shoe', weight: 1 }],
      interpolation: null,
    },
    lexical: null,
    hybrid: null,
  });
});

test('the prefix of the request wins, an empty one too', () => {
  expect(plan({ q: 'a', textQueryPrefix: '' }).tensor?.parts).toEqual([{ text: 'a', weight: 1 }]);
  expect(plan({ q: 'a', textQueryPrefix: 'p ' }).tensor?.parts).toEqual([{ text: 'p a', weight: 1 }]);
  expect(plan({ q: 'a', textQueryPrefix: null }).tensor?.parts).toEqual([{ text: 'query: a', weight: 1 }]);
});

describe('parts are combined in the order texts, context, custom vector', () => {
  test('weighted texts as they stand in the request, names of digits too', () => {
    const parts = (json: string) =>
      planOf(searchRequest(JSON.parse(json)), Buffer.from(json), unstructured, 2000).tensor?.parts.map((part) =>
        'text' in part ? part.text : part.vector,
      );
    const weights = '{"pasta":1,"10":2,"2":3}';
    expect(parts(`{"limit":1,"q":${weights}}`)).toEqual(['query: pasta', 'query: 10', 'query: 2']);
    expect(parts(`{"searchMethod":"HYBRID","hybridParameters":{"queryLexical":"a","queryTensor":${weights}}}`)).toEqual(
      ['query: pasta', 'query: 10', 'query: 2'],
    );
  });

  test('weighted texts before context', () => {
    const { tensor } = plan({ q: { b: 2, a: -1 }, context });
    expect(tensor?.parts).toEqual([
      { text: 'query: b', weight: 2 },
      { text: 'query: a', weight: -1 },
      { vector: [1, 2], weight: 0.5 },
    ]);
  });
  test('context before a custom vector, which weighs 1', () => {
    expect(plan({ q: { customVector }, context }).tensor?.parts).toEqual([
      { vector: [1, 2], weight: 0.5 },
      { vector: [3, 4], weight: 1 },
    ]);
  });
  test('context alone', () => {
    expect(plan({ context }).tensor?.parts).toEqual([{ vector: [1, 2], weight: 0.5 }]);
  });
});

test('vectors are joined by nlerp where embeddings are normalised, by lerp elsewhere, unless the request says how', () => {
  expect(plan({ q: { a: 1 } }).tensor?.interpolation).toBe('nlerp');
  expect(plan({ q: { a: 1 } }, structured).tensor?.interpolation).toBe('lerp');
  expect(plan({ q: { a: 1 }, interpolationMethod: 'slerp' }).tensor?.interpolation).toBe('slerp');
});

test('a lexical search has words and no vectors', () => {
  const { tensor, lexical, hybrid } = plan({ q: 'a "b"', searchMethod: 'lexical', searchableAttributes: ['t'] });
  expect({ tensor, lexical, hybrid }).toEqual({
    tensor: null,
    lexical: { text: 'a "b"', fields: ['t'] },
    hybrid: null,
  });
});

describe('a hybrid search', () => {
  const hybrid = (hybridParameters: object, rest: object = { q: 'x' }) =>
    plan({ searchMethod: 'HYBRID', hybridParameters, ...rest });

  test('defaults to both legs fused by rank', () => {
    const made = plan({ q: 'x', searchMethod: 'HYBRID' });
    expect(made.hybrid).toEqual({ retrievalMethod: 'disjunction', rankingMethod: 'rrf', alpha: 0.5, rrfK: 60 });
    expect(made.lexical).toEqual({ text: 'x', fields: null });
    expect(made.tensor?.parts).toEqual([{ text: 'query: x', weight: 1 }]);
  });

  test.each([
    ['tensor', 'tensor', true, false],
    ['lexical', 'lexical', false, true],
    ['tensor', 'lexical', true, true],
    ['lexical', 'tensor', true, true],
  ])('%s retrieval ranked by %s has the legs it needs', (retrievalMethod, rankingMethod, tensor, lexical) => {
    const made = hybrid({ retrievalMethod, rankingMethod });
    expect([made.tensor !== null, made.lexical !== null]).toEqual([tensor, lexical]);
  });

  test('each leg has its own fields and may have its own query', () => {
    const parameters = {
      queryTensor: { a: 1 },
      queryLexical: 'words',
      searchableAttributesTensor: ['v'],
      searchableAttributesLexical: ['w'],
    };
    const made = hybrid(parameters, {});
    expect(made.tensor).toMatchObject({
      fields: ['v'],
      parts: [{ text: 'query: a', weight: 1 }],
      interpolation: 'nlerp',
    });
    expect(made.lexical).toEqual({ text: 'words', fields: ['w'] });
  });

  test('the content of a custom vector is what the lexical leg looks for', () => {
    expect(hybrid({}, { q: { customVector } }).lexical?.text).toBe('words');
    expect(() => hybrid({}, { q: { customVector: { vector: [1, 2] } } })).toThrow(
      "Either 'hybridParameters.queryLexical' or just 'q' must be present",
    );
  });
});

describe('fields of a structured index', () => {
  test.each<[object, string]>([
    [
      { q: 'a', searchableAttributes: ['price'] },
      'Index s has no tensor field price. Available tensor fields are: title, body',
    ],
    [
      { q: 'a', searchMethod: 'LEXICAL', searchableAttributes: ['body'] },
      'Index s has no lexically searchable field body. Available lexically searchable fields are: title',
    ],
    [{ q: 'a', attributesToRetrieve: ['zzz'] }, 'Index s has no field zzz. Available fields are: title, body, price'],
  ])('%j names one it does not have', (body, message) => {
    expect(() => plan(body, structured)).toThrow(expect.objectContaining({ code: 'invalid_field_name' }));
    expect(() => plan(body, structured)).toThrow(message);
  });

  test('a star alone means all, the id may always be asked for', () => {
    expect(plan({ q: 'a', attributesToRetrieve: ['*'], searchableAttributes: ['*'] }, structured)).toMatchObject({
      attributesToRetrieve: null,
      tensor: { fields: null },
    });
    expect(plan({ q: 'a', attributesToRetrieve: ['_id'] }, structured).attributesToRetrieve).toEqual(['_id']);
  });

  test.each([
    ['TENSOR', 'Index w has no tensor fields, thus tensor search cannot be performed.'],
    ['LEXICAL', 'Index w has no lexically searchable fields, thus lexical search cannot be performed.'],
    ['HYBRID', 'Index w either has no tensor fields or no lexically searchable fields, thus hybrid search cannot'],
  ])('without any, %s is refused', (searchMethod, message) => {
    expect(() => plan({ q: 'a', searchMethod }, structuredWithout)).toThrow(message);
  });
});
