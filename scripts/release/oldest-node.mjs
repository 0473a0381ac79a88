import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm, output } from '../command.mjs';
import { fromRoot, STATE } from '../paths.mjs';

/**
 * Brings the oldest line of Node that the published packages name, as `oldest-node/package-lock.json` pins it: once, into
 * the folder of set-up.
 *
 * @returns {string | null} its program; null on systems that npm has none for, and where it cannot be fetched
 */
export function oldestNode() {
  const pins = fromRoot('scripts', 'release', 'oldest-node');
  const place = join(STATE, 'oldest-node');
  const program = join(place, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (!existsSync(program)) {
    mkdirSync(place, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(pins, file), join(place, file));
    const [command, args] = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    output(command, args, { cwd: place });
  }
  return existsSync(program) ? program : null;
}
