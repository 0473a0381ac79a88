// Finds the native add-on: what the environment names, else a local build beside this file, else
// the prebuilt package of this platform.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { loadPlatformPackage, PLATFORMS, platformName } from './platform.js';

const LOCAL_BUILD = join(import.meta.dirname, 'pelorus.node');
const OVERRIDE = 'PELORUS_NATIVE_PATH';

/** The name of a platform's prebuilt package. */
export function platformPackage(machine, glibc) {
  return `@pelorus/node-${platformName(machine, glibc)}`;
}

/**
 * Loads the add-on.
 *
 * Throws an error with code `native_addon_missing` when there is none, and with
 * `native_addon_unusable` when the one that was found does not load here.
 */
export function load(environment = process.env, localBuild = LOCAL_BUILD, prebuilt = platformPackage()) {
  const require = createRequire(import.meta.url);
  const named = environment[OVERRIDE];
  if (named) {
    if (!existsSync(named)) throw missing(`${OVERRIDE} names ${named}, which does not exist`);
    return open(resolve(named), require);
  }
  if (existsSync(localBuild)) return open(localBuild, require);
  const addon = open(prebuilt, (name) => loadPlatformPackage('', name));
  if (addon !== null) return addon;
  throw missing(
    `no native engine for ${process.platform} ${process.arch}: neither a local build at ${localBuild} ` +
      `nor the package ${prebuilt} is there. ${adviceFor(prebuilt)}Build it with "npm start" in a clone, ` +
      `or name a file in ${OVERRIDE}`,
  );
}

function adviceFor(prebuilt) {
  if (PLATFORMS.some((name) => prebuilt.endsWith(`-${name}`))) {
    return 'Install that package in the version of pelorus, which npm does unless it leaves optional packages out. ';
  }
  return `Packages are there for ${PLATFORMS.join(', ')}. `;
}

function open(path, load) {
  try {
    return load(path);
  } catch (cause) {
    const message = `the native engine ${path} does not load here: ${cause.message}`;
    throw Object.assign(new Error(message, { cause }), { code: 'native_addon_unusable' });
  }
}

function missing(message) {
  return Object.assign(new Error(message), { code: 'native_addon_missing' });
}
