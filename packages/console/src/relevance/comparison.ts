import { type Grades, judgedPart, ndcg, RELEVANT, recall, reciprocalRank } from './figures.js';
import { bootstrapSteps, type Estimate, finished, type Pair, type PairedEstimates } from './paired-bootstrap.js';

/** Places that nDCG and the judged part look at. */
export const NDCG_DEPTH = 10;

export const METRICS = ['ndcg', 'recall', 'reciprocalRank'] as const;
export type Metric = (typeof METRICS)[number];

/** Figures of the ranking of one query. */
export type QueryFigures = Readonly<Record<Metric, number>>;

/** Figures of one query by two rankings; undefined where no document of it is relevant: no ranking could be good. */
export type QueryComparison = readonly [first: QueryFigures, second: QueryFigures] | undefined;

/** One metric over many queries. */
export interface MetricComparison extends PairedEstimates {
  /** Queries that the second ranking has better, worse, and alike. */
  readonly won: number;
  readonly lost: number;
  readonly tied: number;
}

/** Less than the smallest difference of two rankings, and more than the error of sums. */
const ALIKE = 1e-9;

/** @param depth that of the recall */
export function figuresOf(ranking: readonly string[], grades: Grades, depth: number): QueryFigures {
  return {
    ndcg: ndcg(ranking, grades, NDCG_DEPTH),
    recall: recall(ranking, grades, depth),
    reciprocalRank: reciprocalRank(ranking.slice(0, depth), grades),
  };
}

/** Compares two rankings of a query by its grades. */
export function compareRankings(
  first: readonly string[],
  second: readonly string[],
  grades: Grades,
  depth: number,
): QueryComparison {
  if (![...grades.values()].some((grade) => grade >= RELEVANT)) return undefined;
  return [figuresOf(first, grades, depth), figuresOf(second, grades, depth)];
}

/** The outcome of a query for the second ranking, by one metric. */
export function outcomeOf([first, second]: NonNullable<QueryComparison>, metric: Metric): 'won' | 'lost' | 'tied' {
  const difference = second[metric] - first[metric];
  if (Math.abs(difference) < ALIKE) return 'tied';
  return difference > 0 ? 'won' : 'lost';
}

/** Figures of all metrics over many queries. */
export type MetricComparisons = Readonly<Record<Metric, MetricComparison>>;

/** Each metric over the queries that have figures; undefined where none has. */
export function compareMetrics(comparisons: readonly QueryComparison[]): MetricComparisons | undefined {
  return finished(comparisonSteps(comparisons));
}

/** The steps of {@link compareMetrics}, each of which takes little time. */
export function* comparisonSteps(
  comparisons: readonly QueryComparison[],
): Generator<void, MetricComparisons | undefined, void> {
  const known = comparisons.filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  const pairs = METRICS.map((metric): Pair => [known.map(([one]) => one[metric]), known.map(([, one]) => one[metric])]);
  const estimates = yield* bootstrapSteps(pairs);
  const all = METRICS.map((metric, at) => {
    const outcomes = known.map((one) => outcomeOf(one, metric));
    const count = (which: string) => outcomes.filter((outcome) => outcome === which).length;
    return [metric, { ...estimates[at], won: count('won'), lost: count('lost'), tied: count('tied') }] as const;
  });
  return Object.fromEntries(all) as Record<Metric, MetricComparison>;
}

/**
 * Queries below which no difference can be shown: where all of five go one way, chance does as well in 2 · 0.5⁵, more than
 * 5 % of cases.
 */
export const DECIDING_MIN = 6;
/** Queries below which intervals are rough. */
const ROUGH_BELOW = 20;

/** The outcome of a comparison of two rankings over some queries. */
export type Verdict = 'tooFew' | 'chance' | 'maybeFirst' | 'maybeSecond' | 'first' | 'second';

export const isRough = (count: number): boolean => count < ROUGH_BELOW;

/**
 * The better ranking by the difference over `count` queries, second less first; `maybe` where its interval leaves out 0 but
 * is rough.
 */
export function verdictOf({ low, high }: Estimate, count: number): Verdict {
  if (count < DECIDING_MIN) return 'tooFew';
  if (low <= 0 && high >= 0) return 'chance';
  if (low > 0) return isRough(count) ? 'maybeSecond' : 'second';
  return isRough(count) ? 'maybeFirst' : 'first';
}

/** The ranking that is ahead, and whether too few queries say so. */
export interface Lead {
  readonly side: 0 | 1;
  readonly mayBeChance: boolean;
}

/** The ranking that is ahead by the difference over `count` queries; undefined where neither is, or chance decides. */
export function leadOf(difference: Estimate, count: number): Lead | undefined {
  const verdict = verdictOf(difference, count);
  if (verdict === 'chance' || Math.abs(difference.mean) < ALIKE) return undefined;
  return { side: difference.mean > 0 ? 1 : 0, mayBeChance: verdict === 'tooFew' };
}

/** The mean part of the first hits of a ranking that is judged, over queries. */
export function meanJudgedPart(rankings: readonly (readonly [ranking: readonly string[], grades: Grades])[]): number {
  if (rankings.length === 0) return 1;
  return rankings.reduce((sum, one) => sum + judgedPart(...one, NDCG_DEPTH), 0) / rankings.length;
}
