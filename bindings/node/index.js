import { load } from './load.js';

const native = load();

export const {
  AddBatch,
  Engine,
  Tokenizer,
  chunk,
  clsPool,
  meanPool,
  normalize,
  onLogRecords,
  randomVectors,
  releaseMemory,
  takeLogRecords,
} = native;
