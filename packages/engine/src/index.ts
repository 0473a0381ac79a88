export type { Encoded, EncoderInput, LogRecord } from '@pelorus/node';
/**
 * The inputs that documents need embedded, native text and vector functions, the watch over event loops, and the end of
 * a process that hangs.
 */
export {
  checkDocumentFilter,
  chunk,
  clsPool,
  dateSeconds,
  embeddingsJson,
  endProcessAfter,
  filterFields,
  InputBatch,
  LoopBeat,
  meanPool,
  normalize,
  randomVectors,
  readVector,
  releaseMemory,
  type SilentLoop,
  silentLoops,
  splitSearch,
  storageReserve,
  Tokenizer,
} from '@pelorus/node';
export {
  type AliasChange,
  type AliasTable,
  aliasesOf,
  type IndexAliases,
  requireKnown,
  requireNoAlias,
  requireNoneStandsFor,
} from './aliases.js';
export { DataVerification, type IndexVerification } from './data-verification.js';
export { DualEngine, type DualOptions, type DualWriteReport, type StepRecord } from './dual/dual-engine.js';
export { EmbeddedEngine, type IndexStates } from './embedded-engine.js';
export { type DetailedEngineError, type EngineError, type ErrorDetails, isEngineError } from './engine-error.js';
export { setLogger } from './log.js';
export { requestBytes } from './request-bytes.js';
export type {
  AddBatch,
  DocumentScan,
  IndexCopies,
  IndexCopy,
  ItemsResponse,
  RankedSearch,
  RestoredIndex,
  ScanPage,
  ShareableRanking,
  ShareableReading,
  ShareableScan,
  SharedReadings,
  StorageEngine,
  StorageHealth,
  StoredDefinition,
  UpdateBatch,
  Wait,
  WrittenVector,
} from './storage-engine.js';

import type { engine } from '@pelorus/contract';

export type AddOptions = engine.AddOptions;
export type EmbeddingReport = engine.EmbeddingReport;
export type EngineHealth = engine.EngineHealth;
export type EngineOptions = engine.EngineOptions;
export type EngineStats = engine.EngineStats;
export type LexicalLeg = engine.LexicalLeg;
export type SearchPlan = engine.SearchPlan;
export type TensorLeg = engine.TensorLeg;
