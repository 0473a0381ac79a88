import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { Ledger } from './ledger.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const KILLS = 20;
const WRITERS = 3;
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
    const acknowledgedBefore = ledger.acknowledged;
    await writeUntilKilled(server, ledger, random.int(40, 220));
    expect(ledger.acknowledged, 'the kill came before anything was written').toBeGreaterThan(acknowledgedBefore);

    server = await ServerProcess.start(['--data', data]);
    await ledger.settleUnknown(server);
    await ledger.verify(server);
  }
  console.log(`${ledger.acknowledged} writes acknowledged, ${ledger.size} documents alive, ${KILLS} kills`);
  await server.end();
});

/** Lets several writers go at the server and kills it, after a while, in the middle of it. */
async function writeUntilKilled(server: ServerProcess, ledger: Ledger, afterMs: number): Promise<void> {
  let alive = true;
  const write = async (): Promise<void> => {
    while (alive) await ledger.writeSomething(server);
  };
  const writers = Array.from({ length: WRITERS }, write);
  await ledger.firstAcknowledgement();
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  server.signal('SIGKILL');
  await server.exited();
  alive = false;
  await Promise.all(writers);
}
