import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPublished, localModels, modelNames } from '@pelorus/inference';
import type { Config } from '@pelorus/server/config';
import { inferenceConfig } from '../inference-config.js';
import { printJson } from '../terminal/json.js';
import { tableOf } from '../terminal/table.js';
import { bytesText } from '../terminal/units.js';

export interface ListedModel {
  readonly name: string;
  readonly isHere: boolean;
  /** Null for a model that needs no files, or is not here. */
  readonly folder: string | null;
  /** The size of its files. */
  readonly bytes: number;
}

/**
 * Prints the models that can be used without fetching anything, with their sizes and folders; with `all` those too that
 * `pelorus models pull` fetches. As JSON `{"models": [...]}`.
 */
export async function listModels(config: Config, { all, json }: { all: boolean; json: boolean }): Promise<void> {
  const models = await modelsOf(config, all);
  if (json) return printJson({ models });
  const columns = [{ title: 'name' }, { title: 'size', isRight: true }, { title: 'folder' }];
  const rows = models.map(({ name, isHere, folder, bytes }) => [
    name,
    folder === null ? '-' : bytesText(bytes),
    folder ?? (isHere ? 'needs no files' : 'not here: pelorus models pull fetches it'),
  ]);
  process.stdout.write(tableOf(columns, rows));
}

async function modelsOf(config: Config, all: boolean): Promise<ListedModel[]> {
  const inference = inferenceConfig(config);
  const sizes = new Map<string, Promise<number>>();
  const sizeOf = (folder: string): Promise<number> => {
    const size = sizes.get(folder) ?? bytesOf(folder);
    sizes.set(folder, size);
    return size;
  };
  const here = await Promise.all(
    (await localModels(inference)).map(async ({ name, folder }) => ({
      ...{ name, isHere: true, folder },
      bytes: folder === null ? 0 : await sizeOf(folder),
    })),
  );
  if (!all) return here;
  const known = new Set(here.map(({ name }) => name));
  const others = modelNames(inference).filter((name) => !known.has(name) && isPublished(name));
  return [...here, ...others.map((name) => ({ name, isHere: false, folder: null, bytes: 0 }))];
}

/** The size of the files of a folder. */
async function bytesOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
