import type { StorageEngine, StoredDefinition } from '@pelorus/engine';
import { definition } from '../../engine/conformance/fixtures.js';
import type { EngineSource } from '../../engine/conformance/suite.js';
import { OpenSearchEngine } from '../src/index.js';
import { empty, freshPrefix, NODES } from './cluster.js';

export { definition };

/** The definition with vectors of another space. */
export const ofSpace = (spaceType: StoredDefinition['settings']['annParameters']['spaceType']): StoredDefinition => ({
  ...definition,
  settings: { ...definition.settings, annParameters: { ...definition.settings.annParameters, spaceType } },
});

/** Engines for the conformance suite, each over a prefix of its own. */
const prefixes = new WeakMap<StorageEngine, string>();
const open = async (prefix: string) => {
  const engine = await OpenSearchEngine.open({ nodes: NODES, prefix, replicas: 0 });
  prefixes.set(engine, prefix);
  return engine;
};
const prefixOf = (engine: StorageEngine) => prefixes.get(engine) ?? 'unknown';
export const source: EngineSource = {
  open: () => open(freshPrefix()),
  reopen: (closed) => open(prefixOf(closed)),
  remove: async (engine) => {
    await engine.close();
    await empty(prefixOf(engine));
  },
};
