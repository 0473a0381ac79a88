import { expect, test } from 'vitest';
import { Random } from '../../../src/demo/random.js';
import type { ServerProcess } from '../server-process.js';
import { KillRun, type Plan } from './kill-run.js';

/** `npm run check:kills` gives the number of cycles and a seed. */
const { PELORUS_KILL_CYCLES: given, PELORUS_KILL_SEED: seed = '20261121' } = process.env;
/** Far beyond what a slow machine takes: what hangs meets it. */
const CYCLE_MS = 60_000;
/** Cycles in which every kind of write is acknowledged. */
const ALL_WRITTEN = 10;

type Planned = { readonly plan: Plan; readonly prepare: (server: ServerProcess) => Promise<void> };

/** The test of a form of the server, with as many cycles as it usually has. */
export function killTest(form: string, planOf: (random: Random) => Planned, usual: number): void {
  const cycles = Number(given ?? usual);
  test(
    `${form} loses nothing acknowledged, and brings nothing back, over ${cycles} ends amid every kind of write`,
    async () => {
      console.log(`seed ${seed}`);
      const { plan, prepare } = planOf(new Random(Number(seed)));
      await KillRun.run(cycles, plan, prepare);
      if (cycles < ALL_WRITTEN) return;
      for (const [{ name, acknowledged }] of plan.ledgers) expect(acknowledged, name).toBeGreaterThan(0);
    },
    (ALL_WRITTEN + cycles) * CYCLE_MS,
  );
}
