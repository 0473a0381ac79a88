import { expect } from 'vitest';
import type { StorageEngine } from '../src/index.js';
import { fromJson } from './fixtures.js';

/** Expects two engines to hold the same: indexes, their definitions, documents with all their bits, and queries. */
export async function expectSameContents(found: StorageEngine, expected: StorageEngine): Promise<void> {
  expect(await found.listIndexes()).toEqual(await expected.listIndexes());
  for (const index of await expected.listIndexes()) {
    expect(await found.definition(index)).toEqual(await expected.definition(index));
    expect(await documentsOf(found, index)).toEqual(await documentsOf(expected, index));
    expect(await queriesOf(found, index)).toEqual(await queriesOf(expected, index));
  }
}

interface Whole {
  readonly _id: string;
  readonly _tensors: readonly { readonly field: string }[];
}

async function documentsOf(engine: StorageEngine, index: string): Promise<Whole[]> {
  const request = { filter: null, within: null, attributesToRetrieve: null, exposeFacets: false, exposeTensors: true };
  const scan = await engine.scanDocuments(index, request);
  const found: Whole[] = [];
  for (let start: number | undefined = 0; start !== undefined; ) {
    const page: { body: Buffer; next?: number } = await scan.page(start, 1000);
    found.push(...fromJson<{ documents: Whole[] }>(page.body).documents);
    start = page.next;
  }
  scan.close();
  const ordered = found.map(({ _tensors, ...rest }) => ({
    ...rest,
    _tensors: _tensors.toSorted((a, b) => (a.field < b.field ? -1 : 1)),
  }));
  return ordered.toSorted((a, b) => (a._id < b._id ? -1 : 1));
}

async function queriesOf(engine: StorageEngine, index: string): Promise<unknown> {
  return fromJson(await engine.scanQueries(index, { cursor: null, limit: 1000 }));
}
