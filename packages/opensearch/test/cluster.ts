import { randomBytes } from 'node:crypto';
import { Client } from '@opensearch-project/opensearch';
import { onTestFinished } from 'vitest';
import { type ClusterOptions, OpenSearchEngine } from '../src/index.js';

/** Addresses of the nodes of a cluster for tests, which these may fill and empty as they like. */
export const NODES: readonly string[] = process.env.PELORUS_TEST_OPENSEARCH?.split(',') ?? [];

/** Tells that there is no cluster, so that tests which need one are left out. */
export const hasNoCluster = NODES.length === 0;

if (hasNoCluster)
  console.warn(
    'skipped: tests on an OpenSearch cluster: PELORUS_TEST_OPENSEARCH names none; `npm run opensearch` starts one',
  );

/** A prefix that no other test has. */
export const freshPrefix = (): string => `t${randomBytes(6).toString('hex')}`;

/** An engine over the cluster, which whoever opens it closes. */
export const openSharedEngine = (prefix = freshPrefix()): Promise<OpenSearchEngine> =>
  OpenSearchEngine.open({ nodes: NODES, prefix, replicas: 0 });

/** An engine over the cluster, whose indexes are gone when the test is over. */
export async function openEngine(
  prefix = freshPrefix(),
  options: Partial<ClusterOptions> = {},
): Promise<OpenSearchEngine> {
  const opened = await OpenSearchEngine.open({ nodes: NODES, prefix, replicas: 0, ...options });
  onTestFinished(async () => {
    await opened.close();
    await empty(prefix);
  });
  return opened;
}

/** Deletes all that there is of a prefix. */
export async function empty(prefix: string): Promise<void> {
  const client = new Client({ nodes: [...NODES] });
  const index = [`${prefix}-*`, `${prefix}.suggestions.v1`, `${prefix}.keys.v1`, `${prefix}.readings.v1`];
  await client.indices.delete({ index, ignore_unavailable: true });
  await client.close();
}
