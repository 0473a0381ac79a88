import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mustRun } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { ADDON, STATE } from './paths.mjs';
import { step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';
import { requireRust } from './toolchain.mjs';

const STAMP = join(STATE, 'native-engine.stamp');
const INPUTS = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo/config.toml', 'crates', 'bindings/node'];

/** Messages of cargo for people still go to the terminal, by the other stream. */
const BUILD = ['build', '--release', '--locked', '-p', 'pelorus-node', '--message-format=json-render-diagnostics'];

/** Tests and benches of a crate are no part of the add-on. */
function isBuildInput(file) {
  if (file.includes('/tests/') || file.includes('/benches/')) return false;
  return file.endsWith('.rs') || basename(file) === 'Cargo.toml';
}

/** The engine as a Node add-on, in release mode. Cargo is asked only when a source changed. */
export function ensureNativeEngine() {
  const wanted = fingerprint(INPUTS, isBuildInput);
  return step('native engine', {
    isCurrent: () => existsSync(ADDON) && readStamp(STAMP) === wanted,
    doing: 'building with cargo (a first build takes a few minutes)',
    work: async () => {
      requireRust();
      const lines = [];
      await mustRun('cargo', BUILD, { onLine: (line) => lines.push(line), isShown: false });
      install(libraryIn(lines));
      writeStamp(STAMP, wanted);
      return 'built';
    },
  });
}

/**
 * The file of the engine among what cargo says that it built, whether now or before. Where that lies only cargo knows:
 * variables of the environment and configuration of the user's own move the folder of builds and add a target to it.
 *
 * @param {string[]} lines what it printed; macros may print between its messages, which are lines of JSON
 */
export function libraryIn(lines) {
  for (const message of lines.filter((line) => line.startsWith('{'))) {
    const { reason, target, filenames } = JSON.parse(message);
    if (reason !== 'compiler-artifact' || target.name !== 'pelorus_node') continue;
    const library = filenames.find((file) => /\.(so|dylib|dll)$/.test(file));
    if (library !== undefined) return library;
  }
  throw new SetupFailure('cargo built pelorus-node, but names no shared library of it.');
}

/** Replaces the add-on in one step: a server that has the old one loaded keeps its own file. */
function install(library) {
  const fresh = `${ADDON}.${process.pid}.tmp`;
  copyFileSync(library, fresh);
  renameSync(fresh, ADDON);
}
