import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode, StartFailure } from '../start-failure.js';

/**
 * Fails where something else than a folder is in the place of one that a service cannot do without.
 * @param names of folders in the data directory, which need not be there
 */
export async function requireFolders(dataDir: string, names: readonly string[]): Promise<void> {
  for (const path of [dataDir, ...names.map((name) => join(dataDir, name))]) {
    const found = await stat(path).catch(() => null);
    if (found === null || found.isDirectory()) continue;
    throw new StartFailure(
      ExitCode.DATA_DIRECTORY_UNREADABLE,
      `${path} must be a folder, but it is none: move it away, and put the folder back if there was one`,
    );
  }
}

/** Tells that the file with the format of a data directory is missing, which its opening writes anew; null where it is not. */
export function missingFormat(dataDir: string): string | null {
  const isMissing = existsSync(join(dataDir, 'indexes')) && !existsSync(join(dataDir, 'format'));
  return isMissing ? `${join(dataDir, 'format')} is missing beside indexes; it is written anew` : null;
}
