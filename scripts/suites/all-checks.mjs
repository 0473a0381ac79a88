import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { output, runApart } from '../command.mjs';
import { fromRoot, NODE } from '../paths.mjs';
import { duration } from '../progress.mjs';

const installed = (...path) => fromRoot('node_modules', ...path);
const contract = (script, ...args) => [fromRoot('packages', 'contract', 'scripts', script), ...args];

/** The checks that cargo makes, one after the other, as each holds the folder of builds: name, command, arguments. */
const checksOfCargo = () => [
  ['Rust format', 'cargo', ['fmt', '--all', '--check']],
  ['Rust lints', 'cargo', ['clippy', '--workspace', '--all-targets', '--locked', '--', '-D', 'warnings']],
  ['types of the add-on', NODE, [fromRoot('bindings', 'node', 'scripts', 'generate.mjs'), '--check']],
  ...dependencyCheck(),
];

/** All others. */
const checksOfNode = () => [
  ['format and lints', NODE, [installed('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.']],
  ['prose', NODE, [fromRoot('scripts', 'prose.mjs')]],
  ['types of tests and bench', NODE, [installed('typescript', 'bin', 'tsc'), '-b', ...uncompiledProjects()]],
  ['OpenAPI lints', NODE, contract('bundle.mjs', '--lint')],
  ['generated contract', NODE, contract('generate.mjs', '--check')],
];

/** Projects that run straight from their TypeScript source: no build looks at their types. */
function uncompiledProjects() {
  const tests = ['packages', 'bindings'].flatMap((parent) =>
    readdirSync(fromRoot(parent)).map((name) => fromRoot(parent, name, 'test')),
  );
  return [...tests, fromRoot('scripts', 'test'), fromRoot('examples'), fromRoot('bench')].filter((folder) =>
    existsSync(join(folder, 'tsconfig.json')),
  );
}

/** Advisories, licences and sources of crates: checked where the tool is installed, and in the workflow. */
function dependencyCheck() {
  if (output('cargo', ['deny', '--version']) === null) return [];
  return [['Rust dependencies', 'cargo', ['deny', '--workspace', 'check']]];
}

/** Runs every check to its end, those of cargo beside the others, and returns the names of those that failed. */
export async function runAllChecks() {
  const failed = await Promise.all([checksOfCargo(), checksOfNode()].map(runInTurn));
  return failed.flat();
}

/** Runs checks one after the other; the output of each is printed at its end, in one piece. */
async function runInTurn(checks) {
  const failed = [];
  for (const [name, command, args] of checks) {
    const started = performance.now();
    const { exitCode, said } = await runApart(command, args).catch(({ message }) => ({ exitCode: 1, said: message }));
    const verdict = exitCode === 0 ? 'clean' : 'FAILED';
    process.stdout.write(said);
    console.log(`== ${name}: ${verdict} in ${duration(performance.now() - started)}`);
    if (exitCode !== 0) failed.push(name);
  }
  return failed;
}
