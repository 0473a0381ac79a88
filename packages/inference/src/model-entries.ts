import type { Modality, Pooling } from './resolved-model.js';

/**
 * The operator's entry for one model name, a registry name or a new one:
 * - `folder`: a folder with `model.onnx` and `tokenizer.json`, or with `text/model.onnx`, `image/model.onnx` and so on
 *   for a joint model, used as it is. A relative path starts at the file it stands in. The folder of a detector
 *   (`detector/frcnn`) holds `model.onnx`, that of an owl (`owl/ViT-B/32`) or a cross-encoder (`cross-encoder/…`) both; nothing may stand beside it.
 * - `alias`: another name that this one stands for; nothing may stand beside it.
 * - `properties`: changes to what the registry says of the name. A new name has no such base, so it needs
 *   `dimensions` here; its `type` is `hf` unless given. With the `type` of a service they stand for themselves.
 * - `keyFile` or `keyVariable`: the file, or the environment variable, that holds the key of a service.
 */
export interface ModelFileEntry {
  readonly folder?: string;
  readonly alias?: string;
  readonly properties?: ModelFileProperties;
  readonly keyFile?: string;
  readonly keyVariable?: string;
}

/** Changes to a model, in the words of `modelProperties`. */
export interface ModelFileProperties {
  readonly type?: string;
  readonly name?: string;
  readonly url?: string;
  readonly modelLocation?: object;
  readonly onnx?: Readonly<Partial<Record<Modality, { readonly sources: readonly string[] }>>>;
  readonly outputNormalised?: boolean;
  readonly tokenizer?: string;
  readonly imagePreprocessor?: string;
  readonly size?: number;
  readonly mean?: readonly number[];
  readonly std?: readonly number[];
  readonly supportedModalities?: readonly string[];
  readonly dimensions?: number;
  readonly tokens?: number;
  readonly poolingMethod?: Pooling;
  readonly textQueryPrefix?: string;
  readonly textChunkPrefix?: string;
  readonly modelSize?: number;
  readonly sendDimensions?: boolean;
  readonly batchInputsMax?: number;
  readonly timeoutMs?: number;
  readonly queryTokens?: number;
  readonly queryAugmentation?: boolean;
  readonly attendToMask?: boolean;
  readonly queryMarker?: string;
  readonly documentMarker?: string;
  readonly skipPunctuation?: boolean;
}

/** The operator's model file: entries by model name. */
export type ModelFile = ReadonlyMap<string, ModelFileEntry>;
