// npm run ci: what CI runs. `npm test` as a newcomer types it, with `npm run lint` beside its end-to-end tests and
// a second attempt for the few that failed, which it tells; closed by one line of counts.
import { runOrExplain } from './failure.mjs';
import { close } from './suites/all-tests.mjs';
import { readTests, runScript } from './suites/npm-script.mjs';
import { Tally } from './suites/tally.mjs';

await runOrExplain(async () => {
  const tally = new Tally();
  tally.add('npm test', await runScript(['test', '--', '--with-lint', '--second-attempt'], readTests));
  return close(tally);
});
