import type { ModelFile } from '../model-entries.js';
import type { CrossEncoderModel, Weights } from '../resolved-model.js';
import { canonicalHash } from './model-key.js';

/** Most tokens of a query and a text together. */
const TOKENS = 512;

/** Share of the model memory budget, by the name on the hub, where each has its graph as `onnx/model.onnx`. */
const SIZES: Readonly<Record<string, number>> = {
  'cross-encoder/ms-marco-TinyBERT-L2-v2': 0.02,
  'cross-encoder/ms-marco-MiniLM-L2-v2': 0.07,
  'cross-encoder/ms-marco-MiniLM-L4-v2': 0.08,
  'cross-encoder/ms-marco-MiniLM-L6-v2': 0.1,
  'cross-encoder/ms-marco-MiniLM-L12-v2': 0.14,
  'BAAI/bge-reranker-base': 1.2,
};

/** Names that the operator's file may give to cross-encoders of its own begin so. */
const PREFIX = 'cross-encoder/';
const OWN_SIZE = 0.66;

/** Names of cross-encoders that are published. The operator's file may give each a folder. */
export const CROSS_ENCODER_NAMES: readonly string[] = Object.keys(SIZES);

/** Tells whether a name is that of a cross-encoder: of one that is published, or of any that the operator has. */
export const isCrossEncoder = (name: string) => name.startsWith(PREFIX) || CROSS_ENCODER_NAMES.includes(name);

/** The cross-encoder of a name; null for a name that is neither published nor in the operator's file. */
export function crossEncoderModel(name: string, file?: ModelFile): CrossEncoderModel | null {
  if (!isCrossEncoder(name)) return null;
  const folder = file?.get(name)?.folder;
  const size = SIZES[name];
  if (folder === undefined && size === undefined) return null;
  const hub = (path: string) => ({ from: 'hub', repo: name, file: path }) as const;
  const weights: Weights =
    folder === undefined
      ? {
          kind: 'towers',
          repo: name,
          exports: [
            { graphs: { text: [hub('onnx/model.onnx')] }, tokenizer: hub('tokenizer.json'), unitLength: false },
          ],
        }
      : { kind: 'folder', path: folder };
  return {
    name,
    key: canonicalHash({ name, type: 'cross_encoder' }),
    type: 'cross_encoder',
    tokens: TOKENS,
    // A score.
    dimensions: 1,
    modalities: ['text'],
    size: size ?? OWN_SIZE,
    weights,
  };
}
