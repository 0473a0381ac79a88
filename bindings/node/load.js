// Finds the native add-on: what the environment names, else a local build beside this file, else
// the prebuilt package of this platform.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const LOCAL_BUILD = join(import.meta.dirname, 'pelorus.node');
const OVERRIDE = 'PELORUS_NATIVE_PATH';

/** The name of this platform's prebuilt package. */
export function platformPackage({ platform, arch } = process, glibc = runsOnGlibc()) {
  const abi = { linux: glibc ? '-gnu' : '-musl', win32: '-msvc' }[platform] ?? '';
  return `@pelorus/node-${platform}-${arch}${abi}`;
}

/**
 * Loads the add-on.
 *
 * Throws an error with code `native_addon_missing` when there is none, and with
 * `native_addon_unusable` when the one that was found does not load here.
 */
export function load(environment = process.env, localBuild = LOCAL_BUILD) {
  const require = createRequire(import.meta.url);
  const named = environment[OVERRIDE];
  if (named) {
    if (!existsSync(named)) throw missing(`${OVERRIDE} names ${named}, which does not exist`);
    return open(require, resolve(named));
  }
  if (existsSync(localBuild)) return open(require, localBuild);
  const prebuilt = platformPackage();
  if (resolves(require, prebuilt)) return open(require, prebuilt);
  throw missing(
    `no native engine for ${process.platform} ${process.arch}: neither a local build at ${localBuild} ` +
      `nor the package ${prebuilt} is there. Build it with "npm start" in a clone, ` +
      `install the package, or name a file in ${OVERRIDE}`,
  );
}

function open(require, path) {
  try {
    return require(path);
  } catch (cause) {
    const message = `the native engine ${path} does not load here: ${cause.message}`;
    throw Object.assign(new Error(message, { cause }), { code: 'native_addon_unusable' });
  }
}

function resolves(require, name) {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

function missing(message) {
  return Object.assign(new Error(message), { code: 'native_addon_missing' });
}

function runsOnGlibc() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true; // looking up host names would take seconds on some networks
  return 'glibcVersionRuntime' in process.report.getReport().header;
}
