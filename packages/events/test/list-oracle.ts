import type Database from 'better-sqlite3';
import { DAY_MS } from '../src/event.js';
import type { AnalyticsQuery, Metrics } from '../src/event-store.js';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

const share = (count: string) => `CAST(SUM(${count}) AS REAL) / SUM(queries)`;
/** An amount in parts: SQLite's 64 bits hold those of the generator. */
const parts = '(revenue_high * 100000000 + revenue)';
const euros = (count: string) => `SUM(CASE WHEN currency = 'EUR' THEN ${count} ELSE 0 END)`;

const sortKeys: Readonly<Record<keyof Metrics, string>> = {
  totalQueries: 'SUM(queries)',
  clickThroughRate: share('clicked'),
  addToCartRate: share('carted'),
  conversionRate: share('bought'),
  averageOrderValue: `CAST(${euros(parts)} AS REAL) / MAX(1, ${euros('orders')})`,
  totalRevenue: euros(parts),
  totalClicks: 'SUM(clicks)',
  totalAddToCarts: 'SUM(carts)',
  totalPurchases: 'SUM(purchases)',
  totalSessions: 'SUM(sessions)',
};

export const SORTS = Object.keys(sortKeys) as (keyof Metrics)[];

/** Lists of terms and products in plain SQL over the rows of all hours of a range. */
export class ListOracle {
  readonly #db: Database.Database;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Terms alone, by a metric, money in euros. */
  terms(query: AnalyticsQuery, sort: keyof Metrics, page: Page): string[] {
    const rows = this.#list<{ term: string }>(
      `SELECT term FROM terms`,
      `GROUP BY term HAVING SUM(queries) > 0 ORDER BY ${sortKeys[sort]} DESC, term`,
      query,
      page,
    );
    return rows.map(({ term }) => term);
  }

  noResults(query: AnalyticsQuery, page: Page): unknown[] {
    return this.#list(
      `SELECT term, SUM(empty) AS count, SUM(sessions) AS sessions,
         MAX(CASE WHEN empty > 0 THEN start - start % ${DAY_MS} END) AS lastSeen FROM terms`,
      'GROUP BY term HAVING SUM(empty) > 0 ORDER BY count DESC, term',
      query,
      page,
    );
  }

  noClicks(query: AnalyticsQuery, page: Page): unknown[] {
    return this.#list(
      `SELECT term, SUM(queries) AS count, SUM(sessions) AS sessions, MAX(start - start % ${DAY_MS}) AS lastSeen FROM terms`,
      'GROUP BY term HAVING SUM(clicks) = 0 AND SUM(queries) > SUM(empty) ORDER BY count DESC, term',
      query,
      page,
    );
  }

  products(query: AnalyticsQuery, page: Page): unknown[] {
    const rows = this.#list<Record<string, unknown> & { money: string | null }>(
      `SELECT doc AS docId, SUM(impressions) AS impressions, SUM(clicks) AS clicks, SUM(carts) AS addToCarts,
         SUM(purchases) AS purchases, (SELECT json_group_object(currency, sum) FROM (
           SELECT currency, SUM(${parts}) / 10000.0 AS sum FROM products AS paid
           WHERE customer = $customer AND context = $context AND label = $label AND span = 'h'
             AND start >= $start AND start < $end AND paid.doc = products.doc AND currency <> ''
           GROUP BY currency)) AS money FROM products`,
      'GROUP BY doc ORDER BY SUM(clicks) DESC, doc',
      query,
      page,
    );
    return rows.map(({ money, ...row }) => ({ ...row, revenue: JSON.parse(money ?? '{}') }));
  }

  topQueries(customer: string, since: number, limit: number): unknown[] {
    return this.#db
      .prepare<unknown[], Record<string, unknown> & { empty: number; found: number }>(
        `SELECT term AS query, SUM(queries) AS count, (
           SELECT COUNT(DISTINCT strftime('%Y-%m ', start / 1000, 'unixepoch') || shopper) FROM searchers
           WHERE customer = terms.customer AND start >= $since AND term = terms.term AND queries > 0
         ) AS users, SUM(empty) AS empty, SUM(found) AS found
         FROM terms WHERE customer = $customer AND context = 'searches' AND label = '' AND span = 'h' AND start >= $since
         GROUP BY term ORDER BY users DESC, count DESC, term LIMIT $limit`,
      )
      .all({ customer, since: since - (since % DAY_MS), limit })
      .map(({ empty, found, ...query }) => ({ ...query, findsSomething: empty + found === 0 ? null : found > 0 }));
  }

  #list<Row>(select: string, rest: string, { customerId, ...query }: AnalyticsQuery, page: Page): Row[] {
    const where = `customer = $customer AND context = $context AND label = $label AND span = 'h'
      AND start >= $start AND start < $end`;
    return this.#db
      .prepare<unknown[], Row>(`${select} WHERE ${where} ${rest} LIMIT $limit OFFSET $offset`)
      .all({ label: '', ...query, ...page, customer: customerId });
  }
}
