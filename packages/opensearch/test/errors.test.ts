import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenSearchEngine } from '../src/index.js';
import { definition } from './fixtures.js';
import { node } from './loopback-node.js';

/** An engine over a node that answers to anything but its own description with this. */
async function over(status: number, type: string): Promise<OpenSearchEngine> {
  const url = await node((request, response) => {
    const isGreeting = request.url === '/';
    response.writeHead(isGreeting ? 200 : status, { 'content-type': 'application/json' });
    response.end(isGreeting ? '{}' : JSON.stringify({ error: { type, reason: 'told by the test' } }));
  });
  const engine = await OpenSearchEngine.open({ nodes: [url] });
  onTestFinished(() => engine.close());
  return engine;
}

describe('errors of a cluster', () => {
  it.each([
    [429, 'opensearch_rejected_execution_exception', 'too_many_requests'],
    [429, 'cluster_block_exception', 'insufficient_storage'],
    [403, 'cluster_block_exception', 'insufficient_storage'],
    [403, 'security_exception', 'server_configuration_error'],
    [401, 'security_exception', 'server_configuration_error'],
    [503, 'cluster_manager_not_discovered_exception', 'service_unavailable'],
    [504, 'process_cluster_event_timeout_exception', 'vector_store_timeout'],
    [400, 'illegal_argument_exception', 'internal'],
  ])('%i of %s is %s', async (status, type, code) => {
    const engine = await over(status, type);
    await expect(engine.listIndexes()).rejects.toMatchObject({ code });
    await expect(engine.createIndex('a', definition)).rejects.toMatchObject({ code });
  });

  it('there is no engine where no node answers', async () => {
    const silent = await node(() => undefined);
    const timedOut = OpenSearchEngine.open({ nodes: [silent], timeoutMs: 100 });
    await expect(timedOut).rejects.toMatchObject({ code: 'vector_store_timeout' });
    const closed = OpenSearchEngine.open({ nodes: ['http://127.0.0.1:1'] });
    await expect(closed).rejects.toMatchObject({ code: 'backend_communication_error' });
  });

  it('a read goes to another node where one is gone', async () => {
    const alive = await node((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.url === '/' ? '{}' : '[{"index": "pelorus-a.v1.1", "health": "green"}]');
    });
    const engine = await OpenSearchEngine.open({ nodes: ['http://127.0.0.1:1', alive] });
    onTestFinished(() => engine.close());
    for (let call = 0; call < 4; call++) expect(await engine.listIndexes()).toEqual(['a']);
  });
});
