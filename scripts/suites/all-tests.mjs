import { duration } from '../progress.mjs';
import { runRustSchedules, runRustTests } from './cargo-test.mjs';
import { withCluster } from './cluster.mjs';
import { readChecks, runScript } from './npm-script.mjs';
import { Tally } from './tally.mjs';
import { runVitest } from './vitest.mjs';

/**
 * Runs every suite to its end, whatever happens to the one before.
 *
 * @param {boolean} isWithLint runs `npm run lint` too, beside the tests that wait for servers most of the time
 */
export async function runAllTests(isWithLint) {
  const tally = new Tally();
  await runSuite(tally, 'Rust', runRustTests);
  await runSuite(tally, 'Rust schedule', runRustSchedules);
  await withCluster(tally, async (env) => {
    await runSuite(tally, 'TypeScript', () => runVitest('unit', { env }));
    const lint = isWithLint ? runLint(tally) : undefined;
    await runSuite(tally, 'end to end', () => runVitest('end-to-end', { env, project: 'beside each other' }));
    await lint;
    await runSuite(tally, 'end to end, alone', () => runVitest('end-to-end', { env, project: 'alone' }));
  });
  return tally;
}

async function runSuite(tally, name, run) {
  console.log(`\n== ${name} tests`);
  const started = performance.now();
  tally.add(name, await run().catch((error) => ({ passed: 0, failed: 0, broken: error.message })));
  console.log(`== ${name} tests took ${duration(performance.now() - started)}`);
}

async function runLint(tally) {
  const checks = runScript(['run', 'lint'], readChecks, { yields: true });
  tally.add('npm run lint', await checks.catch((error) => ({ passed: 0, failed: 0, broken: error.message })));
}

/** Prints what was left out, the troubles and then, alone on the last line, the counts. Returns the exit code. */
export function close(tally) {
  console.log();
  for (const reason of tally.leftOut) console.log(`SKIPPED ${reason}`);
  for (const trouble of tally.troubles) console.log(`FAILED  ${trouble}`);
  console.log(tally.toString());
  return tally.ok ? 0 : 1;
}
