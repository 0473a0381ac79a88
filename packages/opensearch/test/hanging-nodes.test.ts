import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { embed, tensorPlan } from '../../engine/conformance/fixtures.js';
import { OpenSearchEngine } from '../src/index.js';
import { indexBody } from '../src/mapping.js';
import { definition } from './fixtures.js';
import { answerWith, node, pathOf } from './loopback-node.js';

const query = await embed('a query');
const WHOLE = { timed_out: false, _shards: { failed: 0 }, hits: { hits: [] } };
const { mappings, aliases } = indexBody('a', 'id-1', definition, 'pelorus-a', { shards: 1, replicas: 1 });

/**
 * An engine that knows an index `a`, over two nodes: the first one hangs from then on, and the second one waits for it with
 * what `waits` tells by the path of a request and its body.
 */
async function overHangingNode(waits: (path: string, body: string) => boolean) {
  const seen = { hangs: false, headers: new Set<string>() };
  const urls = ['hanging', 'other'].map((name) =>
    node(async (request, response) => {
      const [path, body] = [pathOf(request), await text(request)];
      for (const header of Object.keys(request.headers)) seen.headers.add(header);
      if (seen.hangs && (name === 'hanging' || waits(path, body))) return;
      if (path === '/_cluster/health') return answerWith(response, { discovered_cluster_manager: true });
      if (path === '/_cluster/state/version') return answerWith(response, { version: 1 });
      if (path === '/pelorus-a') return answerWith(response, { 'pelorus-a.v2.1': { mappings, aliases } });
      if (path.endsWith('_bulk'))
        return answerWith(response, { items: [{ delete: { _id: 'i1', status: 200, result: 'deleted' } }] });
      if (path.endsWith('_mget')) return answerWith(response, { docs: [{ _id: 'i1' }] });
      answerWith(response, path.endsWith('_msearch') ? { responses: [WHOLE] } : []);
    }),
  );
  const engine = await OpenSearchEngine.open({ nodes: await Promise.all(urls) });
  onTestFinished(() => engine.close());
  await engine.definition('a');
  seen.hangs = true;
  // Both nodes get one of these, so that one is found to hang.
  const lists = Promise.all([engine.listIndexes(), engine.listIndexes()]);
  return { engine, seen, lists };
}

describe('calls that wait at a node for another one, which hangs', () => {
  it('are sent again, as another copy may have the document, and a write may have been lost', async () => {
    const waiting = new Set<string>();
    const { engine, seen, lists } = await overHangingNode((path) => {
      const isFirst = /_(mget|bulk)$/.test(path) && !waiting.has(path);
      waiting.add(path);
      return isFirst;
    });
    const request = { documentId: '1', exposeFacets: false, within: null };
    const calls = [engine.getDocument('a', request), engine.deleteDocuments('a', { documentIds: ['1'], within: null })];
    const [document, deleted] = await Promise.all(calls);
    expect(document).toBeNull();
    expect(deleted).toMatchObject({ error: 0 });
    await lists;
    expect([...seen.headers].filter((header) => header.startsWith('pelorus'))).toEqual([]);
  });

  it('search another copy', async () => {
    const held = new Set<string>();
    const { engine, lists } = await overHangingNode((path, body) => {
      if (!path.endsWith('_msearch')) return false;
      const { preference } = JSON.parse(body.split('\n')[0] ?? '');
      if (held.size === 0) held.add(preference);
      return held.has(preference);
    });
    expect(JSON.parse((await engine.search('a', tensorPlan, query)).toString())).toEqual({ hits: [] });
    await lists;
  });

  it('go on with the definition in memory', async () => {
    const { engine, lists } = await overHangingNode((path) => path === '/pelorus-a');
    await sleep(1_100);
    expect(await engine.definition('a')).toEqual(definition);
    await lists;
  });
});
