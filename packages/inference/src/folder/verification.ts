import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, sha256OfFile } from './manifest.js';

/** Sizes and times of files that were hashed and found right, for one exact manifest. */
const STAMP = '.verified.json';

interface Stamp {
  readonly manifest: string;
  readonly files: Readonly<Record<string, readonly [bytes: number, modifiedMs: number]>>;
}

/**
 * Checks a folder against its manifest. The hashes are taken once: a stamp then vouches for files whose
 * size and time stayed the same, so that a start does not read gigabytes again. A folder that cannot be
 * written to is hashed at every first load.
 *
 * @throws Error naming the file that is missing or differs.
 */
export async function verifyFolder(folder: string, manifest: Manifest, manifestHash: string): Promise<void> {
  const stamp: Stamp = { manifest: manifestHash, files: await fileStates(folder, manifest) };
  if (sameStamp(await readStamp(folder), stamp)) return;
  for (const [name, expected] of Object.entries(manifest.files)) {
    const received = await sha256OfFile(join(folder, name));
    if (received !== expected.sha256) {
      throw new Error(`${name} has sha256 ${received}, its manifest says ${expected.sha256}`);
    }
  }
  await writeStamp(folder, stamp).catch(() => undefined);
}

async function fileStates(folder: string, manifest: Manifest): Promise<Stamp['files']> {
  const states: Record<string, [number, number]> = {};
  for (const [name, expected] of Object.entries(manifest.files)) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found === null) throw new Error(`${name} is missing`);
    if (found.size !== expected.bytes) {
      throw new Error(`${name} has ${found.size} bytes, its manifest says ${expected.bytes}`);
    }
    states[name] = [found.size, found.mtimeMs];
  }
  return states;
}

async function readStamp(folder: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(folder, STAMP), 'utf8'));
  } catch {
    return null;
  }
}

/** Both are plain JSON written by this file, in one order of members. */
const sameStamp = (a: unknown, b: Stamp) => JSON.stringify(a) === JSON.stringify(b);

async function writeStamp(folder: string, stamp: Stamp): Promise<void> {
  const temporary = join(folder, `${STAMP}.${process.pid}`);
  await writeFile(temporary, JSON.stringify(stamp));
  await rename(temporary, join(folder, STAMP));
}
