import { readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { MANIFEST, type Provenance, writeManifest } from './manifest.js';

/** The files that were put into a folder, by path within it, and what was learned on the way. */
export interface Filled {
  readonly files: readonly string[];
  readonly provenance: Provenance;
}

/** Makes a folder that was filled one of a model: with a manifest, and without files that belong to no model. */
export async function completeFolder(folder: string, { files, provenance }: Filled): Promise<void> {
  await writeManifest(folder, files, provenance);
  await removeOthers(folder, [...files, MANIFEST]);
}

/** Removes files that another way left half done, and those that no graph refers to. */
async function removeOthers(folder: string, kept: readonly string[]): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  const others = files.filter((path) => !kept.includes(relative(folder, path).replaceAll(sep, '/')));
  await Promise.all(others.map((path) => rm(path)));
}
