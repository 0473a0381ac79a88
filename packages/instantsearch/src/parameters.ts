// The requests and results of InstantSearch, as far as they are understood.

import type { FilterParameters } from './requested-filter.js';

/** The parameters of a search. Others are ignored, but for those that would change what is found: these are refused. */
export interface SearchParameters extends FilterParameters {
  readonly query?: string | undefined;
  /** From 0. */
  readonly page?: number | undefined;
  readonly hitsPerPage?: number | undefined;
  /** In place of `page` and `hitsPerPage`. */
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
  readonly facets?: string | readonly string[] | undefined;
  readonly maxValuesPerFacet?: number | undefined;
  readonly attributesToRetrieve?: string | readonly string[] | undefined;
  readonly attributesToHighlight?: string | readonly string[] | undefined;
  readonly attributesToSnippet?: string | readonly string[] | undefined;
  readonly snippetEllipsisText?: string | undefined;
  readonly highlightPreTag?: string | undefined;
  readonly highlightPostTag?: string | undefined;
  readonly restrictSearchableAttributes?: readonly string[] | undefined;
  /** The facet whose values are searched. */
  readonly facetName?: string | undefined;
  readonly facetQuery?: string | undefined;
  readonly maxFacetHits?: number | undefined;
}

export interface SearchRequest {
  readonly indexName: string;
  readonly params?: SearchParameters | undefined;
}

/** A text of a hit with the words of the query marked. */
export interface HighlightedText {
  readonly value: string;
  readonly matchLevel: 'none' | 'partial' | 'full';
  readonly matchedWords: readonly string[];
  readonly fullyHighlighted?: boolean;
}

export type Highlighted = HighlightedText | readonly Highlighted[] | { readonly [field: string]: Highlighted };

/** A document, and how the query fits it. */
export interface Hit {
  readonly objectID: string;
  readonly _highlightResult?: { readonly [field: string]: Highlighted };
  readonly _snippetResult?: { readonly [field: string]: Highlighted };
  readonly [field: string]: unknown;
}

export interface SearchResult {
  readonly index: string;
  readonly hits: readonly Hit[];
  readonly nbHits: number;
  readonly page: number;
  readonly nbPages: number;
  readonly hitsPerPage: number;
  readonly offset?: number;
  readonly length?: number;
  readonly facets: { readonly [field: string]: { readonly [value: string]: number } };
  readonly facets_stats: {
    readonly [field: string]: {
      readonly min: number;
      readonly max: number;
      readonly avg: number;
      readonly sum: number;
    };
  };
  readonly exhaustive: { readonly nbHits: boolean; readonly facetsCount: boolean };
  readonly exhaustiveNbHits: boolean;
  readonly exhaustiveFacetsCount: boolean;
  readonly processingTimeMS: number;
  readonly query: string;
  readonly params: string;
}

export interface FacetHit {
  readonly value: string;
  readonly highlighted: string;
  readonly count: number;
}

export interface FacetResult {
  readonly facetHits: FacetHit[];
  readonly exhaustiveFacetsCount: boolean;
  readonly processingTimeMS: number;
}

/** Parameters that would change what is found, and that no search of the service can honour. */
const REFUSED = [
  'aroundLatLng',
  'aroundLatLngViaIP',
  'insideBoundingBox',
  'insidePolygon',
  'tagFilters',
  'similarQuery',
] as const;

/**
 * The parameters that a request gives: one that is null is as one that is absent.
 * @throws RangeError for a parameter that would change what is found and cannot be honoured
 */
export function givenParameters(parameters: object | null | undefined): SearchParameters {
  const given = Object.fromEntries(Object.entries(parameters ?? {}).filter(([, value]) => value !== null));
  const found = REFUSED.find((name) => {
    const value = given[name];
    return value !== undefined && value !== false && value !== '' && !isEmptyList(value);
  });
  if (found !== undefined) throw new RangeError(`${found} is not supported: Pelorus has no such search`);
  return given;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The names in a parameter: a list, or one text with commas. */
export function namesOf(names: string | readonly string[] | undefined): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const list = typeof names === 'string' ? names.split(',') : names;
  return list.map((name) => name.trim()).filter((name) => name !== '');
}

/** The parameters as InstantSearch shows them with a result. */
export function echoedParameters(parameters: object): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, text(value)])).toString();
}

/** Parameters that are texts, whatever they look like. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['query', 'filters', 'facetName', 'facetQuery'],
  ...['highlightPreTag', 'highlightPostTag', 'snippetEllipsisText'],
]);

/** The parameters of a query of a URL, as {@link echoedParameters} writes them. */
export function readParameters(query: string): SearchParameters {
  const read = (name: string, text: string): unknown => {
    if (TEXTS.has(name)) return text;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };
  return Object.fromEntries([...new URLSearchParams(query)].map(([name, text]) => [name, read(name, text)]));
}
