import { describe, expect, it } from 'vitest';
import { add, fromJson, itemsOf, update } from '../../engine/conformance/fixtures.js';
import { freshPrefix, hasNoCluster, openEngine } from './cluster.js';
import { definition } from './fixtures.js';

/** Two servers, and a document that one of them has added. */
async function servers() {
  const prefix = freshPrefix();
  const [one, other] = [await openEngine(prefix), await openEngine(prefix)];
  await one.createIndex('a', definition);
  await add(one, 'a', [{ _id: '1', title: 'One. Two.', color: 'red', price: 1 }]);
  const get = async () => {
    const body = await one.getDocument('a', { documentId: '1', exposeFacets: true, within: null });
    return body && fromJson<Record<string, unknown>>(body);
  };
  return { one, other, get };
}

describe.skipIf(hasNoCluster)('updates on a cluster', () => {
  it('are all there when two servers change one document at once, and its vectors stay', async () => {
    const { one, other, get } = await servers();
    const before = await get();
    const fields = Array.from({ length: 12 }, (_, number) => `f${number}`);
    const answers = await Promise.all(
      fields.map((field, number) => update(number % 2 === 0 ? one : other, 'a', [{ _id: '1', [field]: number }])),
    );
    for (const answer of answers) expect(itemsOf(answer)).toEqual([{ _id: '1', status: 200 }]);
    expect(await get()).toEqual({ ...before, ...Object.fromEntries(fields.map((field, number) => [field, number])) });
  });

  it('change nothing of a document that is deleted meanwhile, and say that it is missing', async () => {
    const { one, other, get } = await servers();
    const updates = Array.from({ length: 4 }, (_, number) => update(one, 'a', [{ _id: '1', price: number }]));
    await other.deleteDocuments('a', { documentIds: ['1'], within: null });
    const items = (await Promise.all(updates)).flatMap(itemsOf);
    for (const item of items) {
      expect([200, 400]).toContain(item.status);
      if (item.status === 400) expect(item.message).toContain('Document does not exist in the index');
    }
    expect(await get()).toBeNull();
    expect(itemsOf(await update(one, 'a', [{ _id: '1', price: 9 }])).map(({ status }) => status)).toEqual([400]);
  });

  it('know the texts and lists of texts that the index has seen', async () => {
    const { one, get } = await servers();
    await add(one, 'a', [
      { _id: '2', note: 'a text' },
      { _id: '3', tags: ['a', 'list'] },
    ]);
    const statuses = async (change: object) =>
      itemsOf(await update(one, 'a', [{ _id: '1', ...change }])).map(({ status }) => status);
    expect(await statuses({ nowhere: 'a text' })).toEqual([400]);
    expect(await statuses({ note: ['a', 'list'] })).toEqual([400]);
    expect(await statuses({ note: 'another', tags: ['b'] })).toEqual([200]);
    expect(await get()).toMatchObject({ note: 'another', tags: ['b'] });
  });

  it('fail where their index is dropped meanwhile', async () => {
    const { one, other } = await servers();
    const batch = await one.prepareUpdate('a', Buffer.from('{"documents":[{"_id":"1","price":2}]}'));
    await other.dropIndex('a');
    await expect(batch.apply({ maxDocBytes: null, within: null })).rejects.toMatchObject({ code: 'index_not_found' });
  });
});
