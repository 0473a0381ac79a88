import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { send } from '../operations/exchange.js';
import { variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';
import { LogFigures, type Visit } from './shopper-log.js';

const SEED = 20_261_123;
const KINDS = ['boot', 'lamp', 'chair', 'kettle', 'jacket', 'rug'];
const STYLES = ['plain', 'red', 'oak', 'small', 'classic', 'light', 'grand', 'soft', 'quiet', 'bright', 'old', 'new'];
const QUERIES = [...KINDS, ...KINDS.map((kind) => `red ${kind}`)];
const SESSIONS = 1_500;
const HELD_OUT = 500;

let service: ShopService;
const figures = new LogFigures();
const random = seeded(SEED);
const SHOP = '/api/v1/indexes/shop';

const post = async (path: string, body: object) => {
  const answer = await send(service.app, { request: `POST ${SHOP}/${path}`, body });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const pageOf = async (query: string): Promise<string[]> =>
  (await post('search', { q: query })).hits.map(({ _id }: { _id: string }) => _id);

beforeAll(async () => {
  service = await openShops({ figures });
  await send(service.app, { request: 'POST /api/v1/indexes', body: { indexName: 'shop', modelType: 'ecommerce' } });
  const documents = KINDS.flatMap((kind) =>
    STYLES.map((style) => variant(service.picture, `${style}-${kind}`, `${style}-${kind}`, `${style} ${kind}`)),
  );
  await post('documents', { documents });
});
afterAll(() => service.close());

test('a replayed log brings what shoppers choose to the top, on a part of it that was held out', async () => {
  // The liking of a shopper for a product, which no text tells: a taste that is the product's, and one for the query.
  const liking = new Map(QUERIES.map((query) => [query, new Map<string, number>()]));
  const taste = new Map<string, number>();
  const likes = (query: string, id: string): number => {
    if (!id.endsWith(query.split(' ').at(-1) ?? '')) return 0.01;
    if (!taste.has(id)) taste.set(id, random() ** 3);
    const own = liking.get(query) as Map<string, number>;
    if (!own.has(id)) own.set(id, random() ** 3);
    return 0.02 + 0.4 * (taste.get(id) as number) + 0.5 * (own.get(id) as number);
  };
  const before = new Map<string, string[]>();
  for (const query of QUERIES) before.set(query, await pageOf(query));
  const visits = Array.from({ length: SESSIONS + HELD_OUT }, (_, session): Visit => {
    const query = QUERIES[Math.floor(random() ** 2 * QUERIES.length)] as string;
    const shown = before.get(query) as string[];
    // Shoppers look at the first hit always, at the tenth every third time.
    const clicked = shown.filter((id, place) => random() < 1 / (1 + place * 0.2) && random() < likes(query, id));
    const user = `u${session % 97}`;
    return { userId: user, sessionId: `s${session}`, query, at: Date.now(), shown, clicked };
  });
  figures.visits.push(...visits.slice(0, SESSIONS));
  const heldOut = visits.slice(SESSIONS);

  expect(await service.shops.refreshFigures()).toBeGreaterThan(0);
  const after = new Map<string, string[]>();
  for (const query of QUERIES) after.set(query, await pageOf(query));
  const gain = meanNdcg(heldOut, after) - meanNdcg(heldOut, before);
  expect(gain, `nDCG@10 with seed ${SEED}: ${meanNdcg(heldOut, before)} before`).toBeGreaterThan(0.08);
});

test('only what changed is written', async () => {
  expect(await service.shops.refreshFigures()).toBe(0);
  const [visit] = figures.visits;
  const query = 'a new one';
  figures.visits.push({ ...(visit as Visit), query, shown: ['red-boot'], clicked: ['red-boot'] });
  const changed = await service.shops.refreshFigures();
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThan(KINDS.length * STYLES.length);
});

test('a product that is added anew keeps its figures', async () => {
  const read = async () => {
    const body = { filter: '_id:red-boot', attributesToRetrieve: ['popularity', 'clickRate'] };
    const { popularity, clickRate } = (await post('search', body)).hits[0];
    return { popularity, clickRate };
  };
  const before = await read();
  expect(before.popularity).toBeGreaterThan(0);
  await post('documents', { documents: [variant(service.picture, 'red-boot', 'red-boot', 'red boot')] });
  expect(await read()).toEqual(before);
});

test('without a query what is popular comes first', async () => {
  const body = { limit: 100, attributesToRetrieve: ['popularity'] };
  const popularities = (await post('search', body)).hits.map(({ popularity = 0 }) => popularity);
  expect(popularities[0]).toBeGreaterThan(0.5);
  expect(popularities).toEqual(popularities.toSorted((a: number, b: number) => b - a));
});

test('a query of at least three users is suggested, one of a single user is not, however many sessions that has', async () => {
  const visit = { userId: 'eager', query: 'words of one user', at: Date.now(), shown: ['old-rug'], clicked: [] };
  for (let session = 0; session < 20; session += 1) figures.visits.push({ ...visit, sessionId: `eager ${session}` });
  await service.shops.refreshFigures();
  const { suggestions } = await post('recommendations/queries', { limit: 100 });
  const texts = suggestions.map(({ suggestion }: { suggestion: string }) => suggestion);
  expect(texts.toSorted()).toEqual(QUERIES.toSorted());
});

test('no query is suggested because many users browse', async () => {
  const visit = { sessionId: 'browsing', query: '', at: Date.now(), shown: ['old-rug'], clicked: [] };
  for (const userId of ['b1', 'b2', 'b3']) figures.visits.push({ ...visit, userId });
  await service.shops.refreshFigures();
  const { suggestions } = await post('recommendations/queries', { limit: 100 });
  expect(suggestions).toHaveLength(QUERIES.length);
});

test('a shopper is shown what is near the last clicks, and not these', async () => {
  const clicked = figures.visits.find(({ clicked: ids }) => ids.length > 0) as Visit;
  const { hits } = await post('recommendations/for-you', { userId: clicked.userId, limit: 5 });
  const ids = hits.map(({ _id }: { _id: string }) => _id);
  expect(ids).toHaveLength(5);
  const own = figures.visits.filter(({ userId }) => userId === clicked.userId);
  const seen = new Set(own.slice(-20).flatMap((visit) => visit.clicked));
  expect(ids.filter((id: string) => seen.has(id))).toEqual([]);
});

test('a session is shown what is near its clicks, of a user who is not known too', async () => {
  const clicked = figures.visits.find(({ clicked: ids }) => ids.length > 0) as Visit;
  const idsFor = async (shopper: object) =>
    (await post('recommendations/for-you', { ...shopper, limit: 5 })).hits.map(({ _id }: { _id: string }) => _id);
  const { userId, sessionId } = clicked;
  const near = await idsFor({ sessionId });
  const popular = await idsFor({ sessionId: 'nobody' });
  expect(near).toHaveLength(5);
  expect(near).not.toEqual(popular);
  expect(near.filter((id: string) => clicked.clicked.includes(id))).toEqual([]);
  expect(await idsFor({ userId: 'nobody', sessionId })).toEqual(near);
  expect(await idsFor({ userId: 'nobody' })).toEqual(popular);
  expect(await idsFor({ userId, sessionId: 'nobody' })).not.toEqual(popular);
});

test('the actions of a user and of a session count together', async () => {
  const visit = { query: 'x', at: Date.now(), shown: [] };
  figures.visits.push({ ...visit, userId: 'at-home', sessionId: 'earlier', clicked: ['red-lamp'] });
  figures.visits.push({ ...visit, userId: 'unknown', sessionId: 'now', clicked: ['oak-chair'] });
  const { hits } = await post('recommendations/for-you', { userId: 'at-home', sessionId: 'now', limit: 100 });
  const ids = hits.map(({ _id }: { _id: string }) => _id);
  expect(ids).not.toContain('red-lamp');
  expect(ids).not.toContain('oak-chair');
  expect(ids).toHaveLength(KINDS.length * STYLES.length - 2);
});

describe('a search of a shopper', () => {
  const idsFor = async (body: object) =>
    (await post('search', { q: 'red', limit: 100, ...body })).hits.map(({ _id }: { _id: string }) => _id);
  const clicking = (userId: string, sessionId: string, id: string) =>
    figures.visits.push({ userId, sessionId, query: 'x', at: Date.now(), shown: [], clicked: [id] });

  test('has what is near the last actions further in front, and finds the same', async () => {
    const others = await idsFor({});
    const last = others.findLast((id: string) => id.startsWith('red-')) as string;
    clicking('collector', 'yesterday', last);
    for (const shopper of [{ userId: 'collector' }, { sessionId: 'yesterday' }]) {
      const own = await idsFor(shopper);
      expect(own.indexOf(last)).toBeLessThan(others.indexOf(last));
      expect(own.toSorted()).toEqual(others.toSorted());
    }
    expect(await idsFor({ userId: 'nobody', sessionId: 'nothing' })).toEqual(others);
  });

  test('goes by the last products of one who acted on more than a context of documents may have', async () => {
    const others = await idsFor({});
    const last = others.findLast((id: string) => id.startsWith('red-')) as string;
    for (const count of [10, 11, 30, STYLES.length * KINDS.length]) {
      const userId = `eager of ${count}`;
      const earlier = others.filter((id: string) => id !== last).slice(0, count - 1);
      const visit = { userId, sessionId: userId, query: 'x', shown: [] };
      figures.visits.push({ ...visit, at: Date.now() - 60_000, clicked: earlier });
      for (let ago = 0; ago < 19; ago += 1) figures.visits.push({ ...visit, at: Date.now() - ago, clicked: [last] });
      const own = await idsFor({ userId });
      expect(own.indexOf(last), `of ${count}`).toBeLessThan(others.indexOf(last));
      expect(own.toSorted()).toEqual(others.toSorted());
      expect(await idsFor({ sessionId: userId })).toEqual(own);
    }
  });

  test('goes by no more products than the operator lets an index take', async () => {
    const env = { MARQO_MAX_SEARCH_CONTEXT_DOCS: '2', MARQO_MAX_SEARCH_LIMIT: '5' };
    const own = await openShops({ figures, env });
    onTestFinished(() => own.close());
    const ask = async (path: string, body: object, method = 'POST') => {
      const answer = await send(own.app, { request: `${method} /api/v1/indexes${path}`, body });
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json();
    };
    await ask('', { indexName: 'shop', modelType: 'ecommerce' });
    const ids = STYLES.map((style) => `${style}-boot`);
    await ask('/shop/documents', { documents: ids.map((id) => variant(own.picture, id, id, id.replace('-', ' '))) });
    const visit = { userId: 'walker', sessionId: 'walk', query: 'x', at: Date.now(), shown: [] };
    figures.visits.push({ ...visit, clicked: ids.slice(0, -1) });
    for (const defaultFilter of [null, 'price > 0']) {
      await ask('/shop/settings', { defaultFilter }, 'PATCH');
      for (const shopper of [{}, { userId: 'walker' }]) {
        expect((await ask('/shop/search', { q: 'red boot', limit: 5, ...shopper })).hits).toHaveLength(5);
      }
      const { hits } = await ask('/shop/recommendations/for-you', { userId: 'walker', limit: 5 });
      expect(hits.map(({ _id }: { _id: string }) => _id)).toEqual([ids.at(-1)]);
    }
  });

  test('is the same as of others where the catalogue is browsed, where hits are sorted, and of products that are gone', async () => {
    clicking('regular', 'now', 'gone-lamp');
    for (const body of [{}, { q: '' }, { sortBy: { fields: [{ fieldName: 'price' }] } }]) {
      expect(await idsFor({ ...body, userId: 'regular' })).toEqual(await idsFor(body));
    }
  });

  test('needs no figures', async () => {
    const others = await idsFor({});
    const { recentOf } = figures;
    onTestFinished(() => {
      figures.recentOf = recentOf;
    });
    figures.recentOf = () => Promise.reject(new Error('no figures'));
    expect(await idsFor({ userId: 'collector' })).toEqual(others);
    figures.recentOf = () => new Promise(() => undefined);
    expect(await idsFor({ userId: 'collector' })).toEqual(others);
  });
});

test('figures that are gone are taken back', async () => {
  figures.visits.length = 0;
  expect(await service.shops.refreshFigures()).toBeGreaterThan(0);
  const { hits } = await post('search', { limit: 100, attributesToRetrieve: ['popularity'] });
  expect(hits.map(({ popularity }: { popularity: number }) => popularity)).not.toContainEqual(expect.closeTo(1, 1));
  expect((await post('recommendations/queries', {})).suggestions).toEqual([]);
});

/** Mean over visits with a click of nDCG@10, a click being worth 1. */
function meanNdcg(visits: readonly Visit[], pages: ReadonlyMap<string, readonly string[]>): number {
  const values = visits
    .filter(({ clicked }) => clicked.length > 0)
    .map(({ query, clicked }) => {
      const page = pages.get(query) ?? [];
      const discount = (place: number) => 1 / Math.log2(place + 2);
      const dcg = page.reduce((sum, id, place) => sum + (clicked.includes(id) ? discount(place) : 0), 0);
      return dcg / clicked.reduce((sum, _, place) => sum + discount(place), 0);
    });
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Numbers from 0 to 1 by SplitMix, as many as are asked for. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
