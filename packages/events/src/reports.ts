import type Database from 'better-sqlite3';
import { startOf, TABLES, unitsOf } from './contributions.js';
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
  TopQuery,
} from './event-store.js';
import type { FiguresFile } from './figures-file.js';
import type { PackedFigures, PackedTable } from './packed-figures.js';
import { type NamedSums, type Page, RangeFigures } from './range-figures.js';
import { searchersByQuery } from './signals.js';

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
  readonly revenue_high: number;
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
  'revenue_high',
];
const sumsOf = (counts: readonly string[]) => counts.map((count) => `SUM(${count}) AS ${count}`).join(', ');

/** Rows of a table within a range: whole days by the day, the rest at both ends by the hour. */
interface Rows {
  /** A condition on the rows. */
  readonly where: string;
  readonly values: readonly (string | number)[];
}

/** Reads figures. Every answer agrees with the raw events of the range. */
export class Reports {
  readonly #db: Database.Database;
  readonly #packed: PackedFigures;

  constructor({ db, packed }: Pick<FiguresFile, 'db' | 'packed'>) {
    this.#db = db;
    this.#packed = packed;
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
    { sort, currency = '', ...page }: Page & { sort: keyof Metrics; currency?: string },
  ): TermMetrics[] {
    const figures = this.#figures('terms', query);
    const queries = figures.sums('queries');
    const key = sortKeys[sort](figures, currency);
    const keys = queries.map((count, number) => (count > 0 ? key(number) : Number.NaN));
    return figures.highest(keys, page).map((row) => ({ term: row.name, ...metricsOf(outcomeRows(row)) }));
  }

  noResults(query: AnalyticsQuery, page: Page): NoResultTerm[] {
    const figures = this.#figures('terms', query);
    const empty = figures.sums('empty');
    const keys = empty.map((count) => (count > 0 ? count : Number.NaN));
    return figures.highest(keys, page, 'empty').map((row) => seenTerm(row, 'empty'));
  }

  /** Terms that nobody clicked for, though nothing says that they found nothing. */
  noClicks(query: AnalyticsQuery, page: Page): NoClickTerm[] {
    const figures = this.#figures('terms', query);
    const [clicks, empty] = [figures.sums('clicks'), figures.sums('empty')];
    const keys = figures
      .sums('queries')
      .map((count, number) => (clicks[number] === 0 && count > (empty[number] as number) ? count : Number.NaN));
    return figures.highest(keys, page, 'queries').map((row) => seenTerm(row, 'queries'));
  }

  products(query: AnalyticsQuery, page: Page): ProductMetrics[] {
    const figures = this.#figures('products', query);
    const clicks = figures.sums('clicks');
    const others = [figures.sums('impressions'), figures.sums('carts'), figures.sums('purchases')];
    const keys = clicks.map((count, number) =>
      count > 0 || others.some((sums) => (sums[number] as number) > 0) ? count : Number.NaN,
    );
    return figures.highest(keys, page).map(({ name, byCurrency }) => {
      const counts = countsOf('products', byCurrency.get(''));
      const revenues = [...byCurrency].map(([currency, sums]) => ({ currency, ...countsOf('products', sums) }));
      return {
        docId: name,
        impressions: counts.impressions,
        clicks: counts.clicks,
        addToCarts: counts.carts,
        purchases: counts.purchases,
        revenue: moneyBy(revenues, unitsOf),
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

  namedProducts(
    { customerId, ...range }: Pick<AnalyticsQuery, 'customerId' | 'start' | 'end'>,
    limit: number,
  ): NamedProduct[] {
    const scope = { table: 'actions', customer: customerId, context: '', label: '' } as const;
    const figures = new RangeFigures(this.#packed, scope, range);
    const keys = figures.sums('events').map((count) => (count > 0 ? count : Number.NaN));
    return figures
      .highest(keys, { limit, offset: 0 })
      .map(({ name, byCurrency }) => ({ docId: name, events: countsOf('actions', byCurrency.get('')).events }));
  }

  /** Queries of days since `since` by sessions; whether they found something is known of those that were logged. */
  topQueries(customer: string, since: number, limit: number): TopQuery[] {
    const scope = { table: 'terms', customer, context: 'searches', label: '' } as const;
    const range = { start: startOf(since, DAY_MS), end: Number.MAX_SAFE_INTEGER };
    const figures = new RangeFigures(this.#packed, scope, range, { holds: false });
    const queries = figures.sums('queries');
    const users = searchersByQuery(this.#db, customer, since);
    // One number for both, exact as long as no query is asked for 90 million times: their product has to have 53 bits.
    const most = queries.reduce((max, count) => Math.max(max, count), 0);
    const keys = new Float64Array(queries.length).fill(Number.NaN);
    for (const [term, ofTerm] of users) {
      const number = this.#packed.names.numberOf('term', customer, term) ?? queries.length;
      const count = queries[number] ?? 0;
      if (count > 0) keys[number] = ofTerm * (most + 1) + count;
    }
    return figures.highest(keys, { limit, offset: 0 }).map(({ name, byCurrency }) => {
      const counts = countsOf('terms', byCurrency.get(''));
      const isLogged = counts.empty + counts.found > 0;
      return {
        query: name,
        count: counts.queries,
        users: users.get(name) ?? 0,
        findsSomething: isLogged ? counts.found > 0 : null,
      };
    });
  }

  #figures<Table extends 'terms' | 'products'>(
    table: Table,
    { customerId, context, label = '', start, end }: AnalyticsQuery,
  ): RangeFigures<Table> {
    return new RangeFigures(this.#packed, { table, customer: customerId, context, label }, { start, end });
  }

  #outcomes<Row = OutcomeRow>(columns: string, { term }: AnalyticsQuery, { where, values }: Rows, group = ''): Row[] {
    const select = (from: string) =>
      `SELECT ${columns} currency, ${sumsOf(outcomes)} ${from} GROUP BY ${group} currency`;
    if (term === undefined) return this.#all<Row>(select(`FROM totals WHERE ${where}`), values);
    // One look-up for each hour or day in place of all terms of them.
    const units = `(SELECT customer, context, label, span, start FROM packed WHERE "table" = 'terms' AND ${where})`;
    const rows = `FROM ${units} CROSS JOIN terms USING (customer, context, label, span, start) WHERE term = ?`;
    return this.#all<Row>(select(rows), [...values, term]);
  }

  #all<Row>(query: string, values: readonly (string | number)[]): Row[] {
    return this.#db.prepare<unknown[], Row>(query).all(...values);
  }
}

const REJECTED = 'rejected:';
const LABELS_MAX = 1_000;
const CURRENCIES_MAX = 100;

type KeyOf = (figures: RangeFigures<'terms'>, currency: string) => (number: number) => number;

const byCount =
  (count: 'queries' | 'clicks' | 'carts' | 'purchases' | 'sessions'): KeyOf =>
  (figures) => {
    const sums = figures.sums(count);
    return (number) => sums[number] as number;
  };
const byShare =
  (count: 'clicked' | 'carted' | 'bought'): KeyOf =>
  (figures) => {
    const [sums, queries] = [figures.sums(count), figures.sums('queries')];
    return (number) => (sums[number] as number) / (queries[number] as number);
  };

const revenueIn: KeyOf = (figures, currency) => {
  const [low, high] = figures.sumsOf(['revenue', 'revenue_high'], currency) as [Float64Array, Float64Array];
  return (number) => unitsOf({ revenue: low[number] as number, revenue_high: high[number] as number });
};

/** The keys by which terms are sorted. */
const sortKeys: Readonly<Record<keyof Metrics, KeyOf>> = {
  totalQueries: byCount('queries'),
  clickThroughRate: byShare('clicked'),
  addToCartRate: byShare('carted'),
  conversionRate: byShare('bought'),
  averageOrderValue: (figures, currency) => {
    const [revenue, orders] = [revenueIn(figures, currency), figures.sums('orders', currency)];
    return (number) => revenue(number) / Math.max(1, orders[number] as number);
  },
  totalRevenue: (figures, currency) => revenueIn(figures, currency),
  totalClicks: byCount('clicks'),
  totalAddToCarts: byCount('carts'),
  totalPurchases: byCount('purchases'),
  totalSessions: byCount('sessions'),
};

/** Sums of columns by the names of the counts. */
function countsOf<Table extends PackedTable>(
  table: Table,
  sums: Float64Array | undefined,
): Readonly<Record<(typeof TABLES)[Table]['counts'][number], number>> {
  const names: readonly string[] = TABLES[table].counts;
  return Object.fromEntries(names.map((name, column) => [name, sums?.[column] ?? 0])) as ReturnType<
    typeof countsOf<Table>
  >;
}

function outcomeRows({ byCurrency }: NamedSums): OutcomeRow[] {
  return [...byCurrency].map(([currency, sums]) => ({ currency, ...countsOf('terms', sums) }));
}

function seenTerm({ name, byCurrency, lastDay }: NamedSums, count: 'queries' | 'empty'): NoClickTerm {
  const counts = countsOf('terms', byCurrency.get(''));
  return { term: name, count: counts[count], sessions: counts.sessions, lastSeen: lastDay as number };
}

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
    averageOrderValue: moneyBy(rows, (row) => unitsOf(row) / Math.max(1, row.orders)),
    totalRevenue: moneyBy(rows, unitsOf),
    totalClicks: counts?.clicks ?? 0,
    totalAddToCarts: counts?.carts ?? 0,
    totalPurchases: counts?.purchases ?? 0,
    totalSessions: counts?.sessions ?? 0,
  };
}

/** Amounts of the currencies of most orders: no shop has as many, and no answer has one for each code that came. */
function moneyBy<Row extends { readonly currency: string; readonly orders?: number }>(
  rows: readonly Row[],
  amount: (row: Row) => number,
): MoneyByCurrency {
  const paid = rows
    .filter(({ currency }) => currency !== '')
    .sort((a, b) => (b.orders ?? 0) - (a.orders ?? 0) || (a.currency < b.currency ? -1 : 1))
    .slice(0, CURRENCIES_MAX);
  return Object.fromEntries(paid.map((row): [string, number] => [row.currency, amount(row)]).sort());
}
