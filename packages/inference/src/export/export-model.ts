import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type InferenceConfig, inferenceSettings } from '../config.js';
import { completeFolder } from '../folder/complete-folder.js';
import { inFolder } from '../folder/layout.js';
import { scanOnnx } from '../folder/onnx-scan.js';
import { type PublisherPipeline, publisherPipeline } from '../folder/publisher-pipeline.js';
import type { ModelFile } from '../model-entries.js';
import { auxiliaryModel } from '../registry/auxiliary.js';
import { unusableModel } from '../registry/model-error.js';
import { noRecipe, type RecipeOptions, recipeOf } from '../registry/recipe.js';
import { resolveModel } from '../registry/resolve.js';
import type { LoadableModel, ResolvedModel } from '../resolved-model.js';
import { DownloadStaging } from '../sources/download-staging.js';
import { ModelStore } from '../sources/model-store.js';
import { type Comparison, compareWithOriginal } from './comparison.js';
import { compareDetector } from './detector-comparison.js';
import { type Exported, type PythonOptions, runRecipe } from './python.js';

export interface ExportOptions extends RecipeOptions, PythonOptions {
  /** The folder to make; the one where the model is looked for when absent. */
  readonly output?: string | undefined;
}

/** A model that was exported. */
export interface ExportedModel extends Comparison {
  readonly folder: string;
  /** Tells whether the model is looked for there. */
  readonly isInPlace: boolean;
}

/**
 * Exports a model from its original library into a folder that can be loaded, once its vectors have been compared with
 * the original's. The folder appears whole or not at all.
 *
 * @throws PelorusError `invalid_argument` for an unknown name, `bad_request` saying what is missing or went wrong
 * @throws the reason of `signal` once it is aborted; nothing is left then
 */
export async function exportModel(
  name: string,
  options: ExportOptions,
  config: InferenceConfig = {},
): Promise<ExportedModel> {
  const settings = inferenceSettings(config);
  const auxiliary = auxiliaryModel(name, settings.modelFile);
  if (auxiliary?.type === 'owl' || auxiliary?.type === 'cross_encoder') throw noRecipe(auxiliary);
  const model = auxiliary ?? resolveModel(name, undefined, settings.modelFile);
  const isKnownWhere = options.from !== undefined || model.type === 'detector';
  const recipe = recipeOf(isKnownWhere ? model : originalOf(name, settings.modelFile), options);
  const place = await placeOf(model, config);
  const folder = resolve(options.output ?? place);
  await requireFree(folder);
  const staging = new DownloadStaging(join(dirname(folder), '.incoming'), settings.incomingBytesMax);
  const key = basename(place);
  const made = staging.folder(key);
  const isInPlace = folder === resolve(place);
  const compare = (exported: Exported, published: PublisherPipeline) => {
    if (model.type === 'detector') return compareDetector(model, made, exported.runs ?? []);
    // As it will be used: in a folder of the operator's, or in the one of its name, which is found below `modelDir`.
    const isMapped = model.weights.kind === 'folder' || !isInPlace;
    const asUsed: ResolvedModel = isMapped ? { ...model, weights: { kind: 'folder', path: made } } : model;
    const pooling = model.pooling ?? published.pooling ?? 'mean';
    return compareWithOriginal(asUsed, pooling, exported, { ...config, modelDir: dirname(made) });
  };
  const make = async () => {
    try {
      await rm(made, { recursive: true, force: true });
      await mkdir(made, { recursive: true });
      const exported = await runRecipe(name, recipe, made, options);
      const pipeline = publisherPipeline({ pooling: exported.poolingConfig, modules: exported.modules });
      const source = `${recipe.source ?? `${recipe.architecture} ${recipe.tag}`}, exported by ${exported.madeWith}`;
      const files = [...exported.files, ...tensorFiles(made, exported.files)];
      await completeFolder(made, { files, provenance: { source, ...pipeline } });
      const compared = await compare(exported, pipeline);
      options.signal?.throwIfAborted();
      await requireFree(folder);
      await rmdir(folder).catch(() => undefined);
      await rename(made, folder);
      return compared;
    } finally {
      await staging.clear(key, false);
    }
  };
  try {
    const compared = await staging.withLock(key, make, options.signal);
    return { folder, isInPlace, ...compared };
  } finally {
    // Nobody else has one beside a folder of one's own.
    if (dirname(folder) !== resolve(settings.modelDir)) await rmdir(staging.folder('')).catch(() => undefined);
  }
}

/** A model as it is known without a folder of the operator's, which would hide where the original is. */
function originalOf(name: string, file: ModelFile): ResolvedModel {
  const entry = file.get(name);
  if (entry?.folder === undefined) return resolveModel(name, undefined, file);
  const { folder: _, ...rest } = entry;
  const others = new Map([...file].filter(([other]) => other !== name));
  if (Object.keys(rest).length > 0) others.set(name, rest);
  return resolveModel(name, undefined, others);
}

/** Tensors of large graphs lie in files beside them. */
function tensorFiles(folder: string, files: readonly string[]): string[] {
  const graphs = files.filter((file) => file.endsWith('.onnx'));
  return graphs.flatMap((graph) => {
    const inside = graph.includes('/') ? dirname(graph) : '';
    return scanOnnx(join(folder, graph)).externalData.map((name) => inFolder(inside, name));
  });
}

/** The place where a model is looked for. */
async function placeOf(model: LoadableModel, config: InferenceConfig): Promise<string> {
  const store = new ModelStore(inferenceSettings(config));
  try {
    return store.folderOf(model);
  } finally {
    await store.close();
  }
}

async function requireFree(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length === 0) return;
  throw unusableModel(
    `There are files in ${folder} already. Remove it to export into it, or name another with --output`,
  );
}
