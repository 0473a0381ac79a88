import { SetupFailure } from '../failure.mjs';

/**
 * The packages of a release that the registry does not have yet: a release that failed half-way goes on where it stopped.
 *
 * @template {{ name: string, version: string, integrity: string }} Packed
 * @param {readonly Packed[]} tarballs
 * @param {(nameAndVersion: string) => string | null} publishedIntegrity the integrity of a package at the registry, null
 *   where it has none
 * @returns {Packed[]}
 * @throws SetupFailure where the registry has another package of that name and version, before any is published
 */
export function unpublished(tarballs, publishedIntegrity) {
  return tarballs.filter(({ name, version, integrity }) => {
    const published = publishedIntegrity(`${name}@${version}`);
    if (published === null || published === integrity) return published === null;
    throw new SetupFailure(
      `The registry has another ${name}@${version}, of ${published}; this one is of ${integrity}. ` +
        'Publish the tarballs of the release that was begun, or raise the version.',
    );
  });
}

/**
 * Puts the tarballs of a release in the order in which they are published, those that others ask for first.
 *
 * @template {{ name: string, version: string }} Packed
 * @param {readonly Packed[]} tarballs
 * @param {readonly string[]} names of all packages, in that order
 * @param {string} version of all
 * @returns {Packed[]}
 * @throws SetupFailure where one is missing, or of another version
 */
export function wholeRelease(tarballs, names, version) {
  const missing = names.filter((name) => !tarballs.some((one) => one.name === name && one.version === version));
  if (missing.length > 0) {
    throw new SetupFailure(
      `All packages are published at once; these are missing in ${version}: ${missing.join(', ')}.`,
    );
  }
  return names.flatMap((name) => tarballs.filter((one) => one.name === name && one.version === version));
}
