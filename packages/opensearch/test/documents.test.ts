import { Client } from '@opensearch-project/opensearch';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chunksMapping } from '../src/mapping.js';
import { IndexNames } from '../src/names.js';
import { freshPrefix, hasNoCluster, NODES, openEngine } from './cluster.js';
import { definition } from './fixtures.js';

/** An engine with an index `a` of three documents with two chunks each, which a client of its own has put there. */
async function filled() {
  const prefix = freshPrefix();
  const engine = await openEngine(prefix);
  await engine.createIndex('a', definition);
  const client = new Client({ nodes: [...NODES] });
  onTestFinished(() => client.close());
  const index = new IndexNames(prefix).alias('a');
  await client.indices.putMapping({ index, body: { properties: { chunks_title: chunksMapping(definition) } } });
  const chunk = { text: 'a', vector: [1, 0, 0, 0, 0, 0, 0, 0] };
  const put = (id: string) => client.index({ index, id, body: { id, chunks_title: [chunk, chunk] }, refresh: true });
  for (const id of ['1', '2', '3']) await put(id);
  return { engine, put };
}

describe.skipIf(hasNoCluster)('documents on a cluster', () => {
  it('are counted, and their vectors', async () => {
    const { engine, put } = await filled();
    expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 3, numberOfVectors: 6 });
    await put('1');
    expect(await engine.stats('a'), 'one took the place of another').toMatchObject({ numberOfDocuments: 3 });
    await expect(engine.stats('nope')).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('are all deleted, and their number is told', async () => {
    const { engine } = await filled();
    expect(await engine.deleteAllDocuments('a')).toBe(3);
    expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 0, numberOfVectors: 0 });
    expect(await engine.deleteAllDocuments('a')).toBe(0);
    await expect(engine.deleteAllDocuments('nope')).rejects.toMatchObject({ code: 'index_not_found' });
  });
});
