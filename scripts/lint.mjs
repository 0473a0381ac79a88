// npm run lint: every check that is not a test.
import { runOrExplain } from './failure.mjs';
import { setUpSources } from './set-up.mjs';
import { runAllChecks } from './suites/all-checks.mjs';

await runOrExplain(async () => {
  await setUpSources();
  const failed = await runAllChecks();
  for (const name of failed) console.log(`FAILED  ${name}`);
  return failed.length === 0 ? 0 : 1;
});
