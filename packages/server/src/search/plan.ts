import { memberBytes, memberNames } from '../http/json-member.js';
import type { IndexDefinition } from '../indexes/definition.js';
import { invalidArgument } from '../indexes/faults.js';
import { checkSearchable, lexicalAttributes, retrievedAttributes, tensorAttributes } from './attributes.js';
import { refuseMedia } from './media-pointers.js';
import type { QueryPart } from './query-vectors.js';
import { hybridMethods, methodOf, type Query, type SearchMethod, type SearchRequest } from './shape.js';
import { isCustomVector } from './values.js';

const alphaDefault = 0.5;
const rrfKDefault = 60;

type Interpolation = 'lerp' | 'nlerp' | 'slerp';

/** The tensor leg as asked for: what to embed, where to look. */
export interface TensorLeg {
  readonly fields: readonly string[] | null;
  readonly efSearch: number;
  readonly approximate: boolean;
  readonly approximateThreshold: number | null;
  readonly parts: readonly QueryPart[];
  /** Null when one text is the whole query: its vector is used as it is. */
  readonly interpolation: Interpolation | null;
}

export interface LexicalLeg {
  readonly text: string;
  readonly fields: readonly string[] | null;
}

export interface HybridFusion {
  readonly retrievalMethod: 'disjunction' | 'tensor' | 'lexical';
  readonly rankingMethod: 'rrf' | 'tensor' | 'lexical';
  readonly alpha: number;
  readonly rrfK: number;
}

/** A search in one normal form, whichever way it was asked for. Legs that are not searched are null. */
export interface SearchPlan {
  readonly searchMethod: SearchMethod;
  readonly limit: number;
  readonly offset: number;
  readonly filter: string | null;
  readonly attributesToRetrieve: readonly string[] | null;
  readonly showHighlights: boolean;
  readonly tensor: TensorLeg | null;
  readonly lexical: LexicalLeg | null;
  readonly hybrid: HybridFusion | null;
}

/** Makes the plan of a request that passed its checks; `bytes` is its body, for the order of weighted texts. */
export function planOf(
  request: SearchRequest,
  bytes: Buffer,
  index: IndexDefinition,
  efSearchDefault: number,
): SearchPlan {
  const method = methodOf(request);
  checkSearchable(index, method);
  const fusion = method === 'HYBRID' ? fusionOf(request) : null;
  const uses = (leg: 'tensor' | 'lexical') =>
    fusion === null
      ? method === leg.toUpperCase()
      : fusion.retrievalMethod === 'disjunction' || fusion.retrievalMethod === leg || fusion.rankingMethod === leg;
  return {
    searchMethod: method,
    limit: request.limit,
    offset: request.offset,
    filter: request.filter ?? null,
    attributesToRetrieve: retrievedAttributes(index, request.attributesToRetrieve),
    showHighlights: request.showHighlights,
    tensor: uses('tensor') ? tensorLeg(request, bytes, index, efSearchDefault) : null,
    lexical: uses('lexical') ? lexicalLeg(request, index, fusion) : null,
    hybrid: fusion,
  };
}

function fusionOf({ hybridParameters }: SearchRequest): HybridFusion {
  const { retrieval, ranking } = hybridMethods(hybridParameters);
  return {
    retrievalMethod: retrieval,
    rankingMethod: ranking,
    alpha: hybridParameters?.alpha ?? alphaDefault,
    rrfK: hybridParameters?.rrfK ?? rrfKDefault,
  };
}

function tensorLeg(request: SearchRequest, bytes: Buffer, index: IndexDefinition, efSearchDefault: number): TensorLeg {
  const { hybridParameters } = request;
  const query = request.q ?? hybridParameters?.queryTensor ?? null;
  const fields =
    methodOf(request) === 'HYBRID' ? hybridParameters?.searchableAttributesTensor : request.searchableAttributes;
  const { settings, resolved } = index;
  refuseMedia(textsOf(query), request.q == null ? 'hybridParameters.queryTensor' : 'q', index);
  return {
    fields: tensorAttributes(index, fields),
    efSearch: request.efSearch ?? efSearchDefault,
    approximate: request.approximate ?? true,
    approximateThreshold: request.approximateThreshold ?? null,
    parts: queryParts(query, request, bytes, request.textQueryPrefix ?? resolved.textQueryPrefix),
    interpolation:
      typeof query === 'string'
        ? null
        : (request.interpolationMethod ?? (settings.normalizeEmbeddings ? 'nlerp' : 'lerp')),
  };
}

/** What a query would have embedded. */
function textsOf(query: Query | null): readonly string[] {
  if (query === null || typeof query === 'string') return query === null ? [] : [query];
  return isCustomVector(query) ? [] : Object.keys(query);
}

/** Parts in the order they are combined: texts as they stand in the request, context vectors, the custom vector. */
function queryParts(query: Query | null, { context }: SearchRequest, bytes: Buffer, prefix: string): QueryPart[] {
  if (typeof query === 'string') return [{ text: prefix + query, weight: 1 }];
  const contextParts = context?.tensor ?? [];
  if (query === null) return contextParts;
  if (isCustomVector(query)) return [...contextParts, { vector: query.customVector.vector, weight: 1 }];
  const texts = orderedEntries(query, bytes).map(([text, weight]) => ({ text: prefix + text, weight }));
  return [...texts, ...contextParts];
}

/** Weighted texts in the order of the request, which matters to slerp. A parsed object puts names of digits first. */
function orderedEntries(weights: Record<string, number>, bytes: Buffer): [string, number][] {
  const entries = Object.entries(weights);
  if (!entries.some(([text]) => /^\d+$/.test(text))) return entries;
  const hybrid = memberBytes(bytes, 'hybridParameters');
  const json = memberBytes(bytes, 'q') ?? (hybrid && memberBytes(hybrid, 'queryTensor'));
  const places = new Map(json && memberNames(json).map((name, place) => [name, place] as const));
  return entries.sort(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

function lexicalLeg(request: SearchRequest, index: IndexDefinition, fusion: HybridFusion | null): LexicalLeg {
  const { q, hybridParameters, searchableAttributes } = request;
  if (fusion === null) return { text: q as string, fields: lexicalAttributes(index, searchableAttributes) };
  const text = q == null ? hybridParameters?.queryLexical : typeof q === 'string' ? q : contentOf(q);
  if (text == null) {
    throw invalidArgument(
      fusion.retrievalMethod === 'disjunction'
        ? "Either 'hybridParameters.queryLexical' or just 'q' must be present when 'disjunction' retrieval method is used."
        : "Either 'hybridParameters.queryLexical' or just 'q' must be present when 'lexical' is the retrieval or ranking method.",
    );
  }
  return { text, fields: lexicalAttributes(index, hybridParameters?.searchableAttributesLexical) };
}

function contentOf(q: Query): string | null | undefined {
  return typeof q === 'object' && isCustomVector(q) ? q.customVector.content : undefined;
}
