import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fromRoot, ROOT } from '../paths.mjs';
import { mustSucceed } from './git.mjs';

/** A copy of the last commit, with build files of its own: each trial builds only what its fault changes. */
const COPY = fromRoot('target', 'drill', 'copy');
const BUILD = fromRoot('target', 'drill', 'build');

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

/** Plants a fault, runs its tests until one fails, and takes the fault out again. */
export async function tryFault({ path, tests }) {
  mustSucceed(['-C', COPY, 'apply', path]);
  const started = performance.now();
  try {
    const outcome = await outcomeOf(tests);
    return { ...outcome, seconds: Math.round((performance.now() - started) / 1000) };
  } finally {
    mustSucceed(['-C', COPY, 'apply', '--reverse', path]);
  }
}

async function outcomeOf(tests) {
  for (const { env, command, args, line } of tests) {
    const beforeNames = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
    if (!(await succeeds(command, [...beforeNames, '--no-run'], env))) return { outcome: 'broken', by: 'the compiler' };
    if (!(await succeeds(command, args, env, TEST_MINUTES_MAX))) return { outcome: 'caught', by: line };
  }
  return { outcome: 'missed', by: '' };
}

/** Runs a command, and tells whether it ends well; one that takes more than so many minutes is ended. */
function succeeds(command, args, env, minutesMax = Number.POSITIVE_INFINITY) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: COPY,
      env: { ...process.env, ...env, CARGO_TARGET_DIR: BUILD },
      stdio: 'ignore',
      detached: true,
    });
    const end = () => process.kill(-child.pid, 'SIGKILL');
    const patience = Number.isFinite(minutesMax) ? setTimeout(end, minutesMax * 60_000) : undefined;
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(patience);
      resolve(code === 0);
    });
  });
}
