// npm run ci: what CI runs, checks and tests, closed by one line of counts.
import { runOrExplain } from './failure.mjs';
import { setUp } from './set-up.mjs';
import { runAllChecks } from './suites/all-checks.mjs';
import { close, runAllTests } from './suites/all-tests.mjs';
import { Tally } from './suites/tally.mjs';

await runOrExplain(async () => {
  await setUp();
  const tally = new Tally();
  for (const name of await runAllChecks()) tally.add(name, { passed: 0, failed: 0, broken: 'the check found faults' });
  return close(await runAllTests(tally));
});
