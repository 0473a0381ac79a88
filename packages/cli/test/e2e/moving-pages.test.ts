import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MovingServices } from './moving-services.js';
import { at, blocks } from './page.js';
import { officialClient, pythonWith } from './python-environment.js';
import { Trial } from './trial.js';

const run = promisify(execFile);

let trial: Trial;
let services: MovingServices;

beforeAll(async () => {
  services = await MovingServices.open();
  trial = await Trial.begin();
});
afterAll(async () => {
  await trial?.end();
  services?.close();
});
// Each page begins with no index.
afterEach(async () => {
  const { results } = await trial.server.ok('GET', '/indexes');
  for (const { indexName } of results) await trial.server.ok('DELETE', `/indexes/${indexName}`);
});

const idsOf = (output: string | undefined): string[] => JSON.parse(output ?? '').hits.map(({ _id }: any) => _id);

test('a collection of Qdrant moves, and is asked as it was', async () => {
  const page = 'docs/moving/qdrant.md';
  const [, , nearest, text, fused, like, scroll] = await trial.outputs('docs/moving/qdrant.md', services);
  expect(idsOf(nearest)).toEqual(['p1', 'p4']);
  expect(idsOf(text)[0]).toBe('p1');
  expect(idsOf(fused)[0]).toBe('p3');
  expect(idsOf(like)[0]).toBe('p4');
  expect(JSON.parse(scroll ?? '').documents.map(({ _id }: any) => _id)).toEqual(['p1', 'p4']);
  await expectFilters(page);
});

test('a collection of Typesense moves, and is asked as it was', async () => {
  const [, typed, cheapest, both, several, , shears] = await trial.outputs('docs/moving/typesense.md', services);
  expect(idsOf(typed)).toEqual(['p1']);
  expect(JSON.parse(typed ?? '').facets.brand).toEqual({ Northpeak: { count: 1 } });
  expect(idsOf(cheapest)).toEqual(['p2', 'p3']);
  expect(idsOf(both)).toEqual(['p1']);
  const [lamps, coats] = JSON.parse(several ?? '').results.map(({ response }: any) => JSON.stringify(response));
  expect([idsOf(lamps), idsOf(coats)]).toEqual([['p3'], ['p4']]);
  expect(idsOf(shears)).toEqual(['p2']);
  await expectFilters('docs/moving/typesense.md');
});

test('an index of Elasticsearch moves, and is asked as it was', async () => {
  const page = 'docs/moving/elasticsearch.md';
  const outputs = await trial.outputs('docs/moving/elasticsearch.md', services);
  const [, words, phrase, typed, meaning, fused, dearest, first, all] = outputs;
  expect(idsOf(words)[0]).toBe('p3');
  expect(JSON.parse(words ?? '')).toMatchObject({ totalHits: 3, facets: { price: { max: 89.5 } } });
  expect(idsOf(phrase)).toEqual(['p1']);
  expect(idsOf(typed)).toEqual(['p2']);
  expect(idsOf(meaning)).toEqual(['p1']);
  expect(idsOf(fused)[0]).toBe('p4');
  expect(JSON.parse(dearest ?? '').hits[0]).toMatchObject({ _id: 'p1', _explanation: expect.anything() });
  expect(JSON.parse(first ?? '').cursor).toEqual(expect.any(String));
  expect(JSON.parse(all ?? '').documents).toHaveLength(4);
  await expectFilters(page);
});

test('an index of OpenSearch moves, and is asked as it was', async () => {
  const page = 'docs/moving/opensearch.md';
  const [, , nearest, text, fused, cut] = await trial.outputs('docs/moving/opensearch.md', services);
  expect(idsOf(nearest)).toEqual(['p1', 'p4']);
  expect(idsOf(text)).toEqual(['p1']);
  expect(idsOf(fused)[0]).toBe('p3');
  expect(idsOf(cut).toSorted()).toEqual(['p3', 'p4']);
  await expectFilters(page);
});

test('a program of Marqo goes on here, and an index is copied by its ids', async () => {
  const [first = '', copy = ''] = blocks('docs/moving/marqo.md', 'python').map((text) =>
    at(trial.server.address, text),
  );
  const python = pythonWith(officialClient);
  expect((await run(python, ['-c', first])).stdout).toBe('Snow boots\n');
  expect((await run(python, ['-c', copy])).stdout).toBe("False ['p1', 'p2']\n");
  expect((await trial.server.ok('GET', '/indexes/products-moved/stats')).numberOfDocuments).toBe(2);
});

test('every page on moving is tried here', () => {
  const here = readFileSync(fileURLToPath(import.meta.url), 'utf8');
  const folder = fileURLToPath(new URL('../../../../docs/moving', import.meta.url));
  expect(readdirSync(folder).filter((name) => !here.includes(`docs/moving/${name}`))).toEqual([]);
});

/** Asks for every filter of the table of a page: each is read, can match, and lets some products through and not all. */
async function expectFilters(page: string): Promise<void> {
  const text = readFileSync(fileURLToPath(new URL(`../../../../${page}`, import.meta.url)), 'utf8');
  const [, table = ''] = /^\| filter of .*\| filter here \|\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const filters = [...table.matchAll(/ \| `([^`|]+)` \|$/gm)].map(([, filter]) => filter as string);
  expect(filters.length, page).toBeGreaterThan(5);
  for (const filter of filters) {
    const query = { q: '*', searchMethod: 'LEXICAL', filter, trackTotalHits: true };
    const { totalHits, warnings } = await trial.server.ok('POST', '/indexes/products/search', query);
    expect([1, 2, 3], `${page}: ${filter}`).toContain(totalHits);
    expect(warnings, `${page}: ${filter}`).toBeUndefined();
  }
}
