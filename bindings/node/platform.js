// Names the packages that hold machine code for one platform each, and loads the one that fits this machine.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The platforms that packages are published for, by name. */
export const PLATFORMS = [
  'linux-x64-gnu',
  'linux-arm64-gnu',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-x64',
  'darwin-arm64',
  'win32-x64-msvc',
];

/** The name of a platform, as the packages for it end: system, processor and, where there are several, C library. */
export function platformName({ platform, arch } = process, glibc = runsOnGlibc()) {
  const abi = { linux: glibc ? '-gnu' : '-musl', win32: '-msvc' }[platform] ?? '';
  return `${platform}-${arch}${abi}`;
}

/** Tells whether the package of this platform whose name begins with `prefix` is installed. Loads nothing. */
export function hasPlatformPackage(prefix) {
  return isInstalled(`${prefix}-${platformName()}`);
}

/**
 * Loads the package of this platform whose name begins with `prefix`, or returns null where it is not installed.
 *
 * Throws what Node throws where it is installed and does not load here.
 */
export function loadPlatformPackage(prefix, name = `${prefix}-${platformName()}`) {
  return isInstalled(name) ? require(name) : null;
}

/**
 * Loads a part that not everybody needs, from the package of this platform whose name begins with `prefix`. Where it is not
 * installed, or does not load, `absent` makes what takes its place, from a function that makes the error of its use: without
 * the part all else is well.
 */
export function loadPlatformPart({ prefix, title, code, advice = '' }, absent) {
  const name = `${prefix}-${platformName()}`;
  const failure = (kind, message, options) => Object.assign(new Error(message, options), { code: `${code}_${kind}` });
  try {
    const missing =
      `no ${title} for ${process.platform} ${process.arch}: the package ${name} is not installed. ` +
      `Install it in the version of pelorus${advice}`;
    return loadPlatformPackage(prefix, name) ?? absent(() => failure('missing', missing));
  } catch (cause) {
    const damaged =
      `the ${title} of the package ${name} does not load: ${cause.message}. ` +
      'Install the package anew, in the version of pelorus';
    return absent(() => failure('damaged', damaged, { cause }));
  }
}

function isInstalled(name) {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

function runsOnGlibc() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true; // looking up host names would take seconds on some networks
  return 'glibcVersionRuntime' in process.report.getReport().header;
}
