import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * Replaces a file whole: whoever reads it, after a crash too, finds the old bytes or the new ones. Resolves once the new
 * ones survive a loss of power.
 */
export async function writeDurably(path: string, bytes: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The suffix of a file that {@link writeDurably} has not finished. */
const UNFINISHED = /^\.[0-9a-f-]{36}\.tmp$/;

/** Removes what writes of `path` left that a crash cut short. None may be under way. */
export async function removeUnfinished(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const found of names) {
    if (found.startsWith(name) && UNFINISHED.test(found.slice(name.length))) await rm(join(folder, found));
  }
}

/** Makes names in a folder durable. Where folders cannot be opened, as on Windows, the system sees to it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Tells whether an error of the system is that of a full disk, or of a quota that is used up. */
export function isDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
