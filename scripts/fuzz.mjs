// npm run fuzz -- TARGET [--minutes N | --runs N] [--from RUN]: hostile bytes for one reader. Those of Rust are in crates/fuzz,
// `import-csv`, `import-jsonl` and `import-parquet` in a test of the command. A failure says how it is repeated.
import { parseArgs } from 'node:util';
import { run } from './command.mjs';
import { runOrExplain, SetupFailure } from './failure.mjs';
import { NODE } from './paths.mjs';

const IMPORT = /^import-(csv|jsonl|parquet)$/;
const TEST = 'packages/cli/test/transfer/hostile-files.test.ts';

await runOrExplain(async () => {
  const options = { minutes: { type: 'string' }, runs: { type: 'string' }, from: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [target = ''] = positionals;
  for (const [name, value] of Object.entries(values)) {
    if (!/^\d{1,12}$/.test(value)) throw new SetupFailure(`--${name} is a whole number, not ${value}`);
  }
  const format = IMPORT.exec(target)?.[1];
  if (format === undefined) {
    const flags = Object.entries(values).flatMap(([name, value]) => [`--${name}`, value]);
    return run('cargo', ['run', '--quiet', '--package', 'pelorus-fuzz', '--', target, ...flags]);
  }
  const env = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`PELORUS_FUZZ_${name.toUpperCase()}`, value]),
  );
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'scripts/vitest/unit.config.ts', TEST];
  return run(NODE, [...vitest, '--testNamePattern', `file of ${format}`], { env });
});
