import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from '../command.mjs';
import { fromRoot, ROOT } from '../paths.mjs';
import { mustSucceed } from './git.mjs';

/** A copy of the last commit, with build files of its own: each trial builds only what its fault changes. */
const COPY = fromRoot('target', 'drill', 'copy');
const BUILD = fromRoot('target', 'drill', 'build');

/** Crates with many dependencies. */
const DEPENDING_ON_MUCH = ['engine', 'lexical'];

/** A test that takes longer hangs, which is no success. */
const TEST_MINUTES_MAX = 20;

/** Makes the copy what is committed here. */
export function prepareCopy() {
  if (!existsSync(COPY)) {
    mkdirSync(join(COPY, '..'), { recursive: true });
    mustSucceed(['clone', '--quiet', '--shared', '--no-checkout', ROOT, COPY]);
  }
  const commit = mustSucceed(['rev-parse', 'HEAD']).trim();
  mustSucceed(['-C', COPY, 'fetch', '--quiet', ROOT, commit]);
  mustSucceed(['-C', COPY, 'reset', '--quiet', '--hard', commit]);
}

/** Plants a fault into the copy, runs its tests until one fails, and takes the fault out again. */
export const tryInCopy = (fault) => tryFault(fault, COPY, buildInCopy);

/** Does so in this checkout, where CI has built before and in which nothing is changed. */
export async function tryInPlace(fault) {
  try {
    return await tryFault(fault, ROOT, buildInPlace);
  } finally {
    // Property tests note what failed.
    mustSucceed(['checkout', '--quiet', '--', 'crates']);
  }
}

async function tryFault({ path, tests }, folder, build) {
  mustSucceed(['-C', folder, 'apply', path]);
  const started = performance.now();
  try {
    const outcome = await outcomeOf(tests, build);
    return { ...outcome, seconds: Math.round((performance.now() - started) / 1000) };
  } finally {
    mustSucceed(['-C', folder, 'apply', '--reverse', path]);
  }
}

/** Runs tests, each of which `build` makes into a command. */
async function outcomeOf(tests, build) {
  for (const test of tests) {
    const built = await build(test);
    if (built === null) return { outcome: 'broken', by: 'the compiler' };
    if (!(await succeeds(built, TEST_MINUTES_MAX))) return { outcome: 'caught', by: test.line };
  }
  return { outcome: 'missed', by: '' };
}

async function buildInCopy({ env, args }) {
  const place = { cwd: COPY, env: { ...env, CARGO_TARGET_DIR: BUILD } };
  const isBuilt = await succeeds({ ...place, command: 'cargo', args: [...beforeNames(args), '--no-run'] });
  return isBuilt ? { ...place, command: 'cargo', args } : null;
}

/**
 * Builds beside what CI has built. A crate of its own chooses other features of what it depends on, which are built anew
 * then: where that is much, all of the workspace is chosen as CI does, and the executable of the one crate is run.
 */
async function buildInPlace({ env, args }) {
  const crate = args[args.indexOf('-p') + 1].replace('pelorus-', '');
  const target = args.includes('--test') ? args[args.indexOf('--test') + 1] : `pelorus_${crate}`;
  const chosen = args.includes('--test') ? ['--test', target] : ['--lib'];
  const packages = DEPENDING_ON_MUCH.includes(crate) ? ['--workspace'] : ['-p', `pelorus-${crate}`];
  const cargo = ['test', '--locked', '--no-run', '--message-format', 'json-render-diagnostics', ...packages, ...chosen];
  const told = [];
  const exitCode = await run('cargo', cargo, { onLine: (line) => told.push(line), isShown: false });
  if (exitCode !== 0) return null;
  const manifest = fromRoot('crates', crate, 'Cargo.toml');
  const isAsked = (artifact) =>
    artifact.executable && artifact.manifest_path === manifest && artifact.target.name === target;
  const executable = told.map((line) => JSON.parse(line)).find(isAsked)?.executable;
  return executable ? { cwd: dirname(manifest), env, command: executable, args: namesOf(args) } : null;
}

/** The names that narrow a run of tests: what is neither an option nor the value of one. */
const namesOf = (args) =>
  args.slice(1).filter((arg, at) => !arg.startsWith('-') && !['-p', '--test'].includes(args[at]));

const beforeNames = (args) => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args);

/** Runs a command, and tells whether it ends well; one that takes more than so many minutes is ended. */
function succeeds({ command, args, cwd, env }, minutesMax = Number.POSITIVE_INFINITY) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'ignore', detached: true });
    const end = () => process.kill(-child.pid, 'SIGKILL');
    const patience = Number.isFinite(minutesMax) ? setTimeout(end, minutesMax * 60_000) : undefined;
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(patience);
      resolve(code === 0);
    });
  });
}
