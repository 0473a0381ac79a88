import { run } from '../command.mjs';
import { settle } from './tally.mjs';

const FAILURE = /^test (.+) \.\.\. FAILED$/;
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/;

/** Sums the closing lines of the test binaries of one `cargo test`. */
export function countCargoTests(lines) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: lines.flatMap((line) => FAILURE.exec(line)?.[1] ?? []) };
  for (const line of lines) {
    const result = RESULT.exec(line);
    if (result === null) continue;
    counts.passed += Number(result[1]);
    counts.failed += Number(result[2]);
    counts.skipped += Number(result[3]);
  }
  return counts;
}

/** Every Rust test of the workspace, doc examples included, or those that are named. */
export const runRustTests = (names) => runCargoTest(['--workspace', '--no-fail-fast'], names);

/** The graph under random schedules: built apart, with locks and atomics that a scheduler drives. */
export const runRustSchedules = (names) =>
  runCargoTest(['-p', 'pelorus-hnsw', '--features', 'shuttle', '--lib', ...(names ? [] : ['shuttle_tests'])], names);

async function runCargoTest(args, names) {
  const lines = [];
  const only = names ? ['--', '--exact', ...names] : [];
  const exitCode = await run('cargo', ['test', '--locked', ...args, ...only], {
    onLine: (line) => lines.push(line),
  });
  const counts = countCargoTests(lines);
  return { ...settle(counts, exitCode), again: counts.failures };
}
