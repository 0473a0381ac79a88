import type Database from 'better-sqlite3';
import { startOf } from './contributions.js';
import { DAY_MS } from './event.js';
import type { ProductSignal, ProductSignals } from './event-store.js';

/** After so many days what shoppers did counts half: long enough for a season, short enough for a trend. */
const HALF_LIFE_DAYS = 30;
/** The worth of a cart and a purchase in clicks: about the inverse of how often shops see them. */
const WORTH = { clicks: 1, carts: 3, purchases: 10 };
/**
 * Observations, clicks for one, at the customer's mean that each product starts with, so that one lucky click is no rate of 100 %: the
 * mean of a Beta prior of this weight (Gelman et al., Bayesian Data Analysis, 2.4).
 */
const PRIOR_COUNT = 20;
/**
 * Users that have to have chosen a product before it is popular: fewer are as likely the shop's own people, or a
 * stranger with its public key. The last choice of each user counts, by kind, by product, and by product after a query.
 */
const USERS_MIN = 5;
/** Most rows of a table that are looked at, those of the latest days. */
export const ROWS_MAX = 500_000;

/** Kinds of choices: one user may add each to a product once. */
const KINDS = ['clicks', 'carts', 'purchases'] as const;

class Decayed {
  shown = 0;
  clicks = 0;
  purchases = 0;
  /** All that was done, in clicks. */
  worth = 0;
  readonly #users = new Set<number>();
  readonly #choices = new Set<number>();

  /** @param user a number that no other user has */
  choose(user: number, { clicks, carts, purchases }: ChoiceRow, weight: number): void {
    this.#users.add(user);
    for (const [place, count] of [clicks, carts, purchases].entries()) {
      const choice = user * KINDS.length + place;
      if (count <= 0 || this.#choices.has(choice)) continue;
      this.#choices.add(choice);
      const kind = KINDS[place] as (typeof KINDS)[number];
      this.worth += weight * WORTH[kind];
      if (kind !== 'carts') this[kind] += weight;
    }
  }

  get isKnown(): boolean {
    return this.#users.size >= USERS_MIN;
  }
}

interface MatchRow {
  readonly start: number;
  readonly term: string;
  readonly doc: string;
}

interface ShownRow extends MatchRow {
  readonly impressions: number;
}

interface SearcherRow {
  readonly start: number;
  readonly term: string;
  readonly shopper: number;
}

interface ChoiceRow extends MatchRow {
  readonly shopper: number;
  readonly clicks: number;
  readonly carts: number;
  readonly purchases: number;
}

/** Computes the signals of each product, overall and by query, from the figures of days since `since`. */
export function productSignals(db: Database.Database, customer: string, since: number, now: number): ProductSignals {
  const overall = new Map<string, Decayed>();
  const byQuery = new Map<string, Map<string, Decayed>>();
  const today = startOf(now, DAY_MS);
  const each = <Row extends MatchRow>(
    table: 'matches' | 'choices',
    add: (to: Decayed, row: Row, weight: number) => void,
  ) => {
    const rows = db.prepare<[string, number, number], Row>(
      `SELECT * FROM ${table} WHERE customer = ? AND start >= ? ORDER BY start DESC LIMIT ?`,
    );
    for (const row of rows.iterate(customer, startOf(since, DAY_MS), ROWS_MAX)) {
      const weight = 0.5 ** (Math.max(0, today - row.start) / DAY_MS / HALF_LIFE_DAYS);
      const ofQuery = byQuery.get(row.term) ?? new Map<string, Decayed>();
      byQuery.set(row.term, ofQuery);
      add(productIn(overall, row.doc), row, weight);
      add(productIn(ofQuery, row.doc), row, weight);
    }
  };
  each<ShownRow>('matches', (product, { impressions }, weight) => {
    product.shown += weight * Math.max(0, impressions);
  });
  each<ChoiceRow>('choices', (product, row, weight) => product.choose(userOf(row), row, weight));
  const prior = meansOf([...overall.values()]);
  return {
    overall: signalsOf(overall, prior),
    byQuery: new Map([...byQuery].map(([term, products]) => [term, signalsOf(products, prior)])),
  };
}

/** Counts the users who searched for each query in the days since `since`. One of two months counts as two. */
export function searchersByQuery(db: Database.Database, customer: string, since: number): ReadonlyMap<string, number> {
  const rows = db.prepare<[string, number, number], SearcherRow>(
    'SELECT start, term, shopper FROM searchers WHERE customer = ? AND start >= ? AND queries > 0 ORDER BY start DESC LIMIT ?',
  );
  const users = new Map<string, Set<number>>();
  for (const row of rows.iterate(customer, startOf(since, DAY_MS), ROWS_MAX)) {
    const ofQuery = users.get(row.term);
    if (ofQuery === undefined) users.set(row.term, new Set([userOf(row)]));
    else ofQuery.add(userOf(row));
  }
  return new Map([...users].map(([term, { size }]) => [term, size]));
}

function productIn(products: Map<string, Decayed>, doc: string): Decayed {
  const known = products.get(doc) ?? new Decayed();
  products.set(doc, known);
  return known;
}

/** A number for the user of a month, whose file counts users by itself: fewer than 2^40. */
export function userOf({ start, shopper }: Pick<ChoiceRow, 'start' | 'shopper'>): number {
  const month = new Date(start).getUTCFullYear() * 12 + new Date(start).getUTCMonth();
  return (month % 1_000) * 2 ** 40 + shopper;
}

interface Means {
  readonly clickRate: number;
  readonly conversionRate: number;
}

function meansOf(products: readonly Decayed[]): Means {
  const sum = (of: (product: Decayed) => number) => products.reduce((total, product) => total + of(product), 0);
  const [shown, clicks] = [sum(looksOf), sum((product) => product.clicks)];
  return {
    clickRate: shown === 0 ? 0 : clicks / shown,
    conversionRate: clicks === 0 ? 0 : Math.min(1, sum((product) => product.purchases) / clicks),
  };
}

/** Counts looks at a product: whoever clicked on it has seen it, whether or not the search was logged. */
function looksOf({ shown, clicks }: Decayed): number {
  return Math.max(shown, clicks);
}

function signalsOf(products: ReadonlyMap<string, Decayed>, prior: Means): ProductSignal[] {
  const worthOf = (product: Decayed) => (product.isKnown ? product.worth : 0);
  const mean = [...products.values()].reduce((sum, product) => sum + worthOf(product), 0) / products.size;
  return [...products].map(([docId, product]) => {
    const { clicks, purchases } = product;
    const worth = worthOf(product);
    return {
      docId,
      // Half for the mean product of a large shop, less where little is known, and never 1 however much is sold.
      popularity: worth / (worth + mean + PRIOR_COUNT),
      clickRate: (clicks + PRIOR_COUNT * prior.clickRate) / (looksOf(product) + PRIOR_COUNT),
      conversionRate: Math.min(1, (purchases + PRIOR_COUNT * prior.conversionRate) / (clicks + PRIOR_COUNT)),
    };
  });
}
