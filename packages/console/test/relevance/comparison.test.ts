import { describe, expect, test } from 'vitest';
import {
  compareMetrics,
  compareRankings,
  leadOf,
  meanJudgedPart,
  outcomeOf,
  verdictOf,
} from '../../src/relevance/comparison.js';
import { bootstrapSteps, finished, pairedBootstrap } from '../../src/relevance/paired-bootstrap.js';

/** Every way to draw as many values as there are, with replacement: the bootstrap by its definition. */
function allDraws(count: number): number[][] {
  let draws: number[][] = [[]];
  for (let at = 0; at < count; at += 1) {
    draws = draws.flatMap((draw) => Array.from({ length: count }, (_, query) => [...draw, query]));
  }
  return draws;
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The part of all draws whose mean is below a value, and the part whose mean is not above it. */
function rankOf(value: number, values: readonly number[]): [below: number, upTo: number] {
  const means = allDraws(values.length).map((draw) => meanOf(draw.map((query) => values[query] as number)));
  const part = (is: (mean: number) => boolean) => means.filter(is).length / means.length;
  return [part((mean) => mean < value - 1e-9), part((mean) => mean <= value + 1e-9)];
}

describe('the paired bootstrap', () => {
  const first = [0.1, 0.4, 0.35, 0.9, 0.2];
  const second = [0.3, 0.4, 0.3, 1, 0.6];
  const differences = second.map((value, at) => value - (first[at] as number));

  test('several pairs at once have the estimates of each by itself, after one step for each draw', () => {
    const pairs = [[first, second] as const, [second, first] as const, [first, differences] as const];
    const steps = bootstrapSteps(pairs, { resamples: 500 });
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count += 1;
    expect(count).toBe(500);
    expect(step.value).toEqual(pairs.map(([a, b]) => pairedBootstrap(a, b, { resamples: 500 })));
    expect(() =>
      finished(
        bootstrapSteps([
          [first, second],
          [first, [1]],
        ]),
      ),
    ).toThrow(RangeError);
    expect(() => finished(bootstrapSteps([]))).toThrow(RangeError);
  });

  test('bounds are the percentiles of all draws, but for chance', () => {
    const { first: a, second: b, difference } = pairedBootstrap(first, second, { resamples: 40_000 });
    const rows = [
      [a, first],
      [b, second],
      [difference, differences],
    ] as const;
    for (const [{ mean, low, high }, values] of rows) {
      expect(mean).toBeCloseTo(meanOf(values), 12);
      for (const [bound, percentile] of [
        [low, 0.025],
        [high, 0.975],
      ] as const) {
        const [below, upTo] = rankOf(bound, values);
        expect(below).toBeLessThan(percentile + 0.004);
        expect(upTo).toBeGreaterThan(percentile - 0.004);
      }
    }
  });

  test('the same values and seed have the same bounds, and another seed others', () => {
    const once = pairedBootstrap(first, second, { seed: 1 });
    expect(pairedBootstrap(first, second, { seed: 1 })).toEqual(once);
    expect(pairedBootstrap(first, second, { seed: 2 })).not.toEqual(once);
  });

  test('a difference that all queries share has no width, however they differ among themselves', () => {
    const shifted = first.map((value) => value + 0.25);
    const { first: a, difference } = pairedBootstrap(first, shifted);
    expect(a.high - a.low).toBeGreaterThan(0.1);
    for (const value of Object.values(difference)) expect(value).toBeCloseTo(0.25, 12);
  });

  test('one query is its own interval, and none is refused', () => {
    expect(pairedBootstrap([0.5], [1]).difference).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
    expect(() => pairedBootstrap([], [])).toThrow(RangeError);
    expect(() => pairedBootstrap([1], [1, 2])).toThrow('they have 1 and 2 values');
  });

  test('intervals of half and of nothing are those of coins', () => {
    const coins = Array.from({ length: 100 }, (_, at) => at % 2);
    const { first: a } = pairedBootstrap(coins, coins);
    // A mean of 100 coins has the deviation 0.05; 1.96 of them are 0.098.
    expect(a.low).toBeGreaterThanOrEqual(0.38);
    expect(a.low).toBeLessThanOrEqual(0.42);
    expect(a.high).toBeGreaterThanOrEqual(0.58);
    expect(a.high).toBeLessThanOrEqual(0.62);
  });
});

describe('two rankings of many queries', () => {
  const grades = new Map([
    ['a', 3],
    ['b', 1],
  ]);

  test('are compared by each metric, and queries without a relevant document count nowhere', () => {
    const comparisons = [
      compareRankings(['b', 'a'], ['a', 'b'], grades, 10),
      compareRankings(['a', 'b'], ['a', 'b'], grades, 10),
      compareRankings(['a', 'x'], ['x', 'b', 'a'], grades, 2),
      compareRankings(['a'], ['b'], new Map([['a', 0]]), 10),
      compareRankings(['a'], ['b'], new Map(), 10),
    ];
    expect(comparisons.map((one) => one && outcomeOf(one, 'ndcg'))).toEqual([
      'won',
      'tied',
      'lost',
      undefined,
      undefined,
    ]);
    const { ndcg, recall, reciprocalRank } = compareMetrics(comparisons) ?? {};
    expect([ndcg?.won, ndcg?.lost, ndcg?.tied]).toEqual([1, 1, 1]);
    expect([recall?.won, recall?.lost, recall?.tied]).toEqual([0, 0, 3]);
    expect(recall?.first.mean).toBeCloseTo((1 + 1 + 0.5) / 3, 12);
    expect(reciprocalRank?.first.mean).toBe(1);
    expect(reciprocalRank?.second.mean).toBeCloseTo((1 + 1 + 0.5) / 3, 12);
    expect(reciprocalRank?.lost).toBe(1);
  });

  test('have no figures where no query has a relevant document', () => {
    expect(compareMetrics([undefined, undefined])).toBeUndefined();
    expect(compareMetrics([])).toBeUndefined();
  });

  test.each([
    [2, 0.2, 0.4, 'tooFew'],
    [5, -0.4, -0.2, 'tooFew'],
    [6, 0.2, 0.4, 'maybeSecond'],
    [19, -0.4, -0.2, 'maybeFirst'],
    [20, 0.2, 0.4, 'second'],
    [20, -0.4, -0.2, 'first'],
    [500, 0, 0.4, 'chance'],
    [500, -0.1, 0.4, 'chance'],
  ] as const)('%s of them with differences of %s to %s say %s', (count, low, high, verdict) => {
    expect(verdictOf({ mean: (low + high) / 2, low, high }, count)).toBe(verdict);
  });

  test.each([
    [2, 0.2, 0.4, { side: 1, mayBeChance: true }],
    [5, -0.6, 0.2, { side: 0, mayBeChance: true }],
    [5, -0.2, 0.2, undefined],
    [6, 0.2, 0.4, { side: 1, mayBeChance: false }],
    [20, -0.4, -0.2, { side: 0, mayBeChance: false }],
    [500, -0.1, 0.4, undefined],
  ] as const)('%s of them with differences of %s to %s have the lead %j', (count, low, high, lead) => {
    expect(leadOf({ mean: (low + high) / 2, low, high }, count)).toEqual(lead);
  });

  test('have a mean part of judged hits', () => {
    expect(meanJudgedPart([])).toBe(1);
    expect(
      meanJudgedPart([
        [['a', 'x'], grades],
        [['a'], grades],
      ]),
    ).toBe(0.75);
  });
});
