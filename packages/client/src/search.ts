import { type CallOptions, Connection, type PelorusOptions, type Sender } from './connection.js';
import type { PelorusError } from './errors.js';
import { type NamedQuery, SearchIndex, type SearchResult, searchSeveral } from './search-index.js';

export type { Call, CallDefaults, CallOptions, Fetch, Method, PelorusOptions, Sender } from './connection.js';
export * from './errors.js';
export {
  type Hit,
  type NamedQuery,
  SearchIndex,
  type SearchQuery,
  type SearchResult,
  type StoredDocument,
} from './search-index.js';

/** A client that searches and changes nothing: for pages, with a key of the scope `read`. */
export class PelorusSearch {
  readonly sender: Sender;

  /** @throws TypeError for an option that cannot be used */
  constructor(options: PelorusOptions) {
    this.sender = new Connection(options);
  }

  /** An index by its name, whether it is there or not. */
  index<Fields extends object = Record<string, unknown>>(name: string): SearchIndex<Fields> {
    return new SearchIndex<Fields>(this.sender, name);
  }

  /**
   * Runs several searches, 50 at most, in one call. The result of one that is refused is its error.
   *
   * @throws PelorusError where the call as a whole fails
   */
  multiSearch<Fields extends object = Record<string, unknown>>(
    queries: readonly NamedQuery[],
    options?: CallOptions,
  ): Promise<(SearchResult<Fields> | PelorusError)[]> {
    return searchSeveral<Fields>(this.sender, queries, options);
  }
}
