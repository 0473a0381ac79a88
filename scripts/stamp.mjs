import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { ROOT } from './paths.mjs';

/**
 * A fingerprint of files and folders, by path and content; times are not trusted, since a fresh clone
 * or a switch of branch changes them. `keep` says which files of a folder belong to it, by their path from
 * the root with slashes: where the clone lies must not matter.
 *
 * @param {string[]} inputs paths from the root; a missing one counts as empty
 * @param {(file: string) => boolean} keep
 * @param {string} machine that what is made of them runs on; empty for a fingerprint of the files alone
 */
export function fingerprint(inputs, keep = () => true, machine = `${process.platform} ${process.arch}`) {
  const hash = createHash('sha256');
  hash.update(`${machine}\n`);
  for (const file of inputs.flatMap((input) => filesOf(join(ROOT, input), keep))) {
    hash.update(fromRoot(file)).update('\0');
    hash.update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Names the folders that no source file lies in. */
const BUILT = new Set(['node_modules', 'dist', 'target', '.git']);

function filesOf(path, keep) {
  if (!existsSync(path)) return [];
  const entries = tryReadDirectory(path);
  if (entries === null) return [path];
  return entries
    .filter((entry) => !(entry.isDirectory() && BUILT.has(entry.name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = join(path, entry.name);
      if (entry.isDirectory()) return filesOf(child, keep);
      return keep(fromRoot(child)) ? [child] : [];
    });
}

const fromRoot = (file) => relative(ROOT, file).split(sep).join('/');

function tryReadDirectory(path) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return null;
  }
}

export function readStamp(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

export function writeStamp(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
