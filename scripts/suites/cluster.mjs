import { missing } from '../opensearch/install.mjs';
import { LocalNode } from '../opensearch/local-node.mjs';
import { duration } from '../progress.mjs';

/** The variable that names a cluster to tests, by the addresses of its nodes. */
const CLUSTER = 'PELORUS_TEST_OPENSEARCH';

/**
 * Runs suites with a cluster for the tests that need one: that of the environment, else a node that runs as long. Where
 * there is none, these tests are skipped.
 *
 * @param {import('./tally.mjs').Tally} tally told why there is none
 * @param {(env: Record<string, string>) => Promise<void>} runSuites gets the variables for tests
 */
export async function withCluster(tally, runSuites) {
  const why = process.env[CLUSTER] ? null : missing();
  if (why !== null) tally.leftOut.push(`tests on an OpenSearch cluster: ${why}`);
  const node = process.env[CLUSTER] || why !== null ? null : await startedNode(tally);
  try {
    await runSuites(node === null ? {} : { [CLUSTER]: node.address });
  } finally {
    await node?.stop();
  }
}

/** Null where it does not start, which is a failure. */
async function startedNode(tally) {
  const started = performance.now();
  try {
    const node = await LocalNode.start();
    console.log(`\n== OpenSearch answers after ${duration(performance.now() - started)}`);
    return node;
  } catch (error) {
    tally.add('OpenSearch', { passed: 0, failed: 0, broken: error.message });
    return null;
  }
}
