// npm run bench -- NAME: set up what is missing, then measure.
import { run } from './command.mjs';
import { runOrExplain } from './failure.mjs';
import { fromRoot, NODE } from './paths.mjs';
import { setUp } from './set-up.mjs';

await runOrExplain(async () => {
  await setUp();
  return run(NODE, [fromRoot('bench', 'src', 'main.ts'), ...process.argv.slice(2)]);
});
