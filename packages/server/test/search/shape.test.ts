import { PelorusError, UnprocessableError } from '@pelorus/contract';
import { expect, test } from 'vitest';
import { checkShape } from '../../src/search/shape.js';
import { searchRequest } from './requests.js';

const check = (body: object) => checkShape(searchRequest(body));
const context = { tensor: [{ vector: [1, 2], weight: 1 }] };

test.each([
  { q: 'a' },
  { q: null, context },
  { context, searchMethod: 'HYBRID' },
  { searchMethod: 'hybrid', hybridParameters: { queryTensor: { a: 1 }, queryLexical: 'b' } },
  { q: 'a', searchMethod: 'HYBRID', hybridParameters: {} },
  { q: 'a', searchMethod: 'HYBRID', hybridParameters: { retrievalMethod: 'Lexical', rankingMethod: 'TENSOR' } },
  {
    q: 'a',
    searchMethod: null,
    searchableAttributes: null,
    reRanker: null,
    boost: null,
    facets: null,
    trackTotalHits: null,
  },
  { q: 'a', approximateThreshold: 0 },
])('%j has the shape', (body) => {
  expect(() => check(body)).not.toThrow();
});

const hybrid = (hybridParameters: object) => ({ q: 'a', searchMethod: 'HYBRID', hybridParameters });

test.each<[object, string]>([
  [{ searchMethod: 'LEXICAL' }, 'Query(q) is required for lexical search'],
  [{}, 'One of Query(q) or context is required for TENSOR search but both are missing'],
  [{ searchMethod: 'HYBRID' }, 'is required for HYBRID search but all are missing'],
  [hybrid({ queryTensor: 'b' }), 'Query(q) cannot be provided for HYBRID search when'],
  [{ q: 'a', searchMethod: 'LEXICAL', approximateThreshold: 0.1 }, "'approximateThreshold' is only valid for"],
  [{ q: 'a', approximate: false, approximateThreshold: 0.1 }, "cannot be set when 'approximate' is False"],
  [{ q: 'a', approximateThreshold: 1.5 }, "'approximateThreshold' must be between 0 and 1, got 1.5."],
  [
    { q: 'a', hybridParameters: {} },
    "Hybrid parameters can only be provided for 'HYBRID' search. Search method is TENSOR.",
  ],
  [hybrid({ rankingMethod: 'tensor' }), 'For retrievalMethod: disjunction, rankingMethod must be: rrf'],
  [
    hybrid({ retrievalMethod: 'tensor' }),
    'For retrievalMethod: tensor or lexical, rankingMethod must be: tensor or lexical',
  ],
  [hybrid({ alpha: 1.1 }), 'alpha can only be between 0 and 1'],
  [hybrid({ rrfK: -1 }), 'rrfK can only be greater than or equal to 0'],
  [hybrid({ rrfK: 60.1 }), 'value is not a valid integer'],
  [
    hybrid({ retrievalMethod: 'tensor', rankingMethod: 'tensor', alpha: 0.5 }),
    "'alpha' can only be defined for 'rrf' ranking method",
  ],
  [
    hybrid({ retrievalMethod: 'tensor', rankingMethod: 'tensor', rrfK: 5 }),
    "'rrfK' can only be defined for 'rrf' ranking",
  ],
  [
    hybrid({ retrievalMethod: 'lexical', rankingMethod: 'lexical', searchableAttributesTensor: [] }),
    "'searchableAttributesTensor' can only be defined for",
  ],
  [
    hybrid({ retrievalMethod: 'tensor', rankingMethod: 'tensor', searchableAttributesLexical: [] }),
    "'searchableAttributesLexical' can only be defined for",
  ],
  [hybrid({ rankingMethod: 'normalize_linear' }), 'value is not a valid enumeration member'],
  [hybrid({ zzz: 1 }), 'extra fields not permitted'],
  [{ q: 'a', sortBy: { fields: [] } }, 'body.sortBy: extra fields not permitted'],
  [{ q: 'a', highlight: true }, 'body.highlight: extra fields not permitted'],
  [{ q: 'a', limit: null }, 'body.limit: none is not an allowed value'],
  [{ q: 'a', interpolationMethod: 'mean' }, 'value is not a valid enumeration member'],
  [{ q: { customVector: { vector: ['x'] } } }, 'value is not a valid float'],
  [{ q: { customVector: { vector: [1], zzz: 1 } } }, 'extra fields not permitted'],
  [
    { q: 'a', image_download_headers: { a: 'b' }, mediaDownloadHeaders: { a: 'b' } },
    'Cannot set both imageDownloadHeaders',
  ],
])('%j is a 422', (body, message) => {
  expect(() => check(body)).toThrow(UnprocessableError);
  expect(() => check(body)).toThrow(message);
});

const problem = (loc: (string | number)[], msg: string, type: string, ctx?: object) => ({
  loc,
  msg,
  type,
  ...(ctx && { ctx }),
});
const float = 'value is not a valid float';
const noIds = 'context["documents"]["ids"] must be present and a non-empty dict of document id to weight pairs.';
const none = 'At least 1 form of context (tensor or documents) must be provided';

test.each<[unknown, ...object[]]>([
  ['near', problem(['__root__'], 'value is not a valid dict', 'type_error.dict')],
  [{}, problem(['__root__'], none, 'value_error')],
  [{ tensor: null, documents: null, zzz: 1 }, problem(['__root__'], none, 'value_error')],
  [{ tensor: 5 }, problem(['tensor'], 'value is not a valid list', 'type_error.list')],
  [
    { tensor: [] },
    problem(['tensor'], 'ensure this value has at least 1 items', 'value_error.list.min_items', { limit_value: 1 }),
  ],
  [
    { tensor: Array(65).fill({ vector: [1], weight: 1 }) },
    problem(['tensor'], 'ensure this value has at most 64 items', 'value_error.list.max_items', { limit_value: 64 }),
  ],
  [
    { tensor: [{ vector: [1, 'é'] }] },
    problem(['tensor', 0, 'vector', 1], float, 'type_error.float'),
    problem(['tensor', 0, 'weight'], 'field required', 'value_error.missing'),
  ],
  [{ tensor: [{ vector: [1], weight: 'é' }] }, problem(['tensor', 0, 'weight'], float, 'type_error.float')],
  [{ documents: {} }, problem(['__root__'], noIds, 'value_error')],
  [{ documents: { ids: {} } }, problem(['__root__'], noIds, 'value_error')],
  [{ documents: { ids: { a: 'é' } } }, problem(['documents', 'ids', 'a'], float, 'type_error.float')],
  [
    { documents: { ids: { a: 1 }, parameters: { fields: [] } } },
    problem(['documents', 'parameters', 'fields'], 'extra fields not permitted', 'value_error.extra'),
  ],
  [
    { documents: { ids: { a: 1 }, parameters: { tensorFields: [] } } },
    problem(['__root__'], expect.stringContaining('must be non-empty list') as unknown as string, 'value_error'),
  ],
])('the context %j is a 400 whose message lists what is wrong', (given, ...problems) => {
  try {
    check({ context: given });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(PelorusError);
    expect(error).toMatchObject({ status: 400, code: 'invalid_argument', link: null });
    expect(JSON.parse((error as Error).message)).toEqual(problems);
  }
});

test('members of context that nobody knows are left alone', () => {
  expect(() => check({ context: { ...context, zzz: 1 } })).not.toThrow();
});

test('several broken rules are listed together', () => {
  try {
    check(hybrid({ retrievalMethod: 'tensor', alpha: 2, rrfK: -1 }));
    expect.unreachable();
  } catch (error) {
    const { problems } = error as UnprocessableError;
    expect(problems).toHaveLength(3);
    expect(problems[0]?.loc).toEqual(['body', 'hybridParameters', '__root__']);
  }
});
