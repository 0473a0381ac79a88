// npm run check:kills: kills servers amid every kind of write, while they start and while they end, and compares what is there
// with what was acknowledged.
//
// `--cycles N` (default 300), each with the seed `--seed S`; `--hosted` for the hosted form. The data directory of a run that
// fails is kept. The same seed draws the same writes and ends; the moments of kills are those of the machine.
import { parseArgs } from 'node:util';
import { run } from './command.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { fromRoot, NODE } from './paths.mjs';
import { duration } from './progress.mjs';
import { setUp } from './set-up.mjs';

await runOrExplain(async () => {
  const { cycles, seed, isHosted } = flags();
  await setUp('tests');
  const started = performance.now();
  const env = { PELORUS_KILL_CYCLES: String(cycles), PELORUS_KILL_SEED: String(seed) };
  const vitest = fromRoot('node_modules', 'vitest', 'vitest.mjs');
  const config = fromRoot('scripts', 'vitest', 'end-to-end.config.ts');
  const code = await run(
    NODE,
    [vitest, 'run', '--config', config, `e2e/${isHosted ? 'hosted-kill' : 'kill'}.test.ts`],
    { env },
  );
  const again = `npm run check:kills -- --cycles ${cycles} --seed ${seed}${isHosted ? ' --hosted' : ''}`;
  console.log(
    `${code === 0 ? 'nothing was lost' : 'FAILED'} after ${duration(performance.now() - started)}; again: ${again}`,
  );
  return code;
});

function flags() {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '300' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      hosted: { type: 'boolean', default: false },
    },
  });
  const [cycles, seed] = [Number(values.cycles), Number(values.seed)];
  if (!Number.isInteger(cycles) || cycles < 1 || !Number.isInteger(seed))
    throw new SetupFailure('--cycles and --seed are whole numbers.');
  return { cycles, seed, isHosted: values.hosted };
}
