import { posix } from 'node:path';
import { PICTURE_PRESETS, TEXT_PRESETS, TOKENIZER_REPOS } from '../presets.js';
import type {
  ModelType,
  PicturePreprocessing,
  RemoteFile,
  ResolvedModel,
  TowerExport,
  Weights,
} from '../resolved-model.js';
import type { OnnxExport, RegistryEntry } from './registry.js';

/** The facts of a joint model besides those that every model has. */
export type JointFacts = Pick<ResolvedModel, 'tokens' | 'modalities' | 'text' | 'picture' | 'weights'>;

/** Kinds with a tower for each thing they take, whose vectors lie in one space. */
const JOINT: ReadonlySet<ModelType> = new Set([
  'open_clip',
  'clip',
  'fp16_clip',
  'clip_onnx',
  'multilingual_clip',
  'languagebind',
]);

export function isJoint(type: ModelType): boolean {
  return JOINT.has(type);
}

/** The registry's facts of a joint model. */
export function jointFacts(entry: RegistryEntry): JointFacts {
  const { picture, tokenizer = { kind: 'clip', contextLength: 77 } } = entry;
  return {
    tokens: tokenizer.contextLength,
    modalities: entry.modalities ?? ['text', 'image'],
    text: TEXT_PRESETS[tokenizer.kind],
    picture: picture === undefined ? null : withoutPreset({ ...PICTURE_PRESETS[picture.preset], ...picture }),
    weights: {
      kind: 'towers',
      repo: entry.source ?? entry.name,
      exports: (entry.onnx ?? []).map((one) => towerExport(one, tokenizerFile(entry))),
    },
  };
}

/** The place of a name's tokenizer when its export has none beside the graphs. */
export function tokenizerFile({ tokenizer }: RegistryEntry): RemoteFile | null {
  const repo = tokenizer?.repo ?? TOKENIZER_REPOS[tokenizer?.kind ?? 'clip'];
  return repo === undefined ? null : { from: 'hub', repo, file: 'tokenizer.json' };
}

/** Layouts that hub repositories of joint models have, likeliest first. */
const HUB_LAYOUTS: readonly OnnxExport['files'][] = [
  { text: 'text/model.onnx', image: 'image/model.onnx', tokenizer: 'tokenizer.json' },
  { text: 'onnx/text_model.onnx', image: 'onnx/vision_model.onnx', tokenizer: 'tokenizer.json' },
  { text: 'textual/model.onnx', image: 'visual/model.onnx', tokenizer: 'textual/tokenizer.json' },
];

/** A hub repository of a joint model that the registry does not know. */
export function hubTowers(repo: string): Weights {
  return { kind: 'towers', repo, exports: HUB_LAYOUTS.map((files) => towerExport({ repo, files }, null)) };
}

/** The same graphs with the tokenizer of a repository of the hub; other weights have theirs among them. */
export function withTokenizer(weights: Weights, tokenizerRepo: string | undefined): Weights {
  if (weights.kind !== 'towers' || tokenizerRepo === undefined) return weights;
  const tokenizer: RemoteFile = { from: 'hub', repo: tokenizerRepo, file: 'tokenizer.json' };
  return { ...weights, tokenizerRepo, exports: weights.exports.map((one) => ({ ...one, tokenizer })) };
}

/** A tokenizer beside the graphs is theirs; `shared` serves the others. */
function towerExport({ repo, files, unitLength = false }: OnnxExport, shared: RemoteFile | null): TowerExport {
  const { tokenizer, ...graphs } = files;
  const hub = (file: string): RemoteFile => ({ from: 'hub', repo, file: posix.normalize(file) });
  return {
    graphs: Object.fromEntries(Object.entries(graphs).map(([modality, file]) => [modality, [hub(file)]])),
    tokenizer: tokenizer === undefined ? shared : hub(tokenizer),
    unitLength,
  };
}

function withoutPreset({ preset: _, ...picture }: PicturePreprocessing & { preset: string }): PicturePreprocessing {
  return picture;
}
