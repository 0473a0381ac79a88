import type { Pelorus } from '@pelorus/client';

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

  noClicks(limit: number): Promise<readonly LackingTerm[]> {
    return this.#list<LackingTerm>('no-clicks', limit);
  }

  products(limit: number): Promise<readonly ProductFigures[]> {
    return this.#list<ProductFigures>('products', limit);
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
