import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenSearchEngine } from '../src/index.js';
import { hasNoCluster, openEngine } from './cluster.js';
import { node } from './loopback-node.js';

/** An engine over a node that answers by path, else with nothing. */
async function over(answers: Readonly<Record<string, object>>): Promise<OpenSearchEngine> {
  const url = await node((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  });
  const engine = await OpenSearchEngine.open({ nodes: [url] });
  onTestFinished(() => engine.close());
  return engine;
}

const greeting = (distribution: string, number: string) => ({ '/': { version: { distribution, number } } });
const healthy = { cluster_name: 'a', status: 'green', number_of_nodes: 2 };

describe('a cluster and its nodes', () => {
  it.skipIf(hasNoCluster)('are examined, and their disks', async () => {
    const engine = await openEngine();
    const facts = await engine.examine();
    expect(facts.version).toMatch(/^[3-9]\.\d+\.\d+$/);
    expect(facts.nodes).toBeGreaterThanOrEqual(1);
    const { percent } = await engine.disk();
    expect(percent).toBeGreaterThan(0);
    expect(percent).toBeLessThanOrEqual(100);
  });

  it('are refused where they are of an old release or of another program', async () => {
    for (const [distribution, version] of [
      ['opensearch', '2.19.1'],
      ['other', '8.1.0'],
    ] as const) {
      const engine = await over(greeting(distribution, version));
      const message = `OpenSearch 3 or later is needed, and this is ${distribution} ${version}`;
      await expect(engine.examine()).rejects.toMatchObject({ code: 'server_configuration_error', message });
    }
  });

  it('are refused where one with data lacks the plugin', async () => {
    const knn = [{ name: 'opensearch-knn' }];
    const nodes = (plugins: object[]) => ({
      a: { name: 'n1', roles: ['data'], plugins },
      b: { name: 'n2', roles: ['cluster_manager'], plugins: [] },
    });
    const base = { ...greeting('opensearch', '3.5.0'), '/_cluster/health': healthy };
    const bare = await over({ ...base, '/_nodes/plugins': { nodes: nodes([]) } });
    const message = 'The plugin opensearch-knn is needed, and node n1 has none';
    await expect(bare.examine()).rejects.toMatchObject({ code: 'server_configuration_error', message });
    const whole = await over({ ...base, '/_nodes/plugins': { nodes: nodes(knn) } });
    expect(await whole.examine()).toEqual({ name: 'a', version: '3.5.0', nodes: 2, status: 'green' });
  });

  it('are as full as the fullest disk of data', async () => {
    const disk = (total_in_bytes: number, available_in_bytes: number, role = 'data') => ({
      roles: [role],
      fs: { total: { total_in_bytes, available_in_bytes } },
    });
    const usage = async (...nodes: object[]) => (await over({ '/_nodes/stats/fs': { nodes } })).disk();
    expect(await usage(disk(100, 50), disk(200, 10), disk(100, 1, 'ingest'))).toEqual({ percent: 95, hasRoom: true });
    expect(await usage(disk(100, 50), disk(100, 4))).toEqual({ percent: 96, hasRoom: false });
    expect((await usage()).hasRoom).toBe(false);
  });
});
