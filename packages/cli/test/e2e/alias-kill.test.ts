import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/demo/random.js';
import { emptyFolder, ServerProcess } from './server-process.js';

const KILLS = 5;
const SEED = Number(process.env.PELORUS_FAULTS_SEED ?? 20_261_129);
const INDEXES = ['i0', 'i1', 'i2'];
/** Two aliases that every change points at neighbours of one another: a half of a change would show. */
const pairOf = (at: number) => ({ x: INDEXES[at % 3] as string, y: INDEXES[(at + 1) % 3] as string });

const data = emptyFolder('alias-kill');
afterAll(() => rmSync(data, { recursive: true, force: true }));

const start = () => ServerProcess.start(['--data', data, '--http-threads', '2']);

const pointAt = (server: ServerProcess, at: number) =>
  server.ok('POST', '/aliases', {
    changes: Object.entries(pairOf(at)).map(([aliasName, indexName]) => ({ aliasName, indexName })),
  });

async function pairNow(server: ServerProcess): Promise<object> {
  const { results } = (await server.ok('GET', '/aliases')) as { results: { aliasName: string; indexName: string }[] };
  return Object.fromEntries(results.map(({ aliasName, indexName }) => [aliasName, indexName]));
}

/** The indexes that hits of both aliases name, by several connections at once. */
async function reached(server: ServerProcess): Promise<object[]> {
  const ofOne = async (alias: string) => {
    const body = { q: 'word', searchMethod: 'LEXICAL' };
    const { hits } = (await server.ok('POST', `/indexes/${alias}/search`, body)) as { hits: { of: string }[] };
    return hits[0]?.of;
  };
  return await Promise.all(Array.from({ length: 4 }, async () => ({ x: await ofOne('x'), y: await ofOne('y') })));
}

test(`aliases are as the last change made them, over ${KILLS} kills amid changes, on every event loop`, async () => {
  const random = new Random(SEED);
  let server = await start();
  for (const index of INDEXES) {
    await server.ok('POST', `/indexes/${index}`, {
      ...{ model: 'no_model', modelProperties: { type: 'no_model', dimensions: 2 } },
    });
    await server.ok('POST', `/indexes/${index}/documents`, {
      ...{ documents: [{ _id: '1', title: 'word', of: index }], tensorFields: [] },
    });
  }
  let at = 0;
  await pointAt(server, at);
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const changes = random.int(1, 10);
    for (let change = 0; change < changes; change += 1) {
      at += 1;
      await pointAt(server, at);
      expect(await reached(server), `seed ${SEED}, change ${at}`).toEqual(Array(4).fill(pairOf(at)));
    }
    // Changes one after the other, until one is cut off.
    const cut = (async () => {
      for (;;) {
        try {
          await pointAt(server, at + 1);
        } catch {
          return;
        }
        at += 1;
      }
    })();
    await sleep(random.int(0, 30));
    expect(await server.end('SIGKILL'), 'the server ended by itself').toBeNull();
    await cut;
    server = await start();
    const found = await pairNow(server);
    // The change that was under way happened whole, or not at all.
    expect([pairOf(at), pairOf(at + 1)], `seed ${SEED}, kill ${kill}`).toContainEqual(found);
    if (JSON.stringify(found) === JSON.stringify(pairOf(at + 1))) at += 1;
    expect(await reached(server)).toEqual(Array(4).fill(found));
  }
  console.log(`seed ${SEED}: ${at} changes, ${KILLS} kills`);
  await server.end();
});
