import { invalidArgument, truncated } from '@pelorus/contract';
import type { Shops } from '@pelorus/ecommerce';
import type { AnalyticsQuery, EventStore, Metrics, MoneyByCurrency } from '@pelorus/events';
import { normalisedQuery } from '@pelorus/events';
import { InsufficientScopeError } from '../auth/scopes.js';
import type { Answer, Call, Handlers, Principal } from '../call.js';
import { rangeOf } from './analytics-range.js';
import { UnknownProductsReport } from './unknown-products.js';

type AnalyticsOperation =
  | 'getAnalyticsSummary'
  | 'getAnalyticsTimeSeries'
  | 'listAnalyticsTerms'
  | 'listAnalyticsNoResults'
  | 'listAnalyticsNoClicks'
  | 'listAnalyticsProducts'
  | 'listAnalyticsLabels'
  | 'getAnalyticsDataQuality';

/** Most points of one answer. */
const POINTS_MAX = 2_000;

interface Parameters {
  readonly customerId: string;
  readonly context?: 'searches' | 'collections';
  readonly days?: number | undefined;
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly term?: string | undefined;
  readonly label?: string | undefined;
}

/** Figures of the actions of shoppers in `shops`. */
export function analyticsHandlers(
  { analytics }: EventStore,
  shops: Shops,
): Pick<Handlers<'hosted'>, AnalyticsOperation> {
  const unknownProducts = new UnknownProductsReport(analytics, shops);
  return {
    getAnalyticsSummary: async (call) => {
      const query = queryOf(call);
      const currency = currencyOf(call.query.currency);
      const { start, end } = query;
      const [metrics, previous] = await Promise.all([
        analytics.summary(query),
        analytics.summary({ ...query, start: 2 * start - end, end: start }),
      ]);
      return {
        body: {
          ...{ start: isoOf(start), end: isoOf(end) },
          metrics: shownMetrics(metrics, currency),
          previous: shownMetrics(previous, currency),
        },
      };
    },

    getAnalyticsTimeSeries: async (call) => timeSeries(analytics, call),

    listAnalyticsTerms: async (call) => {
      const { sort, limit, offset } = call.query;
      const currency = currencyOf(call.query.currency);
      if (currency === undefined && isMoney(sort))
        throw invalidArgument(`currency: expected one, since rows are sorted by ${sort}`);
      const page = { sort, limit, offset, ...(currency !== undefined && { currency }) };
      const rows = await analytics.terms(queryOf(call), page);
      return { body: { results: rows.map(({ term, ...metrics }) => ({ term, ...shownMetrics(metrics, currency) })) } };
    },

    listAnalyticsNoResults: async (call) => {
      const query = queryOf({ ...call, query: { ...call.query, context: 'searches' } });
      const rows = await analytics.noResults(query, call.query);
      return { body: { results: rows.map((row) => ({ ...row, lastSeen: isoOf(row.lastSeen) })) } };
    },

    listAnalyticsNoClicks: async (call) => {
      const rows = await analytics.noClicks(queryOf(call), call.query);
      return { body: { results: rows.map((row) => ({ ...row, lastSeen: isoOf(row.lastSeen) })) } };
    },

    listAnalyticsProducts: async (call) => {
      const currency = currencyOf(call.query.currency);
      const rows = await analytics.products(queryOf(call), call.query);
      return { body: { results: rows.map((row) => ({ ...row, revenue: shownMoney(row.revenue, currency) })) } };
    },

    listAnalyticsLabels: async (call) => ({ body: { results: await analytics.labels(queryOf(call)) } }),

    getAnalyticsDataQuality: async (call) => {
      const query = queryOf(call);
      const [quality, unknown] = await Promise.all([analytics.dataQuality(query), unknownProducts.of(query)]);
      return { body: { ...quality, ...unknown } };
    },
  };
}

async function timeSeries(analytics: EventStore['analytics'], call: Call<'getAnalyticsTimeSeries'>): Promise<Answer> {
  const { metric, interval } = call.query;
  const currency = currencyOf(call.query.currency);
  const query = queryOf(call);
  const points = (query.end - query.start) / (interval === 'hour' ? 3_600_000 : 86_400_000);
  if (points > POINTS_MAX) {
    throw invalidArgument(
      `interval: expected at most ${POINTS_MAX} points, received a range of ${Math.ceil(points)} ${interval}s`,
    );
  }
  const series = await analytics.timeSeries(query, interval);
  return {
    body: {
      ...{ metric, interval },
      points: series.map((point) => {
        const shown = shownMetrics(point, currency)[metric];
        return { start: isoOf(point.start), ...(typeof shown === 'number' ? { value: shown } : { byCurrency: shown }) };
      }),
    },
  };
}

/** @throws PelorusError `invalid_argument`; `insufficient_scope` for a key that is for some indexes alone */
function queryOf({
  query,
  principal,
}: {
  readonly query: Parameters;
  readonly principal: Principal | undefined;
}): AnalyticsQuery {
  requireAllIndexes(principal);
  const { customerId, context = 'searches', term, label } = query;
  return {
    ...{ customerId, context, ...rangeOf(query, Date.now()) },
    ...(term !== undefined && { term: context === 'searches' ? normalisedQuery(term) : term }),
    ...(label !== undefined && { label: labelOf(label) }),
  };
}

/** A label of no form that events have would be one that nothing ever has. */
function labelOf(given: string): string {
  if (/^(user_source|pixel_experiment):./s.test(given)) return given;
  throw invalidArgument(
    `label: expected user_source:<traffic source> or pixel_experiment:<id>, received '${truncated(given)}'`,
  );
}

/** Events and their figures are of a customer, whose shop may be any index. */
export function requireAllIndexes(principal: Principal | undefined): void {
  if (principal?.indexes == null) return;
  throw new InsufficientScopeError('This operation requires an API key for all indexes.', null);
}

function currencyOf(given: string | undefined): string | undefined {
  if (given === undefined || /^[A-Za-z]{3}$/.test(given)) return given?.toUpperCase();
  throw invalidArgument(`currency: expected a code of three letters, received '${truncated(given)}'`);
}

function isMoney(metric: keyof Metrics): boolean {
  return metric === 'totalRevenue' || metric === 'averageOrderValue';
}

type ShownMetrics = { readonly [Name in keyof Metrics]: number | MoneyByCurrency };

function shownMetrics(metrics: Metrics, currency: string | undefined): ShownMetrics {
  const { averageOrderValue, totalRevenue, ...counts } = metrics;
  return {
    ...counts,
    averageOrderValue: shownMoney(averageOrderValue, currency),
    totalRevenue: shownMoney(totalRevenue, currency),
  };
}

function shownMoney(money: MoneyByCurrency, currency: string | undefined): number | MoneyByCurrency {
  return currency === undefined ? money : (money[currency] ?? 0);
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
