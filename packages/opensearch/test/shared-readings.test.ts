import { randomUUID } from 'node:crypto';
import type { SearchPlan, ShareableRanking, ShareableScan } from '@pelorus/engine';
import { beforeEach, describe, expect, test } from 'vitest';
import { catalogue } from '../../engine/conformance/brute-force.js';
import { add, definition, embed, fromJson, lexicalPlan, tensorPlan } from '../../engine/conformance/fixtures.js';
import type { OpenSearchEngine } from '../src/index.js';
import { freshPrefix, hasNoCluster, openEngine } from './cluster.js';

const HOUR_MS = 60 * 60_000;
const everything = {
  filter: null,
  within: null,
  attributesToRetrieve: null,
  exposeFacets: false,
  exposeTensors: false,
};
const products = await catalogue(60);
const both: SearchPlan = {
  ...tensorPlan,
  retrievalMethod: 'disjunction',
  rankingMethod: 'rrf',
  rrf: { alpha: 0.5, k: 60 },
  lexical: lexicalPlan('winter coat river').lexical,
};

const idsIn = (page: Buffer, member: 'documents' | 'hits') =>
  fromJson<Record<string, { _id: string }[]>>(page)[member]?.map(({ _id }) => _id) ?? [];

describe.skipIf(hasNoCluster)('a reading that one server begins and others go on with', () => {
  let one: OpenSearchEngine;
  let other: OpenSearchEngine;

  beforeEach(async () => {
    const prefix = freshPrefix();
    [one, other] = [await openEngine(prefix, { shards: 3 }), await openEngine(prefix)];
    await one.createIndex('a', definition);
    await add(one, 'a', products);
  });

  /** Keeps all that a reading hands on; returns it as another server reads it. */
  async function handedOn(reading: object): Promise<unknown> {
    const id = randomUUID();
    await one.sharedReadings.keep(id, reading, HOUR_MS);
    return other.sharedReadings.find(id);
  }

  test('is a scan: page by page from one and the other, each document is read once, as it was', async () => {
    const first = (await one.scanDocuments('a', everything)) as ShareableScan;
    const page = await first.page(0, 7);
    const next = (await other.sharedReadings.scan('a', await handedOn(first.share()))) as ShareableScan;
    await one.deleteAllDocuments('a');
    const ids = [...idsIn(page.body, 'documents')];
    let [from, to, start] = [first, next, page.next];
    while (start !== undefined) {
      to.goOnAt(start, from.placeOf(start));
      const more = await to.page(start, 7);
      ids.push(...idsIn(more.body, 'documents'));
      [from, to, start] = [to, from, more.next];
    }
    expect(ids.toSorted()).toEqual(products.map(({ _id }) => _id).toSorted());
    next.close();
    // It closed its own end alone.
    expect((await first.page(0, 7)).body).toEqual(page.body);
    first.end();
    await expect
      .poll(() =>
        first.page(0, 7).then(
          () => 'a page',
          ({ code }) => code,
        ),
      )
      .toBe('invalid_argument');
  });

  test('is a search: each server has the same ranking of what there was', async () => {
    const query = await embed('a query');
    const first = (await one.rank('a', both, query)) as ShareableRanking;
    const shared = await handedOn(first.share());
    await other.deleteDocuments('a', { documentIds: products.slice(0, 30).map(({ _id }) => _id), within: null });
    const next = (await other.sharedReadings.ranking('a', shared)) as ShareableRanking;
    expect([next.count, idsIn(await next.page(5, 40), 'hits')]).toEqual([
      first.count,
      idsIn(await first.page(5, 40), 'hits'),
    ]);
    first.end();
    await expect
      .poll(() =>
        next.page(5, 40).then(
          () => 'a page',
          ({ code }) => code,
        ),
      )
      .toBe('snapshot_too_old');
    await expect(other.sharedReadings.ranking('a', shared)).rejects.toMatchObject({ code: 'snapshot_too_old' });
    next.close();
  });

  test('is none of an index that took the name, and can be forgotten', async () => {
    const scan = await handedOn(((await one.scanDocuments('a', everything)) as ShareableScan).share());
    const ranking = await handedOn(((await one.rank('a', both, await embed('a'))) as ShareableRanking).share());
    await one.dropIndex('a');
    await one.createIndex('a', definition);
    await expect.poll(() => other.sharedReadings.scan('a', scan)).toBeUndefined();
    expect(await other.sharedReadings.ranking('a', ranking)).toBeUndefined();
    const id = randomUUID();
    await one.sharedReadings.keep(id, { of: 'a' }, HOUR_MS);
    expect(await other.sharedReadings.find(id)).toEqual({ of: 'a' });
    await other.sharedReadings.forget(id);
    expect(await one.sharedReadings.find(id)).toBeUndefined();
  });
});
