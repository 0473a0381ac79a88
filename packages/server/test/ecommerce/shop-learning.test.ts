import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectMatch, send } from '../operations/exchange.js';
import { variant } from './catalogue.js';
import { openShops, type ShopService } from './shop-service.js';
import { LogFigures } from './shopper-log.js';

const SHOP = '/api/v1/indexes/learner';
const QUERIES = 40;
const USERS = 5;
const CONSENT = { learnsWeights: true, alpha: 0 };

let service: ShopService;
const figures = new LogFigures();

const call = (request: string, body?: object) =>
  send(service.app, { request: request.replace(' ', ` ${SHOP}`), ...(body !== undefined && { body }) });
const change = async (settings: object) => {
  const answer = await call('PATCH /settings', settings);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
};
const settings = async () => (await call('GET /settings')).json();

/** Begins to learn, and returns the state in which that ends. */
const learned = async (order?: object) => {
  const begun = await call('POST /settings/learning', order);
  expect(begun.statusCode, begun.body).toBe(202);
  return ended();
};
const ended = async () => {
  for (;;) {
    const state = (await call('GET /settings/learning')).json();
    if (state.state !== 'waiting' && state.state !== 'running') return state;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** Each query is a word; five products have it, in their titles or, more often, in what describes them. */
const wordOf = (query: number) => `word${query}`;
const productsOf = (query: number, url: string) => [
  ...['a', 'b'].map((one) => variant(url, `${one}${query}`, `${one}${query}`, `${wordOf(query)} ${one} one two three`)),
  ...['c', 'd', 'e'].map((one) =>
    variant(url, `${one}${query}`, `${one}${query}`, `${one} four five`, {
      description: `${wordOf(query)} ${wordOf(query)} ${wordOf(query)}`,
    }),
  ),
];

/** As many users as it takes choose that product after each query. */
const choose = (choice: (query: number) => string) => {
  figures.visits.length = 0;
  for (let query = 0; query < QUERIES; query += 1) {
    const shown = ['a', 'b', 'c', 'd', 'e'].map((one) => `${one}${query}`);
    const clicked = [`${choice(query)}${query}`];
    for (let user = 0; user < USERS; user += 1) {
      const names = { userId: `u${user}`, sessionId: `s${user}`, query: wordOf(query) };
      figures.visits.push({ ...names, at: Date.now(), shown, clicked });
    }
  }
};

beforeAll(async () => {
  service = await openShops({ figures });
  await send(service.app, { request: 'POST /api/v1/indexes', body: { indexName: 'learner', modelType: 'ecommerce' } });
  const documents = Array.from({ length: QUERIES }, (_, query) => productsOf(query, service.picture)).flat();
  for (let start = 0; start < documents.length; start += 100) {
    const added = await call('POST /documents', { documents: documents.slice(start, start + 100) });
    expect(added.json().errors, added.body).toBe(false);
  }
});
beforeEach(() => change({ fieldWeights: null, alpha: null, learnsWeights: null, redirects: null }));
afterAll(() => service.close());

test('without consent nothing is learned', async () => {
  choose(() => 'a');
  const before = await settings();
  const answer = await call('POST /settings/learning', { apply: true });
  expectMatch(answer, {
    ...{ title: 'without consent', request: 'POST /', status: 403, code: 'forbidden' },
    message: 'learnsWeights of the settings of the shop',
  });
  expect((await call('GET /settings/learning')).json()).toMatchObject({ state: 'none', outcome: null });
  expect(await settings()).toEqual(before);
});

test('a shop whose shoppers choose by titles weighs these more, and a roll-back restores what was', async () => {
  choose((query) => (query % 2 === 0 ? 'a' : 'b'));
  const { version } = await change(CONSENT);
  const first = async () => (await call('POST /search', { q: wordOf(3), limit: 1 })).json().hits[0]._id;
  expect(await first()).not.toMatch(/^[ab]/);

  const applied = await learned({ days: 7, apply: true });
  const done = { state: 'done', outcome: 'applied', reason: null, queries: QUERIES, progress: 1 };
  expect(applied).toMatchObject({ ...done, appliedVersion: version + 1 });
  const { comparison } = applied;
  expect(comparison).toMatchObject({ from: version, present: { fieldWeights: {}, alpha: 0 } });
  const { productTitle = 1, description = 1 } = comparison.proposed.fieldWeights;
  expect(productTitle / description).toBeGreaterThan(1);
  expect(comparison.heldOut.queries + comparison.training.queries).toBe(QUERIES);
  expect(comparison.interval[0]).toBeGreaterThan(0.5);

  const { settings: now, learned: note } = await settings();
  expect(now.fieldWeights).toEqual(comparison.proposed.fieldWeights);
  expect(note).toEqual(comparison);
  expect(await first()).toMatch(/^[ab]/);
  await service.reopen();
  const { versions } = (await call('GET /settings/versions')).json();
  expect(versions[0]).toMatchObject({ version: version + 1, learned: comparison });

  const back = (await call('POST /settings/roll-back', { version })).json();
  expect(back).toMatchObject({ version: version + 2, settings: { fieldWeights: null, alpha: 0 } });
  expect(back.learned).toBeUndefined();
  expect(await first()).not.toMatch(/^[ab]/);
});

test('weights that the index has are those of a shop without its own, and are weighed against others', async () => {
  choose(() => 'c');
  await change({ learnsWeights: true });
  const keep = async (searchDefaults: object | null) => {
    const body = JSON.stringify({ searchDefaults });
    expect((await service.indexes.call('learner', { operation: 'putCuration', body })).status).toBe(200);
  };
  const first = async () => (await call('POST /search', { q: wordOf(3), limit: 1 })).json().hits[0]._id;
  await keep({ fieldWeights: { productTitle: 2 }, hybridParameters: { alpha: 0 } });
  try {
    expect(await first()).toMatch(/^[ab]/);
    const { outcome, comparison } = await learned({ apply: true });
    expect(outcome).toBe('applied');
    expect(comparison.present).toEqual({ fieldWeights: { productTitle: 2 }, alpha: 0 });
    expect(comparison.proposed.fieldWeights).toEqual({ productTitle: 2, description: 2 });
    // The settings of the shop win, whatever they weigh.
    expect((await settings()).settings.fieldWeights).toEqual(comparison.proposed.fieldWeights);
    expect(await first()).toMatch(/^[cde]/);
  } finally {
    await keep(null);
  }
});

test('nothing is learned from what shoppers choose at random', async () => {
  let state = 20_261_129;
  choose(() => {
    state = (state * 16_807) % 2_147_483_647;
    return 'abcde'.charAt(state % 5);
  });
  const { version } = await change(CONSENT);
  const unchanged = await learned({ apply: true });
  expect(unchanged).toMatchObject({ state: 'done', outcome: 'unchanged', appliedVersion: null, queries: QUERIES });
  expect(unchanged.reason).toMatch(/./);
  expect((await settings()).version).toBe(version);
});

test('nothing is learned from queries that lead elsewhere, from no events, or from other days', async () => {
  choose(() => 'a');
  const queries = Array.from({ length: QUERIES }, (_, query) => wordOf(query));
  await change({ ...CONSENT, redirects: queries.map((query) => ({ query, url: '/elsewhere' })) });
  expect(await learned()).toMatchObject({ outcome: 'unchanged', queries: 0, comparison: null });
  figures.visits.length = 0;
  const none = await learned();
  expect(none.reason).toBe('It takes 20 queries with choices of enough shoppers, but there are 0');
});

test('a shop learns once at a time, which can be cancelled, and goes on when its index answers again', async () => {
  choose(() => 'a');
  await change(CONSENT);
  service.starting.add('learner');
  expect((await call('POST /settings/learning')).statusCode).toBe(202);
  const again = await call('POST /settings/learning');
  expect([again.statusCode, again.json().code]).toEqual([409, 'operation_conflict_error']);
  const cancelled = (await call('DELETE /settings/learning')).json();
  expect(cancelled).toMatchObject({ state: 'cancelled', outcome: null });
  expect((await call('DELETE /settings/learning')).json()).toEqual(cancelled);
  expect((await call('POST /settings/learning')).statusCode).toBe(202);
  service.starting.delete('learner');
  const isIdle = ({ state, progress }: { state: string; progress: number }) => state !== 'failed' && progress === 0;
  while (isIdle((await call('GET /settings/learning')).json()));
  expect((await call('DELETE /settings/learning')).json()).toMatchObject({ state: 'cancelled', outcome: null });
});

test('a consent that is taken back ends it, and settings that were changed meanwhile are left as they are', async () => {
  choose(() => 'a');
  await change(CONSENT);
  service.starting.add('learner');
  await call('POST /settings/learning', { apply: true });
  await change({ learnsWeights: false });
  service.starting.delete('learner');
  expect(await ended()).toMatchObject({ state: 'failed', appliedVersion: null });

  await change(CONSENT);
  service.starting.add('learner');
  await call('POST /settings/learning', { apply: true });
  const { version } = await change({ sortFields: ['price'] });
  service.starting.delete('learner');
  const proposed = await ended();
  expect(proposed).toMatchObject({ state: 'done', outcome: 'proposed', appliedVersion: null });
  expect(proposed.reason).toContain('It was not applied');
  expect((await settings()).version).toBe(version);
});

test.each([{ days: 0 }, { days: 366 }, { apply: 'maybe' }, { day: 3 }])(
  'an order of another shape: %j',
  async (order) => {
    expect((await call('POST /settings/learning', order)).statusCode).toBe(422);
  },
);

test('every answer is as the contract says', () => {
  expect(service.responses.faults).toEqual([]);
});
