import type { engine } from '@pelorus/contract';
import { expect, test } from 'vitest';
import type { StorageEngine } from '../src/index.js';
import { definition, fromJson, openFor } from './fixtures.js';
import type { EngineSource } from './suite.js';

const plan: engine.SuggestPlan = {
  text: '',
  limit: 10,
  editsMax: 2,
  fuzzyCharsMin: 3,
  popularityWeight: 1,
  bm25Weight: 1,
  matchesAll: false,
};

/** Stores texts as suggestions of an index, each with its place as popularity. */
export async function putQueries(engine: StorageEngine, index: string, ...texts: readonly string[]) {
  const queries = texts.map((query, popularity) => ({ query, popularity, metadata: '{}' }));
  const { body } = await engine.putQueries(index, { queries });
  return fromJson<{ indexed: number; errors: { query: string; message: string; code: number }[] }>(body);
}

/** The texts that an index suggests, best first. */
export async function suggestedBy(
  engine: StorageEngine,
  index: string,
  text: string,
  rest: Partial<engine.SuggestPlan> = {},
): Promise<readonly string[]> {
  const body = await engine.suggest(index, { ...plan, ...rest, text });
  const { suggestions } = fromJson<{ suggestions: { suggestion: string; _score: number }[] }>(body);
  const scores = suggestions.map(({ _score }) => _score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  return suggestions.map(({ suggestion }) => suggestion);
}

/** Queries that are suggested. */
export function suggestionPromises(source: EngineSource): void {
  const withQueries = async (...texts: readonly string[]) => {
    const engine = await openFor(source);
    await engine.createIndex('a', definition);
    await putQueries(engine, 'a', ...texts);
    return engine;
  };

  test('a query is suggested as soon as it was put, by the beginnings of its words', async () => {
    const engine = await withQueries('red shoes', 'blue shirt');
    expect(await suggestedBy(engine, 'a', 'sh')).toEqual(['blue shirt', 'red shoes']);
    expect(await suggestedBy(engine, 'a', 'r')).toEqual(['red shoes']);
    expect(await suggestedBy(engine, 'a', 'hoes')).toEqual(['red shoes']);
    expect(await suggestedBy(engine, 'a', 'hoes', { editsMax: 0 })).toEqual([]);
    expect(await suggestedBy(engine, 'a', 'red shirt', { matchesAll: true })).toEqual([]);
    expect(await suggestedBy(engine, 'a', '*')).toEqual(['blue shirt', 'red shoes']);
    expect(await engine.stats('a')).toMatchObject({ numberOfSuggestions: 2 });
  });

  test('the more popular one comes first, as far as its weight goes', async () => {
    const engine = await withQueries('shoes a', 'shoes b', 'shoes c');
    expect(await suggestedBy(engine, 'a', 'shoes')).toEqual(['shoes c', 'shoes b', 'shoes a']);
    expect(await suggestedBy(engine, 'a', 'shoes', { popularityWeight: 0 })).toEqual(['shoes a', 'shoes b', 'shoes c']);
    expect(await suggestedBy(engine, 'a', 'shoes', { limit: 1 })).toEqual(['shoes c']);
  });

  test('texts that differ in case and accents are one query, and the last put counts', async () => {
    const engine = await withQueries('Crème  Brûlée');
    expect(await putQueries(engine, 'a', 'creme brulee')).toEqual({ indexed: 1, errors: [] });
    expect(await suggestedBy(engine, 'a', 'CREME')).toEqual(['creme brulee']);
    expect(await engine.stats('a')).toMatchObject({ numberOfSuggestions: 1 });
  });

  test('each query of a request that cannot be taken is told, and the others are taken', async () => {
    const engine = await withQueries();
    const { indexed, errors } = await putQueries(engine, 'a', 'one', '!!!', 'ONE', 'x'.repeat(257), 'two');
    expect(indexed).toBe(2);
    expect(errors.map(({ query, code }) => [query.slice(0, 3), code])).toEqual([
      ['!!!', 400],
      ['ONE', 400],
      ['xxx', 400],
    ]);
    expect(await suggestedBy(engine, 'a', '*')).toEqual(['two', 'one']);
  });

  test('queries are read as they were put', async () => {
    const engine = await withQueries();
    const before = Math.floor(Date.now() / 1000);
    await engine.putQueries('a', {
      queries: [{ query: ' Red Shoes ', popularity: 2.5, metadata: '{"clicks":10.50}' }],
    });
    const body = await engine.getQueries('a', { queries: ['nothing', 'red  SHOES'] });
    expect(body.toString()).toContain('"metadata":{"clicks":10.50}');
    const { queries } = fromJson<{ queries: { lastUpdatedAt: number }[] }>(body);
    expect(queries).toEqual([
      {
        query: 'Red Shoes',
        queryWords: ['red', 'shoes'],
        queryIndex: 'r re red s sh sho shoe shoes',
        popularity: 2.5,
        metadata: { clicks: 10.5 },
        lastUpdatedAt: expect.any(Number),
      },
    ]);
    expect(queries[0]?.lastUpdatedAt).toBeGreaterThanOrEqual(before);
  });

  test('all queries are read page by page, each in the form in which it was put', async () => {
    const engine = await withQueries('b', 'd', 'gone', 'a', 'Ä e');
    const put = { query: ' C ', popularity: 2.5, metadata: '{"clicks":10.50}' };
    await engine.putQueries('a', { queries: [put] });
    await engine.deleteQueries('a', { queries: ['gone'] });
    const found: string[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 3; pages += 1) {
      const body: Buffer = await engine.scanQueries('a', { cursor, limit: 2 });
      const page = fromJson<{ queries: { query: string }[]; cursor: string | null }>(body);
      found.push(...page.queries.map(({ query }) => query));
      if (pages === 1) {
        expect(page.queries[1]).toEqual({ query: 'C', popularity: 2.5, metadata: { clicks: 10.5 } });
        expect(body.toString()).toContain('"metadata":{"clicks":10.50}');
      }
      cursor = page.cursor;
    }
    expect([found, cursor]).toEqual([['a', 'Ä e', 'b', 'C', 'd'], null]);
    await engine.deleteAllQueries('a');
    expect(fromJson(await engine.scanQueries('a', { cursor: null, limit: 2 }))).toEqual({ queries: [], cursor: null });
  });

  test('a deleted query is not suggested, not read and not counted', async () => {
    const engine = await withQueries('one', 'two', 'three');
    await engine.deleteQueries('a', { queries: ['ONE', 'nothing'] });
    expect(await suggestedBy(engine, 'a', '*')).toEqual(['three', 'two']);
    expect(fromJson(await engine.getQueries('a', { queries: ['one'] }))).toEqual({ queries: [] });
    await engine.deleteAllQueries('a');
    expect(await suggestedBy(engine, 'a', '*')).toEqual([]);
    expect(await engine.stats('a')).toMatchObject({ numberOfSuggestions: 0 });
    await putQueries(engine, 'a', 'one');
    expect(await suggestedBy(engine, 'a', '*')).toEqual(['one']);
  });

  test('queries of an index are its own, and go with it', async () => {
    const engine = await withQueries('one');
    await engine.createIndex('b', definition);
    expect(await suggestedBy(engine, 'b', '*')).toEqual([]);
    await engine.dropIndex('a');
    await engine.createIndex('a', definition);
    expect(await suggestedBy(engine, 'a', '*')).toEqual([]);
  });
}
