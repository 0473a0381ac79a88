import { expect, test } from 'vitest';
import { type ChosenProducts, learnWeights, type RankingWeights, stepsFrom } from '../../src/learning/learn-weights.js';

const PRESENT: RankingWeights = { fieldWeights: {}, alpha: 0.5 };
const FIELDS = ['title', 'text'];

/** A catalogue in which every query has thirty products, each with a score in every field and of its meaning. */
function catalogue(count: number, seed: number) {
  const random = seeded(seed);
  const queries = Array.from({ length: count }, (_, query) => ({
    query: `query ${query}`,
    products: Array.from({ length: 30 }, (_, id) => ({
      id: `p${id}`,
      scores: { title: random(), text: random(), meaning: random() },
    })),
  }));
  const searches: string[] = [];
  const rank = async (query: string, { fieldWeights, alpha }: RankingWeights) => {
    searches.push(query);
    const { products } = queries.find((one) => one.query === query) as (typeof queries)[number];
    const scoreOf = ({ scores: { title, text, meaning } }: (typeof products)[number]) => {
      const words = (fieldWeights.title ?? 1) * title + (fieldWeights.text ?? 1) * text;
      return (1 - alpha) * words + alpha * 2 * meaning;
    };
    return products
      .toSorted((a, b) => scoreOf(b) - scoreOf(a))
      .slice(0, 20)
      .map(({ id }) => id);
  };
  const chosenBy = (liking: (product: (typeof queries)[number]['products'][number]) => number): ChosenProducts[] =>
    queries.map(({ query, products }) => {
      const liked = products.toSorted((a, b) => liking(b) - liking(a)).slice(0, 3);
      return { query, worth: new Map(liked.map(({ id }, place) => [id, 3 - place])) };
    });
  return { rank, searches, chosenBy, random };
}

const learn = (rank: Parameters<typeof learnWeights>[0]['rank'], queries: readonly ChosenProducts[], salt = '1') =>
  learnWeights({ queries, fields: FIELDS, present: PRESENT, rank, salt });

test('weights move to what shoppers choose by: the title', async () => {
  const { rank, chosenBy } = catalogue(120, 11);
  const { comparison, reason } = await learn(
    rank,
    chosenBy(({ scores }) => scores.title),
  );
  expect(reason).toBeNull();
  const { title = 1, text = 1 } = comparison?.proposed.fieldWeights ?? {};
  expect(title / text).toBeGreaterThan(1);
  expect(comparison?.present).toEqual(PRESENT);
  expect(comparison?.interval[0]).toBeGreaterThan(0.5);
  expect((comparison?.training.queries ?? 0) + (comparison?.heldOut.queries ?? 0)).toBe(120);
});

test('weights move to what shoppers choose by: the meaning', async () => {
  const { rank, chosenBy } = catalogue(120, 12);
  const { comparison, reason } = await learn(
    rank,
    chosenBy(({ scores }) => scores.meaning),
  );
  expect(reason).toBeNull();
  expect(comparison?.proposed.alpha).toBeGreaterThan(0.5);
});

test('nothing is proposed by choices at random', async () => {
  // One interval in forty begins above a half by chance: of these eight none does.
  for (let seed = 100; seed < 108; seed += 1) {
    const { rank, chosenBy, random } = catalogue(100, seed);
    const { reason } = await learn(
      rank,
      chosenBy(() => random()),
    );
    expect(reason, `seed ${seed}`).not.toBeNull();
  }
});

test('nothing is proposed where the present weights are what shoppers choose by', async () => {
  const { rank, chosenBy } = catalogue(120, 13);
  const { comparison, reason } = await learn(
    rank,
    chosenBy(({ scores: { title, text, meaning } }) => title + text + 2 * meaning),
  );
  expect(comparison).toBeNull();
  expect(reason).toContain('No other weights were better');
});

test('few queries are not learned from, nor searched', async () => {
  const { rank, searches, chosenBy } = catalogue(19, 14);
  const { comparison, reason } = await learn(
    rank,
    chosenBy(({ scores }) => scores.title),
  );
  expect(comparison).toBeNull();
  expect(reason).toBe('It takes 20 queries with choices of enough shoppers, but there are 19');
  expect(searches).toEqual([]);
});

test('the held-out half is searched only in the end, by the present weights and the new ones', async () => {
  const { rank, searches, chosenBy } = catalogue(60, 15);
  const { comparison } = await learn(
    rank,
    chosenBy(({ scores }) => scores.title),
  );
  const counts = new Map<string, number>();
  for (const query of searches) counts.set(query, (counts.get(query) ?? 0) + 1);
  const heldOut = [...counts].filter(([, count]) => count === 2).map(([query]) => query);
  expect(heldOut).toHaveLength(comparison?.heldOut.queries as number);
  const first = searches.findIndex((query) => heldOut.includes(query));
  expect(searches.slice(first).every((query) => heldOut.includes(query))).toBe(true);
});

test('another salt parts the queries in another way', async () => {
  const { rank, searches, chosenBy } = catalogue(60, 16);
  const queries = chosenBy(({ scores }) => scores.title);
  const trainingOf = async (salt: string) => {
    searches.length = 0;
    const { comparison } = await learn(rank, queries, salt);
    return searches.slice(0, comparison?.training.queries);
  };
  expect(await trainingOf('1')).toEqual(await trainingOf('1'));
  expect(await trainingOf('1')).not.toEqual(await trainingOf('2'));
});

test('the share of the work that is done grows to 1 at most', async () => {
  const { rank, chosenBy } = catalogue(60, 17);
  const shares: number[] = [];
  const queries = chosenBy(({ scores }) => scores.title);
  await learnWeights({
    queries,
    fields: FIELDS,
    present: PRESENT,
    rank,
    salt: '1',
    onProgress: (one) => shares.push(one),
  });
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeLessThanOrEqual(1);
});

test('nothing is proposed once it was ended, even behind the last search', async () => {
  const { rank, searches, chosenBy } = catalogue(60, 18);
  const order = { queries: chosenBy(({ scores }) => scores.title), fields: FIELDS, present: PRESENT, salt: '1' };
  expect((await learnWeights({ ...order, rank })).comparison).not.toBeNull();
  const count = searches.length;
  const end = new AbortController();
  const ending: typeof rank = async (query, weights) => {
    const found = await rank(query, weights);
    if (searches.length === 2 * count) end.abort();
    return found;
  };
  await expect(learnWeights({ ...order, rank: ending, signal: end.signal })).rejects.toThrow('aborted');
});

test('steps stay within the bounds of settings', () => {
  const most = { fieldWeights: { title: 1000, text: 0.001 }, alpha: 1 };
  expect(stepsFrom(most, FIELDS)).toEqual([
    { fieldWeights: { title: 500, text: 0.001 }, alpha: 1 },
    { fieldWeights: { title: 1000, text: 0.002 }, alpha: 1 },
    { fieldWeights: { title: 1000, text: 0.001 }, alpha: 1 },
    { fieldWeights: { title: 1000, text: 0.001 }, alpha: 0.8 },
  ]);
});

test('no more members get a weight than settings have room for', () => {
  const names = Array.from({ length: 20 }, (_, place) => `member ${place}`);
  const full = { fieldWeights: Object.fromEntries(names.map((name) => [name, 2])), alpha: 1 };
  const steps = stepsFrom(full, [...FIELDS, 'member 3']).map(({ fieldWeights }) => fieldWeights);
  expect(steps.every((weights) => Object.keys(weights).length <= 20)).toBe(true);
  expect(steps).toContainEqual({ ...full.fieldWeights, 'member 3': 4 });
  // It weighs 1 then.
  const { 'member 3': halved, ...others } = full.fieldWeights;
  expect(halved).toBe(2);
  expect(steps).toContainEqual(others);
});

/** Numbers from 0 to 1 of a multiplicative generator (Park and Miller, 1988). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
