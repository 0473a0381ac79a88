import type { ModelType } from '../resolved-model.js';

/** Shares of the memory budget that follow from a name, first match first. */
const BY_NAME: readonly (readonly [string, number])[] = [
  ['vit-l-14', 1.5],
  ['vit-g', 5],
  ['vit-h', 5],
  ['vit-bigg-14', 6],
];

const BY_TYPE: Partial<Record<ModelType, number>> = {
  open_clip: 1,
  clip: 1,
  sbert: 0.7,
  random: 0.1,
  multilingual_clip: 5,
  clip_onnx: 1,
  sbert_onnx: 0.7,
  hf: 1,
  splade: 1,
  colbert: 1,
};

const OTHER = 0.66;

/** A model's share of the memory budget, about one per gigabyte, where its properties do not say. */
export function modelSize(model: string, name: string, type: ModelType): number {
  const words = `${model}${name}`.toLowerCase().replaceAll('/', '-');
  return BY_NAME.find(([part]) => words.includes(part))?.[1] ?? BY_TYPE[type] ?? OTHER;
}
