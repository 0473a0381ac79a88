import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolderForGood } from '@pelorus/files';
import { RESTORING } from '@pelorus/server/backups';
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

/**
 * Fails on a data directory that is being restored, or whose restore did not come to its end: a part of it would be served
 * as if it was all.
 */
export async function requireRestored(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, RESTORING))) return;
  throw new StartFailure(
    ExitCode.DATA_DIRECTORY_UNREADABLE,
    `${dataDir} is restored just now, or its restore did not come to its end: wait for it, or run \`pelorus restore\` again`,
  );
}

/**
 * Holds a data directory, which is made where it is missing, until this process ends, by the locks that the engine takes for
 * a directory of its own: no two services have one, of whatever form.
 * @throws StartFailure where another process has it, or it cannot be used
 */
export async function holdDataDirectory(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    if (await lockFolderForGood(dataDir, 'lock')) return;
  } catch (error) {
    throw new StartFailure(
      ExitCode.DATA_DIRECTORY_UNREADABLE,
      `${dataDir} cannot be used: ${(error as Error).message}`,
    );
  }
  throw new StartFailure(ExitCode.DATA_DIRECTORY_IN_USE, `the data directory ${dataDir} is in use by another process`);
}

/**
 * Tells that the file with the format of a data directory is missing beside indexes, or says what none has, which its
 * opening writes anew. To be asked before that.
 */
export async function lostFormat(dataDir: string): Promise<readonly { status: 'yellow'; reason: string }[]> {
  const path = join(dataDir, 'format');
  if (!existsSync(join(dataDir, 'indexes'))) return [];
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' ? null : ''));
  // Another number is one of a version, earlier or later.
  if (text !== null && /^\s*0*[1-9]\d*\s*$/.test(text)) return [];
  const how =
    text === null ? 'is missing beside indexes' : `is ${JSON.stringify(text.slice(0, 40))}, which no version writes`;
  return [{ status: 'yellow', reason: `${path} ${how}; it is written anew, as if they were not of a later version` }];
}
