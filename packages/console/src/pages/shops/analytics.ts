import type { Pelorus } from '@pelorus/client';
import { bestSold, withoutChosen } from './choices-of-shoppers.js';

/** Amounts by currency. */
export type Money = Readonly<Record<string, number>>;

/** The actions of shoppers after their searches, counted. */
export interface Metrics {
  readonly totalQueries: number;
  readonly clickThroughRate: number;
  readonly addToCartRate: number;
  readonly conversionRate: number;
  readonly averageOrderValue: Money;
  readonly totalRevenue: Money;
  readonly totalClicks: number;
  readonly totalAddToCarts: number;
  readonly totalPurchases: number;
  readonly totalSessions: number;
}

export interface Summary {
  readonly metrics: Metrics;
  /** Those of as long a time before. */
  readonly previous: Metrics;
}

export interface TermFigures extends Metrics {
  readonly term: string;
}

/** A query that found nothing, or that nobody clicked for. */
export interface LackingTerm {
  readonly term: string;
  readonly count: number;
  readonly sessions: number;
  readonly lastSeen: string;
}

export interface ProductFigures {
  readonly docId: string;
  readonly impressions: number;
  readonly clicks: number;
  readonly addToCarts: number;
  readonly purchases: number;
  readonly revenue: Money;
}

/** The days of which figures are asked, up to now. */
export const RANGES = [7, 30, 90] as const;

/** Rows of one call, and of one table that is put in another order. */
const PAGE = 100;
const ROWS_MAX = 1_000;

const ANALYTICS = '/api/v1/analytics';

/** Figures of the searches of a customer in the last days. */
export class Analytics {
  readonly #client: Pelorus;
  readonly #about: Readonly<Record<string, string>>;
  readonly #signal: AbortSignal;

  constructor(client: Pelorus, customerId: string, days: number, signal: AbortSignal) {
    this.#client = client;
    this.#about = { customerId, days: String(days), context: 'searches' };
    this.#signal = signal;
  }

  summary(): Promise<Summary> {
    return this.#get<Summary>('summary');
  }

  /** The values of a metric by day; of money in one currency. */
  async byDay(metric: keyof Metrics, currency?: string): Promise<readonly { start: string; value: number }[]> {
    const { points } = await this.#get<{ points: readonly { start: string; value?: number }[] }>('time-series', {
      ...{ metric, interval: 'day' },
      ...(currency !== undefined && { currency }),
    });
    return points.map(({ start, value = 0 }) => ({ start, value }));
  }

  terms(limit: number): Promise<readonly TermFigures[]> {
    return this.#list<TermFigures>('terms', limit);
  }

  noResults(limit: number): Promise<readonly LackingTerm[]> {
    return this.#list<LackingTerm>('no-results', limit);
  }

  /** Queries whose hits nobody chose: a product may come into the cart without a click on its hit. */
  async noClicks(limit: number): Promise<readonly LackingTerm[]> {
    const chosen = (sort: 'totalAddToCarts' | 'totalPurchases') =>
      this.#pages<TermFigures>('terms', { sort }, (row) => row[sort] > 0);
    const [unclicked, carted, bought] = await Promise.all([
      this.#pages<LackingTerm>('no-clicks'),
      chosen('totalAddToCarts'),
      chosen('totalPurchases'),
    ]);
    return withoutChosen(unclicked, [...carted, ...bought]).slice(0, limit);
  }

  /** The products that were bought most, in front of those that were only put into the cart, clicked or shown. */
  async products(limit: number): Promise<readonly ProductFigures[]> {
    return bestSold(await this.#pages<ProductFigures>('products')).slice(0, limit);
  }

  /** The first rows, page by page, for as long as they are wanted. */
  async #pages<Row>(
    report: string,
    more: Readonly<Record<string, string>> = {},
    isWanted: (row: Row) => boolean = () => true,
  ): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let offset = 0; offset < ROWS_MAX; offset += PAGE) {
      const query = { ...more, limit: String(PAGE), offset: String(offset) };
      const { results } = await this.#get<{ results: readonly Row[] }>(report, query);
      const wanted = results.filter(isWanted);
      rows.push(...wanted);
      if (wanted.length < PAGE) break;
    }
    return rows;
  }

  async #list<Row>(report: string, limit: number): Promise<readonly Row[]> {
    const { results } = await this.#get<{ results: readonly Row[] }>(report, { limit: String(limit) });
    return results;
  }

  #get<Answer>(report: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const query = new URLSearchParams({ ...this.#about, ...more });
    // Queries that found nothing are those of searches anyway.
    if (report === 'no-results') query.delete('context');
    return this.#client.call<Answer>('GET', `${ANALYTICS}/${report}?${query}`, undefined, { signal: this.#signal });
  }
}
