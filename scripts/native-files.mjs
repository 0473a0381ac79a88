import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from './failure.mjs';
import { fromRoot, NODE_MODULES } from './paths.mjs';

const PACKAGE = 'onnxruntime-node';

/**
 * Compares the machine code that the models run on with its checksums in this folder, each time: npm checks a
 * package only as it arrives. The list of another version is made in its folder of `node_modules` by
 * `find bin -type f | LC_ALL=C sort | xargs sha256sum`.
 */
export function checkNativeFiles(folder = join(NODE_MODULES, PACKAGE), { platform, arch } = process) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const list = fromRoot('scripts', `${PACKAGE}-${version}.sha256`);
  if (!existsSync(list)) throw new SetupFailure(`There are no checksums of ${PACKAGE} ${version}: ${list} is missing.`);
  const here = `/${platform}/${arch}/`;
  for (const [, expected, file] of readFileSync(list, 'utf8').matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)) {
    if (file.includes(here)) compare(join(folder, file), expected);
  }
}

function compare(file, expected) {
  const received = existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : 'no file';
  if (received === expected) return;
  throw new SetupFailure(
    `${file} is not what it should be: SHA-256 ${expected} expected, ${received} found.\n` +
      'Delete node_modules and set up again.',
  );
}
