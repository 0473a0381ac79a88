import { beforeEach, expect, test } from 'vitest';
import type { DocumentScan, ScanPage, StorageEngine } from '../src/index.js';
import { add, addOptions, definition, EMBEDDED, fromJson, openFor, toJson } from './fixtures.js';
import type { EngineSource } from './suite.js';

/** The documents of all pages of a scan, and how many pages that took. */
async function readAll(scan: DocumentScan, limit: number) {
  const documents: Record<string, unknown>[] = [];
  let pages = 0;
  for (let start: number | undefined = 0; start !== undefined; pages += 1) {
    const page: ScanPage = await scan.page(start, limit);
    const again = await scan.page(start, limit);
    expect(again).toEqual(page);
    const found = fromJson<{ documents: Record<string, unknown>[] }>(page.body).documents;
    expect(found.length).toBe(page.count);
    expect(page.count).toBeLessThanOrEqual(limit);
    documents.push(...found);
    start = page.next;
  }
  // An engine that is closed waits for scans that are left open.
  scan.close();
  return { documents, pages };
}

/** All documents, read and deleted. */
export function scanPromises(source: EngineSource): void {
  let engine: StorageEngine;

  beforeEach(async () => {
    engine = await openFor(source);
    await engine.createIndex('a', definition);
  });

  const get = async (documentId: string, exposeFacets = false) => {
    const body = await engine.getDocument('a', { documentId, exposeFacets, within: null });
    return body && fromJson<Record<string, unknown>>(body);
  };

  const everything = {
    filter: null,
    within: null,
    attributesToRetrieve: null,
    exposeFacets: false,
    exposeTensors: false,
  };
  const numbered = (from: number, to: number, mark: string) =>
    Array.from({ length: to - from }, (_, i) => ({ _id: `d${from + i}`, number: from + i, mark }));

  test('are read page by page as they were, whatever is written meanwhile', async () => {
    await add(engine, 'a', numbered(0, 100, 'old'));
    const scan = await engine.scanDocuments('a', everything);
    const first = await scan.page(0, 10);
    await add(engine, 'a', numbered(50, 120, 'new'));
    await engine.deleteDocuments('a', { documentIds: ['d3', 'd97'], within: null });
    const { documents, pages } = await readAll(scan, 10);
    expect(pages).toBe(10);
    expect(fromJson(first.body)).toEqual({ documents: documents.slice(0, 10) });
    expect(documents.toSorted((a, b) => Number(a.number) - Number(b.number))).toEqual(numbered(0, 100, 'old'));
    scan.close();
    const now = await readAll(await engine.scanDocuments('a', everything), 1000);
    expect(now.pages).toBe(1);
    expect(now.documents.length).toBe(118);
  });

  test('are read under a filter, with the fields and vectors that are asked for', async () => {
    await add(engine, 'a', [
      { _id: '1', title: 'red', number: 1 },
      { _id: '2', title: 'blue', number: 2 },
    ]);
    const request = {
      filter: 'number:2',
      within: null,
      attributesToRetrieve: ['title'],
      exposeFacets: true,
      exposeTensors: false,
    };
    const { documents } = await readAll(await engine.scanDocuments('a', request), 10);
    const whole = await get('2', true);
    expect(documents).toEqual([{ _id: '2', title: 'blue', _tensor_facets: whole?._tensor_facets }]);
  });

  test('with their tensors are taken back as they are by another index, and nothing is to be embedded', async () => {
    await add(engine, 'a', [
      { _id: '1', title: 'red. green.', number: 1 },
      { _id: '2', title: 'blue', number: 2.5 },
      { _id: '3', number: 3 },
    ]);
    const request = { ...everything, exposeTensors: true };
    const { documents } = await readAll(await engine.scanDocuments('a', request), 10);
    const ids = documents.map(({ _id }) => String(_id));
    const read = { documentIds: [...ids, 'none'], exposeFacets: false, exposeTensors: true, within: null };
    const { results } = fromJson<{ results: object[] }>((await engine.getDocuments('a', read)).body);
    expect(results.slice(0, 3)).toEqual(documents.map((document) => ({ _found: true, ...document })));
    await engine.createIndex('b', definition);
    const batch = await engine.prepareAdd('b', toJson({ documents }));
    const inputs = await batch.prepare({ ...addOptions, tensorFields: [], useGivenTensors: true });
    expect(inputs.count).toBe(0);
    expect(await batch.apply(new Float32Array(0), EMBEDDED)).toMatchObject({ success: 3, failure: 0 });
    const { documents: taken } = await readAll(await engine.scanDocuments('b', request), 10);
    expect(taken).toEqual(documents);
  });

  test('are none in an index without any', async () => {
    const { documents, pages } = await readAll(await engine.scanDocuments('a', everything), 10);
    expect([documents, pages]).toEqual([[], 1]);
  });

  test('a filter that is none is refused, and so is a scan that was closed', async () => {
    const broken = engine.scanDocuments('a', { ...everything, filter: '(' });
    await expect(broken).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(engine.scanDocuments('nope', everything)).rejects.toMatchObject({ code: 'index_not_found' });
    const scan = await engine.scanDocuments('a', everything);
    scan.close();
    await expect((async () => scan.page(0, 1))()).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('are deleted at once, and counted', async () => {
    await add(engine, 'a', numbered(0, 100, 'old'));
    expect(await engine.deleteAllDocuments('a')).toBe(100);
    expect(await engine.stats('a')).toMatchObject({ numberOfDocuments: 0 });
    expect(await engine.deleteAllDocuments('a')).toBe(0);
    await expect(engine.deleteAllDocuments('nope')).rejects.toMatchObject({ code: 'index_not_found' });
  });
}
