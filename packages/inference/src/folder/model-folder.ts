import { lstat, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '../reason.js';
import type { Modality, Pooling } from '../resolved-model.js';
import { CHECKPOINT, CHECKPOINT_FILES, isCheckpoint, UNREAD_WEIGHTS } from './checkpoint.js';
import { GRAPH, graphPath, requiredFiles, TOKENIZER } from './layout.js';
import { readManifest } from './manifest.js';
import { scanOnnx } from './onnx-scan.js';
import { type PublishedInputs, readOpenClipConfig } from './open-clip-config.js';
import { PIPELINE_FILES, type PublisherPipeline, publisherPipeline } from './publisher-pipeline.js';
import { verifyFolder } from './verification.js';

/** A model on disk, checked as far as that goes without running it. */
export interface ModelFolder {
  readonly path: string;
  /** Paths of the ONNX graphs, by their kind of input; that of a checkpoint where a model of texts has no graph. */
  readonly graphs: Readonly<Partial<Record<Modality, string>>>;
  /** Bytes of the graphs and the tensors beside them: about the size of a session of each. */
  readonly bytes: number;
  /** Path of the tokenizer, where the model takes texts. */
  readonly tokenizer: string;
  /** The publisher's pooling, null where unknown. */
  readonly pooling: Pooling | null;
  /** The preparation of its inputs, where the publisher of a joint model said so. */
  readonly inputs: PublishedInputs | null;
  /** Tells whether the publisher's pipeline, or its graphs, end in a normalisation; null where unknown. */
  readonly unitLength: boolean | null;
}

/**
 * Opens a folder that should hold a model that takes `modalities`. With a manifest, sizes and hashes must agree with it; a folder
 * without one was filled by hand and is taken as it is.
 *
 * @throws Error saying what is missing or wrong.
 */
export async function openModelFolder(path: string, modalities: readonly Modality[]): Promise<ModelFolder> {
  const found = await readManifest(path);
  const hasGraphs = !(await hasOnlyCheckpoint(path, modalities));
  for (const file of hasGraphs ? requiredFiles(modalities) : CHECKPOINT_FILES) {
    if (!(await isThere(join(path, file)))) throw await missing(path, file);
  }
  const pathOf = (modality: Modality) => join(path, hasGraphs ? graphPath(modality, modalities) : CHECKPOINT);
  // The vectors of graphs in folders filled by hand were pooled by the model's properties alone, and stay so.
  const pipeline = found?.manifest ?? (hasGraphs ? {} : await pipelineIn(path));
  const folder: Omit<ModelFolder, 'bytes'> = {
    path,
    graphs: Object.fromEntries(modalities.map((modality) => [modality, pathOf(modality)])),
    tokenizer: join(path, TOKENIZER),
    pooling: pipeline.pooling ?? null,
    unitLength: pipeline.unitLength ?? null,
    inputs: modalities.length === 1 ? null : await readOpenClipConfig(path),
  };
  if (found !== null) await verifyFolder(path, found.manifest, found.sha256);
  const bytes = await Promise.all(Object.values(folder.graphs).map(graphBytes));
  return { ...folder, bytes: bytes.reduce((sum, one) => sum + one, 0) };
}

/** The error of a file that is missing, which names weights that are there instead and that nobody reads. */
async function missing(folder: string, file: string): Promise<Error> {
  const others = file === GRAPH ? UNREAD_WEIGHTS : [];
  for (const [name, reason] of others) {
    if (await isThere(join(folder, name))) return new Error(`${file} is missing, and ${name} ${reason}`);
  }
  return new Error(`${file} is missing`);
}

/** Tells whether a folder has weights that need no graph, and no graph: one that is there says what they are for. */
async function hasOnlyCheckpoint(folder: string, modalities: readonly Modality[]): Promise<boolean> {
  const takesTexts = modalities.length === 1 && modalities[0] === 'text';
  return takesTexts && (await isThere(join(folder, CHECKPOINT))) && !(await isThere(join(folder, GRAPH)));
}

async function isThere(path: string): Promise<boolean> {
  const state = await lstat(path).catch(() => null);
  return state !== null && !state.isDirectory();
}

/** The pipeline that a publisher's own files describe, in a folder that is a copy of a repository. */
async function pipelineIn(folder: string): Promise<PublisherPipeline> {
  const [pooling, modules] = await Promise.all(
    [PIPELINE_FILES.pooling, PIPELINE_FILES.modules].map(async (file): Promise<unknown> => {
      try {
        return JSON.parse(await readFile(join(folder, file), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw new Error(`${file} cannot be read: ${reasonOf(error)}`);
      }
    }),
  );
  return publisherPipeline({ pooling, modules });
}

/**
 * Bytes of a graph and its tensors. An unreadable file counts for nothing: the runtime reports what is wrong with it.
 */
async function graphBytes(graph: string): Promise<number> {
  const sizes = [graph, ...tensorFiles(graph)].map(async (file) => (await stat(file).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function tensorFiles(graph: string): string[] {
  if (isCheckpoint(graph)) return [];
  try {
    return scanOnnx(graph).externalData.map((name) => join(dirname(graph), name));
  } catch {
    return [];
  }
}

/** Tells whether anything lies where a model folder should be. */
export async function folderExists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
