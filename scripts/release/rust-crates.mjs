import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { output } from '../command.mjs';
import { SetupFailure } from '../failure.mjs';
import { fromRoot } from '../paths.mjs';

/**
 * A crate that is linked into the add-on.
 *
 * @typedef {object} LinkedCrate
 * @property {string} name
 * @property {string} version
 * @property {string} license
 * @property {string | null} repository
 * @property {string} folder where cargo has its sources
 * @property {string | undefined} checksum SHA-256 of its archive, in hex
 */

/**
 * Lists the crates from elsewhere that the add-on for a target is linked from, by Cargo.lock.
 *
 * @param {string} target Rust's name of the platform
 * @returns {LinkedCrate[]} ordered by name and version
 */
export function linkedCrates(target) {
  const told = output('cargo', ['metadata', '--locked', '--format-version', '1', '--filter-platform', target], {
    bytesMax: 64 * 2 ** 20,
  });
  if (told === null) throw new SetupFailure('cargo is needed to list the crates of the native engine, and failed.');
  const { packages, resolve } = JSON.parse(told);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const root = packages.find(({ name }) => name === 'pelorus-node').id;
  const linked = new Set([root]);
  for (const id of linked) {
    for (const { pkg, dep_kinds } of nodes.get(id).deps) {
      if (dep_kinds.some(({ kind }) => kind === null)) linked.add(pkg);
    }
  }
  const checksums = lockedChecksums();
  return packages
    .filter(({ id, source }) => linked.has(id) && source !== null)
    .map(({ name, version, license, repository, manifest_path }) => ({
      ...{ name, version, repository, folder: dirname(manifest_path) },
      license: (license ?? 'NOASSERTION').replaceAll('/', ' OR ').replaceAll(/ +/g, ' '),
      checksum: checksums.get(`${name} ${version}`),
    }))
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

function lockedChecksums() {
  const entries = readFileSync(fromRoot('Cargo.lock'), 'utf8').split('[[package]]');
  const member = (entry, name) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(entry)?.[1];
  return new Map(
    entries.map((entry) => [`${member(entry, 'name')} ${member(entry, 'version')}`, member(entry, 'checksum')]),
  );
}
