import type { engine } from '@pelorus/contract';
import { invalidArgument } from '@pelorus/contract';
import type { LexicalLeg, SearchPlan, TensorLeg } from '@pelorus/engine';
import type { Call } from '../call.js';
import { memberBytes } from '../http/json-member.js';
import { queryInput, queryWords } from '../media/query-inputs.js';
import type { IndexDefinition } from '../services/definition.js';
import { plannedBoosts } from './boosts.js';
import { collapseOf } from './collapse.js';
import { type CuratedSearch, uncurated } from './curation.js';
import { distanceName } from './distance-name.js';
import { plannedDistance } from './distances.js';
import { plannedDiversity } from './diversity.js';
import { inOrder } from './document-context.js';
import { facetsOf } from './facets.js';
import { namedFields } from './field-names.js';
import { plannedFieldWeights } from './field-weights.js';
import { plannedLateInteraction } from './late-interaction.js';
import { plannedHighlights } from './lexical-highlights.js';
import { plannedCutoff, plannedSort } from './ordering.js';
import { plannedPins } from './pinning.js';
import type { QueryPart } from './query-vectors.js';
import { plannedRecency } from './recency.js';
import { plannedModifiers } from './score-modifiers.js';
import { hybridMethods, methodOf, type Query, type SearchRequest } from './shape.js';
import { plannedSparse } from './sparse-query.js';
import { plannedTextRanking } from './text-ranking.js';
import { plannedStopWords, plannedTyping } from './typing.js';
import { isCustomVector } from './values.js';

const alphaDefault = 0.5;
const rrfKDefault = 60;
const countedNearDefault = 1000;

/** The words that a leg looks for where a query has none: no document matches. */
const NO_WORDS = '';

/** A search in its normal form, and what its query vectors are made of. */
export interface PlannedSearch {
  readonly plan: SearchPlan;
  /** One for each of the plan's weights; none where no vector has a say. */
  readonly parts: readonly QueryPart[];
}

/** The body of a request besides what was parsed of it. */
type Source = Pick<Call<'search'>, 'bytes' | 'vectors'>;

type Methods = Pick<SearchPlan, 'retrievalMethod' | 'rankingMethod' | 'rrf'>;

/**
 * Plans a request that passed its checks: the one place that decides which legs it needs, and all defaults. `source` is
 * its body, for the order of weighted texts and for vectors, `context` the documents it starts from, `within` the filter
 * that its caller is bound to; filters and synonyms come from the rules of the index.
 */
export function planOf(
  request: SearchRequest,
  source: Source,
  index: IndexDefinition,
  efSearchDefault: number,
  context: engine.DocumentContext | null,
  within: string | null,
  { addedFilters, synonyms }: Pick<CuratedSearch, 'addedFilters' | 'synonyms'> = uncurated(request),
): PlannedSearch {
  const methods = methodsOf(request);
  const words = () => wordsOf(request, index, synonyms);
  const lexical = lexicalLeg(request, methods, words);
  const parts = usesLeg(methods, 'tensor') ? queryParts(request, source, index) : [];
  const sort = plannedSort(request.sortBy, request.limit, request.relevanceCutoff != null);
  const plan: SearchPlan = {
    limit: request.limit,
    offset: request.offset,
    filter: request.filter ?? null,
    within,
    addedFilters,
    pinned: plannedPins(request),
    hidden: request.hidden ?? [],
    attributesToRetrieve: namedFields(request.attributesToRetrieve),
    showHighlights: request.showHighlights && request.highlight !== false,
    explain: request.explain ?? false,
    lexicalHighlights: plannedHighlights(request),
    didYouMean: correctsQuery(request, methods, within) ? (wordsOf(request, index, []) ?? null) : null,
    ...methods,
    context,
    tensor: usesLeg(methods, 'tensor') ? tensorLeg(request, parts, context, index, efSearchDefault) : null,
    lexical: usesLeg(methods, 'lexical') ? lexical : null,
    rerankCount: request.hybridParameters?.rerankCount ?? null,
    rescoring: rescoring(request),
    recency: plannedRecency(request.recencyParameters, Date.now()) ?? plannedDistance(request.distanceParameters),
    relevanceCutoff: relevanceCutoff(request, lexical, words),
    lateInteraction: plannedLateInteraction(request),
    diversity: plannedDiversity(request),
    sort,
    collapse: collapseOf(request, request.sortBy?.fields.map(({ fieldName }) => fieldName) ?? []),
    facets: facetsOf(request),
    trackTotalHits: request.trackTotalHits ?? methodOf(request) === 'HYBRID',
    distances: (request.distances ?? []).map(({ fieldName, from }) => distanceName(fieldName, from)),
  };
  return { plan, parts };
}

/** Tells whether to look for the query that was meant: a correction is made of words of all documents, those out of reach too. */
function correctsQuery(request: SearchRequest, methods: Methods, within: string | null): boolean {
  return request.didYouMean === true && within === null && usesLeg(methods, 'lexical');
}

/**
 * The plan of a query that turned out to be a picture, film or sound when it was fetched: it has no words.
 * @throws PelorusError `invalid_argument` where these were to judge relevance by
 */
export function withoutWords(plan: SearchPlan): SearchPlan {
  if (plan.lexical === null) return plan;
  if (plan.relevanceCutoff !== null) throw nothingToJudgeBy();
  return { ...plan, lexical: { ...plan.lexical, text: NO_WORDS } };
}

/** The change of fused scores; with one leg alone that is the leg's business. */
function rescoring(request: SearchRequest): engine.Rescoring | null {
  const scoreModifiers = methodOf(request) === 'HYBRID' ? plannedModifiers(request.scoreModifiers) : null;
  return scoreModifiers && { scoreModifiers, depth: request.rerankDepth ?? null };
}

/** The probe looks for the words of the query even where no leg does. */
function relevanceCutoff(
  request: SearchRequest,
  lexical: LexicalLeg | null,
  words: () => string | null | undefined,
): engine.RelevanceCutoff | null {
  const { relevanceCutoff: cutoff } = request;
  if (cutoff == null) return null;
  const text = words();
  if (text == null) throw nothingToJudgeBy();
  if (lexical !== null) return plannedCutoff(cutoff, lexical);
  return plannedCutoff(cutoff, {
    text,
    operand: 'or',
    fields: null,
    scoreModifiers: null,
    modifiedCount: null,
    language: request.language ?? null,
    typing: null,
    fieldWeights: [],
    stopWords: null,
    phraseSlop: 0,
    sparse: null,
    textRanking: null,
  });
}

function nothingToJudgeBy(): Error {
  return invalidArgument(
    "'relevanceCutoff' needs words to judge relevance by: expected 'q' to be a text, or a custom vector with content.",
  );
}

/** The methods by which the search retrieves and ranks. With one leg alone it does both by that leg. */
function methodsOf(request: SearchRequest): Methods {
  const method = methodOf(request);
  if (method !== 'HYBRID') {
    const leg = method === 'TENSOR' ? 'tensor' : 'lexical';
    return { retrievalMethod: leg, rankingMethod: leg, rrf: null };
  }
  const { alpha, rrfK } = request.hybridParameters ?? {};
  const { retrieval, ranking } = hybridMethods(request.hybridParameters);
  const rrf = ranking === 'rrf' ? { alpha: alpha ?? alphaDefault, k: rrfK ?? rrfKDefault } : null;
  return { retrievalMethod: retrieval, rankingMethod: ranking, rrf };
}

/** Tells whether `leg` takes part: it finds, or ranks, or is fused with a weight above zero. */
function usesLeg({ retrievalMethod, rankingMethod, rrf }: Methods, leg: 'tensor' | 'lexical'): boolean {
  if (rrf === null) return retrievalMethod === leg || rankingMethod === leg;
  return leg === 'tensor' ? rrf.alpha > 0 : rrf.alpha < 1;
}

function tensorQuery({ q, hybridParameters }: SearchRequest): Query | null {
  return q ?? hybridParameters?.queryTensor ?? null;
}

function tensorLeg(
  request: SearchRequest,
  parts: readonly QueryPart[],
  context: engine.DocumentContext | null,
  { settings }: IndexDefinition,
  efSearchDefault: number,
): TensorLeg {
  const isHybrid = methodOf(request) === 'HYBRID';
  const { searchableAttributesTensor, scoreModifiersTensor, rerankDepthTensor } = request.hybridParameters ?? {};
  return {
    fields: namedFields(isHybrid ? searchableAttributesTensor : request.searchableAttributes),
    boosts: plannedBoosts(request.boost),
    efSearch: request.efSearch ?? efSearchDefault,
    approximate: request.approximate ?? true,
    approximateThreshold: request.approximateThreshold ?? null,
    weights: parts.map(({ weight }) => weight),
    interpolation: isTextAlone(request)
      ? null
      : (request.interpolationMethod ?? interpolationDefault(context, settings.normalizeEmbeddings)),
    scoreModifiers: plannedModifiers(isHybrid ? scoreModifiersTensor : request.scoreModifiers),
    rerankDepth: (isHybrid ? rerankDepthTensor : request.rerankDepth) ?? (isHybrid ? null : countedNear(request)),
  };
}

/** Tells whether a query has the vector of one text, and nothing that it could be combined with. */
function isTextAlone(request: SearchRequest): boolean {
  return typeof tensorQuery(request) === 'string' && request.context == null;
}

/** Nearest documents that a TENSOR search counts where it is to count and does not say how many; with a sort, the sorted. */
function countedNear({ facets, trackTotalHits, sortBy }: SearchRequest): number | null {
  if (sortBy != null) return null;
  return facets != null || trackTotalHits === true ? countedNearDefault : null;
}

function interpolationDefault(context: engine.DocumentContext | null, isNormalized: boolean): engine.Interpolation {
  if (!isNormalized) return 'lerp';
  return context === null ? 'nlerp' : 'slerp';
}

/** Parts in the order they are combined: texts as they stand in the request, context vectors, the custom vector. */
function queryParts(request: SearchRequest, { bytes, vectors }: Source, index: IndexDefinition): readonly QueryPart[] {
  const query = tensorQuery(request);
  const prefix = request.textQueryPrefix ?? index.resolved.textQueryPrefix;
  const input = (text: string) => queryInput(text, prefix, index);
  const given = (vector: readonly number[]) => vectors?.at(vector) ?? vector;
  const tensor = request.context?.tensor ?? [];
  const contextParts = tensor.map(({ vector, weight }) => ({ vector: given(vector), weight }));
  if (query === null) return contextParts;
  if (typeof query === 'string') return [{ input: input(query), weight: 1 }, ...contextParts];
  if (isCustomVector(query)) return [...contextParts, { vector: given(query.customVector.vector), weight: 1 }];
  const texts = orderedEntries(query, bytes).map(([text, weight]) => ({ input: input(text), weight }));
  return [...texts, ...contextParts];
}

/** Weighted texts in the order of the request. */
function orderedEntries(weights: Record<string, number>, bytes: Buffer): [string, number][] {
  const hybrid = () => memberBytes(bytes, 'hybridParameters');
  const json = () => memberBytes(bytes, 'q') ?? memberBytes(hybrid() ?? Buffer.from('{}'), 'queryTensor');
  return inOrder(Object.entries(weights), json);
}

function lexicalLeg(
  request: SearchRequest,
  { retrievalMethod, rankingMethod }: Methods,
  words: () => string | null | undefined,
): LexicalLeg | null {
  const { hybridParameters, searchableAttributes } = request;
  const ofWords = {
    language: request.language ?? null,
    typing: plannedTyping(request),
    fieldWeights: plannedFieldWeights(request),
    stopWords: plannedStopWords(request),
    phraseSlop: request.phraseSlop ?? 0,
    sparse: plannedSparse(request),
    textRanking: plannedTextRanking(request),
  };
  if (methodOf(request) === 'LEXICAL') {
    const fields = namedFields(searchableAttributes);
    const scoreModifiers = plannedModifiers(request.scoreModifiers);
    return { text: words() ?? NO_WORDS, operand: 'or', fields, scoreModifiers, modifiedCount: null, ...ofWords };
  }
  if (retrievalMethod === 'tensor' && rankingMethod === 'tensor') return null;
  const text = ofWords.sparse === null ? words() : NO_WORDS;
  if (text === undefined) {
    throw invalidArgument(
      retrievalMethod === 'disjunction'
        ? "Either 'hybridParameters.queryLexical' or just 'q' must be present when 'disjunction' retrieval method is used."
        : "Either 'hybridParameters.queryLexical' or just 'q' must be present when 'lexical' is the retrieval or ranking method.",
    );
  }
  const { lexicalOperand, searchableAttributesLexical, scoreModifiersLexical } = hybridParameters ?? {};
  const { secondPhaseModifier, rerankCount } = hybridParameters ?? {};
  // weakAnd may leave out what would not get on the page: an `or` that leaves out nothing is one.
  const operand = lexicalOperand === 'and' ? 'and' : 'or';
  return {
    text: text ?? NO_WORDS,
    operand,
    fields: namedFields(searchableAttributesLexical),
    scoreModifiers: plannedModifiers(scoreModifiersLexical),
    modifiedCount: secondPhaseModifier === true ? (rerankCount ?? request.limit) : null,
    ...ofWords,
  };
}

/**
 * The words of a query: null where it is a picture, film or sound, undefined where none are given. Synonyms join them unless
 * a document has to have every word.
 */
function wordsOf(
  { q, hybridParameters, prefix }: SearchRequest,
  index: IndexDefinition,
  synonyms: readonly string[],
): string | null | undefined {
  const text = q == null ? hybridParameters?.queryLexical : textOf(q);
  const words = text == null ? undefined : queryWords(text, index);
  if (words == null || synonyms.length === 0 || hybridParameters?.lexicalOperand === 'and') return words;
  // The last word may be one that is still typed: a beginning of others.
  return (prefix == null ? [words, ...synonyms] : [...synonyms, words]).join(' ');
}

function textOf(q: Query): string | null | undefined {
  if (typeof q === 'string') return q;
  return isCustomVector(q) ? q.customVector.content : undefined;
}
