import { invalidArgument, PelorusError, truncated } from '@pelorus/contract';
import type { Config } from '../config.js';
import type { IndexDefinition } from '../services/definition.js';
import { lateError } from '../validation/late-errors.js';
import { checkQueryText } from '../validation/query-texts.js';
import { checkBoosts } from './boosts.js';
import { checkFieldName } from './field-names.js';
import { checkWeightedFields } from './field-weights.js';
import { checkRerankFields } from './rerank.js';
import { CLOSENESS, scoreKeyOf } from './score-modifiers.js';
import { hybridMethods, methodOf, type Query, type SearchMethod, type SearchRequest } from './shape.js';
import { checkOrderedFields } from './text-ranking.js';
import { checkTypingFields } from './typing.js';

/** Most texts a weighted query may have: each is embedded. */
export const weightedTextsMax = 128;

/** Rules that need no index, in the order their breaches are reported. */
export function checkValues(request: SearchRequest, config: Config): void {
  checkTexts(request);
  checkPage(request, config);
  checkBoosts(request);
  if (request.searchableAttributes != null) checkTensorAttributeCount(request, config);
  const { searchableAttributesTensor, searchableAttributesLexical } = request.hybridParameters ?? {};
  for (const names of [
    request.searchableAttributes,
    searchableAttributesTensor,
    searchableAttributesLexical,
    request.attributesToRetrieve,
  ]) {
    for (const name of names ?? []) checkFieldName(name);
  }
  checkTypingFields(request);
  checkWeightedFields(request);
  for (const name of ['sparseQuery', 'lateInteraction'] as const) {
    const member = request[name];
    if (member == null) continue;
    checkFieldName(member.fieldName);
    if (member.text != null) checkQueryText(`${name}.text`, member.text);
  }
  checkOrderedFields(request);
  checkRerankFields(request);
}

function checkTexts({ q, hybridParameters }: SearchRequest): void {
  const { queryTensor, queryLexical } = hybridParameters ?? {};
  for (const [name, query] of Object.entries({ q, queryTensor, queryLexical })) {
    if (query == null) continue;
    for (const text of textsOf(query)) checkQueryText(name, text);
  }
}

function textsOf(query: Query): readonly string[] {
  if (typeof query === 'string') return [query];
  return isCustomVector(query) ? [query.customVector.content ?? ''] : Object.keys(query);
}

function countError(message: string): PelorusError {
  return new PelorusError('illegal_requested_doc_count', message);
}

function checkPage(request: SearchRequest, config: Config): void {
  const { limit, offset } = request;
  checkPositive(limit);
  if (offset < 0) throw countError('search result offset cannot be less than 0!');
  if (request.q != null) checkQueryForm(request.q, methodOf(request));
  const { retrievableDocumentsMax, searchOffsetMax } = config;
  if (limit + offset > retrievableDocumentsMax) {
    throw countError(
      `The search result limit + offset must be less than or equal to the MARQO_MAX_RETRIEVABLE_DOCS limit of [${retrievableDocumentsMax}].  Received search result limit of \`${limit}\` and offset of \`${offset}\`.`,
    );
  }
  checkLimitMax(limit, config);
  if (offset > searchOffsetMax) {
    throw countError(
      `The search result offset must be less than or equal to the MARQO_MAX_SEARCH_OFFSET limit of [${searchOffsetMax}]. Received search result offset of \`${offset}\`.`,
    );
  }
}

/** Checks the number of hits of a page. */
export function checkLimit(limit: number, config: Config): void {
  checkPositive(limit);
  checkLimitMax(limit, config);
}

function checkPositive(limit: number): void {
  if (limit <= 0) throw countError(`result_count must be an integer greater than 0! Received ${limit}`);
}

function checkLimitMax(limit: number, { searchLimitMax }: Config): void {
  if (limit <= searchLimitMax) return;
  throw countError(
    `The search result limit must be less than or equal to the MARQO_MAX_SEARCH_LIMIT limit of [${searchLimitMax}]. Received search result limit of \`${limit}\`.`,
  );
}

/** A custom vector, as opposed to weighted texts. */
export type CustomVectorQuery = Extract<Query, { customVector: { vector: number[] } }>;

export function isCustomVector(q: Query): q is CustomVectorQuery {
  return typeof q === 'object' && typeof (q as { customVector?: unknown }).customVector === 'object';
}

function checkQueryForm(q: Query, method: SearchMethod): void {
  if (typeof q === 'string') return;
  if (isCustomVector(q)) {
    if (method === 'LEXICAL') {
      throw invalidArgument(
        'Custom vector search is only supported for search_method="HYBRID" or search_method="TENSOR"',
      );
    }
    return;
  }
  if (method === 'LEXICAL') throw invalidArgument('Multi-term query is not supported for search_method="LEXICAL"');
  if (method === 'HYBRID') {
    throw invalidArgument('To use multi-term query with search_method="HYBRID", use hybrid_parameters.queryTensor');
  }
  checkWeightedTexts(q);
}

export function checkWeightedTexts(texts: Readonly<Record<string, number>>): void {
  const count = Object.keys(texts).length;
  if (count === 0) throw invalidArgument('Multi-query search requires at least one query! Received empty dictionary.');
  if (count > weightedTextsMax) {
    throw invalidArgument(`A query may have at most ${weightedTextsMax} weighted texts. Received ${count}.`);
  }
}

function checkTensorAttributeCount(request: SearchRequest, config: Config): void {
  const { searchableTensorAttributesMax: countMax } = config;
  const count = request.searchableAttributes?.length ?? 0;
  if (methodOf(request) !== 'TENSOR' || countMax === null || count <= countMax) return;
  throw invalidArgument(
    `Maximum searchable attributes (set via MARQO_MAX_SEARCHABLE_TENSOR_ATTRIBUTES) for tensor search is ${countMax}, received ${count}.`,
  );
}

/** Checks the number of documents that the context of a search names. */
export function checkDocumentCount({ context }: SearchRequest, { contextDocumentsMax }: Config): void {
  const count = Object.keys(context?.documents?.ids ?? {}).length;
  if (count <= contextDocumentsMax) return;
  throw countError(
    `Search context documents limit exceeded. Maximum allowed is ${contextDocumentsMax}, but got ${count}. To increase, set the environment variable 'MARQO_MAX_SEARCH_CONTEXT_DOCS'`,
  );
}

/** Refuses members with which no index, or only an unstructured one, can be searched. */
export function checkSupport(request: SearchRequest, { settings }: IndexDefinition): void {
  const refuse = (message: string): never => {
    throw new PelorusError('bad_request', message);
  };
  const scoreKey = methodOf(request) === 'HYBRID' ? scoreKeyOf(request.scoreModifiers) : undefined;
  if (scoreKey !== undefined && settings.type !== 'unstructured') {
    refuse(
      `scoreModifiers of a structured index cannot name the score '${truncated(scoreKey)}': fields of documents change fused scores. alpha of hybridParameters weighs the legs, scoreModifiersTensor and scoreModifiersLexical change the score of one.`,
    );
  }
  if (scoreKey?.includes(CLOSENESS) && settings.annParameters.spaceType === 'geodegrees') {
    refuse(
      `scoreModifiers cannot name the score '${truncated(scoreKey)}': closeness in degrees is no share of the highest.`,
    );
  }
  if (settings.type === 'unstructured') return;
  if (request.sortBy != null) {
    refuse(
      "The 'sortBy' features is only supported for unstructured indexes created with Marqo version 2.22.0 or later ",
    );
  }
  if (request.relevanceCutoff != null) {
    refuse(
      "The 'relevanceCutoff' feature is only supported for unstructured indexes created with Marqo version 2.13.0 or later ",
    );
  }
  if (request.distanceParameters != null) {
    refuse('distanceParameters are for unstructured indexes: scores of structured ones do not fall with distance.');
  }
  if (request.recencyParameters != null) {
    refuse(
      'Recency scoring is only supported for unstructured indexes. Structured indexes do not support the recencyParameters option.',
    );
  }
}

/** Rules of single methods, checked last. */
export function checkMethod(request: SearchRequest): void {
  const method = methodOf(request);
  if (method === 'LEXICAL') {
    for (const name of ['efSearch', 'approximate'] as const) {
      if (request[name] != null) throw invalidArgument(`${name} is not a valid argument for lexical search`);
    }
  }
  if (method === 'HYBRID') checkHybrid(request);
}

function checkHybrid(request: SearchRequest): void {
  if (request.searchableAttributes != null) {
    throw lateError(
      '__root__',
      "'searchableAttributes' cannot be used for hybrid search. Instead, define the 'searchableAttributesTensor' and/or 'searchableAttributesLexical' keys inside the 'hybridParameters' dict parameter.",
    );
  }
  const { retrieval, ranking } = hybridMethods(request.hybridParameters);
  if (request.scoreModifiers != null && ranking !== 'rrf') {
    throw lateError(
      '__root__',
      `'scoreModifiers' is only supported for hybrid search if 'rankingMethod' is 'RRF'. For your 'rankingMethod': ${ranking}, define the 'scoreModifiersTensor' and/or 'scoreModifiersLexical' keys inside the 'hybridParameters' dict parameter.`,
    );
  }
  const { queryTensor, queryLexical } = request.hybridParameters ?? {};
  for (const [name, query, other] of [
    ['queryTensor', queryTensor, 'lexical'],
    ['queryLexical', queryLexical, 'tensor'],
  ] as const) {
    if (query == null || retrieval !== other || ranking !== other) continue;
    throw invalidArgument(
      `'hybridParameters.${name}' cannot be provided when 'retrievalMethod' and 'rankingMethod' are both '${other}'.`,
    );
  }
  if (queryTensor != null && typeof queryTensor === 'object') checkWeightedTexts(queryTensor);
  const onlyTensor = retrieval === 'tensor' && ranking === 'tensor';
  const hasNone = request.q == null && queryTensor == null && queryLexical == null && request.sparseQuery == null;
  if (hasNone && !onlyTensor) {
    throw invalidArgument(
      "Query cannot be 'None' for hybrid search unless: (1) retrievalMethod and rankingMethod are both 'tensor' and 'context' is given or (2) One or both of queryLexical and queryTensor are provided (depending on retrievalMethod and rankingMethod) instead.",
    );
  }
}
