import { lstat, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Modality, Pooling } from '../resolved-model.js';
import { graphPath, requiredFiles, TOKENIZER } from './layout.js';
import { readManifest } from './manifest.js';
import { scanOnnx } from './onnx-scan.js';
import { type PublishedInputs, readOpenClipConfig } from './open-clip-config.js';
import { verifyFolder } from './verification.js';

/** A model on disk, checked as far as that goes without running it. */
export interface ModelFolder {
  readonly path: string;
  /** Paths of the ONNX graphs, by their kind of input. */
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
  const folder: Omit<ModelFolder, 'bytes'> = {
    path,
    graphs: Object.fromEntries(modalities.map((modality) => [modality, join(path, graphPath(modality, modalities))])),
    tokenizer: join(path, TOKENIZER),
    pooling: found?.manifest.pooling ?? null,
    unitLength: found?.manifest.unitLength ?? null,
    inputs: modalities.length === 1 ? null : await readOpenClipConfig(path),
  };
  for (const file of requiredFiles(modalities)) {
    const state = await lstat(join(path, file)).catch(() => null);
    if (state === null || state.isDirectory()) throw new Error(`${file} is missing`);
  }
  if (found !== null) await verifyFolder(path, found.manifest, found.sha256);
  const bytes = await Promise.all(Object.values(folder.graphs).map(graphBytes));
  return { ...folder, bytes: bytes.reduce((sum, one) => sum + one, 0) };
}

/**
 * Bytes of a graph and its tensors. An unreadable file counts for nothing: the runtime reports what is wrong with it.
 */
async function graphBytes(graph: string): Promise<number> {
  const sizes = [graph, ...tensorFiles(graph)].map(async (file) => (await stat(file).catch(() => null))?.size ?? 0);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function tensorFiles(graph: string): string[] {
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
