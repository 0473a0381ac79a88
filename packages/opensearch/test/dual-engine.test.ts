import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DualEngine, EmbeddedEngine } from '@pelorus/engine';
import { describe, expect } from 'vitest';
import { expectSameContents } from '../../engine/conformance/same-contents.js';
import { storageEngineSuite } from '../../engine/conformance/suite.js';
import type { StorageEngine } from '../../engine/src/index.js';
import type { OpenSearchEngine } from '../src/index.js';
import { empty, freshPrefix, hasNoCluster, openSharedEngine } from './cluster.js';

/** The time for copies, which only one that hangs takes. */
const SETTLED_MS = 60_000;

interface Parts {
  readonly dual: DualEngine;
  readonly embedded: EmbeddedEngine;
  readonly cluster: OpenSearchEngine;
  readonly folder: string;
  readonly prefix: string;
}

const opened = new Map<unknown, Parts>();

/** The suite writes, and what the cluster has at the end of each test is compared: only what changes documents is run. */
describe.skipIf(hasNoCluster)('embedded first and a cluster second', () => {
  storageEngineSuite('two engines', {
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'pelorus-dual-'));
      const [embedded, prefix] = [await EmbeddedEngine.open(folder), freshPrefix()];
      const cluster = await openSharedEngine(prefix);
      const dual = await DualEngine.open(embedded, cluster);
      opened.set(dual, { dual, embedded, cluster, folder, prefix });
      return dual as unknown as StorageEngine;
    },
    remove: async (engine) => {
      const { dual, embedded, cluster, folder, prefix } = opened.get(engine) as Parts;
      try {
        const isOpen = (await embedded.listIndexes()).length > 0;
        if (isOpen && (await dual.health()).status === 'green') {
          expect(await dual.settled(SETTLED_MS)).toBe(true);
          await expectSameContents(cluster, embedded);
        }
      } finally {
        await dual.close();
        await empty(prefix);
        await rm(folder, { recursive: true, force: true });
      }
    },
    lacks: ['redefinitions', 'searches', 'ranked searches', 'scans', 'memory'],
  });
});
