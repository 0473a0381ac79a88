import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Random } from '../../../src/demo/random.js';
import { emptyFolder, ServerProcess } from '../server-process.js';
import { diskBytes } from './data-folder.js';
import { serverPlan } from './server-plan.js';
import { DISK_BOUND, Soak } from './soak.js';

/** In which a new server that rests has saved and compacted what it has. */
const REST_MS = 5_000;
/** The longest time for that after the load, of which cursors that nobody reads on take a minute. */
const REST_MS_MAX = 600_000;

/** The test of so many minutes after a warm-up, within a limit of time; 0 is none. */
export function soakTest(minutes: number, seed: number, limitMs: number): void {
  const name = `a server holds no more after ${minutes} minutes of every kind of call than before`;
  test(name, () => soak(minutes, seed), limitMs);
}

async function soak(minutes: number, seed: number): Promise<void> {
  const { plan, prepare, documents } = serverPlan(new Random(seed), 1);
  const start = (data: string) => ServerProcess.start([...plan.flags(), '--data', data], { env: plan.env });
  const server = await start(plan.data);
  await prepare(server);
  const steady = new Soak(plan, server);
  await steady.run(() => documents.some(({ isFull }) => !isFull));
  console.log(`seed ${seed}; warm after ${steady.rounds} rounds, when every id had been written`);

  const endMs = performance.now() + minutes * 60_000;
  await steady.run(() => performance.now() < endMs);
  const writes = plan.ledgers.map(([{ name, acknowledged }]) => `${acknowledged} of ${name}`).join(', ');
  console.log(
    `${steady.rounds} rounds, ${steady.broken} broken calls; ${writes}\n| | 1st quarter | 2nd | 3rd | 4th |\n|---|---|---|---|---|\n${steady.table()}`,
  );

  const fresh = emptyFolder('soak-fresh');
  const beside = await start(fresh);
  await prepare(beside);
  for (const ledger of documents) await ledger.copyTo(beside);
  await sleep(REST_MS);
  expect(await beside.end()).toBe(0);
  const [factor, slack] = DISK_BOUND;
  const least = diskBytes(fresh);
  // A file gives its room back once nobody writes, and no cursor holds what was there.
  const message = 'disk at rest beside that of a new server';
  const atRest = { timeout: REST_MS_MAX, interval: 200, message };
  await expect.poll(() => diskBytes(plan.data), atRest).toBeLessThanOrEqual(least * factor + slack);
  console.log(`${message}: ${(diskBytes(plan.data) / least).toFixed(2)} times`);
  expect(await server.end()).toBe(0);

  steady.verify();
  for (const folder of [plan.data, fresh]) rmSync(folder, { recursive: true, force: true });
}
