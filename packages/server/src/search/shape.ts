import { invalidArgument, type Problem, type schemas, UnprocessableError } from '@pelorus/contract';
import { checkModelAuth } from '@pelorus/inference';
import { checkDownloadHeaders } from '../validation/download-headers.js';
import { broken, brokenTogether, refusalText } from '../validation/problems.js';
import { collapseProblems } from './collapse.js';
import { curvesProblems, distanceProblems, distancesProblems } from './distances.js';
import { diversityProblems } from './diversity.js';
import { facetProblems } from './facets.js';
import { lateInteractionProblems } from './late-interaction.js';
import { lexicalHighlightProblems } from './lexical-highlights.js';
import { cutoffProblems, sortProblems } from './ordering.js';
import { pinnedProblems } from './pinning.js';
import { isGlobal, recencyProblems } from './recency.js';
import { rerankModelProblems } from './rerank.js';
import { checkScoreModifiers } from './score-modifiers.js';
import { sparseQueryProblems } from './sparse-query.js';
import { textRankingProblems } from './text-ranking.js';
import { typingProblems } from './typing.js';

export type SearchRequest = schemas.SearchRequest;
export type HybridParameters = NonNullable<SearchRequest['hybridParameters']>;
export type SearchMethod = 'TENSOR' | 'LEXICAL' | 'HYBRID';
export type Query = NonNullable<SearchRequest['q']>;
export type ContextDocuments = NonNullable<NonNullable<SearchRequest['context']>['documents']>;

export function methodOf(request: SearchRequest): SearchMethod {
  return request.searchMethod ?? 'TENSOR';
}

/** The rules between members of a search that it breaks. */
export function* memberProblems(request: SearchRequest): Generator<Problem> {
  if (request.hybridParameters != null) yield* hybridProblems(request.hybridParameters);
  yield* togetherProblems(request);
  yield* rerankProblems(request);
  yield* orderingProblems(request);
}

/** Rules between members of the body. They belong to its shape: their breaches are listed in a 422. */
export function checkShape(request: SearchRequest): void {
  const { scoreModifiers, hybridParameters } = request;
  if (scoreModifiers != null) checkScoreModifiers(scoreModifiers, ['body', 'scoreModifiers']);
  for (const name of ['scoreModifiersTensor', 'scoreModifiersLexical'] as const) {
    const modifiers = hybridParameters?.[name];
    if (modifiers != null) checkScoreModifiers(modifiers, ['body', 'hybridParameters', name]);
  }
  if (request.context != null) checkContext(request.context);
  const problems = [...memberProblems(request)];
  if (problems.length > 0) throw new UnprocessableError(problems);
  checkDownloadHeaders(request);
  checkModelAuth(request.modelAuth);
}

function checkContext({ tensor, documents }: NonNullable<SearchRequest['context']>): void {
  const refuse = (text: string): never => {
    throw invalidArgument(refusalText(['body', 'context'], [broken(['__root__'], text)]));
  };
  if (tensor == null && documents == null) {
    refuse('At least 1 form of context (tensor or documents) must be provided');
  }
  if (documents == null) return;
  if (documents.ids == null || Object.keys(documents.ids).length === 0) {
    refuse('context["documents"]["ids"] must be present and a non-empty dict of document id to weight pairs.');
  }
  if (documents.parameters?.tensorFields?.length === 0) {
    refuse(
      'context document tensorFields parameter must be non-empty list. If you want to use all tensor fields, do not define this parameter.',
    );
  }
}

function* togetherProblems(request: SearchRequest): Generator<Problem> {
  const method = methodOf(request);
  const queryText = queryProblem(request, method);
  if (queryText !== undefined) yield brokenTogether(queryText);
  if (request.context?.documents != null) {
    const { retrieval, ranking } = hybridMethods(request.hybridParameters);
    if (method === 'LEXICAL') yield brokenTogether('Context is not supported for lexical search');
    if (method === 'HYBRID' && retrieval === 'lexical' && ranking === 'lexical') {
      yield brokenTogether('Context is not supported for lexical/lexical hybrid search');
    }
  }
  const threshold = request.approximateThreshold;
  if (threshold != null) {
    if (method === 'LEXICAL') {
      yield brokenTogether("'approximateThreshold' is only valid for 'HYBRID' and 'TENSOR' search methods");
    }
    if (request.approximate === false) {
      yield brokenTogether("'approximateThreshold' cannot be set when 'approximate' is False");
    }
    if (threshold < 0 || threshold > 1) {
      yield brokenTogether(`'approximateThreshold' must be between 0 and 1, got ${threshold}.`);
    }
  }
  if (request.language != null && method === 'TENSOR') {
    yield brokenTogether(
      'language parameter is not supported for TENSOR search method. Language specification only applies to lexical and hybrid search.',
    );
  }
  if (request.hybridParameters != null && method !== 'HYBRID') {
    yield brokenTogether(`Hybrid parameters can only be provided for 'HYBRID' search. Search method is ${method}.`);
  }
  yield* lexicalHighlightProblems(request, method, hybridMethods(request.hybridParameters));
  yield* typingProblems(request, method, hybridMethods(request.hybridParameters));
  yield* sparseQueryProblems(request, method, hybridMethods(request.hybridParameters));
  yield* textRankingProblems(request, method, hybridMethods(request.hybridParameters));
  yield* facetProblems(request);
  yield* collapseProblems(request, method);
  yield* pinnedProblems(request.pinned);
}

function* rerankProblems(request: SearchRequest): Generator<Problem> {
  const { rerankDepth, hybridParameters } = request;
  if (rerankDepth == null) return;
  if (methodOf(request) === 'LEXICAL') {
    yield brokenTogether("'rerankDepth' is currently not supported for 'LEXICAL' search method.");
  }
  if (hybridParameters != null && hybridMethods(hybridParameters).ranking !== 'rrf') {
    yield brokenTogether("'rerankDepth' is currently only supported for 'HYBRID' search with the 'RRF' rankingMethod.");
  }
  if (rerankDepth < 0) yield brokenTogether('rerankDepth cannot be negative.');
}

/** Rules on what changes the order of hits besides score modifiers. */
function* orderingProblems(request: SearchRequest): Generator<Problem> {
  yield* lateInteractionProblems(request);
  yield* diversityProblems(request);
  yield* rerankModelProblems(request);
  const method = methodOf(request);
  const { sortBy, relevanceCutoff, recencyParameters, distanceParameters, scoreModifiers, hybridParameters } = request;
  if (sortBy != null) {
    yield* sortProblems(sortBy);
    if (scoreModifiers != null) {
      const which =
        method === 'HYBRID' ? "'scoreModifiers'(global score modifiers) in hybrid search" : "'scoreModifiers'";
      yield brokenTogether(
        `'sortBy' cannot be used with ${which} as they are working in the same rerank phase. Please use sortBy only for sorting by fields, and scoreModifiers only for modifying scores`,
      );
    }
    if (recencyParameters != null && isGlobal(recencyParameters)) {
      yield brokenTogether(
        "'sortBy' cannot be used with 'recencyParameters' with global-phase reranking in hybrid search. To use both, set applyInRankingPhase to 'exclude-global'.",
      );
    }
    if (distanceParameters != null && isGlobal(distanceParameters)) {
      yield brokenTogether(
        "'sortBy' cannot be used with 'distanceParameters' with global-phase reranking in hybrid search. To use both, set applyInRankingPhase to 'exclude-global'.",
      );
    }
  }
  if (relevanceCutoff != null) {
    if (method !== 'HYBRID') {
      yield brokenTogether(
        `relevanceCutoff can only be provided for 'HYBRID' search, but received search method '${method}'`,
      );
    }
    yield* cutoffProblems(relevanceCutoff, hybridParameters?.retrievalMethod);
  }
  yield* distancesProblems(request.distances ?? []);
  yield* curvesProblems(recencyParameters, distanceParameters);
  if (distanceParameters != null) {
    if (method !== 'HYBRID') {
      yield brokenTogether(`distanceParameters can only be provided for 'HYBRID' search. Search method is ${method}.`);
    }
    yield* distanceProblems(distanceParameters);
    const { retrieval } = hybridMethods(hybridParameters);
    if (distanceParameters.applyToSubqueries != null && retrieval !== 'disjunction') {
      yield brokenTogether(
        `'applyToSubqueries' can only be used with 'disjunction' retrieval method. Retrieval method is '${retrieval}'.`,
      );
    }
  }
  if (recencyParameters != null) {
    if (method !== 'HYBRID') {
      yield brokenTogether(`Recency parameters can only be provided for 'HYBRID' search. Search method is ${method}.`);
    }
    yield* recencyProblems(recencyParameters);
    const { retrieval } = hybridMethods(hybridParameters);
    if (recencyParameters.applyToSubqueries != null && retrieval !== 'disjunction') {
      yield brokenTogether(
        `'applyToSubqueries' can only be used with 'disjunction' retrieval method. Retrieval method is '${retrieval}'.`,
      );
    }
  }
}

/** Checks which of q, context and the hybrid queries must be there and which exclude each other. */
function queryProblem(request: SearchRequest, method: SearchMethod): string | undefined {
  const { q, context, sparseQuery, hybridParameters } = request;
  const missing = q == null;
  if (method === 'LEXICAL') {
    return missing && sparseQuery == null ? 'Query(q) is required for lexical search' : undefined;
  }
  if (method === 'TENSOR') {
    return missing && context == null
      ? 'One of Query(q) or context is required for TENSOR search but both are missing'
      : undefined;
  }
  const named = hybridParameters?.queryTensor != null || hybridParameters?.queryLexical != null;
  if (missing && context == null && sparseQuery == null && !named) {
    return 'One of Query(q), context, hybridParameters.queryTensor, or hybridParameters.queryLexical is required for HYBRID search but all are missing';
  }
  return !missing && named
    ? 'Query(q) cannot be provided for HYBRID search when hybridParameters.queryTensor or hybridParameters.queryLexical is provided'
    : undefined;
}

/** The two methods of a hybrid search, defaults in. */
export function hybridMethods(hybrid: HybridParameters | null | undefined) {
  return { retrieval: hybrid?.retrievalMethod ?? 'disjunction', ranking: hybrid?.rankingMethod ?? 'rrf' } as const;
}

function hybridProblems(hybrid: HybridParameters): Problem[] {
  return [...hybridRules(hybrid)]
    .filter(([isBroken]) => isBroken)
    .map(([, text]) => broken(['body', 'hybridParameters', '__root__'], text));
}

function* hybridRules(hybrid: HybridParameters): Generator<[isBroken: boolean, text: string]> {
  const { retrieval, ranking } = hybridMethods(hybrid);
  const { alpha, rrfK, searchableAttributesTensor, searchableAttributesLexical } = hybrid;
  yield [
    retrieval === 'disjunction' && ranking !== 'rrf',
    'For retrievalMethod: disjunction, rankingMethod must be: rrf',
  ];
  yield [
    retrieval !== 'disjunction' && ranking === 'rrf',
    'For retrievalMethod: tensor or lexical, rankingMethod must be: tensor or lexical',
  ];
  yield [alpha != null && ranking !== 'rrf', "'alpha' can only be defined for 'rrf' ranking method"];
  yield [alpha != null && (alpha < 0 || alpha > 1), 'alpha can only be between 0 and 1'];
  yield [rrfK != null && ranking !== 'rrf', "'rrfK' can only be defined for 'rrf' ranking method"];
  yield [rrfK != null && rrfK < 0, 'rrfK can only be greater than or equal to 0'];
  yield [
    searchableAttributesTensor != null && retrieval === 'lexical' && ranking === 'lexical',
    "'searchableAttributesTensor' can only be defined for 'tensor', 'disjunction' retrieval methods or 'tensor' ranking method",
  ];
  yield [
    searchableAttributesLexical != null && retrieval === 'tensor' && ranking === 'tensor',
    "'searchableAttributesLexical' can only be defined for 'lexical', 'disjunction' retrieval methods or 'lexical' ranking method",
  ];
  yield [
    hybrid.scoreModifiersTensor != null && ranking === 'lexical',
    "'scoreModifiersTensor' can only be defined for 'tensor', 'rrf', ranking methods",
  ];
  yield [
    hybrid.scoreModifiersLexical != null && ranking === 'tensor' && retrieval !== 'lexical',
    "'scoreModifiersLexical' can only be defined for 'lexical', 'rrf' ranking methods or 'lexical' retrieval method.",
  ];
  yield [hybrid.rerankDepthTensor != null && hybrid.rerankDepthTensor < 0, 'rerankDepthTensor cannot be negative.'];
  yield [
    hybrid.rerankDepthLexical != null && retrieval === 'tensor',
    "'rerankDepthLexical' can only be set when 'retrievalMethod' is 'lexical' or 'disjunction'",
  ];
  yield [
    hybrid.rerankDepthLexical != null && hybrid.lexicalOperand === 'and',
    "'rerankDepthLexical' cannot be set when 'lexicalOperand' is 'and': all documents with every word are ranked",
  ];
  yield [
    hybrid.weakAndParameters != null && hybrid.rerankDepthLexical == null,
    "'weakAndParameters' can only be set when 'rerankDepthLexical' is set",
  ];
  yield [
    hybrid.secondPhaseModifier === true &&
      retrieval !== 'disjunction' &&
      (retrieval !== 'lexical' || ranking !== 'lexical'),
    "'secondPhaseModifier' can only be set to True when 'retrievalMethod' is 'disjunction' or both 'retrievalMethod' and 'rankingMethod' are 'lexical'",
  ];
}
