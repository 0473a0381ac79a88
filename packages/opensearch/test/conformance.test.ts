import { describe } from 'vitest';
import { storageEngineSuite } from '../../engine/conformance/suite.js';
import type { StorageEngine } from '../../engine/src/index.js';
import { OpenSearchEngine } from '../src/index.js';
import { freshPrefix, hasNoCluster, NODES } from './cluster.js';

const prefixes = new WeakMap<StorageEngine, string>();

async function openWith(prefix: string): Promise<OpenSearchEngine> {
  const engine = await OpenSearchEngine.open({ nodes: NODES, prefix, replicas: 0 });
  prefixes.set(engine, prefix);
  return engine;
}

function prefixOf(engine: StorageEngine): string {
  const prefix = prefixes.get(engine);
  if (prefix === undefined) throw new Error('the engine was opened by another source');
  return prefix;
}

describe.skipIf(hasNoCluster)('on a cluster', () => {
  storageEngineSuite('OpenSearch', {
    open: () => openWith(freshPrefix()),
    remove: async (engine) => {
      await engine.close();
      const other = await openWith(prefixOf(engine));
      try {
        for (const name of await other.listIndexes()) await other.dropIndex(name);
      } finally {
        await other.close();
      }
    },
    lacks: ['memory'],
    randomOperations: 400,
  });
});
