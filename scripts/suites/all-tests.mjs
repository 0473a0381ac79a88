import { duration } from '../progress.mjs';
import { runRustSchedules, runRustTests } from './cargo-test.mjs';
import { Tally } from './tally.mjs';
import { runVitest } from './vitest.mjs';

const SUITES = [
  ['Rust', runRustTests],
  ['Rust schedule', runRustSchedules],
  ['TypeScript', () => runVitest('unit')],
  ['end to end', () => runVitest('end-to-end')],
];

/** Runs every suite to its end, whatever happens to the one before. */
export async function runAllTests() {
  const tally = new Tally();
  for (const [name, runSuite] of SUITES) {
    console.log(`\n== ${name} tests`);
    const started = performance.now();
    tally.add(name, await runSuite().catch((error) => ({ passed: 0, failed: 0, broken: error.message })));
    console.log(`== ${name} tests took ${duration(performance.now() - started)}`);
  }
  return tally;
}

/** Prints the troubles and then, alone on the last line, the counts. Returns the exit code. */
export function close(tally) {
  console.log();
  for (const trouble of tally.troubles) console.log(`FAILED  ${trouble}`);
  console.log(tally.toString());
  return tally.ok ? 0 : 1;
}
