import type { engine } from '@pelorus/contract';
import { describe, expect, test } from 'vitest';
import { planOf } from '../../src/search/plan.js';
import { searchRequest, structured, unstructured } from './requests.js';

const planned = (body: object, index = unstructured, documents: engine.DocumentContext | null = null) =>
  planOf(searchRequest(body), Buffer.from(JSON.stringify(body)), index, 2000, documents);
const plan = (body: object, index = unstructured) => planned(body, index).plan;
const parts = (body: object) => planned(body).parts;
const context = { tensor: [{ vector: [1, 2], weight: 0.5 }] };
const customVector = { vector: [3, 4], content: 'words' };

test('a plain text has one part, prefixed, and nothing to interpolate', () => {
  expect(parts({ q: 'red shoe' })).toEqual([{ text: 'query: red shoe', weight: 1 }]);
  expect(plan({ q: 'red shoe', filter: 'a:b' })).toEqual({
    limit: 10,
    offset: 0,
    filter: 'a:b',
    attributesToRetrieve: null,
    showHighlights: true,
    retrievalMethod: 'tensor',
    rankingMethod: 'tensor',
    rrf: null,
    context: null,
    tensor: {
      fields: null,
      efSearch: 2000,
      approximate: true,
      approximateThreshold: null,
      weights: [1],
      interpolation: null,
    },
    lexical: null,
  });
});

test('the prefix of the request wins, an empty one too', () => {
  expect(parts({ q: 'a', textQueryPrefix: '' })).toEqual([{ text: 'a', weight: 1 }]);
  expect(parts({ q: 'a', textQueryPrefix: 'p ' })).toEqual([{ text: 'p a', weight: 1 }]);
  expect(parts({ q: 'a', textQueryPrefix: null })).toEqual([{ text: 'query: a', weight: 1 }]);
});

describe('parts are combined in the order texts, context, custom vector', () => {
  test('weighted texts as they stand in the request, names of digits too', () => {
    const texts = (json: string) =>
      planOf(searchRequest(JSON.parse(json)), Buffer.from(json), unstructured, 2000, null).parts.map((part) =>
        'text' in part ? part.text : part.vector,
      );
    const weights = '{"pasta":1,"10":2,"2":3}';
    expect(texts(`{"limit":1,"q":${weights}}`)).toEqual(['query: pasta', 'query: 10', 'query: 2']);
    expect(texts(`{"searchMethod":"HYBRID","hybridParameters":{"queryLexical":"a","queryTensor":${weights}}}`)).toEqual(
      ['query: pasta', 'query: 10', 'query: 2'],
    );
  });

  test('weighted texts before context', () => {
    expect(plan({ q: { b: 2, a: -1 }, context }).tensor?.weights).toEqual([2, -1, 0.5]);
    expect(parts({ q: { b: 2, a: -1 }, context })).toEqual([
      { text: 'query: b', weight: 2 },
      { text: 'query: a', weight: -1 },
      { vector: [1, 2], weight: 0.5 },
    ]);
  });
  test('context before a custom vector, which weighs 1', () => {
    expect(parts({ q: { customVector }, context })).toEqual([
      { vector: [1, 2], weight: 0.5 },
      { vector: [3, 4], weight: 1 },
    ]);
  });
  test('context alone', () => {
    expect(parts({ context })).toEqual([{ vector: [1, 2], weight: 0.5 }]);
  });
});

test('documents join by slerp where embeddings are normalised, and are part of the plan', () => {
  const documents = {
    documents: [{ id: 'a', weight: 1 }],
    tensorFields: null,
    excludeInputDocuments: true,
    allowMissingDocuments: false,
    allowMissingEmbeddings: false,
  };
  const interpolated = (index: typeof unstructured) =>
    planned({ context }, index, documents).plan.tensor?.interpolation;
  expect(planned({ context }, unstructured, documents).plan.context).toBe(documents);
  expect(interpolated(unstructured)).toBe('slerp');
  expect(interpolated(structured)).toBe('lerp');
});

test('vectors are joined by nlerp where embeddings are normalised, by lerp elsewhere, unless the request says how', () => {
  expect(plan({ q: { a: 1 } }).tensor?.interpolation).toBe('nlerp');
  expect(plan({ q: { a: 1 } }, structured).tensor?.interpolation).toBe('lerp');
  expect(plan({ q: { a: 1 }, interpolationMethod: 'slerp' }).tensor?.interpolation).toBe('slerp');
});

test('a lexical search has words and no vectors', () => {
  expect(plan({ q: 'a "b"', searchMethod: 'lexical', searchableAttributes: ['t'] })).toMatchObject({
    retrievalMethod: 'lexical',
    rankingMethod: 'lexical',
    rrf: null,
    tensor: null,
    lexical: { text: 'a "b"', operand: 'or', fields: ['t'] },
  });
});

describe('a hybrid search', () => {
  const plannedHybrid = (hybridParameters: object, rest: object = { q: 'x' }) =>
    planned({ searchMethod: 'HYBRID', hybridParameters, ...rest });
  const hybrid = (hybridParameters: object, rest?: object) => plannedHybrid(hybridParameters, rest).plan;

  test('defaults to both legs fused by rank', () => {
    expect(plan({ q: 'x', searchMethod: 'HYBRID' })).toMatchObject({
      retrievalMethod: 'disjunction',
      rankingMethod: 'rrf',
      rrf: { alpha: 0.5, k: 60 },
      lexical: { text: 'x', operand: 'or', fields: null },
      tensor: { weights: [1] },
    });
    expect(parts({ q: 'x', searchMethod: 'HYBRID' })).toEqual([{ text: 'query: x', weight: 1 }]);
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

  test('a leg without weight is left out, and nothing is embedded for it', () => {
    const words = plannedHybrid({ alpha: 0 });
    expect([words.plan.tensor, words.parts]).toEqual([null, []]);
    expect(words.plan.lexical).toEqual({ text: 'x', operand: 'or', fields: null });
    const vectors = plannedHybrid({ alpha: 1 });
    expect(vectors.plan.lexical).toBeNull();
    expect(vectors.parts).toEqual([{ text: 'query: x', weight: 1 }]);
  });

  test.each([
    ['and', 'and'],
    ['or', 'or'],
    ['weakAnd', 'or'],
    [null, 'or'],
  ])('the operand %s of the words is %s', (lexicalOperand, operand) => {
    expect(hybrid({ lexicalOperand }).lexical?.operand).toBe(operand);
  });

  test('each leg has its own fields and may have its own query', () => {
    const parameters = {
      queryTensor: { a: 1 },
      queryLexical: 'words',
      searchableAttributesTensor: ['v'],
      searchableAttributesLexical: ['w'],
    };
    const made = plannedHybrid(parameters, {});
    expect(made.plan.tensor).toMatchObject({ fields: ['v'], weights: [1], interpolation: 'nlerp' });
    expect(made.parts).toEqual([{ text: 'query: a', weight: 1 }]);
    expect(made.plan.lexical).toEqual({ text: 'words', operand: 'or', fields: ['w'] });
  });

  test('the content of a custom vector is what the lexical leg looks for', () => {
    expect(hybrid({}, { q: { customVector } }).lexical?.text).toBe('words');
    expect(() => hybrid({}, { q: { customVector: { vector: [1, 2] } } })).toThrow(
      "Either 'hybridParameters.queryLexical' or just 'q' must be present",
    );
  });
});

test('a star alone means all fields', () => {
  expect(plan({ q: 'a', attributesToRetrieve: ['*'], searchableAttributes: ['*'] })).toMatchObject({
    attributesToRetrieve: null,
    tensor: { fields: null },
  });
});
