import type { Modality } from '../resolved-model.js';
import { isPlainFileName } from './file-name.js';

export const GRAPH = 'model.onnx';
export const TOKENIZER = 'tokenizer.json';

/** Folders within the folder of a joint model, one for each tower. */
export const TOWERS: readonly Modality[] = ['text', 'image', 'video', 'audio'];

/** The folder of a graph and its tensors within a model's folder: none for a model that takes texts alone. */
export function towerFolder(modality: Modality, modalities: readonly Modality[]): string {
  return modalities.length === 1 ? '' : modality;
}

/** The path of a graph within a model's folder: `model.onnx`, or `image/model.onnx` and so on for a joint model. */
export function graphPath(modality: Modality, modalities: readonly Modality[]): string {
  return inFolder(towerFolder(modality, modalities), GRAPH);
}

/** The paths, within its folder, of the files that a model has to have: what takes no text needs no tokenizer. */
export function requiredFiles(modalities: readonly Modality[]): string[] {
  const graphs = TOWERS.filter((modality) => modalities.includes(modality));
  const tokenizer = modalities.includes('text') ? [TOKENIZER] : [];
  return [...graphs.map((modality) => graphPath(modality, modalities)), ...tokenizer];
}

/** A file within a folder that may be none. */
export function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Tells whether a path may be one of a file in a model folder: a plain name, or one in the folder of a tower. */
export function isModelPath(path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  if (rest.length === 0) return isPlainFileName(first);
  return rest.length === 1 && TOWERS.includes(first as Modality) && isPlainFileName(rest[0] ?? '');
}
