// Every database that is installed, on a corpus small enough to be searched exactly. None is installed by set-up, so
// where no bench was run there is nothing to test.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { luceneIsFetched } from '../lucene.ts';
import { pypiVersion } from '../pypi.ts';
import { recall } from '../vector/recall.ts';
import { Corpus } from './corpus.ts';
import { driverOf, K, PEERS, PeerDatabase } from './database.ts';

const COUNT = 600;
let folder = '';
let corpus: Corpus;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pelorus-databases-'));
  corpus = new Corpus(COUNT, 10);
  await corpus.writeTo(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.for(Object.entries(PEERS))('%s', ([name, peer]) => {
  test.runIf(peer.pypi === null ? luceneIsFetched() : pypiVersion(peer.pypi) !== null)(
    'finds what was added, after a restart too, and nothing that was deleted',
    { timeout: 60_000 },
    async () => {
      const data = join(folder, name);
      await mkdir(data);
      const driver = await driverOf(name, peer, () => {}, new Map());
      const database = new PeerDatabase(driver, [folder, String(corpus.vectors.dim), name, data], 10);
      try {
        await database.open();
        expect(await database.add(0, 200)).toBeGreaterThan(0);
        await database.add(200, COUNT - 200);
        await database.settle();
        await expectNearest(database);
        expect((await database.state()).documents).toBe(COUNT);
        expect(await database.diskBytes()).toBeGreaterThan(COUNT * corpus.vectors.dim * 4);
        await database.restart();
        await expectNearest(database);
        await database.clear();
        expect((await database.state()).documents).toBe(0);
      } finally {
        await database.close();
      }
    },
  );
});

async function expectNearest(database: PeerDatabase): Promise<void> {
  const { neighbors, seconds } = await database.search();
  expect(seconds).toHaveLength(10);
  expect(recall(neighbors, corpus.nearest(K))).toBeGreaterThan(0.95);
}
