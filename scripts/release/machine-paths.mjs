import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../paths.mjs';

/** The folder of crates of any machine, as it ends. */
const CRATES = ['.cargo/registry/src/', '.cargo\\registry\\src\\'];

/** Paths of the machine that builds, which compilers write into panics and debugging information. */
export const machinePaths = () => [
  join(ROOT, sep),
  join(process.env.CARGO_HOME || join(homedir(), '.cargo'), sep),
  ...CRATES,
];

/** The paths among `paths` that the files of a tarball hold. */
export function pathsIn(tarball, paths = machinePaths()) {
  const files = gunzipSync(readFileSync(tarball));
  return paths.filter((path) => files.includes(path));
}

/** @throws Error for a file that holds a path of the machine, which another machine that packs it would not know */
export function refusePaths(file, paths = machinePaths()) {
  const content = readFileSync(file);
  const found = paths.filter((path) => content.includes(path));
  if (found.length > 0) throw new Error(`${file} holds paths of this machine: ${found.join(', ')}`);
}
