import { duration } from '../progress.mjs';
import { runRustSchedules, runRustTests } from './cargo-test.mjs';
import { withCluster } from './cluster.mjs';
import { readChecks, runScript } from './npm-script.mjs';
import { runPlantedFaults } from './planted-faults.mjs';
import { withSecondAttempt } from './second-attempt.mjs';
import { Tally } from './tally.mjs';
import { runVitest } from './vitest.mjs';

/**
 * Runs every suite to its end, whatever happens to the one before.
 *
 * @param {object} options
 * @param {boolean} options.isWithLint runs `npm run lint` too, beside the tests that wait for servers most of the time
 * @param {boolean} options.plantsFaults plants two faults in this checkout at the end, and looks whether tests catch them
 * @param {boolean} options.hasSecondAttempt runs the few tests that failed once more, and tells those that then passed
 */
export async function runAllTests({ isWithLint, plantsFaults, hasSecondAttempt }) {
  const tally = new Tally();
  const runSuite = (name, run) => addSuite(tally, name, hasSecondAttempt ? () => withSecondAttempt(run) : run);
  await runSuite('Rust', runRustTests);
  await runSuite('Rust schedule', runRustSchedules);
  await withCluster(tally, async (env) => {
    await runSuite('TypeScript', (files) => runVitest('unit', { env, files }));
    const lint = isWithLint ? runLint(tally) : undefined;
    const runProject = (project) => (files) => runVitest('end-to-end', { env, project, files });
    await runSuite('end to end', runProject('beside each other'));
    await lint;
    await runSuite('end to end, alone', runProject('alone'));
  });
  if (plantsFaults) await addSuite(tally, 'planted fault', () => runPlantedFaults(tally));
  return tally;
}

async function addSuite(tally, name, run) {
  console.log(`\n== ${name} tests`);
  const started = performance.now();
  tally.add(name, await run().catch((error) => ({ passed: 0, failed: 0, broken: error.message })));
  console.log(`== ${name} tests took ${duration(performance.now() - started)}`);
}

async function runLint(tally) {
  const checks = runScript(['run', 'lint'], readChecks, { yields: true });
  tally.add('npm run lint', await checks.catch((error) => ({ passed: 0, failed: 0, broken: error.message })));
}

/** Prints what was left out, the unstable tests, the troubles and then, alone on the last line, the counts. Returns the exit code. */
export function close(tally) {
  console.log();
  for (const reason of tally.leftOut) console.log(`SKIPPED ${reason}`);
  for (const test of tally.unstable) console.log(`UNSTABLE ${test}`);
  for (const trouble of tally.troubles) console.log(`FAILED  ${trouble}`);
  console.log(tally.toString());
  return tally.ok ? 0 : 1;
}
