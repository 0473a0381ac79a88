import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenedFile } from './source.js';

/** Attempts to read files between two changes of them, and the wait before the next one, which grows. */
const ATTEMPTS_MAX = 50;
const WAIT_MS = 10;

/** Files of writes under way, and locks. */
const passing = /^draft-|\.tmp$|\.new$|\.lock$/;

/** Files by their places in a data directory, and what tells one state of each from the next. */
type Found = ReadonlyMap<string, string>;

/**
 * Reads small files of a data directory as they are at one moment: each is replaced whole by who writes it, and all are
 * read again where one was replaced, came or went meanwhile.
 * @param places of files and folders, which need not be there
 * @param isLeftOut names folders and files to leave out, by their places
 */
export async function filesOfOneMoment(
  dataDir: string,
  places: readonly string[],
  isLeftOut: (place: string) => boolean = () => false,
): Promise<readonly OpenedFile[]> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const before = await find(dataDir, places, isLeftOut);
    const files = await readAll(dataDir, before);
    if (files !== null && areAlike(before, await find(dataDir, places, isLeftOut))) return files;
    await delay(WAIT_MS * attempt);
  }
  throw new Error(`${places.join(', ')} of ${dataDir} change so often that they cannot be read as of one moment`);
}

/** Null where one is gone by now. */
async function readAll(dataDir: string, found: Found): Promise<readonly OpenedFile[] | null> {
  const files: OpenedFile[] = [];
  for (const path of found.keys()) {
    const bytes = await absentAsNull(readFile(join(dataDir, path)));
    if (bytes === null) return null;
    files.push({
      path,
      read: async function* () {
        yield bytes;
      },
    });
  }
  return files;
}

async function find(dataDir: string, places: readonly string[], isLeftOut: (place: string) => boolean): Promise<Found> {
  const found = new Map<string, string>();
  const look = async (place: string): Promise<void> => {
    if (isLeftOut(place)) return;
    const path = join(dataDir, place);
    const stats = await absentAsNull(lstat(path, { bigint: true }));
    if (stats?.isFile()) found.set(place, `${stats.ino} ${stats.mtimeNs} ${stats.size}`);
    if (!stats?.isDirectory()) return;
    const names = (await absentAsNull(readdir(path))) ?? [];
    for (const name of names.toSorted()) if (!passing.test(name)) await look(`${place}/${name}`);
  };
  for (const place of places) await look(place);
  return found;
}

function areAlike(one: Found, other: Found): boolean {
  return one.size === other.size && [...one].every(([path, state]) => other.get(path) === state);
}

async function absentAsNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
