import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformPackage } from '../bindings/node/load.js';
import { npm, output } from './command.mjs';
import { fromRoot, NODE, NODE_MODULES, STATE } from './paths.mjs';

const NAME = platformPackage();

/** The way to the engine without a compiler, for those who lack one. */
export const prebuiltAdvice = () =>
  `\nOr run "npm cache add ${NAME}@${ownVersion()}": a package that was built from the sources of this clone is used instead.`;

/**
 * Finds the native engine in a published package: of this platform and version, built from the sources of this clone. It
 * is looked for where npm has installed it, then in npm's cache; no registry is asked.
 *
 * @param {string} sources the fingerprint of the Rust sources
 * @returns {string | null} the file
 */
export function prebuiltEngine(sources) {
  return engineIn(join(NODE_MODULES, NAME), sources) ?? engineIn(fromCache(), sources);
}

/** The engine in the folder of a package, where it is one for this clone and loads on this machine; null elsewhere. */
export function engineIn(folder, sources) {
  const addon = join(folder, 'pelorus.node');
  try {
    const { version, pelorus } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (version !== ownVersion() || pelorus.rustSources !== sources || !existsSync(addon)) return null;
  } catch {
    return null;
  }
  return output(NODE, ['-e', 'require(process.argv[1])', addon]) === null ? null : addon;
}

/** Unpacks the package from npm's cache, where it is there. npm compares it with its hash. */
function fromCache() {
  const place = join(STATE, 'prebuilt-engine');
  mkdirSync(place, { recursive: true });
  const flags = ['--offline', '--prefix', place, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const [command, args] = npm(['install', ...flags, '--loglevel=silent', `${NAME}@${ownVersion()}`]);
  output(command, args);
  return join(place, 'node_modules', NAME);
}

const ownVersion = () => JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')).version;
