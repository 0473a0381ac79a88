import type { types } from '@pelorus/client';
import type { KnownField } from '../../documents/fields.js';

/** A question of somebody, and the way to answer it. */
export interface Query {
  readonly q: string;
  readonly filter: string;
  readonly limit: number;
  /** The weight of meaning in HYBRID searches, 0 to 1. */
  readonly alpha: number;
  /** The words that also match every word that they begin. */
  readonly prefix: Prefix;
  readonly allowsTypos: boolean;
  /** Asks for the query that may have been meant. */
  readonly corrects: boolean;
  /** Undefined where hits are not grouped. */
  readonly group?: Group | undefined;
  /** Undefined where hits are in the order of their relevance. */
  readonly sort?: Sort | undefined;
}

/** The field of numbers or dates by which hits are ordered. */
export interface Sort {
  readonly field: string;
  readonly order: 'asc' | 'desc';
  /** A field of numbers says nothing of its type. */
  readonly type?: 'date' | undefined;
}

/** The field by which hits are grouped, but for those of TENSOR searches, and the number of hits of a group that are shown. */
export interface Group {
  readonly field: string;
  readonly limit: number;
}

/** The numbers of hits of a group to choose from. */
export const GROUP_LIMITS: readonly number[] = [1, 3, 5, 10];

export type Prefix = 'none' | 'last' | 'all';

export const PREFIXES: readonly Prefix[] = ['none', 'last', 'all'];

export type Method = 'TENSOR' | 'LEXICAL' | 'HYBRID';

export const METHODS: readonly Method[] = ['HYBRID', 'TENSOR', 'LEXICAL'];

/** Tells whether a query asks for nothing: all documents are shown then, and nothing ranks them. */
export const isBrowsing = ({ q }: Pick<Query, 'q'>): boolean => ['', '*'].includes(q.trim());

/** The methods by which a query is asked: an index without vectors knows words alone. */
export const methodsFor = (query: Pick<Query, 'q'>, hasVectors: boolean): readonly Method[] =>
  isBrowsing(query) || !hasVectors ? ['LEXICAL'] : METHODS;

export const FIRST_QUERY: Query = {
  ...{ q: '', filter: '', limit: 10, alpha: 0.5 },
  ...{ prefix: 'none', allowsTypos: false, corrects: false },
};

/** Characters of nobody's texts, between which words that were found stand. */
export const FOUND_BEGIN = '\uE000';
export const FOUND_END = '\uE001';

/** A HYBRID search, which alone can be grouped, that finds and ranks as a LEXICAL one does. */
const WORDS_ALONE = { retrievalMethod: 'lexical', rankingMethod: 'lexical' } as const;

/** The search of one method as somebody would write it. */
export function plainBody(
  method: Method,
  { q, filter, limit, alpha, prefix, allowsTypos, corrects, group, sort }: Query,
): types.SearchRequest {
  const isGrouped = method !== 'TENSOR' && group !== undefined;
  return {
    q: q.trim() === '' && method === 'LEXICAL' ? '*' : q,
    searchMethod: isGrouped ? 'HYBRID' : method,
    limit,
    ...(filter.trim() !== '' && { filter: filter.trim() }),
    ...(method === 'HYBRID' && alpha !== 0.5 && { hybridParameters: { alpha } }),
    ...(method !== 'TENSOR' && prefix !== 'none' && { prefix }),
    ...(method !== 'TENSOR' && allowsTypos && { typoTolerance: true }),
    ...(method !== 'TENSOR' && corrects && { didYouMean: true }),
    ...(isGrouped && { collapseFields: [collapseOf(group)] }),
    ...(isGrouped && method === 'LEXICAL' && { hybridParameters: WORDS_ALONE }),
    ...(sort !== undefined && { sortBy: { fields: [sortFieldOf(sort)] } }),
  };
}

const sortFieldOf = ({ field, order, type }: Sort) => ({
  fieldName: field,
  order,
  ...(type !== undefined && { type }),
});

/** A group that shows one hit alone is as usual. */
const collapseOf = ({ field, limit }: Group) => ({ name: field, ...(limit > 1 && { groupLimit: limit }) });

/** The same with all that the page shows beside the hits. */
export function shownBody(method: Method, query: Query, facets: types.Facets | undefined): types.SearchRequest {
  return {
    ...plainBody(method, query),
    // The score of a document that nothing ranks, or that stands where a field puts it, says nothing.
    ...(!isBrowsing(query) && query.sort === undefined && { explain: true }),
    trackTotalHits: true,
    ...(method !== 'TENSOR' &&
      query.group !== undefined && { collapseFields: [{ ...collapseOf(query.group), groupCount: true }] }),
    ...(facets !== undefined && { facets }),
    ...(method !== 'TENSOR' && {
      lexicalHighlights: { preTag: FOUND_BEGIN, postTag: FOUND_END, numberOfFragments: 2 },
    }),
  };
}

const FACETS_MAX = 8;
const VALUES_MAX = 12;

/** Fields whose counts say something: texts and lists whose values repeat, and numbers. */
export function facetsOf(fields: readonly KnownField[]): types.Facets | undefined {
  const counted = fields.flatMap(({ name, kind, repeats }): [string, types.FacetField][] => {
    if (kind === 'text' && repeats) return [[name, { type: 'string', maxResults: VALUES_MAX }]];
    if (kind === 'texts' && repeats) return [[name, { type: 'array', maxResults: VALUES_MAX }]];
    return kind === 'number' ? [[name, { type: 'number' }]] : [];
  });
  return counted.length === 0 ? undefined : { fields: Object.fromEntries(counted.slice(0, FACETS_MAX)) };
}
