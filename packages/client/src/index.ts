export * from './errors.js';
export type * as types from './generated/types.js';
export * from './pelorus.js';
export {
  type Call,
  type CallDefaults,
  type CallOptions,
  type Fetch,
  type Hit,
  type Method,
  type NamedQuery,
  type PelorusOptions,
  PelorusSearch,
  SearchIndex,
  type SearchQuery,
  type SearchResult,
  type Sender,
  type StoredDocument,
} from './search.js';
export type { Outcome, WriteOptions, WriteReport } from './writing.js';
