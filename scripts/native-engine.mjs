import { copyFileSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mustRun, output } from './command.mjs';
import { SetupFailure } from './failure.mjs';
import { ADDON, STATE } from './paths.mjs';
import { prebuiltAdvice, prebuiltEngine } from './prebuilt-engine.mjs';
import { line, Share, step } from './progress.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';
import { requireRust } from './toolchain.mjs';

const NAME = 'native engine';
const INPUTS = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo/config.toml', 'crates', 'bindings/node'];

/** The variable by which the loader of `bindings/node` takes another add-on than the clone's own. */
const OVERRIDE = 'PELORUS_NATIVE_PATH';

const WORKSPACE = ['--workspace'];
const ADDON_ALONE = ['-p', 'pelorus-node'];

/**
 * The builds of the engine as a Node add-on. Each has a file of its own, so that none takes the place of another.
 * The one for tests compiles the Rust tests along with the add-on: cargo chooses the features of crates for everything
 * that it builds at once, and would compile many crates a second time for the tests alone.
 */
const BUILDS = {
  release: { addon: ADDON, profile: 'release', packages: ADDON_ALONE, targets: [], edges: 'normal,build' },
  tests: {
    addon: join(STATE, 'tests', 'pelorus.node'),
    profile: 'dev',
    packages: WORKSPACE,
    targets: ['--lib', '--bins', '--tests', '--examples'],
    edges: 'normal,build,dev',
  },
};

/** Tests and benches of a crate are no part of the add-on. */
function isBuildInput(file) {
  if (file.includes('/tests/') || file.includes('/benches/')) return false;
  return file.endsWith('.rs') || basename(file) === 'Cargo.toml';
}

/** A fingerprint of the sources that the engine is built from, the same on every machine. */
export const rustSources = () => fingerprint(INPUTS, isBuildInput, '');

/**
 * Builds the engine and has this process, and all that it starts, load it. Cargo is asked only when a source changed,
 * and no published package has what it would build; an add-on that the environment names is taken as it is.
 *
 * @param {'release' | 'tests'} purpose `release` for the add-on that a clone serves with
 */
export async function ensureNativeEngine(purpose) {
  const named = process.env[OVERRIDE];
  if (named) {
    line(NAME, `${named}, which ${OVERRIDE} names`);
    return;
  }
  const build = BUILDS[purpose];
  await ensureBuilt(build);
  if (build.addon !== ADDON) process.env[OVERRIDE] = build.addon;
}

function ensureBuilt({ addon, profile, packages, targets, edges }) {
  const wanted = fingerprint(INPUTS, isBuildInput);
  const stamp = join(STATE, `native-engine-${profile}.stamp`);
  const isCurrent = () => existsSync(addon) && readStamp(stamp) === wanted;
  const prebuilt = profile === 'release' && !isCurrent() ? prebuiltEngine(rustSources()) : null;
  if (prebuilt !== null) {
    install(prebuilt, addon);
    writeStamp(stamp, wanted);
    line(NAME, 'taken from its package, which was built from these sources');
    return;
  }
  const build = ['build', '--profile', profile, '--locked', ...packages, ...targets];
  return step(NAME, {
    isCurrent,
    doing: 'building with cargo (a first build takes some minutes)',
    work: async () => {
      requireRust(profile === 'release' ? prebuiltAdvice() : '');
      const share = new Share(NAME, 'crates', countCrates([...packages, '--edges', edges]));
      const lines = [];
      // Messages of cargo for people still go to the terminal, by the other stream.
      await mustRun('cargo', [...build, '--message-format=json-render-diagnostics'], {
        onLine: (text) => {
          lines.push(text);
          for (const { package_id, fresh } of artifacts([text])) share.add(package_id, fresh);
        },
        isShown: false,
      });
      install(libraryIn(lines), addon);
      writeStamp(stamp, wanted);
      return 'built';
    },
  });
}

/** The number of crates in a build, for its progress: 0 where cargo does not tell. */
function countCrates(args) {
  const tree = output('cargo', ['tree', '--locked', '--prefix', 'none', '--format', '{p}', ...args]);
  return new Set(tree?.split('\n').map((line) => line.replace(' (*)', '')) ?? []).size;
}

/**
 * The file of the engine among what cargo says that it built, whether now or before. Where that lies only cargo knows:
 * variables of the environment and configuration of the user's own move the folder of builds and add a target to it.
 *
 * @param {string[]} lines what it printed; macros may print between its messages, which are lines of JSON
 */
export function libraryIn(lines) {
  for (const { target, filenames } of artifacts(lines)) {
    if (target.name !== 'pelorus_node') continue;
    const library = filenames.find((file) => /\.(so|dylib|dll)$/.test(file));
    if (library !== undefined) return library;
  }
  throw new SetupFailure('cargo built pelorus-node, but names no shared library of it.');
}

function artifacts(lines) {
  return lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ reason }) => reason === 'compiler-artifact');
}

/** Replaces the add-on in one step: a server that has the old one loaded keeps its own file. */
function install(library, addon) {
  const fresh = `${addon}.${process.pid}.tmp`;
  mkdirSync(dirname(addon), { recursive: true });
  copyFileSync(library, fresh);
  renameSync(fresh, addon);
}
