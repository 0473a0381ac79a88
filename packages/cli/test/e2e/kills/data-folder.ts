import { type Dirent, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Files under a name that a write gives until it is done. */
const UNFINISHED = /\.draft$|\.tmp$|^draft-/;
/** Those of keys, which other processes may be at work on: a server removes them once they are a minute old. */
const OF_KEYS = /^keys(?:\/|\.json\.)/;
const OF_KEYS_MS = 120_000;
/** Folders whose contents come and go. */
const PASSING = /(?:^|\/)(?:building|trash)\/[^/]+/;

/** Lists what killed writes left in a data directory: files that are no part of its state. */
export function leftovers(data: string): string[] {
  const left = namesIn(data).filter((name) => UNFINISHED.test(basename(name)) || PASSING.test(name));
  return left.filter((name) => !OF_KEYS.test(name) || isOlder(join(data, name), OF_KEYS_MS));
}

/** The room that the files of a folder take on the disk. */
export function diskBytes(folder: string): number {
  let bytes = 0;
  for (const name of namesIn(folder)) {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    if (stats?.isFile()) bytes += stats.blocks * 512;
  }
  return bytes;
}

/** The paths of all that is in a folder, from there, as far as it is not removed meanwhile. */
function namesIn(folder: string, below = ''): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(folder, below), { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
  return entries.flatMap((entry) => {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? [name, ...namesIn(folder, name)] : [name];
  });
}

function isOlder(path: string, ms: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ms;
}

/** The share of the machine that a process holds. */
export interface Resources {
  readonly anonymousBytes: number;
  readonly residentBytes: number;
  readonly threads: number;
  /** Descriptors but those of connections, which are the clients' to keep. */
  readonly descriptors: number;
}

/** Reads what a process holds; null where the system has no such files. */
export function resourcesOf(pid: number): Resources | null {
  if (process.platform !== 'linux') return null;
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const member = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {
    anonymousBytes: member('RssAnon') * 1024,
    residentBytes: member('VmRSS') * 1024,
    threads: member('Threads'),
    descriptors: descriptorsOf(pid).length,
  };
}

/** The descriptors of a process but those of connections, by what they lead to. */
export function descriptorsOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder)
    .flatMap((name) => {
      try {
        return [readlinkSync(join(folder, name))];
      } catch {
        // Closed since it was listed.
        return [];
      }
    })
    .filter((target) => !target.startsWith('socket:'));
}
