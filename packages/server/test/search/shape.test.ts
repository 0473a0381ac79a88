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
  { q: 'a', scoreModifiers: null, rerankDepth: null, sortBy: null, relevanceCutoff: null, recencyParameters: null },
  { q: 'a', scoreModifiers: { multiply_score_by: [{ field_name: 'a' }] }, rerankDepth: 0 },
  { q: 'a', searchMethod: 'LEXICAL', scoreModifiers: { addToScore: [{ fieldName: 'a', weight: -1 }] } },
  { q: 'a', searchMethod: 'LEXICAL', language: 'de' },
  { q: 'a', searchMethod: 'HYBRID', language: 'klingon' },
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
  [
    { q: 'a', language: 'de' },
    'language parameter is not supported for TENSOR search method. Language specification only applies to lexical and hybrid search.',
  ],
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
  [{ q: 'a', searchMethod: 'HYBRID', collapseFields: [] }, 'Exactly one collapse field must be provided'],
  [{ q: 'a', filterableAttributes: [] }, 'body.filterableAttributes: extra fields not permitted'],
  [{ q: 'a', limit: null }, 'body.limit: none is not an allowed value'],
  [{ q: 'a', interpolationMethod: 'mean' }, 'value is not a valid enumeration member'],
  [{ q: { customVector: { vector: ['x'] } } }, 'value is not a valid float'],
  [{ q: { customVector: { vector: [1], zzz: 1 } } }, 'extra fields not permitted'],
  [
    { q: 'a', image_download_headers: { a: 'b' }, mediaDownloadHeaders: { a: 'b' } },
    'Cannot set both imageDownloadHeaders',
  ],
  [
    { q: 'a', mediaDownloadHeaders: { a: 'b' }, media_download_headers: { c: 'd' } },
    'Cannot set both mediaDownloadHeaders and media_download_headers. Use mediaDownloadHeaders alone.',
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
    const { message } = error as Error;
    const start = 'Error validating context: ';
    expect(message.slice(0, start.length)).toBe(start);
    expect(JSON.parse(message.slice(start.length))).toEqual(problems);
  }
});

test.each<[object, string, string]>([
  [
    { scoreModifiers: {} },
    'score_modifiers',
    '["__root__"], "msg": "At least one of multiply_score_by or add_to_score',
  ],
  [
    { scoreModifiers: { add_to_score: [{ field_name: 'a', zzz: 1 }] } },
    'score_modifiers',
    '["add_to_score", 0, "zzz"], "msg": "extra fields not permitted"',
  ],
  [
    { hybridParameters: { scoreModifiersTensor: { add_to_score: [] } } },
    'score_modifiers_tensor',
    '["add_to_score"], "msg": "At least one ScoreModifierOperator is required in add_to_score"',
  ],
  [
    { hybridParameters: { scoreModifiersLexical: { multiply_score_by: [{ field_name: 'a', weight: 'x' }] } } },
    'score_modifiers_lexical',
    '["multiply_score_by", 0, "weight"], "msg": "value is not a valid float"',
  ],
])('%j is a 400 that names the member that is wrong', (body, member, problem) => {
  const refusal = { status: 400, code: 'invalid_argument' };
  expect(() => check({ q: 'a', searchMethod: 'HYBRID', ...body })).toThrow(expect.objectContaining(refusal));
  expect(() => check({ q: 'a', searchMethod: 'HYBRID', ...body })).toThrow(
    `Error validating ${member}: [{"loc": ${problem}`,
  );
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

const ranked = (rest: object) => ({ q: 'a', searchMethod: 'HYBRID', ...rest });
const recency = (rest: object) => ranked({ recencyParameters: { recencyField: 't', ...rest } });
const cutoff = (relevanceCutoff: object, rest: object = {}) => ranked({ relevanceCutoff, ...rest });
const fields = [{ fieldName: 'a' }];
const gap = { method: 'gap_detection' };
const grown = { growFrom: 0.5, growFunction: 'linear', growScale: '1d', growOffset: '0d' };
const disjunction = { hybridParameters: { retrievalMethod: 'disjunction' } };
const by = (retrievalMethod: string, rankingMethod: string, rest: object) =>
  hybrid({ retrievalMethod, rankingMethod, ...rest });
const modifiers = { add_to_score: [{ field_name: 'a' }] };

test.each([
  recency({ scale: '12h', offset: '0d', decayTo: 1, decay_function: 'gaussian', center: 0, ...grown }),
  ranked({ recencyParameters: { recency_field: 't' } }),
  ranked({ sortBy: { fields: [{ field_name: 'm.k', order: 'asc', missing: 'first' }], sort_depth: 1 } }),
  ranked({ sortBy: { fields }, recencyParameters: { recencyField: 't', applyInRankingPhase: 'exclude-global' } }),
  ranked({ sortBy: { fields }, hybridParameters: { scoreModifiersTensor: modifiers } }),
  cutoff({ method: 'relative_max_score', parameters: { relative_score_factor: 0.5 }, probe_depth: 5 }),
  cutoff({ ...gap, applyInRetrieval: 'tensor' }, disjunction),
  by('lexical', 'tensor', { scoreModifiersTensor: modifiers, scoreModifiersLexical: modifiers, rerankCount: 5 }),
  by('lexical', 'lexical', {
    rerankDepthLexical: 1,
    weakAndParameters: { allowDropAll: true },
    secondPhaseModifier: true,
  }),
])('%j has the shape', (body) => {
  expect(() => check(body)).not.toThrow();
});

test.each<[object, string]>([
  [
    { q: 'a', searchMethod: 'LEXICAL', rerankDepth: 1 },
    "'rerankDepth' is currently not supported for 'LEXICAL' search",
  ],
  [{ q: 'a', rerankDepth: -1 }, 'rerankDepth cannot be negative.'],
  [{ q: 'a', rerankDepth: 10_001 }, 'ensure this value is less than or equal to 10000'],
  [
    { ...by('tensor', 'tensor', {}), rerankDepth: 1 },
    "'rerankDepth' is currently only supported for 'HYBRID' search with the 'RRF' rankingMethod.",
  ],
  [hybrid({ rerankDepthTensor: -1 }), 'rerankDepthTensor cannot be negative.'],
  [
    by('tensor', 'tensor', { rerankDepthLexical: 1 }),
    "'rerankDepthLexical' can only be set when 'retrievalMethod' is 'lexical' or 'disjunction'",
  ],
  [
    hybrid({ rerankDepthLexical: 1, lexicalOperand: 'and' }),
    "'rerankDepthLexical' cannot be set when 'lexicalOperand' is 'and'",
  ],
  [hybrid({ rerankDepthLexical: 0 }), 'ensure this value is greater than or equal to 1'],
  [hybrid({ weakAndParameters: {} }), "'weakAndParameters' can only be set when 'rerankDepthLexical' is set"],
  [hybrid({ rerankCount: 0 }), 'ensure this value is greater than or equal to 1'],
  ...['tensor', 'lexical'].map((ranking): [object, string] => [
    by('tensor', ranking, { secondPhaseModifier: true }),
    "'secondPhaseModifier' can only be set to True when 'retrievalMethod' is 'disjunction' or both",
  ]),
  ...['tensor', 'lexical'].map((retrieval): [object, string] => [
    by(retrieval, 'lexical', { scoreModifiersTensor: modifiers }),
    "'scoreModifiersTensor' can only be defined for 'tensor', 'rrf', ranking methods",
  ]),
  [
    by('tensor', 'tensor', { scoreModifiersLexical: modifiers }),
    "'scoreModifiersLexical' can only be defined for 'lexical', 'rrf' ranking methods or 'lexical' retrieval method.",
  ],
  ...['TENSOR', 'LEXICAL'].map((searchMethod): [object, string] => [
    { q: 'a', searchMethod, sortBy: { fields }, scoreModifiers: modifiers },
    "'sortBy' cannot be used with 'scoreModifiers' as they are working in the same rerank phase.",
  ]),
  [ranked({ sortBy: { fields: [] } }), 'ensure this value has at least 1 items'],
  [ranked({ sortBy: { fields: [...fields, ...fields, ...fields, ...fields] } }), 'at most 3 items'],
  [ranked({ sortBy: { fields: [{ fieldName: '1a' }] } }), "Invalid field name '1a'"],
  ...['_id', '_score', '_highlights', '__vector_x', '__chunks', '__chunksx'].map((fieldName): [object, string] => [
    ranked({ sortBy: { fields: [{ fieldName }] } }),
    `Invalid field name '${fieldName}'. It is reserved`,
  ]),
  [ranked({ sortBy: { fields: [{ fieldName: 'a'.repeat(1025) }] } }), 'It has 1025 characters, of at most 1024'],
  [ranked({ sortBy: { fields: [{ fieldName: 'a', order: 'up' }] } }), 'value is not a valid enumeration member'],
  [ranked({ sortBy: { fields, sortDepth: 0 } }), 'ensure this value is greater than or equal to 1'],
  [ranked({ sortBy: { fields, sortDepth: 1, sort_depth: 1 } }), 'extra fields not permitted'],
  [ranked({ sortBy: { fields }, scoreModifiers: modifiers }), "'sortBy' cannot be used with 'scoreModifiers'"],
  [
    ranked({ sortBy: { fields }, recencyParameters: { recencyField: 't' } }),
    "'sortBy' cannot be used with 'recencyParameters' with global-phase reranking in hybrid search.",
  ],
  [
    { q: 'a', searchMethod: 'LEXICAL', relevanceCutoff: gap },
    "relevanceCutoff can only be provided for 'HYBRID' search, but received search method 'LEXICAL'",
  ],
  [cutoff({ method: 'other' }), 'value is not a valid enumeration member'],
  [cutoff({ method: 'relative_max_score' }), "You must provide '['relativeScoreFactor']' as parameters for method"],
  [
    cutoff({ method: 'relative_max_score', parameters: { relativeScoreFactor: 1.1 } }),
    'ensure this value is less than or equal to 1',
  ],
  [
    cutoff({ method: 'mean_std_dev', parameters: { relativeScoreFactor: 1 } }),
    "You must provide '['stdDevFactor']' as parameters for mean_std_dev",
  ],
  [
    cutoff({ ...gap, parameters: { stdDevFactor: 1 } }),
    "gap_detection does not require any parameters, but received {'stdDevFactor': 1}",
  ],
  [cutoff({ ...gap, probeDepth: 0 }), 'ensure this value is greater than or equal to 1'],
  [
    cutoff({ ...gap, applyInRetrieval: 'both' }),
    "relevanceCutoff.applyInRetrieval can only be set when hybridParameters.retrievalMethod is 'disjunction'",
  ],
  [
    cutoff({ ...gap, applyInRetrieval: 'lexical' }, disjunction),
    "applyInRetrieval='lexical' is not currently supported",
  ],
  [
    cutoff({ ...gap, applyInRetrieval: 'tensor', overrideSortCandidatesWithRelevantCandidates: true }, disjunction),
    "applyInRetrieval='tensor' cannot be used with",
  ],
  [
    { q: 'a', recencyParameters: { recencyField: 't' } },
    "Recency parameters can only be provided for 'HYBRID' search. Search method is TENSOR.",
  ],
  [ranked({ recencyParameters: {} }), 'field required'],
  [recency({ recencyField: ' ' }), 'recency_field cannot be empty'],
  ...['7', 'd', '7m', '-1d', '1e3d', '1.d', ' 1d', `${'9'.repeat(400)}d`].map((scale): [object, string] => [
    recency({ scale }),
    'Invalid scale format: Invalid duration format:',
  ]),
  [recency({ offset: '7' }), "Invalid offset format: Invalid duration format: '7'. Expected format: {number}{unit}"],
  [recency({ scale: '0d' }), 'scale must be greater than 0'],
  [recency({ decayTo: 0 }), 'ensure this value is greater than 0'],
  [recency({ decayTo: 1.1 }), 'ensure this value is less than or equal to 1'],
  [recency({ decayFunction: 'cubic' }), 'value is not a valid enumeration member'],
  [recency({ addToScoreWeight: 0 }), 'ensure this value is greater than 0'],
  [recency({ center: -1 }), 'ensure this value is greater than or equal to 0'],
  [recency({ applyInRankingPhase: 'some' }), 'value is not a valid enumeration member'],
  [
    recency({ growFrom: 0.5 }),
    "Grow parameters must be either all provided or all omitted. Provided: ['grow_from']. Missing: ['grow_function', 'grow_scale', 'grow_offset'].",
  ],
  [recency({ ...grown, growScale: '0h' }), 'grow_scale must be greater than 0'],
  [
    ranked({
      recencyParameters: { recencyField: 't', applyToSubqueries: [] },
      hybridParameters: { retrievalMethod: 'tensor', rankingMethod: 'tensor' },
    }),
    "'applyToSubqueries' can only be used with 'disjunction' retrieval method. Retrieval method is 'tensor'.",
  ],
])('%j breaks a rule of ranking: 422', (body, message) => {
  expect(() => check(body)).toThrow(UnprocessableError);
  expect(() => check(body)).toThrow(message);
});

test.each<[object, string]>([
  [{}, 'At least one of multiply_score_by or add_to_score must be provided'],
  [{ add_to_score: [] }, 'At least one ScoreModifierOperator is required in add_to_score'],
  [{ add_to_score: [{ field_name: '_id' }] }, '_id is not allowed as a field_name'],
  [{ multiply_score_by: [{ weight: 1 }] }, 'field required'],
  [{ multiply_score_by: [{ field_name: 'a', weight: 'heavy' }] }, 'value is not a valid float'],
  [{ add_to_score: [{ field_name: 'a', zzz: 1 }] }, 'extra fields not permitted'],
  [{ ...modifiers, zzz: 1 }, 'extra fields not permitted'],
])('the score modifiers %j are a 400 at every level', (given, message) => {
  for (const body of [
    { q: 'a', scoreModifiers: given },
    hybrid({ scoreModifiersTensor: given }),
    hybrid({ scoreModifiersLexical: given }),
  ]) {
    expect(() => check(body)).toThrow(message);
    expect(() => check(body)).toThrow(expect.objectContaining({ status: 400, code: 'invalid_argument' }));
  }
});
