// Generated from src/ by `npm run generate -w @pelorus/node`. Never edited by hand.

import { load } from '../load.js';

export const {
  AddBatch,
  Cancellation,
  detectorShape,
  detectorTensor,
  detections,
  preparePatches,
  DocumentScan,
  embeddingsJson,
  Engine,
  InputBatch,
  onLogRecords,
  takeLogRecords,
  mediumOf,
  pointedTo,
  preparePicture,
  releaseMemory,
  meanPool,
  clsPool,
  normalize,
  RankedSearch,
  recordingPieces,
  filmFrame,
  soundTensor,
  splitSearch,
  Tokenizer,
  chunk,
  randomVectors,
  UpdateBatch,
} = load();
