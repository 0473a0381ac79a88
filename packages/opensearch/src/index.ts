export type { ClusterOptions } from './connection.js';
export { OpenSearchEngine } from './open-search-engine.js';
