import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from '../command.mjs';
import { fromRoot, NODE, ROOT, STATE } from '../paths.mjs';
import { settle } from './tally.mjs';

/**
 * Reads vitest's JSON report. A test file that could not even be loaded holds no test to count,
 * so it counts as one that failed.
 */
export function countVitestReport(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: report.testResults.flatMap(failuresOf),
    again: report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name),
  };
}

/** Names each failed test of a file with the first line of its message, as the closing lines print it. */
function failuresOf({ name, status, message, assertionResults }) {
  const file = relative(ROOT, name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`];
  return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
}

const firstLine = (message = '') => message.split('\n', 1)[0].slice(0, 300);

/**
 * Runs one of the configurations in the folder `vitest`, `unit` or `end-to-end`, with the variables of `env` too, and
 * only the project of it, or the files, that are named.
 */
export async function runVitest(configuration, { env = {}, project, files = [] } = {}) {
  const name = project === undefined ? configuration : `${configuration} ${project}`;
  const file = join(STATE, `${name.replaceAll(' ', '-')}.json`);
  mkdirSync(STATE, { recursive: true });
  rmSync(file, { force: true });
  const args = [
    fromRoot('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--config',
    fromRoot('scripts', 'vitest', `${configuration}.config.ts`),
    ...(project === undefined ? [] : [`--project=${project}`]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...files,
  ];
  const exitCode = await run(NODE, args, { env });
  const none = { passed: 0, failed: 0, skipped: 0, failures: [] };
  const counts = existsSync(file) ? countVitestReport(JSON.parse(readFileSync(file, 'utf8'))) : none;
  return settle(counts, exitCode);
}
