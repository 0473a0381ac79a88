export { barePointer, type EncoderInput, InputBatch, type Medium, pointedTo } from '@pelorus/node';
export {
  CALIBRATED_COSINE,
  type CalibratedModel,
  type CalibrateOptions,
  type Cosines,
  calibrateModel,
} from './calibration/calibrate-model.js';
export { defaultModelDir, type EncoderChoice, type InferenceConfig, type Precision } from './config.js';
export { type ExportedModel, type ExportOptions, exportModel } from './export/export-model.js';
export {
  type CacheCounts,
  createInference,
  type DeviceWork,
  type EmbedOptions,
  type FieldOptions,
  type Inference,
} from './inference.js';
export { ensureModel, isPublished, localModels, modelNames } from './local-models.js';
export { DATA_URI_HEAD_LENGTH, isDataUri, shownPointer } from './media/media-failure.js';
export type { MediaOptions, PatchMethod, PieceLengths } from './media/media-options.js';
export type { ModelFile, ModelFileEntry } from './model-entries.js';
export { parseModelFile, readModelFile } from './model-file/model-file.js';
export { hasOnnxRuntime, runtimePackage } from './onnx/presence.js';
export { shownUrl } from './outbound/shown-url.js';
export type { Location } from './owl-locator.js';
export { type EncoderMachine, encoderMachine, encoderText } from './own/encoder-rule.js';
export { unusableModel } from './registry/model-error.js';
export { vectorKey } from './registry/model-key.js';
export { registryNames } from './registry/registry.js';
export {
  createRemoteInference,
  type InferenceCalls,
  inferenceCalls,
  type RemoteInference,
} from './remote-inference.js';
export type {
  FieldModel,
  Modality,
  ModelType,
  PicturePreprocessing,
  Pooling,
  RemoteFile,
  ResolvedModel,
  Weights,
} from './resolved-model.js';
export type { CudaRow } from './runtime/cuda-devices.js';
export type { Device } from './runtime/device.js';
export {
  allVectors,
  type Embeddings,
  type EncodeTimings,
  type InputFailure,
  type InputParts,
  type PartedEmbeddings,
  type Priority,
  type QueryEmbeddings,
  textInputs,
} from './runtime/encoder.js';
export { type FieldVectors, numbersOfText } from './runtime/field-vectors.js';
export type { LoadedRow } from './runtime/loaded-models.js';
export { checkModelAuth, type RequestedAuth } from './sources/model-auth.js';
export type { ModelProgress, OnProgress } from './sources/progress.js';
