import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { npm, output } from '../command.mjs';
import { SetupFailure } from '../failure.mjs';
import { ROOT } from '../paths.mjs';

/**
 * A packed package.
 *
 * @typedef {object} Tarball
 * @property {string} name
 * @property {string} version
 * @property {string} path
 * @property {string} integrity its SHA-512, as registries name it
 * @property {number} size its bytes
 * @property {number} unpackedSize
 * @property {{ path: string, size: number }[]} files
 */

/** Packs a folder with npm. @returns {Tarball} */
export function pack(folder, to) {
  mkdirSync(to, { recursive: true });
  return packed(folder, ['--pack-destination', to], to);
}

/** Reads a tarball that was packed before. @returns {Tarball} */
export function readTarball(path) {
  return { ...packed(dirname(path), ['--dry-run', resolve(path)], dirname(path)), path: resolve(path) };
}

function packed(from, options, to) {
  const [command, args] = npm(['pack', '--json', '--ignore-scripts', '--loglevel=error', ...options]);
  const told = output(command, args, { cwd: from, bytesMax: 64 * 2 ** 20 });
  if (told === null) throw new SetupFailure(`npm could not pack ${options.at(-1) === to ? from : options.at(-1)}.`);
  const { name, version, filename, integrity, size, unpackedSize, files } = Object.values(JSON.parse(told))[0];
  return { name, version, path: join(to, filename), integrity, size, unpackedSize, files };
}

/** The integrity of a package at the registry, null where it has none. @throws SetupFailure where it does not say */
export function publishedIntegrity(nameAndVersion) {
  const [command, args] = npm(['view', nameAndVersion, 'dist.integrity', '--json', '--prefer-online']);
  const { status, stdout, error } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  const answer = parsed(stdout);
  // A package without that version has an empty answer.
  if (status === 0) return typeof answer === 'string' ? answer : null;
  if (answer?.error?.code === 'E404') return null;
  throw new SetupFailure(
    `The registry does not tell of ${nameAndVersion}: ${error?.message ?? answer?.error?.summary ?? `npm view ended with ${status}`}`,
  );
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Every file with its bytes, and the sums. */
export function contentsOf({ name, version, size, unpackedSize, files }) {
  const lines = files.map((file) => `${String(file.size).padStart(12)}  ${file.path}`);
  return [`${name} ${version}`, ...lines, `  ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked`].join(
    '\n',
  );
}

export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
