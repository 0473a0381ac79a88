import { Client } from '@opensearch-project/opensearch';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  add,
  definition,
  fromJson,
  type Hit,
  lexicalLeg,
  lexicalPlan,
  update,
} from '../../engine/conformance/fixtures.js';
import { indexBody } from '../src/mapping.js';
import { freshPrefix, hasNoCluster, NODES, openEngine } from './cluster.js';

const NO_VECTORS = new Float32Array(0);

/** An index `a` as mappings of version 2 had it: without the fields that scripts read. */
async function createOfVersion2(prefix: string): Promise<void> {
  const alias = `${prefix}-a`;
  const body = indexBody('a', 'id-1', definition, alias, { shards: 1, replicas: 0 });
  const { points, sparse, ...properties } = body.mappings?.properties ?? {};
  expect(points).toEqual(sparse);
  const client = new Client({ nodes: [...NODES] });
  onTestFinished(() => client.close());
  const mappings = { ...body.mappings, properties };
  await client.indices.create({ index: `${alias}.v2.1`, body: { ...body, mappings } });
}

describe.skipIf(hasNoCluster)('an index with a mapping of version 2', () => {
  it('is read and written, and asks for an import where places or weights are asked for', async () => {
    const prefix = freshPrefix();
    const engine = await openEngine(prefix);
    await createOfVersion2(prefix);
    const document = {
      ...{ _id: 'one', title: 'a place', place: { lat: 48.1, lon: 11.5 } },
      splade: { indices: [1], values: [0.5] },
    };
    const mappings = { place: { type: 'geo_point' }, splade: { type: 'sparse_vector' } } as const;
    await add(engine, 'a', [document], { tensorFields: [], mappings });
    await update(engine, 'a', [{ _id: 'one', place: { lat: 48.2, lon: 11.5 } }]);
    const plan = { ...lexicalPlan('place'), filter: 'place EXISTS' };
    const { hits } = fromJson<{ hits: Hit[] }>(await engine.search('a', plan, NO_VECTORS));
    expect(hits).toMatchObject([{ ...document, place: { lat: 48.2, lon: 11.5 } }]);
    const lexical = { ...lexicalLeg(''), sparse: { field: 'splade', indices: [1], weights: [1] } };
    for (const [asked, lacks] of [
      [{ ...plan, filter: 'NOT place WITHIN (48, 11, 10km)' }, 'WITHIN'],
      [{ ...lexicalPlan(''), lexical }, 'sparseQuery'],
    ] as const) {
      const message = expect.stringMatching(`${lacks}.*export it, delete it, and import it`);
      await expect(engine.search('a', asked, NO_VECTORS)).rejects.toMatchObject({ code: 'invalid_argument', message });
    }
  });
});
