import { type InferenceConfig, inferenceSettings } from './config.js';
import { openModelFolder } from './folder/model-folder.js';
import { AUXILIARY_NAMES, auxiliaryModel } from './registry/auxiliary.js';
import { registryEntry, registryNames } from './registry/registry.js';
import { resolveModel } from './registry/resolve.js';
import type { Modality, Weights } from './resolved-model.js';
import { ModelStore } from './sources/model-store.js';
import type { OnProgress } from './sources/progress.js';

/**
 * Brings a model to this machine without loading it, as `pelorus models pull` does.
 *
 * @returns the folder it lies in; null for a model that needs none.
 * @throws PelorusError `invalid_argument` for an unknown name, `bad_request` naming every way tried.
 */
export async function ensureModel(
  name: string,
  onProgress?: OnProgress,
  config: InferenceConfig & { readonly signal?: AbortSignal } = {},
): Promise<string | null> {
  const settings = inferenceSettings(config);
  const model = auxiliaryModel(name, settings.modelFile) ?? resolveModel(name, undefined, settings.modelFile);
  const { weights } = model;
  if (weights.kind === 'none' || hasNoFiles(weights)) return null;
  const store = new ModelStore(settings);
  try {
    return (await store.ensure(model, { onProgress, signal: config.signal })).path;
  } finally {
    await store.close();
  }
}

/** A name that can be used without fetching anything. */
export interface LocalModel {
  readonly name: string;
  /** Null for a model that needs no files. */
  readonly folder: string | null;
}

/** Every name that stands for a model: of the operator's file, of the registry, and of the models that help others. */
export function modelNames({ modelFile }: Pick<InferenceConfig, 'modelFile'> = {}): string[] {
  const names = new Set([...(modelFile?.keys() ?? []), ...registryNames(), ...AUXILIARY_NAMES]);
  names.delete('no_model');
  return [...names];
}

/** Tells whether somebody has published the graphs of a model, so that it can be fetched by its name. */
export function isPublished(name: string): boolean {
  return AUXILIARY_NAMES.includes(name) || (registryEntry(name)?.onnx?.length ?? 0) > 0;
}

/** Every name, of the registry and of the operator's file, whose model is on this machine and whole. */
export async function localModels(config: InferenceConfig = {}): Promise<LocalModel[]> {
  const settings = inferenceSettings(config);
  const store = new ModelStore(settings);
  const found: LocalModel[] = [];
  for (const name of modelNames(settings)) {
    const model = auxiliaryModel(name, settings.modelFile) ?? resolveModel(name, undefined, settings.modelFile);
    if (hasNoFiles(model.weights)) {
      found.push({ name, folder: null });
      continue;
    }
    for (const folder of [store.folderOf(model), store.packagedFolderOf(model)]) {
      if (folder === null || !(await isWhole(folder, model.modalities))) continue;
      found.push({ name, folder });
      break;
    }
  }
  await store.close();
  return found;
}

const hasNoFiles = ({ kind }: Weights) => kind === 'random' || kind === 'service';

const isWhole = (folder: string, modalities: readonly Modality[]) =>
  openModelFolder(folder, modalities).then(
    () => true,
    () => false,
  );
