// npm run check:soak: a steady mix of every kind of call on one server, whose memory, descriptors, threads and disk must stay as
// they are.
//
// `--minutes N` (default 2) after a warm-up, `--seed S`. It prints the medians of each quarter of the time, and exits with 1
// where the last quarter is beyond the bounds of the second, or an answer is not that of the model.
import { parseArgs } from 'node:util';
import { run } from './command.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { fromRoot, NODE } from './paths.mjs';
import { setUp } from './set-up.mjs';

await runOrExplain(async () => {
  const { minutes, seed } = flags();
  await setUp('tests');
  const env = { PELORUS_SOAK_MINUTES: String(minutes), PELORUS_SOAK_SEED: String(seed) };
  const vitest = fromRoot('node_modules', 'vitest', 'vitest.mjs');
  const config = fromRoot('scripts', 'vitest', 'soak.config.ts');
  return run(NODE, [vitest, 'run', '--config', config], { env });
});

function flags() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '2' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0) || !Number.isInteger(seed))
    throw new SetupFailure('--minutes is a number above 0, --seed a whole one.');
  return { minutes, seed };
}
