import { expect, test } from 'vitest';
import { outcomesOf, winInterval } from '../../src/learning/sign-test.js';
import { expectedPoints } from '../../src/learning/team-draft.js';

type Worth = ReadonlyMap<string, number>;

/** Algorithm 2 of the paper to the letter, with a coin that falls as `falls` says. */
function drafted(a: readonly string[], b: readonly string[], falls: readonly boolean[], length: number) {
  const list: string[] = [];
  const [teamA, teamB]: [string[], string[]] = [[], []];
  let fall = 0;
  const firstLeft = (ranking: readonly string[]) => ranking.find((id) => !list.includes(id));
  for (;;) {
    const [nextA, nextB] = [firstLeft(a), firstLeft(b)];
    if (nextA === undefined || nextB === undefined || list.length === length) return { teamA, teamB };
    const isEven = teamA.length === teamB.length;
    if (teamA.length < teamB.length || (isEven && falls[fall])) {
      list.push(nextA);
      teamA.push(nextA);
    } else {
      list.push(nextB);
      teamB.push(nextB);
    }
    if (isEven) fall += 1;
  }
}

/** The mean over every fall of as many coins as there can be rounds. */
function meanPoints(a: readonly string[], b: readonly string[], worth: Worth, length: number): number {
  const coins = Math.ceil(length / 2) + 1;
  const sum = (ids: readonly string[]) => ids.reduce((total, id) => total + (worth.get(id) ?? 0), 0);
  let total = 0;
  for (let bits = 0; bits < 2 ** coins; bits += 1) {
    const falls = Array.from({ length: coins }, (_, coin) => ((bits >> coin) & 1) === 1);
    const { teamA, teamB } = drafted(a, b, falls, length);
    total += sum(teamB) - sum(teamA);
  }
  return total / 2 ** coins;
}

test('the points that are expected are the mean over all falls of the coins, of any two short lists', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const random = seeded(7);
  const picked = (count: number) =>
    ids
      .map((id) => ({ id, key: random() }))
      .sort((x, y) => x.key - y.key)
      .slice(0, count)
      .map(({ id }) => id);
  for (let round = 0; round < 300; round += 1) {
    const [a, b] = [picked(Math.floor(random() * 7)), picked(Math.floor(random() * 7))];
    const worth = new Map(ids.map((id) => [id, Math.floor(random() * 5)]));
    const length = 1 + Math.floor(random() * 7);
    const title = `${a.join('')} ${b.join('')} ${JSON.stringify([...worth])} ${length}`;
    expect(expectedPoints(a, b, worth, length), title).toBeCloseTo(meanPoints(a, b, worth, length), 12);
  }
});

test('equal lists tell nothing, and what is further in front in one list is its point', () => {
  const list = Array.from({ length: 100 }, (_, place) => `p${place}`);
  const worth = new Map([['p3', 4]]);
  expect(expectedPoints(list, list, worth)).toBe(0);
  const better = ['p3', ...list.filter((id) => id !== 'p3')];
  expect(expectedPoints(list, better, worth)).toBe(4);
  expect(expectedPoints(better, list, worth)).toBe(-4);
  expect(expectedPoints(list, better, new Map([['elsewhere', 4]]))).toBe(0);
});

test('the interval is the one of the tables of Clopper and Pearson', () => {
  const rounded = (wins: number, losses: number) => winInterval({ wins, losses }).map((bound) => bound.toFixed(4));
  // 0.025^(1/10), and its mirror.
  expect(rounded(10, 0)).toEqual([(0.025 ** 0.1).toFixed(4), '1.0000']);
  expect(rounded(0, 10)).toEqual(['0.0000', (1 - 0.025 ** 0.1).toFixed(4)]);
  expect(rounded(5, 5)).toEqual(['0.1871', '0.8129']);
  expect(rounded(15, 5)).toEqual(['0.5090', '0.9134']);
  expect(rounded(14, 6)).toEqual(['0.4572', '0.8811']);
  expect(winInterval({ wins: 0, losses: 0 })).toEqual([0, 1]);
});

test('points of a query are a win, a loss or neither', () => {
  expect(outcomesOf([1, -2, 0, 1e-12, 0.25])).toEqual({ queries: 5, wins: 2, losses: 1, ties: 2 });
});

/** Numbers from 0 to 1 of a multiplicative generator (Park and Miller, 1988). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
