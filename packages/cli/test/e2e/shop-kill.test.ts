import { readdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { emptyFolder, ServerProcess, withAdminKey } from './server-process.js';
import { CollectionWriter, IndexIdWriter, SettingsWriter, type ShopWriter } from './shop-writers.js';

const KILLS = 8;
/** Writes acknowledged to one writer before a kill, at most. */
const WRITES_MAX = 25;
const SEED = 20_261_123;
const SHOPS = ['boots', 'hats'];
const flags = ['--hosted', '--index-changes-per-minute', '1000000'];

const data = emptyFolder('shop-kill');
afterAll(() => rmSync(data, { recursive: true, force: true }));

test(`acknowledged changes of shops are there, whole, after each of ${KILLS} kills`, async () => {
  console.log(`seed ${SEED}`);
  const random = new Random(SEED);
  const start = () => ServerProcess.start([...flags, '--data', data], { env: withAdminKey });
  let server = await start();
  for (const indexName of SHOPS) {
    const order = { indexName, modelType: 'custom', model: 'random/small' };
    await server.ok('POST', '/api/v1/indexes', order);
  }
  const writers: readonly ShopWriter[] = [
    ...SHOPS.map((name) => new SettingsWriter(name)),
    ...[1, 2].map((number) => new CollectionWriter(`writer-${number}`, new Random(SEED + number))),
    new IndexIdWriter('boots'),
  ];
  await serving(server);

  for (let kill = 1; kill <= KILLS; kill += 1) {
    const enough = random.int(1, WRITES_MAX);
    let reached: () => void = () => undefined;
    const one = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const write = async (writer: ShopWriter): Promise<void> => {
      for (let count = 1; await writer.write(server); count += 1) if (count === enough) reached();
    };
    const all = Promise.all(writers.map(write));
    await Promise.race([one, all]);
    await sleep(random.int(0, 10));
    expect(await server.end('SIGKILL'), 'the server ended by itself').toBeNull();
    await all;
    server = await start();
    await serving(server);
    for (const writer of writers) await writer.verify(server);
    expect(leftovers()).toEqual([]);
  }
  const acknowledged = writers.map((writer) => writer.acknowledged);
  console.log(`acknowledged writes, by writer: ${acknowledged.join(', ')}`);
  for (const count of acknowledged) expect(count).toBeGreaterThan(0);
  await server.end();
});

/** Waits for the processes of the indexes: as long as they start, they count no products of collections. */
async function serving(server: ServerProcess): Promise<void> {
  for (const name of SHOPS) {
    const status = async () => (await server.ok('GET', `/api/v1/indexes/${name}/status`)).indexStatus;
    await expect.poll(status, { timeout: 60_000 }).toBe('READY');
    const search = async () => (await server.call('POST', `/api/v1/indexes/${name}/search`, {})).status;
    await expect.poll(search, { timeout: 60_000 }).toBe(200);
  }
}

/** The files that killed writes left beside those of shops and the records of their indexes. */
function leftovers(): string[] {
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.json\..*\.tmp$/.test(name));
}
