// npm test: set up what is missing, then every test of the repository; with --with-lint the checks of `npm run lint` too,
// with --second-attempt the few that failed once more, with --planted-faults two faults that tests must catch.
import { runOrExplain } from './failure.mjs';
import { setUp } from './set-up.mjs';
import { close, runAllTests } from './suites/all-tests.mjs';

await runOrExplain(async () => {
  await setUp('tests');
  const isAsked = (option) => process.argv.includes(option);
  const options = {
    isWithLint: isAsked('--with-lint'),
    plantsFaults: isAsked('--planted-faults'),
    hasSecondAttempt: isAsked('--second-attempt'),
  };
  return close(await runAllTests(options));
});
