import { describe, expect, it } from 'vitest';
import { putQueries, suggestedBy, suggestionPromises } from '../../engine/conformance/suggestions.js';
import { freshPrefix, hasNoCluster, openEngine } from './cluster.js';
import { definition, source } from './fixtures.js';

describe.skipIf(hasNoCluster)('suggestions on a cluster', () => {
  suggestionPromises(source);

  /** Two servers, one of which has made an index. */
  async function servers() {
    const prefix = freshPrefix();
    const [one, other] = [await openEngine(prefix), await openEngine(prefix)];
    await one.createIndex('a', definition);
    return [one, other] as const;
  }

  it('are seen by every server as soon as one has acknowledged them', async () => {
    const [one, other] = await servers();
    for (const [round, text] of ['red shoes', 'blue shirt', 'green hat'].entries()) {
      await putQueries(one, 'a', text);
      expect(await suggestedBy(other, 'a', text)).toContain(text);
      await other.deleteQueries('a', { queries: [text.toUpperCase()] });
      expect(await suggestedBy(one, 'a', '*'), `round ${round}`).toEqual([]);
    }
    await putQueries(other, 'a', 'red shoes');
    await one.deleteAllQueries('a');
    expect(await other.stats('a')).toMatchObject({ numberOfSuggestions: 0 });
  });

  it('are all there when several servers change them at once', async () => {
    const both = await servers();
    const texts = Array.from({ length: 30 }, (_, number) => `query ${number}`);
    const answers = await Promise.all(
      texts.map((text, number) => putQueries(both[number % 2 === 0 ? 0 : 1], 'a', text)),
    );
    expect(answers).toEqual(texts.map(() => ({ indexed: 1, errors: [] })));
    for (const server of both)
      expect((await suggestedBy(server, 'a', '*', { limit: 100 })).toSorted()).toEqual(texts.toSorted());
  });

  it('are bounded for all servers together', async () => {
    const prefix = freshPrefix();
    const limited = { limits: { suggestionsMax: 10 } };
    const both = [await openEngine(prefix, limited), await openEngine(prefix, limited)] as const;
    await both[0].createIndex('a', definition);
    const texts = Array.from({ length: 16 }, (_, number) => `query ${number}`);
    const answers = await Promise.all(
      texts.map((text, number) => putQueries(both[number % 2 === 0 ? 0 : 1], 'a', text)),
    );
    expect(answers.reduce((sum, { indexed }) => sum + indexed, 0)).toBe(10);
    expect(await both[1].stats('a')).toMatchObject({ numberOfSuggestions: 10 });
  });

  it('are read from the beginning by a server that was away while their log was cleaned', async () => {
    const [one, other] = await servers();
    await putQueries(one, 'a', 'first');
    expect(await suggestedBy(other, 'a', '*')).toEqual(['first']);
    for (let round = 0; round < 300; round += 1) await putQueries(one, 'a', 'kept', `query ${round % 7}`);
    const all = await suggestedBy(one, 'a', '*', { limit: 100 });
    expect(all.toSorted()).toEqual(['first', 'kept', ...Array.from({ length: 7 }, (_, number) => `query ${number}`)]);
    expect(await suggestedBy(other, 'a', '*', { limit: 100 })).toEqual(all);
    await putQueries(other, 'a', 'last');
    expect(await suggestedBy(one, 'a', 'last')).toEqual(['last']);
  });
});
