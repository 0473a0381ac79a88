// npm run ci: what CI runs. `npm test` as a newcomer types it, then `npm run lint`, closed by one line of counts.
import { runOrExplain } from './failure.mjs';
import { close } from './suites/all-tests.mjs';
import { readChecks, readTests, runScript } from './suites/npm-script.mjs';
import { Tally } from './suites/tally.mjs';

await runOrExplain(async () => {
  const tally = new Tally();
  tally.add('npm test', await runScript(['test'], readTests));
  tally.add('npm run lint', await runScript(['run', 'lint'], readChecks));
  return close(tally);
});
