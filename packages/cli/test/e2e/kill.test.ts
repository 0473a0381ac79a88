import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { Ledger } from './ledger.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const KILLS = 20;
const WRITERS = 3;
/** Requests acknowledged before a kill, at most: enough to be amid commits, flushes and savings. */
const REQUESTS_MAX = 120;
const SEED = 20_261_121;
const INDEX = 'ledger';

const data = emptyFolder('kill');
afterAll(() => rmSync(data, { recursive: true, force: true }));

test(`no acknowledged write is lost and no delete undone over ${KILLS} kills mid-ingest`, async () => {
  console.log(`seed ${SEED}`);
  const random = new Random(SEED);
  const ledger = new Ledger(INDEX, random);

  let server = await ServerProcess.start(['--data', data]);
  await ledger.createIndex(server);
  for (let kill = 1; kill <= KILLS; kill++) {
    await writeUntilKilled(server, ledger, random.int(1, REQUESTS_MAX), random.int(0, 20));
    server = await ServerProcess.start(['--data', data]);
    await ledger.settleUnknown(server);
    await ledger.verify(server);
  }
  console.log(`${ledger.acknowledged} writes acknowledged, ${ledger.size} documents alive, ${KILLS} kills`);
  await server.end();
});

/**
 * Lets several writers go at the server and kills it in the middle of it. How much is written before is counted,
 * not timed, so that it is the same on any machine; the last moments are timed, so that kills meet a commit anywhere.
 */
async function writeUntilKilled(server: ServerProcess, ledger: Ledger, requests: number, thenMs: number) {
  const enough = ledger.acknowledgements(requests);
  const write = async (): Promise<void> => {
    while (await ledger.writeSomething(server));
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, write));
  await Promise.race([enough, writers]);
  await sleep(thenMs);
  expect(await server.end('SIGKILL'), 'the server ended by itself').toBeNull();
  await writers;
}
