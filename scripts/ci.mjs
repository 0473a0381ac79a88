// npm run ci: what CI runs. `npm test` as a newcomer types it, with `npm run lint` beside its end-to-end tests, a
// second attempt for the few that failed, which it tells, and two planted faults; closed by one line of counts.
import { runOrExplain } from './failure.mjs';
import { close } from './suites/all-tests.mjs';
import { readTests, runScript } from './suites/npm-script.mjs';
import { Tally } from './suites/tally.mjs';

const OPTIONS = ['--with-lint', '--second-attempt', '--planted-faults'];

await runOrExplain(async () => {
  const tally = new Tally();
  tally.add('npm test', await runScript(['test', '--', ...OPTIONS], readTests));
  return close(tally);
});
