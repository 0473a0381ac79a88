import { type FacetType, FacetTypes } from './facet-types.js';
import { facetValues } from './facet-values.js';
import { type FacetResult, readParameters, type SearchRequest, type SearchResult } from './parameters.js';
import { Service, type ServiceOptions } from './service.js';
import { type TranslationOptions, translated } from './translation.js';

export type { FacetType } from './facet-types.js';
export type {
  FacetHit,
  FacetResult,
  Highlighted,
  HighlightedText,
  Hit,
  SearchParameters,
  SearchRequest,
  SearchResult,
} from './parameters.js';
export { SearchError } from './service.js';
export type { Replica, SortField } from './translation.js';

export interface InstantSearchClientOptions extends ServiceOptions, TranslationOptions {
  /**
   * The kinds of values of facets, by field. Where a field is not among them the client asks once for what the documents
   * have.
   */
  readonly facets?: Readonly<Record<string, FacetType>> | undefined;
}

/** A search for the values of one facet. */
export interface FacetRequest {
  readonly indexName: string;
  readonly facetName: string;
  readonly searchForFacetValuesRequest?:
    | {
        readonly facetQuery?: string | undefined;
        readonly maxFacetHits?: number | undefined;
        /** Parameters of the search, as a query of a URL has them. */
        readonly params?: string | undefined;
      }
    | undefined;
}

/** The `searchClient` that InstantSearch.js asks. */
export interface InstantSearchClient {
  /** @throws SearchError for a search that is refused; TypeError where the server cannot be reached */
  search(requests: readonly SearchRequest[]): Promise<{ results: SearchResult[] }>;
  /** As `search` does, the values of a facet for each request. */
  searchForFacetValues(requests: readonly SearchRequest[]): Promise<FacetResult[]>;
  /** The same for one facet, in the form of later versions of the client that this stands for. */
  searchForFacetValues(request: FacetRequest): Promise<FacetResult>;
  /** Forgets the kinds of values that the client has found out. */
  clearCache(): Promise<void>;
}

/**
 * A client by which InstantSearch.js searches a Pelorus server: all searches of a page in one call.
 *
 * @example
 * instantsearch({ indexName: 'products', searchClient: instantSearchClient({ url: 'http://127.0.0.1:8882' }) });
 */
export function instantSearchClient(options: InstantSearchClientOptions): InstantSearchClient {
  const service = new Service(options);
  const types = new FacetTypes(service, options.facets);
  return {
    async search(requests) {
      const translations = await Promise.all(requests.map((request) => translated(request, types, options)));
      const answers = await service.search(translations.flatMap(({ queries }) => queries));
      let start = 0;
      const results = translations.map(({ queries, result }) => {
        start += queries.length;
        return result(answers.slice(start - queries.length, start));
      });
      return { results };
    },
    searchForFacetValues: ((given: readonly SearchRequest[] | FacetRequest) => {
      const found = (request: SearchRequest) => facetValues(request, service, types, options);
      return isList(given) ? Promise.all(given.map(found)) : found(ofList(given));
    }) as InstantSearchClient['searchForFacetValues'],
    async clearCache() {
      types.clear();
    },
  };
}

const isList = (given: readonly SearchRequest[] | FacetRequest): given is readonly SearchRequest[] =>
  Array.isArray(given);

function ofList({ indexName, facetName, searchForFacetValuesRequest }: FacetRequest): SearchRequest {
  const { params, ...facet } = searchForFacetValuesRequest ?? {};
  return { indexName, params: { ...readParameters(params ?? ''), ...facet, facetName } };
}
