import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.js';
import { checkMethod, checkValues } from '../../src/search/values.js';
import { searchRequest } from './requests.js';

const config = readConfig({ MARQO_MAX_SEARCHABLE_TENSOR_ATTRIBUTES: '2' });
const values = (body: object) => checkValues(searchRequest(body), config);
const method = (body: object) => checkMethod(searchRequest(body));
const context = { tensor: [{ vector: [1, 2], weight: 1 }] };

describe('rules that need no index', () => {
  test.each([
    { q: 'a', limit: 1000, offset: 9000 },
    { q: { a: 1, b: -1 }, context },
    { q: { customVector: { vector: [1] } }, context, searchMethod: 'HYBRID' },
    { q: 'a', searchableAttributes: ['a', 'b'], attributesToRetrieve: ['*'] },
    { q: 'a', searchableAttributes: ['a', 'b', 'c'], searchMethod: 'LEXICAL' },
    { q: 'a', context },
    { q: 'a', context, searchMethod: 'LEXICAL' },
  ])('%j passes', (body) => {
    expect(() => values(body)).not.toThrow();
  });

  const tooMany = Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`t${i}`, 1]));
  test.each<[object, string, string]>([
    [{ q: 'a', limit: 0 }, 'illegal_requested_doc_count', 'result_count must be an integer greater than 0! Received 0'],
    [{ q: 'a', offset: -1 }, 'illegal_requested_doc_count', 'search result offset cannot be less than 0!'],
    [{ q: 'a', limit: 1001 }, 'illegal_requested_doc_count', 'MARQO_MAX_SEARCH_LIMIT limit of [1000]'],
    [{ q: 'a', limit: 10, offset: 9991 }, 'illegal_requested_doc_count', 'MARQO_MAX_RETRIEVABLE_DOCS limit of [10000]'],
    [{ q: {} }, 'invalid_argument', 'Received empty dictionary'],
    [{ q: tooMany }, 'invalid_argument', 'at most 128 weighted texts. Received 129'],
    [{ q: { a: 1 }, searchMethod: 'LEXICAL' }, 'invalid_argument', 'Multi-term query is not supported'],
    [{ q: { a: 1 }, searchMethod: 'HYBRID' }, 'invalid_argument', 'use hybrid_parameters.queryTensor'],
    [
      { q: { customVector: { vector: [1] } }, searchMethod: 'LEXICAL' },
      'invalid_argument',
      'Custom vector search is only',
    ],
    [{ q: 'a', boost: { f: [] } }, 'invalid_argument', 'Boost dictionaries have structure'],
    [{ q: 'a', boost: {}, searchMethod: 'HYBRID' }, 'invalid_argument', 'Boosting is only supported for'],
    [{ q: 'a', searchableAttributes: ['a', 'b', 'c'] }, 'invalid_argument', 'for tensor search is 2, received 3'],
    [{ q: 'a', searchMethod: null, searchableAttributes: ['a', 'b', 'c'] }, 'invalid_argument', 'is 2, received 3'],
    [{ q: 'a', searchableAttributes: [''] }, 'invalid_field_name', "field name can't be empty! "],
    [
      { q: 'a', searchableAttributes: ['a.b'] },
      'invalid_field_name',
      "Illegal character '.' detected in field name a.b",
    ],
    [{ q: 'a', attributesToRetrieve: ['_score'] }, 'invalid_field_name', 'Please rename this field: _score'],
    [{ q: 'a', attributesToRetrieve: ['__vector_x'] }, 'invalid_field_name', '__vector_'],
    [{ q: 'a', attributesToRetrieve: ['__chunks'] }, 'invalid_field_name', '__chunks'],
  ])('%j is a 400 with code %s', (body, code, message) => {
    expect(() => values(body)).toThrow(expect.objectContaining({ status: 400, code }));
    expect(() => values(body)).toThrow(message);
  });

  test('the first broken rule in the documented order is the one that is told', () => {
    expect(() => values({ q: {}, limit: 2000, offset: -1 })).toThrow('offset cannot be less than 0');
    expect(() => values({ q: {}, limit: 2000, offset: 9000 })).toThrow('empty dictionary');
    expect(() => values({ q: 'a', limit: 2000, offset: 9000 })).toThrow('MARQO_MAX_RETRIEVABLE_DOCS');
    expect(() => values({ q: 'a', limit: 2000, context, boost: {} })).toThrow('MARQO_MAX_SEARCH_LIMIT');
  });
});

describe('rules of single methods', () => {
  const hybrid = (hybridParameters: object, rest: object = {}) => ({
    searchMethod: 'HYBRID',
    hybridParameters,
    ...rest,
  });

  test.each<[object, string]>([
    [{ q: 'a', searchMethod: 'LEXICAL', efSearch: 5 }, 'efSearch is not a valid argument for lexical search'],
    [{ q: 'a', searchMethod: 'LEXICAL', approximate: true }, 'approximate is not a valid argument for lexical search'],
    [
      { q: 'a', searchMethod: 'HYBRID', searchableAttributes: ['a'] },
      "'searchableAttributes' cannot be used for hybrid search",
    ],
    [
      hybrid({ retrievalMethod: 'lexical', rankingMethod: 'lexical', queryTensor: 'x' }),
      "'hybridParameters.queryTensor' cannot be provided when",
    ],
    [
      hybrid({ retrievalMethod: 'tensor', rankingMethod: 'tensor', queryLexical: 'x' }),
      "'hybridParameters.queryLexical' cannot be provided when",
    ],
    [hybrid({}, { context }), "Query cannot be 'None' for hybrid search unless"],
  ])('%j is a 400', (body, message) => {
    expect(() => method(body)).toThrow(expect.objectContaining({ status: 400, code: 'invalid_argument' }));
    expect(() => method(body)).toThrow(message);
  });

  test('a purely tensor hybrid search may live on context alone', () => {
    expect(() => method(hybrid({ retrievalMethod: 'tensor', rankingMethod: 'tensor' }, { context }))).not.toThrow();
  });
});
