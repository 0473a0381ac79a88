import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@opensearch-project/opensearch';
import { describe, expect, it, onTestFinished } from 'vitest';
import { add, fromJson } from '../../engine/conformance/fixtures.js';
import { EmbeddedEngine, type StorageEngine } from '../../engine/src/index.js';
import { chunksMapping } from '../src/mapping.js';
import { IndexNames } from '../src/names.js';
import { freshPrefix, hasNoCluster, NODES, openEngine } from './cluster.js';
import { definition } from './fixtures.js';

const everything = {
  filter: null,
  within: null,
  attributesToRetrieve: null,
  exposeFacets: false,
  exposeTensors: false,
};
const vector = [0.1, 0.2, 0.30000001, 0, 0, 0, 0, -1e-8];

/** The stored form of a document, in base64. */
function storedForm(id: string, fields: Readonly<Record<string, unknown>>): string {
  const texts = [id, ...Object.entries(fields).flatMap(([name, value]) => [name, JSON.stringify(value)])];
  const parts = texts.map((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  });
  return Buffer.concat([Buffer.of(1), ...parts]).toString('base64');
}

/** An engine with an index `a` of some documents with a chunk each, which a client of its own has put there. */
async function filled(count: number, shards = 1) {
  const prefix = freshPrefix();
  const engine = await openEngine(prefix, { shards });
  await engine.createIndex('a', definition);
  const client = new Client({ nodes: [...NODES] });
  onTestFinished(() => client.close());
  const index = new IndexNames(prefix).alias('a');
  await client.indices.putMapping({ index, body: { properties: { chunks_title: chunksMapping(definition) } } });
  const put = async (numbers: readonly number[], mark: string) => {
    const body = numbers.flatMap((number) => {
      const source = {
        id: `d${number}`,
        stored: storedForm(`d${number}`, { title: mark, number }),
        values: [`i6:number:${(2n ** 63n + BigInt(number)).toString(16)}`],
        sources: [{ field: 'title', kind: 'text', weights: '' }],
        chunks_title: [{ text: mark, vector }],
      };
      return [{ index: { _id: `id${number}` } }, source];
    });
    await client.bulk({ index, body, refresh: true });
  };
  const numbers = Array.from({ length: count }, (_, number) => number);
  await put(numbers, 'old');
  return { engine, put, numbers };
}

/** The documents of a page. */
const documentsOf = (body: Buffer | string) =>
  fromJson<{ documents: { _id: string; number: number }[] }>(Buffer.from(body)).documents;

describe.skipIf(hasNoCluster)('scans on a cluster', () => {
  it('read the documents of all shards as they were, in pages that can be asked for in any order', async () => {
    const { engine, put, numbers } = await filled(700, 3);
    const scan = await engine.scanDocuments('a', everything);
    await put([1, 2, 699, 700], 'new');
    const starts = [0];
    const bodies: string[] = [];
    for (let start: number | undefined = 0; start !== undefined; ) {
      const page = await scan.page(start, 300);
      bodies.push(page.body.toString());
      start = page.next;
      if (start !== undefined) starts.push(start);
    }
    expect(starts).toEqual([0, 300, 600]);
    for (const place of [2, 0, 1])
      expect((await scan.page(starts[place] ?? 0, 300)).body.toString()).toBe(bodies[place]);
    const documents = bodies.flatMap(documentsOf).toSorted((a, b) => a.number - b.number);
    expect(documents).toEqual(numbers.map((number) => ({ _id: `d${number}`, title: 'old', number })));
    await expect(scan.page(299, 300)).rejects.toMatchObject({ code: 'invalid_argument' });
    scan.close();
    await expect(scan.page(0, 300)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('read those that pass a filter, with the fields and vectors that are asked for', async () => {
    const { engine } = await filled(5);
    const request = { filter: 'number:[3 TO 4]', within: null, attributesToRetrieve: ['number'], exposeFacets: true };
    const scan = await engine.scanDocuments('a', { ...request, exposeTensors: false });
    const { body, count, next } = await scan.page(0, 10);
    expect([count, next]).toEqual([2, undefined]);
    for (const document of documentsOf(body)) {
      const facets = [{ title: 'old', _embedding: vector.map((number) => expect.closeTo(number, 7)) }];
      expect(document).toEqual({ _id: `d${document.number}`, number: document.number, _tensor_facets: facets });
    }
    scan.close();
    await expect(engine.scanDocuments('a', { ...everything, filter: '(' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(engine.scanDocuments('b', everything)).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('read those that pass a filter, as the embedded engine does', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'pelorus-scans-'));
    const embedded = await EmbeddedEngine.open(directory);
    onTestFinished(async () => {
      await embedded.close();
      await rm(directory, { recursive: true });
    });
    const engines = [embedded, await openEngine()];
    const notes = ['a red lamp', 'red', 'the lamps are red', 'a lamp, red', '手机 red'];
    const documents = [
      ...notes.map((note, at) => ({ _id: `${at}`, note, price: at })),
      { _id: '5', note: 'longer than filters take '.repeat(20), made: '2026-01-01T23:30:00-01:00' },
      { _id: '6', made: '2026-01-02', sizes: { s: 1 } },
    ];
    const answer = async (engine: StorageEngine, filter: string) => {
      const scan = await engine.scanDocuments('a', { ...everything, filter });
      const { body } = await scan.page(0, 10);
      scan.close();
      return documentsOf(body).toSorted((a, b) => a._id.localeCompare(b._id));
    };
    for (const engine of engines) {
      await engine.createIndex('a', definition);
      await add(engine, 'a', documents);
    }
    for (const filter of [
      'note CONTAINS red',
      'note CONTAINS (red lamp)',
      'NOT note CONTAINS lamp',
      'note CONTAINS 手机 OR (note CONTAINS lamp AND price:[0 TO 2])',
      'note EXISTS AND NOT price EXISTS',
      'note:THE* OR note:a*',
      '_id:3*',
      'sizes.s EXISTS OR price NOT EXISTS',
      'price > 1 AND price NOT IN (3)',
      'price <= 1 OR made < 2026-01-02',
      'made >= 2026-01-02T00:30:00Z',
      'made > 2026-01-02 OR price != 2',
    ]) {
      const [ours, theirs] = await Promise.all(engines.map((engine) => answer(engine, filter)));
      expect(theirs, filter).toEqual(ours);
      expect(ours?.length, filter).toBeGreaterThan(0);
    }
    const refusals = await Promise.all(
      engines.map((engine) => answer(engine, 'other CONTAINS red').catch((error: Error) => error.message)),
    );
    expect(refusals[1]).toBe(refusals[0]);
    expect(refusals[0]).toContain('other');
  });

  it('are over at once where there is nothing', async () => {
    const { engine } = await filled(1);
    await engine.deleteAllDocuments('a');
    const scan = await engine.scanDocuments('a', everything);
    expect(await scan.page(0, 10)).toEqual({ body: Buffer.from('{"documents":[]}'), count: 0 });
    scan.close();
  });

  it('end when the cluster has let go of their state', async () => {
    const { engine } = await filled(3);
    const scan = await engine.scanDocuments('a', everything);
    await engine.dropIndex('a');
    await expect(scan.page(0, 1)).rejects.toMatchObject({ code: 'snapshot_too_old' });
    scan.close();
  });
});
