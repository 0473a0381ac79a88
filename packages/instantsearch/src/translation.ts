// A request of InstantSearch as searches of the service, and their answers as its result.

import type { FacetType, FacetTypes } from './facet-types.js';
import { all } from './filter.js';
import { Highlighter, type Marks } from './highlights.js';
import {
  echoedParameters,
  givenParameters,
  type Hit,
  namesOf,
  type SearchParameters,
  type SearchRequest,
  type SearchResult,
} from './parameters.js';
import { requestedFilter } from './requested-filter.js';
import type { Answer, Document, FacetCounts, NumberCounts, Query } from './service.js';

/** A field to sort by. */
export interface SortField {
  readonly fieldName: string;
  readonly order?: 'asc' | 'desc';
  readonly missing?: 'first' | 'last';
}

/** An index by another name, whose hits are in another order. */
export interface Replica {
  readonly index: string;
  readonly sortBy: readonly SortField[];
}

export interface TranslationOptions {
  /** Members of every search of words, as the service takes them: `searchMethod`, `hybridParameters`, `filter`. */
  readonly searchParameters?: Readonly<Record<string, unknown>> | undefined;
  /** The orders of hits, by the names of indexes that `sortBy` offers. `index:field:asc` needs none. */
  readonly replicas?: Readonly<Record<string, Replica>> | undefined;
  /** Hits up to which there are pages: 10,000 at most, and when absent. */
  readonly pagedHitsMax?: number | undefined;
}

/** The widest page, and the farthest that a page may begin. */
const LIMIT_MAX = 1_000;
const OFFSET_MAX = 10_000;
const HITS_PER_PAGE = 20;
const VALUES_PER_FACET = 100;
const VALUES_PER_FACET_MAX = 10_000;

/** The members of `searchParameters` that hold where nothing is looked for, and so all documents are shown. */
const OF_EVERY_SEARCH = ['filter', 'attributesToRetrieve'];

/** The searches that a request takes, and its result once they are answered. */
export interface Translation {
  readonly queries: readonly Query[];
  result(answers: readonly Answer[]): SearchResult;
}

export async function translated(
  { indexName: requested, params: asGiven }: SearchRequest,
  types: FacetTypes,
  options: TranslationOptions,
): Promise<Translation> {
  const params = givenParameters(asGiven);
  const { indexName, sortBy } = orderOf(requested, options.replicas ?? {});
  const page = pageOf(params, Math.min(options.pagedHitsMax ?? OFFSET_MAX, OFFSET_MAX));
  const asked = namesOf(params.facets) ?? [];
  const fields = [...new Set(asked.flatMap((name) => (name === '*' ? types.names : [name])))];
  const kinds = await Promise.all(fields.map((field) => types.of(indexName, field)));
  const maxResults = Math.min(Math.max(params.maxValuesPerFacet ?? VALUES_PER_FACET, 1), VALUES_PER_FACET_MAX);
  const facets = facetsOf(fields, kinds, maxResults);
  const marks = { before: params.highlightPreTag ?? '<em>', after: params.highlightPostTag ?? '</em>' };
  const base = baseQuery(indexName, params, options);
  const first = {
    ...base,
    limit: page.limit,
    offset: page.start,
    trackTotalHits: true,
    ...retrieved(params),
    ...(sortBy.length > 0 && { sortBy: { fields: sortBy } }),
    ...(facets[0] !== undefined && { facets: facets[0] }),
    ...(isHighlighted(params, base) && {
      lexicalHighlights: { numberOfFragments: 0, preTag: marks.before, postTag: marks.after },
    }),
  };
  const others = facets.slice(1).map((facets) => ({ ...base, limit: 1, attributesToRetrieve: [], facets }));
  return {
    queries: [first, ...others],
    result: (answers) => resultOf(answers, { requested, params, page, fields, marks }),
  };
}

/** The index that is meant by a name, and the order of its hits: `products`, a replica, or `products:price:asc`. */
function orderOf(
  name: string,
  replicas: Readonly<Record<string, Replica>>,
): { indexName: string; sortBy: readonly SortField[] } {
  const replica = Object.hasOwn(replicas, name) ? replicas[name] : undefined;
  if (replica !== undefined) return { indexName: replica.index, sortBy: replica.sortBy };
  const [, indexName, order] = /^([^:]+):(.+)$/s.exec(name) ?? [];
  if (indexName === undefined || order === undefined) return { indexName: name, sortBy: [] };
  const sortBy = order.split(',').map((part): SortField => {
    const [, fieldName, direction] = /^(.+):(asc|desc)$/s.exec(part) ?? [];
    if (fieldName === undefined) throw new SyntaxError(`an order is 'index:field:asc', received '${name}'`);
    return { fieldName, order: direction as 'asc' | 'desc' };
  });
  return { indexName, sortBy };
}

/** The page of a request, and the part of it that the service is asked for. */
interface Page {
  readonly number: number;
  readonly size: number;
  readonly start: number;
  readonly limit: number;
  /** Hits of the answer that are on the page: none where only the counts of it are wanted, or it lies too far behind. */
  readonly shown: number;
  readonly hitsMax: number;
  readonly byOffset: { readonly offset: number; readonly length: number } | null;
}

function pageOf({ page = 0, hitsPerPage = HITS_PER_PAGE, offset, length }: SearchParameters, hitsMax: number): Page {
  const byOffset = offset === undefined && length === undefined ? null : { offset: offset ?? 0, length: 0 };
  // A page begins where the one before ends, however wide they were asked for.
  const size = Math.min(byOffset === null ? hitsPerPage : (length ?? HITS_PER_PAGE), LIMIT_MAX);
  if (byOffset !== null) byOffset.length = size;
  const start = byOffset?.offset ?? page * size;
  const number = byOffset === null ? page : Math.floor(start / Math.max(size, 1));
  const shown = Math.max(0, Math.min(size, hitsMax - start));
  return { number, size, start: shown > 0 ? start : 0, limit: Math.max(shown, 1), shown, hitsMax, byOffset };
}

/** The members that every search of a request has. Where nothing is looked for, all documents are found by `*`. */
function baseQuery(
  indexName: string,
  params: SearchParameters,
  { searchParameters = {} }: TranslationOptions,
): Query & { searchMethod?: unknown } {
  const words = params.query?.trim() ?? '';
  const filter = all([(searchParameters.filter as string | undefined) ?? null, requestedFilter(params)]);
  const filtered = filter !== null && { filter };
  if (words === '') {
    const kept = Object.entries(searchParameters).filter(([name]) => OF_EVERY_SEARCH.includes(name));
    return { indexName, ...Object.fromEntries(kept), q: '*', searchMethod: 'LEXICAL', ...filtered };
  }
  const query = { searchMethod: 'LEXICAL', ...searchParameters, indexName, q: words, ...filtered };
  const { restrictSearchableAttributes: fields } = params;
  if (fields === undefined || fields.length === 0) return query;
  if (String(query.searchMethod).toUpperCase() !== 'HYBRID') return { ...query, searchableAttributes: fields };
  const { hybridParameters } = query as { hybridParameters?: object };
  return { ...query, hybridParameters: { ...hybridParameters, searchableAttributesLexical: fields } };
}

function retrieved({ attributesToRetrieve }: SearchParameters): { attributesToRetrieve?: readonly string[] } {
  const names = namesOf(attributesToRetrieve);
  const isAll = names?.includes('*') || (names !== undefined && names.length > 0 && names.every(isLeftOut));
  if (names === undefined || isAll) return {};
  return { attributesToRetrieve: names.filter((name) => name !== 'objectID' && !isLeftOut(name)) };
}

/** Tells whether a name among those to retrieve, `-price`, is of a field that hits do not have. */
const isLeftOut = (name: string): boolean => name.startsWith('-');

/** Tells whether a request wants marked words of what has some: a search by vectors alone, or of everything, has none. */
function isHighlighted({ attributesToHighlight, attributesToSnippet }: SearchParameters, base: Query): boolean {
  const names = [...(namesOf(attributesToHighlight) ?? ['*']), ...(namesOf(attributesToSnippet) ?? [])];
  const { retrievalMethod, rankingMethod } = (base.hybridParameters ?? {}) as Record<string, unknown>;
  const method = String(base.searchMethod).toUpperCase();
  const isByVectors = method === 'TENSOR' || (retrievalMethod === 'tensor' && rankingMethod === 'tensor');
  return names.length > 0 && base.q !== '*' && !isByVectors;
}

/** The facets to count, in as many searches as a field has kinds of values at most: each names a field once. */
function facetsOf(fields: readonly string[], kinds: readonly (readonly FacetType[])[], maxResults: number): object[] {
  const count = Math.max(0, ...kinds.map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => {
    const named = fields.flatMap((field, i): [string, object][] => {
      const type = kinds[i]?.[at];
      return type === undefined ? [] : [[field, { type }]];
    });
    return { fields: Object.fromEntries(named), maxResults };
  });
}

interface Context {
  /** The name of the index as it was asked for, replica or not. */
  readonly requested: string;
  readonly params: SearchParameters;
  readonly page: Page;
  readonly fields: readonly string[];
  readonly marks: Marks;
}

function resultOf(answers: readonly Answer[], { requested, params, page, fields, marks }: Context): SearchResult {
  const [first] = answers as readonly [Answer, ...Answer[]];
  const query = params.query ?? '';
  const highlighter = new Highlighter(query, marks);
  const nbHits = first.totalHits ?? first.hits.length;
  const paged = Math.min(nbHits, page.hitsMax);
  const counted = fields.map((field) => [field, countsOf(answers, field)] as const);
  return {
    index: requested,
    hits: first.hits.slice(0, page.shown).map((document) => hitOf(document, params, highlighter)),
    nbHits,
    page: page.number,
    nbPages: page.size > 0 ? Math.ceil(paged / page.size) : 0,
    hitsPerPage: page.size,
    ...page.byOffset,
    facets: Object.fromEntries(counted.map(([field, { texts }]) => [field, Object.fromEntries(texts)])),
    facets_stats: Object.fromEntries(counted.flatMap(([field, { stats }]) => (stats === null ? [] : [[field, stats]]))),
    exhaustive: { nbHits: true, facetsCount: true },
    exhaustiveNbHits: true,
    exhaustiveFacetsCount: true,
    processingTimeMS: answers.reduce((sum, { processingTimeMs }) => sum + processingTimeMs, 0),
    query,
    params: echoedParameters(params),
  };
}

/** The counts of a facet, from all searches that counted one of its kinds of values. */
function countsOf(
  answers: readonly Answer[],
  field: string,
): { readonly texts: ReadonlyMap<string, number>; readonly stats: SearchResult['facets_stats'][string] | null } {
  const texts = new Map<string, number>();
  let stats: SearchResult['facets_stats'][string] | null = null;
  for (const { facets = {} } of answers) {
    const counts = Object.hasOwn(facets, field) ? facets[field] : undefined;
    if (counts === undefined) continue;
    if (isOfNumbers(counts)) {
      const { count, min = 0, max = 0, avg = 0, sum = 0 } = counts;
      if (count > 0) stats = { min, max, avg, sum };
    } else {
      for (const [text, { count }] of Object.entries(counts)) texts.set(text, (texts.get(text) ?? 0) + count);
    }
  }
  return { texts, stats };
}

/** Counts by text are objects, the statistics of numbers are numbers. */
function isOfNumbers(counts: FacetCounts): counts is NumberCounts {
  return typeof counts.count === 'number';
}

function hitOf(found: Document, params: SearchParameters, highlighter: Highlighter): Hit {
  const leftOut = namesOf(params.attributesToRetrieve)?.filter(isLeftOut) ?? [];
  const kept = Object.entries(found).filter(([name]) => name === '_id' || !leftOut.includes(`-${name}`));
  const document = Object.fromEntries(kept) as Document;
  const { _id, _highlights, _lexicalHighlights, ...fields } = document;
  const highlighted = namesOf(params.attributesToHighlight);
  const snippets = namesOf(params.attributesToSnippet);
  return {
    ...fields,
    objectID: _id,
    ...(highlighted?.length !== 0 && { _highlightResult: highlighter.highlights(document, highlighted) }),
    ...(snippets !== undefined &&
      snippets.length > 0 && {
        _snippetResult: highlighter.snippets(document, snippets, params.snippetEllipsisText ?? '…'),
      }),
  };
}
