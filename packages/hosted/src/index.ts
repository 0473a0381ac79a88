export type { Exchange, ExchangeHandler } from './byte-exchanges.js';
export { callTrace } from './call-trace.js';
export { GRANT_HEADER, type Grant, readGrant, writeGrant } from './grants.js';
export { startHeartbeat } from './heartbeat.js';
export type {
  DamagedIndex,
  EarlierIndexId,
  HostedIndex,
  HostedIndexes,
  IndexAnswer,
  IndexCounts,
  IndexOrder,
  IndexRequest,
  IndexState,
  ShopRecord,
} from './hosted-indexes.js';
export { type CallHandler, IndexConnections, type OperationCall, type RequestStart } from './index-connections.js';
export { giveCopies, type IndexPieces, takeCopy } from './index-copies.js';
export { endedEarly, type HostingOptions, IndexHosting, newShopId, type ProcessFigures } from './index-hosting.js';
export type {
  OwnFault,
  ProcessCommand,
  ProcessMessage,
  ProcessOrder,
  ProcessReady,
  Report,
} from './index-process.js';
export {
  defaultResources,
  inferenceTypeNames,
  inferenceTypeOf,
  limitsOf,
  type ProcessLimits,
  processBytesMax,
  type Resources,
  shortForm,
  storageClassNames,
  storageClassOf,
} from './resources.js';
