import type Database from 'better-sqlite3';
import { MONEY_PARTS } from './contributions.js';
import { DAY_MS } from './event.js';
import type {
  AnalyticsQuery,
  DataQuality,
  LabelCount,
  Metrics,
  MoneyByCurrency,
  NamedProduct,
  NoClickTerm,
  NoResultTerm,
  ProductMetrics,
  TermMetrics,
  TimePoint,
} from './event-store.js';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Sums of the counts of `totals` or `terms`; money in parts, in rows of its currency. */
interface OutcomeRow {
  readonly currency: string;
  readonly queries: number;
  readonly clicked: number;
  readonly carted: number;
  readonly bought: number;
  readonly clicks: number;
  readonly carts: number;
  readonly purchases: number;
  readonly sessions: number;
  readonly orders: number;
  readonly revenue: number;
}

const outcomes = [
  'queries',
  'clicked',
  'carted',
  'bought',
  'clicks',
  'carts',
  'purchases',
  'sessions',
  'orders',
  'revenue',
];
const sumsOf = (counts: readonly string[]) => counts.map((count) => `SUM(${count}) AS ${count}`).join(', ');

/** Rows of a table within a range: whole days by the day, what is left at both ends by the hour. */
interface Rows {
  /** A condition on the rows. */
  readonly where: string;
  readonly values: readonly (string | number)[];
}

/** Reads figures. Every answer is what the raw events of the range come to. */
export class Reports {
  readonly #db: Database.Database;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  summary(query: AnalyticsQuery): Metrics {
    return metricsOf(this.#outcomes('', query, rowsOf(query)));
  }

  /** A point for each hour or day that begins in the range, or that its start is in. */
  timeSeries(query: AnalyticsQuery, interval: 'hour' | 'day'): TimePoint[] {
    const spanMs = interval === 'day' ? DAY_MS : DAY_MS / 24;
    const rows = interval === 'day' ? rowsOf(query) : hoursOf(query);
    const found = this.#outcomes<OutcomeRow & { point: number }>(
      `start - start % ${spanMs} AS point,`,
      query,
      rows,
      'point,',
    );
    const byPoint = Map.groupBy(found, ({ point }) => point);
    const points: TimePoint[] = [];
    for (let start = query.start - (query.start % spanMs); start < query.end; start += spanMs) {
      points.push({ start, ...metricsOf(byPoint.get(start) ?? []) });
    }
    return points;
  }

  terms(
    query: AnalyticsQuery,
    { sort, limit, offset, currency = '' }: Page & { sort: keyof Metrics; currency?: string },
  ): TermMetrics[] {
    const { where, values } = rowsOf(query);
    const order = `SELECT term FROM terms WHERE ${where} GROUP BY term HAVING SUM(queries) > 0
      ORDER BY ${sortKeys[sort]} DESC, term LIMIT ? OFFSET ?`;
    const currencies = (order.match(/:currency/g) ?? []).map(() => currency);
    const names = this.#all<{ term: string }>(order.replaceAll(':currency', '?'), [
      ...values,
      ...currencies,
      limit,
      offset,
    ]);
    const found = this.#all<OutcomeRow & { term: string }>(
      `SELECT term, currency, ${sumsOf(outcomes)} FROM terms
       WHERE ${where} AND term IN (${placesOf(names)}) GROUP BY term, currency`,
      [...values, ...names.map(({ term }) => term)],
    );
    const byTerm = Map.groupBy(found, ({ term }) => term);
    return names.map(({ term }) => ({ term, ...metricsOf(byTerm.get(term) ?? []) }));
  }

  noResults(query: AnalyticsQuery, { limit, offset }: Page): NoResultTerm[] {
    const { where, values } = rowsOf(query);
    return this.#all(
      `SELECT term, SUM(empty) AS count, SUM(sessions) AS sessions,
         MAX(CASE WHEN empty > 0 THEN start - start % ${DAY_MS} END) AS lastSeen
       FROM terms WHERE ${where} GROUP BY term HAVING SUM(empty) > 0 ORDER BY count DESC, term LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
  }

  /** Terms that nobody clicked for, though nothing says that they found nothing. */
  noClicks(query: AnalyticsQuery, { limit, offset }: Page): NoClickTerm[] {
    const { where, values } = rowsOf(query);
    return this.#all(
      `SELECT term, SUM(queries) AS count, SUM(sessions) AS sessions, MAX(start - start % ${DAY_MS}) AS lastSeen
       FROM terms WHERE ${where} GROUP BY term HAVING SUM(clicks) = 0 AND SUM(queries) > SUM(empty)
       ORDER BY count DESC, term LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
  }

  products(query: AnalyticsQuery, { limit, offset }: Page): ProductMetrics[] {
    const { where, values } = rowsOf({ ...query, term: undefined });
    const counts = ['impressions', 'clicks', 'carts', 'purchases', 'revenue'];
    const names = this.#all<{ doc: string }>(
      `SELECT doc FROM products WHERE ${where} GROUP BY doc ORDER BY SUM(clicks) DESC, doc LIMIT ? OFFSET ?`,
      [...values, limit, offset],
    );
    const found = this.#all<ProductRow>(
      `SELECT doc, currency, ${sumsOf(counts)} FROM products
       WHERE ${where} AND doc IN (${placesOf(names)}) GROUP BY doc, currency`,
      [...values, ...names.map(({ doc }) => doc)],
    );
    const byDoc = Map.groupBy(found, ({ doc }) => doc);
    return names.map(({ doc }) => {
      const rows = byDoc.get(doc) ?? [];
      const own = rows.find(({ currency }) => currency === '');
      return {
        docId: doc,
        impressions: own?.impressions ?? 0,
        clicks: own?.clicks ?? 0,
        addToCarts: own?.carts ?? 0,
        purchases: own?.purchases ?? 0,
        revenue: moneyBy(rows, ({ revenue }) => revenue / MONEY_PARTS),
      };
    });
  }

  labels({ customerId, context, start, end }: AnalyticsQuery): LabelCount[] {
    return this.#all(
      `SELECT label, SUM(queries) AS queries FROM totals
       WHERE customer = ? AND context = ? AND label > '' AND span = 'h' AND start >= ? AND start < ?
       GROUP BY label HAVING SUM(queries) > 0 ORDER BY queries DESC, label LIMIT ${LABELS_MAX}`,
      [customerId, context, start, end],
    );
  }

  dataQuality({ customerId, start, end }: Pick<AnalyticsQuery, 'customerId' | 'start' | 'end'>): DataQuality {
    const rows = this.#all<{ reason: string; count: number }>(
      'SELECT reason, SUM(count) AS count FROM quality WHERE customer = ? AND start >= ? AND start < ? GROUP BY reason',
      [customerId, start, end],
    );
    const countOf = (reason: string) => rows.find((row) => row.reason === reason)?.count ?? 0;
    const rejected = rows.filter(({ reason }) => reason.startsWith(REJECTED));
    return {
      accepted: countOf('accepted'),
      duplicates: countOf('duplicates'),
      late: countOf('late'),
      rejected: rejected.reduce((sum, { count }) => sum + count, 0),
      rejectedByReason: Object.fromEntries(rejected.map(({ reason, count }) => [reason.slice(REJECTED.length), count])),
    };
  }

  namedProducts({ customerId, ...range }: Pick<AnalyticsQuery, 'customerId' | 'start' | 'end'>, limit: number) {
    const { where, values } = spansOf(range);
    return this.#all<NamedProduct>(
      `SELECT doc AS docId, SUM(events) AS events FROM actions WHERE customer = ? AND ${where}
       GROUP BY doc ORDER BY events DESC, doc LIMIT ?`,
      [customerId, ...values, limit],
    );
  }

  #outcomes<Row = OutcomeRow>(columns: string, { term }: AnalyticsQuery, { where, values }: Rows, group = ''): Row[] {
    const [table, isTerm, terms] = term === undefined ? ['totals', '', []] : ['terms', 'AND term = ?', [term]];
    const query = `SELECT ${columns} currency, ${sumsOf(outcomes)} FROM ${table} WHERE ${where} ${isTerm} GROUP BY ${group} currency`;
    return this.#all<Row>(query, [...values, ...terms]);
  }

  #all<Row>(query: string, values: readonly (string | number)[]): Row[] {
    return this.#db.prepare<unknown[], Row>(query).all(...values);
  }
}

interface ProductRow {
  readonly doc: string;
  readonly currency: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly carts: number;
  readonly purchases: number;
  readonly revenue: number;
}

function placesOf(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}

const REJECTED = 'rejected:';
const LABELS_MAX = 1_000;

const share = (count: string) => `CAST(SUM(${count}) AS REAL) / SUM(queries)`;
const inCurrency = (count: string) => `SUM(CASE WHEN currency = :currency THEN ${count} ELSE 0 END)`;

/** What terms are sorted by, the metrics as expressions. */
const sortKeys: Readonly<Record<keyof Metrics, string>> = {
  totalQueries: 'SUM(queries)',
  clickThroughRate: share('clicked'),
  addToCartRate: share('carted'),
  conversionRate: share('bought'),
  averageOrderValue: `CAST(${inCurrency('revenue')} AS REAL) / MAX(1, ${inCurrency('orders')})`,
  totalRevenue: inCurrency('revenue'),
  totalClicks: 'SUM(clicks)',
  totalAddToCarts: 'SUM(carts)',
  totalPurchases: 'SUM(purchases)',
  totalSessions: 'SUM(sessions)',
};

const ofQuery = `customer = ? AND context = ? AND label = ?`;

function hoursOf({ customerId, context, label = '', start, end }: AnalyticsQuery): Rows {
  return {
    where: `${ofQuery} AND span = 'h' AND start >= ? AND start < ?`,
    values: [customerId, context, label, start, end],
  };
}

function rowsOf(query: Omit<AnalyticsQuery, 'term'> & { term?: string | undefined }): Rows {
  const { customerId, context, label = '', start, end } = query;
  const { where, values } = spansOf({ start, end });
  return { where: `${ofQuery} AND ${where}`, values: [customerId, context, label, ...values] };
}

/** Without a whole day in it, a range is read by the hour alone. */
function spansOf({ start, end }: Pick<AnalyticsQuery, 'start' | 'end'>): Rows {
  const firstDay = Math.ceil(start / DAY_MS) * DAY_MS;
  const lastDay = Math.max(firstDay, Math.floor(end / DAY_MS) * DAY_MS);
  const edges = firstDay >= lastDay ? [start, end, end, end] : [start, firstDay, lastDay, end];
  return {
    where: `(span = 'd' AND start >= ? AND start < ?
      OR span = 'h' AND start >= ? AND start < ? OR span = 'h' AND start >= ? AND start < ?)`,
    values: [firstDay, lastDay, ...edges],
  };
}

function metricsOf(rows: readonly OutcomeRow[]): Metrics {
  const counts = rows.find(({ currency }) => currency === '');
  const queries = counts?.queries ?? 0;
  const rate = (count = 0) => (queries === 0 ? 0 : count / queries);
  return {
    totalQueries: queries,
    clickThroughRate: rate(counts?.clicked),
    addToCartRate: rate(counts?.carted),
    conversionRate: rate(counts?.bought),
    averageOrderValue: moneyBy(rows, ({ revenue, orders }) => revenue / MONEY_PARTS / orders),
    totalRevenue: moneyBy(rows, ({ revenue }) => revenue / MONEY_PARTS),
    totalClicks: counts?.clicks ?? 0,
    totalAddToCarts: counts?.carts ?? 0,
    totalPurchases: counts?.purchases ?? 0,
    totalSessions: counts?.sessions ?? 0,
  };
}

function moneyBy<Row extends { readonly currency: string }>(
  rows: readonly Row[],
  amount: (row: Row) => number,
): MoneyByCurrency {
  const paid = rows.filter(({ currency }) => currency !== '');
  return Object.fromEntries(paid.map((row): [string, number] => [row.currency, amount(row)]).sort());
}
