// npm test: set up what is missing, then every test of the repository; with --with-lint the checks of `npm run lint` too.
import { runOrExplain } from './failure.mjs';
import { setUp } from './set-up.mjs';
import { close, runAllTests } from './suites/all-tests.mjs';

await runOrExplain(async () => {
  await setUp('tests');
  return close(await runAllTests(process.argv.includes('--with-lint')));
});
