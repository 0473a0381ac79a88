export type { ClusterOptions } from './connection.js';
export type { ClusterFacts, DiskUsage } from './nodes.js';
export { OpenSearchEngine } from './open-search-engine.js';
export { type SharedRecord, SharedRecords } from './shared-records.js';
