import { output, run } from '../command.mjs';
import { fromRoot, NODE } from '../paths.mjs';
import { duration } from '../progress.mjs';

const bin = (...path) => fromRoot('node_modules', ...path);

/** Every check that is not a test: name, command, arguments. */
const CHECKS = [
  ['Rust format', 'cargo', ['fmt', '--all', '--check']],
  ['Rust lints', 'cargo', ['clippy', '--workspace', '--all-targets', '--locked', '--', '-D', 'warnings']],
  [
    'TypeScript format and lints',
    NODE,
    [bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
  ],
];

/** Advisories, licences and sources of crates. Not built here: checked where the tool is installed, and in the workflow. */
const DEPENDENCY_CHECK = ['Rust dependencies', 'cargo', ['deny', '--workspace', 'check']];

/** Runs every check to its end and returns the names of those that failed. */
export async function runAllChecks() {
  const failed = [];
  const checks = output('cargo', ['deny', '--version']) === null ? CHECKS : [...CHECKS, DEPENDENCY_CHECK];
  for (const [name, command, args] of checks) {
    const started = performance.now();
    const exitCode = await run(command, args).catch((error) => error.message);
    console.log(`== ${name}: ${exitCode === 0 ? 'clean' : 'FAILED'} in ${duration(performance.now() - started)}`);
    if (exitCode !== 0) failed.push(name);
  }
  return failed;
}
