import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Sums } from '../src/contributions.js';
import { DAY_MS, HOUR_MS } from '../src/event.js';
import type { AnalyticsQuery } from '../src/event-store.js';
import { FiguresFile } from '../src/figures-file.js';
import { PackedFigures } from '../src/packed-figures.js';
import { Reports } from '../src/reports.js';

const customerId = 'shop';
const start = Date.parse('2026-10-01T00:00:00Z');
const days = 5;
const query: AnalyticsQuery = { customerId, context: 'searches', start, end: start + days * DAY_MS };
const page = { limit: 10, offset: 0 };
/** More than are looked up one by one. */
const PRODUCTS = 6_000;

let folder: string;
let figures: FiguresFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pelorus-figures-'));
  figures = new FiguresFile(folder);
});
afterEach(() => {
  figures.close();
  rmSync(folder, { recursive: true, force: true });
});

const scope = (at: number) => [customerId, 'searches', '', 'h', at - (at % HOUR_MS)];

function addClicks(doc: string, at: number, clicks: number): void {
  const sums = new Sums();
  sums.add('products', [...scope(at), doc, ''], { clicks: Math.abs(clicks) }, clicks < 0 ? -1 : 1);
  figures.advance(sums, '2026-10', 0);
}

function addSearches(term: string, at: number, queries: number): Sums {
  const sums = new Sums();
  sums.add('terms', [...scope(at), term, ''], { queries: Math.abs(queries) }, queries < 0 ? -1 : 1);
  sums.add('searchers', [customerId, at, term, 1], { queries: Math.abs(queries) }, queries < 0 ? -1 : 1);
  return sums;
}

const clicksOf = (asked: AnalyticsQuery, from: typeof page) =>
  new Reports(figures).products(asked, from).map(({ docId, clicks }) => [docId, clicks]);

function fill(): void {
  const sums = new Sums();
  for (let product = 0; product < PRODUCTS; product += 1) {
    const at = start + (product % days) * DAY_MS + 5 * HOUR_MS;
    sums.add('products', [...scope(at), `doc-${product}`, ''], { clicks: 1 + Number(product === 4_000) }, 1);
  }
  figures.advance(sums, '2026-10', 0);
}

test('a page of thousands of equal products is cut in the order of their names', () => {
  fill();
  const names = Array.from({ length: PRODUCTS }, (_, product) => `doc-${product}`).filter((doc) => doc !== 'doc-4000');
  const expected = [['doc-4000', 2], ...names.sort().map((doc) => [doc, 1])];
  for (const offset of [0, 1, 2_500, PRODUCTS - 3, PRODUCTS]) {
    expect(clicksOf(query, { limit: 10, offset })).toEqual(expected.slice(offset, offset + 10));
  }
});

test('figures made before there were packed ones are found', () => {
  fill();
  const before = clicksOf(query, page);
  figures.close();
  figures = new FiguresFile(folder);
  figures.db.exec('DROP TABLE packed; DROP TABLE names');
  figures.close();
  figures = new FiguresFile(folder);
  expect(clicksOf(query, page)).toEqual(before);
});

test('an answer knows of what was added after it, and after its days were packed', () => {
  addClicks('lamp', start, 2);
  addClicks('tent', start + DAY_MS, 3);
  const now = query.end + 10 * DAY_MS;
  for (const pack of [false, true]) {
    if (pack) while (figures.packed.packNext(now));
    expect(clicksOf(query, page)).toEqual([
      ['tent', 3],
      ['lamp', 2],
    ]);
    addClicks('lamp', start, 2);
    addClicks('sofa', start, 1);
    expect(clicksOf(query, page)).toEqual([
      ['lamp', 4],
      ['tent', 3],
      ['sofa', 1],
    ]);
    addClicks('lamp', start, -2);
    addClicks('sofa', start, -1);
  }
});

test('answers are the same where no hour or day fits into memory', () => {
  fill();
  const listed = (packed: PackedFigures) => new Reports({ db: figures.db, packed }).products(query, page);
  const expected = listed(figures.packed);
  expect(expected).toHaveLength(10);
  expect(listed(new PackedFigures(figures.db, 0))).toEqual(expected);
  while (figures.packed.packNext(query.end + 10 * DAY_MS));
  expect(listed(new PackedFigures(figures.db, 0))).toEqual(expected);
});

test('a change by a transaction that failed is not in an answer', () => {
  addClicks('lamp', start, 2);
  expect(clicksOf(query, page)).toEqual([['lamp', 2]]);
  const sums = new Sums();
  sums.add('products', [...scope(start), 'lamp', ''], { clicks: 1 }, 1);
  figures.erase(new Sums(), 'job', '2026-10');
  expect(() => figures.erase(sums, 'job', '2026-10')).toThrow('UNIQUE');
  expect(clicksOf(query, page)).toEqual([['lamp', 2]]);
});

test('hours and days that are quiet are packed once, and those that may still change are not', () => {
  addClicks('lamp', start, 1);
  addClicks('lamp', start + DAY_MS, 1);
  const packedBy = (now: number) => {
    let count = 0;
    while (figures.packed.packNext(now)) count += 1;
    return count;
  };
  expect(packedBy(start + 2 * DAY_MS)).toBe(0);
  expect(packedBy(start + 2 * DAY_MS + 2 * HOUR_MS)).toBe(2);
  expect(packedBy(start + 10 * DAY_MS)).toBe(2);
  expect(packedBy(start + 10 * DAY_MS)).toBe(0);
});

test('after a start days are read before anyone asks, packed or not, once, and kept up', () => {
  addClicks('lamp', start, 1);
  addClicks('tent', start + DAY_MS, 2);
  expect(figures.packed.packNext(start + 2 * DAY_MS + 2 * HOUR_MS)).toBe(true);
  figures.close();
  figures = new FiguresFile(folder);
  const { packed } = figures;
  while (packed.readAhead(query.end));
  // A change that nobody noted is not seen in the packed rows in memory.
  figures.db.exec('DELETE FROM products; UPDATE packed SET columns = NULL');
  addClicks('tent', start + DAY_MS, 1);
  expect(clicksOf(query, page)).toEqual([
    ['tent', 3],
    ['lamp', 1],
  ]);
  packed.forget();
  expect(packed.readAhead(query.end)).toBe(false);
});

test('days are read ahead for a month back, as long as half of the memory is free', () => {
  fill();
  const daysAhead = (packed: PackedFigures, now = query.end) => {
    let count = 0;
    while (packed.readAhead(now)) count += 1;
    return count;
  };
  expect(daysAhead(new PackedFigures(figures.db))).toBe(days);
  expect(daysAhead(new PackedFigures(figures.db), start + 32 * DAY_MS)).toBe(days - 2);
  expect(daysAhead(new PackedFigures(figures.db, 1))).toBe(1);
  expect(daysAhead(new PackedFigures(figures.db, 0))).toBe(0);
});

test('a range that ends within a day leaves out what is beyond it', () => {
  addClicks('lamp', start + DAY_MS, 1);
  const until = { ...query, end: start + DAY_MS + 3 * HOUR_MS };
  expect(clicksOf(until, page)).toEqual([['lamp', 1]]);
  addClicks('lamp', start + DAY_MS + 3 * HOUR_MS, 1);
  expect(clicksOf(until, page)).toEqual([['lamp', 1]]);
  expect(clicksOf(query, page)).toEqual([['lamp', 2]]);
});

test('a term that an erasure took from all rows is in no table any more, and others are found as before', () => {
  figures.advance(addSearches('my own name', start, 2), '2026-10', 0);
  figures.advance(addSearches('my own name', start + DAY_MS, 1), '2026-10', 0);
  figures.advance(addSearches('lamp', start, 1), '2026-10', 0);
  const termsOf = () => new Reports(figures).terms(query, { ...page, sort: 'totalQueries' }).map(({ term }) => term);
  expect(termsOf()).toEqual(['my own name', 'lamp']);
  const named = figures.db.prepare("SELECT name FROM names WHERE name LIKE 'my%'");
  figures.erase(addSearches('my own name', start, -2), 'first', '2026-10');
  expect(termsOf()).toEqual(['lamp', 'my own name']);
  expect(named.all()).toHaveLength(1);
  figures.erase(addSearches('my own name', start + DAY_MS, -1), 'second', '2026-10');
  expect(named.all()).toEqual([]);
  expect(termsOf()).toEqual(['lamp']);
});

test('top queries are the same of what is packed and what is not, and take no memory from answers', () => {
  for (let day = 0; day < days; day += 1) {
    figures.advance(addSearches('lamp', start + day * DAY_MS, 2), '2026-10', 0);
    figures.advance(addSearches('sofa', start + day * DAY_MS, 1), '2026-10', 0);
  }
  figures.advance(addSearches('tent', start + 3 * DAY_MS, 10), '2026-10', 0);
  const expected = [
    ['lamp', 10],
    ['tent', 10],
    ['sofa', 5],
  ];
  const top = (packed: PackedFigures) =>
    new Reports({ db: figures.db, packed }).topQueries(customerId, start, 10).map(({ query, count }) => [query, count]);
  const listed = (packed: PackedFigures) =>
    new Reports({ db: figures.db, packed })
      .terms(query, { ...page, sort: 'totalQueries' })
      .map(({ term, totalQueries }) => [term, totalQueries]);
  expect(top(figures.packed)).toEqual(expected);
  while (figures.packed.packNext(query.end + 10 * DAY_MS));
  const [asked, idle] = [new PackedFigures(figures.db), new PackedFigures(figures.db)];
  expect(listed(asked)).toEqual(expected);
  expect(top(asked)).toEqual(expected);
  expect(top(idle)).toEqual(expected);
  // Only what is held is still known now.
  figures.db.exec('DELETE FROM terms; UPDATE packed SET columns = NULL');
  expect(listed(asked)).toEqual(expected);
  expect(listed(idle)).toEqual([]);
});
