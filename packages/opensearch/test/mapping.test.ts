import { Client } from '@opensearch-project/opensearch';
import { checkClusterDefinition } from '@pelorus/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chunksMapping, indexBody } from '../src/mapping.js';
import { freshPrefix, hasNoCluster, NODES } from './cluster.js';
import { definition, ofSpace } from './fixtures.js';

/** A client, and an index of one tensor field that is gone when the test is over. */
async function indexed(documents: readonly object[]) {
  const client = new Client({ nodes: [...NODES] });
  const index = freshPrefix();
  onTestFinished(async () => {
    await client.indices.delete({ index }, { ignore: [404] });
    await client.close();
  });
  const body = indexBody('a', 'id-1', definition, `${index}-alias`, { shards: 1, replicas: 0 });
  await client.indices.create({ index, body });
  await client.indices.putMapping({ index, body: { properties: { chunks_title: chunksMapping(definition) } } });
  for (const [place, one] of documents.entries())
    await client.index({ index, id: `i${place}`, body: one, refresh: true });
  const search = async (query: object) => {
    const { body } = await client.search({ index, body: { query, _source: false } });
    return body.hits.hits.map(({ _id, _score }) => [_id, _score] as const);
  };
  return { client, index, search };
}

const vector = (first: number): readonly number[] => [first, Math.sqrt(1 - first * first), 0, 0, 0, 0, 0, 0];

it.each([
  ['prenormalized-anglar', 'prenormalized-angular'],
  ['cosinesimil', 'angular'],
  ['l2', 'euclidean'],
] as const)('the older space %s is %s', (older, name) => {
  expect(() => checkClusterDefinition('a', Buffer.from(JSON.stringify(ofSpace(older))))).not.toThrow();
  expect(chunksMapping(ofSpace(older))).toEqual(chunksMapping(ofSpace(name)));
});

describe.skipIf(hasNoCluster)('the mapping of an index', () => {
  it('has the places of tokens, and counts forms of one place once', async () => {
    const { search } = await indexed([
      { words: { title: ['red dog 手 机\u0001手机'] } },
      { words: { title: ['red', 'dog'] } },
      { words: { title: ['red dog cat cow'] } },
    ]);
    const phrase = await search({ match_phrase: { 'words.title': 'red dog' } });
    expect(phrase.map(([id]) => id).sort(), 'texts of a list are apart').toEqual(['i0', 'i2']);
    const [[, first], [, third]] = phrase as [(typeof phrase)[0], (typeof phrase)[0]];
    expect(first, 'both have four places').toBe(third);
    expect(await search({ match_phrase: { 'words.title': '机 手' } })).toEqual([]);
    expect(await search({ term: { 'words.title': '手机' } })).toHaveLength(1);
  });

  it('scores a term by the part of BM25 that depends on the document, times its boost', async () => {
    const { search } = await indexed([{ words: { title: ['dog dog cat'] } }, { words: { title: ['cat'] } }]);
    const found = await search({ term: { 'words.title': { value: 'dog', boost: 3 } } });
    const [frequency, length, average] = [2, 3, 2];
    const expected = (3 * 2.2 * frequency) / (frequency + 1.2 * (0.25 + (0.75 * length) / average));
    expect(found).toHaveLength(1);
    expect(found[0]?.[1]).toBeCloseTo(expected, 5);
  });

  it('finds the nearest chunk of a document, whose vectors are in its source', async () => {
    const { client, index, search } = await indexed([
      {
        chunks_title: [
          { text: 'far', vector: vector(0) },
          { text: 'near', vector: vector(0.9) },
        ],
      },
      { chunks_title: [{ text: 'nearer', vector: vector(1) }] },
    ]);
    const knn = { knn: { 'chunks_title.vector': { vector: vector(1), k: 2 } } };
    const found = await search({ nested: { path: 'chunks_title', query: knn, score_mode: 'max' } });
    expect(found.map(([id]) => id)).toEqual(['i1', 'i0']);
    expect(found.map(([, score]) => score)).toEqual([2, expect.closeTo(1.9, 5)]);
    const { body } = await client.get({ index, id: 'i0' });
    expect(body._source).toMatchObject({ chunks_title: [{ vector: vector(0) }, { text: 'near' }] });
  });

  it('takes no field that it does not know', async () => {
    await expect(indexed([{ wordz: 'a' }])).rejects.toThrow('strict_dynamic_mapping_exception');
  });
});
