import { describe } from 'vitest';
import { storageEngineSuite } from '../../engine/conformance/suite.js';
import { hasNoCluster } from './cluster.js';
import { source } from './fixtures.js';

describe.skipIf(hasNoCluster)('on a cluster', () => {
  storageEngineSuite('OpenSearch', { ...source, lacks: ['aliases', 'memory'], randomOperations: 400 });
});
