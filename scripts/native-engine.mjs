import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mustRun } from './command.mjs';
import { ADDON, fromRoot, STATE } from './paths.mjs';
import { step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';
import { requireRust } from './toolchain.mjs';

const STAMP = join(STATE, 'native-engine.stamp');
const INPUTS = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo/config.toml', 'crates', 'bindings/node'];

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
      await mustRun('cargo', ['build', '--release', '--locked', '-p', 'pelorus-node']);
      install(fromRoot('target', 'release', libraryName()));
      writeStamp(STAMP, wanted);
      return 'built';
    },
  });
}

function libraryName() {
  if (process.platform === 'win32') return 'pelorus_node.dll';
  return process.platform === 'darwin' ? 'libpelorus_node.dylib' : 'libpelorus_node.so';
}

/** Replaces the add-on in one step: a server that has the old one loaded keeps its own file. */
function install(library) {
  const fresh = `${ADDON}.${process.pid}.tmp`;
  copyFileSync(library, fresh);
  renameSync(fresh, ADDON);
}
