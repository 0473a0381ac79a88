import type Database from 'better-sqlite3';
import { startOf } from './contributions.js';
import { DAY_MS } from './event.js';
import type { ProductSignal, ProductSignals } from './event-store.js';

/** After so many days what shoppers did counts half: long enough for a season, short enough for a trend. */
const HALF_LIFE_DAYS = 30;
/** What a cart and a purchase are worth in clicks: about the inverse of how often shops see them. */
const WORTH = { clicks: 1, carts: 3, purchases: 10 };
/**
 * Observations at the customer's mean that each product starts with, so that one lucky click is no rate of 100 %: the
 * mean of a Beta prior of this weight (Gelman et al., Bayesian Data Analysis, 2.4).
 */
const PRIOR_COUNT = 20;
/** Most pairs of query and product that are looked at, those of the latest days. */
const PAIRS_MAX = 500_000;

interface Decayed {
  shown: number;
  clicks: number;
  purchases: number;
  /** All that was done, in clicks. */
  worth: number;
}

interface MatchRow {
  readonly start: number;
  readonly term: string;
  readonly doc: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly carts: number;
  readonly purchases: number;
}

/** What shoppers made of each product, overall and by query, from the figures of days since `since`. */
export function productSignals(db: Database.Database, customer: string, since: number, now: number): ProductSignals {
  const overall = new Map<string, Decayed>();
  const byQuery = new Map<string, Map<string, Decayed>>();
  const rows = db.prepare<[string, number, number], MatchRow>(
    'SELECT start, term, doc, impressions, clicks, carts, purchases FROM matches WHERE customer = ? AND start >= ? ORDER BY start DESC LIMIT ?',
  );
  const today = startOf(now, DAY_MS);
  for (const row of rows.iterate(customer, startOf(since, DAY_MS), PAIRS_MAX)) {
    const weight = 0.5 ** (Math.max(0, today - row.start) / DAY_MS / HALF_LIFE_DAYS);
    const ofQuery = byQuery.get(row.term) ?? new Map<string, Decayed>();
    byQuery.set(row.term, ofQuery);
    add(overall, row, weight);
    add(ofQuery, row, weight);
  }
  const prior = meansOf([...overall.values()]);
  return {
    overall: signalsOf(overall, prior),
    byQuery: new Map([...byQuery].map(([term, products]) => [term, signalsOf(products, prior)])),
  };
}

function add(products: Map<string, Decayed>, row: MatchRow, weight: number): void {
  const sum = products.get(row.doc) ?? { shown: 0, clicks: 0, purchases: 0, worth: 0 };
  // Who clicked on it has seen it, whether or not the search was logged.
  sum.shown += weight * Math.max(row.impressions, row.clicks);
  sum.clicks += weight * row.clicks;
  sum.purchases += weight * row.purchases;
  sum.worth += weight * (WORTH.clicks * row.clicks + WORTH.carts * row.carts + WORTH.purchases * row.purchases);
  products.set(row.doc, sum);
}

interface Means {
  readonly clickRate: number;
  readonly conversionRate: number;
}

function meansOf(products: readonly Decayed[]): Means {
  const sum = (of: keyof Decayed) => products.reduce((total, product) => total + product[of], 0);
  const [shown, clicks] = [sum('shown'), sum('clicks')];
  return {
    clickRate: shown === 0 ? 0 : clicks / shown,
    conversionRate: clicks === 0 ? 0 : Math.min(1, sum('purchases') / clicks),
  };
}

function signalsOf(products: ReadonlyMap<string, Decayed>, prior: Means): ProductSignal[] {
  const mean = [...products.values()].reduce((sum, { worth }) => sum + worth, 0) / products.size;
  return [...products].map(([docId, { shown, clicks, purchases, worth }]) => ({
    docId,
    // Half for the mean product, and never more than 1 however much is sold.
    popularity: worth === 0 ? 0 : worth / (worth + mean),
    clickRate: (clicks + PRIOR_COUNT * prior.clickRate) / (shown + PRIOR_COUNT),
    conversionRate: Math.min(1, (purchases + PRIOR_COUNT * prior.conversionRate) / (clicks + PRIOR_COUNT)),
  }));
}
