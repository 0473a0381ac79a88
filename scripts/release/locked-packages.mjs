import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from '../failure.mjs';
import { fromRoot, ROOT } from '../paths.mjs';

/** Packages of the clone that an installed Pelorus has in place of others, by the names that its code imports. */
export const STAND_INS = {
  'onnxruntime-node': 'packages/onnxruntime',
  'better-sqlite3': 'packages/sqlite',
};

/**
 * A package that another one runs with.
 *
 * @typedef {object} LockedPackage
 * @property {string} name the name of its own, which differs from that in `path` for a stand-in
 * @property {string} version
 * @property {string} path where Node finds it: a path in `node_modules` from the root
 * @property {string} folder where its files lie
 * @property {boolean} isOurs
 * @property {Record<string, any>} manifest its package.json
 * @property {string | undefined} integrity its hash in the lock file
 */

/** The lock file's packages by path. */
export function readLock(file = fromRoot('package-lock.json')) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/**
 * Lists everything that a package of the clone runs with, by the lock file: its dependencies and theirs. Optional ones
 * are left out: each of those is for some platforms alone, and does not run for lack of them.
 *
 * @param {string} start the folder of the package, from the root
 * @returns {LockedPackage[]} ordered by path, without the package itself
 */
export function packagesBehind(start, locked = readLock(), standIns = STAND_INS) {
  const found = new Map();
  const visit = (from, names) => {
    for (const name of names) {
      const path = pathOf(name, from, locked);
      if (path === null) throw new SetupFailure(`package-lock.json has no ${name}, which ${from} needs.`);
      if (found.has(path)) continue;
      const folder = standIns[name] ?? (locked[path].link ? locked[path].resolved : path);
      const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      const { integrity } = standIns[name] ? {} : locked[path];
      const isOurs = manifest.name.startsWith('@pelorus/');
      const { version } = manifest;
      found.set(path, { name: manifest.name, version, path, folder: join(ROOT, folder), isOurs, manifest, integrity });
      visit(folder, Object.keys(manifest.dependencies ?? {}));
    }
  };
  visit(start, Object.keys(locked[start].dependencies ?? {}));
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The path in the lock file at which Node finds `name` from a package, or null. */
function pathOf(name, from, locked) {
  for (let at = from; at !== ''; at = parentOf(at)) {
    const path = `${at}/node_modules/${name}`;
    if (path in locked) return path;
  }
  return `node_modules/${name}` in locked ? `node_modules/${name}` : null;
}

function parentOf(path) {
  const end = path.lastIndexOf('/node_modules/');
  return end < 0 ? '' : path.slice(0, end);
}
