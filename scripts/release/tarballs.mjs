import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm, output } from '../command.mjs';
import { SetupFailure } from '../failure.mjs';

/**
 * A packed package.
 *
 * @typedef {object} Tarball
 * @property {string} name
 * @property {string} version
 * @property {string} path
 * @property {number} size its bytes
 * @property {number} unpackedSize
 * @property {{ path: string, size: number }[]} files
 */

/** Packs a folder with npm. @returns {Tarball} */
export function pack(folder, to) {
  mkdirSync(to, { recursive: true });
  const [command, args] = npm(['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', to]);
  const told = output(command, args, { cwd: folder, bytesMax: 64 * 2 ** 20 });
  if (told === null) throw new SetupFailure(`npm could not pack ${folder}.`);
  const { name, version, filename, size, unpackedSize, files } = Object.values(JSON.parse(told))[0];
  return { name, version, path: join(to, filename), size, unpackedSize, files };
}

/** Every file with its bytes, and the sums. */
export function contentsOf({ name, version, size, unpackedSize, files }) {
  const lines = files.map((file) => `${String(file.size).padStart(12)}  ${file.path}`);
  return [`${name} ${version}`, ...lines, `  ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked`].join(
    '\n',
  );
}

export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
