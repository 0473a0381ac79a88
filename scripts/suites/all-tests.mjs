import { duration } from '../progress.mjs';
import { runRustSchedules, runRustTests } from './cargo-test.mjs';
import { withCluster } from './cluster.mjs';
import { Tally } from './tally.mjs';
import { runVitest } from './vitest.mjs';

/** Runs every suite to its end, whatever happens to the one before. */
export async function runAllTests() {
  const tally = new Tally();
  await runSuite(tally, 'Rust', runRustTests);
  await runSuite(tally, 'Rust schedule', runRustSchedules);
  await withCluster(tally, async (env) => {
    await runSuite(tally, 'TypeScript', () => runVitest('unit', env));
    await runSuite(tally, 'end to end', () => runVitest('end-to-end', env));
  });
  return tally;
}

async function runSuite(tally, name, run) {
  console.log(`\n== ${name} tests`);
  const started = performance.now();
  tally.add(name, await run().catch((error) => ({ passed: 0, failed: 0, broken: error.message })));
  console.log(`== ${name} tests took ${duration(performance.now() - started)}`);
}

/** Prints what was left out, the troubles and then, alone on the last line, the counts. Returns the exit code. */
export function close(tally) {
  console.log();
  for (const reason of tally.leftOut) console.log(`SKIPPED ${reason}`);
  for (const trouble of tally.troubles) console.log(`FAILED  ${trouble}`);
  console.log(tally.toString());
  return tally.ok ? 0 : 1;
}
