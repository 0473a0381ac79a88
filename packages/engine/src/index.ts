export type { Encoded, LogRecord } from '@pelorus/node';
/** Native text and vector functions, for inference: synchronous but for the tokenizer. */
export { chunk, clsPool, meanPool, normalize, randomVectors, releaseMemory, Tokenizer } from '@pelorus/node';
export { EmbeddedEngine, type EmbeddedEngineOptions } from './embedded-engine.js';
export { type EngineError, isEngineError } from './engine-error.js';
export { setLogger } from './log.js';
export type {
  AddBatch,
  EngineHealth,
  EngineStats,
  IndexHealth,
  ItemsResponse,
  LexicalLeg,
  SearchPlan,
  StorageEngine,
  TensorLeg,
} from './storage-engine.js';
