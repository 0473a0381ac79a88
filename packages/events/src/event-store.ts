import type { UbiRecords } from './ubi.js';

/** The subject of figures: searches and their terms, or views of collections. */
export type Context = 'searches' | 'collections';

/** An event of a batch that something is to be said about. */
export interface RejectedEvent {
  /** Its place in the batch. */
  readonly index: number;
  /** 200 of an event that is stored all the same, 400 of one that is not. */
  readonly status: 200 | 400;
  readonly code: string;
  readonly message: string;
}

/** The outcome of a batch. The events that it counts as accepted are durable. */
export interface AcceptedEvents {
  readonly received: number;
  readonly accepted: number;
  readonly duplicates: number;
  readonly items: readonly RejectedEvent[];
}

/** A search that the shop answered. One of no session is not noted: it cannot be told what it led to. */
export interface LoggedSearch {
  readonly customerId: string;
  readonly query: string;
  /** The number of documents that the search found. */
  readonly hits: number;
  /** Ids of the documents on the page of hits, best first; at most 100 of them are kept. */
  readonly shown?: readonly string[];
  readonly queryId?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Part of the figures: one customer, one context, whole hours. */
export interface AnalyticsQuery {
  readonly customerId: string;
  readonly context: Context;
  /** Milliseconds since 1970, the first of an hour; `end` is not part of the range. */
  readonly start: number;
  readonly end: number;
  /** One query or collection; all when absent. */
  readonly term?: string;
  /** `user_source:<traffic source>` or `pixel_experiment:<id>`; events with any label and none when absent. */
  readonly label?: string;
}

/** Amounts of money in units of each currency, by its code. Currencies are never added up. */
export type MoneyByCurrency = Readonly<Record<string, number>>;

/**
 * Figures of a range. A query is a `SearchEvent`, or a `CollectionViewEvent` in the context of collections. Rates are
 * shares of queries, from 0 to 1, that led to at least one such action within 24 hours; an action counts in the hour of
 * the query that it belongs to. They are exact.
 */
export interface Metrics {
  readonly totalQueries: number;
  readonly clickThroughRate: number;
  readonly addToCartRate: number;
  readonly conversionRate: number;
  readonly averageOrderValue: MoneyByCurrency;
  readonly totalRevenue: MoneyByCurrency;
  readonly totalClicks: number;
  readonly totalAddToCarts: number;
  /** Items bought, not orders. */
  readonly totalPurchases: number;
  /** Sessions with such a query, each counted in the hour of its first one in 24 hours. */
  readonly totalSessions: number;
}

export interface TimePoint extends Metrics {
  /** Milliseconds since 1970. */
  readonly start: number;
}

export interface TermMetrics extends Metrics {
  readonly term: string;
}

export interface NoResultTerm {
  readonly term: string;
  /** The number of searches for it that are known to have found nothing. */
  readonly count: number;
  readonly sessions: number;
  /** Milliseconds since 1970, the first of a day. */
  readonly lastSeen: number;
}

export interface NoClickTerm {
  readonly term: string;
  readonly count: number;
  readonly sessions: number;
  readonly lastSeen: number;
}

export interface ProductMetrics {
  readonly docId: string;
  /** The number of times that it stood on a logged page of hits. */
  readonly impressions: number;
  readonly clicks: number;
  readonly addToCarts: number;
  readonly purchases: number;
  readonly revenue: MoneyByCurrency;
}

export interface LabelCount {
  readonly label: string;
  readonly queries: number;
}

/** The problems of incoming events, in whole hours of their coming. */
export interface DataQuality {
  readonly accepted: number;
  readonly duplicates: number;
  /** Accepted more than an hour after it happened. */
  readonly late: number;
  readonly rejected: number;
  /** Rejected events by the code of their fault. */
  readonly rejectedByReason: Readonly<Record<string, number>>;
}

/** The numbers of clicks, carts and purchases that name a product. */
export interface NamedProduct {
  readonly docId: string;
  readonly events: number;
}

/** The figures of shops, read from roll-ups by the hour and the day. */
export interface Analytics {
  summary(query: AnalyticsQuery): Promise<Metrics>;
  timeSeries(query: AnalyticsQuery, interval: 'hour' | 'day'): Promise<readonly TimePoint[]>;
  /** Terms by `sort`, the highest first, then by name; amounts of money are sorted by the sum in `currency`. */
  terms(
    query: AnalyticsQuery,
    page: { sort: keyof Metrics; limit: number; offset: number; currency?: string },
  ): Promise<readonly TermMetrics[]>;
  noResults(query: AnalyticsQuery, page: { limit: number; offset: number }): Promise<readonly NoResultTerm[]>;
  noClicks(query: AnalyticsQuery, page: { limit: number; offset: number }): Promise<readonly NoClickTerm[]>;
  /** By clicks, the most first, then by id. */
  products(query: AnalyticsQuery, page: { limit: number; offset: number }): Promise<readonly ProductMetrics[]>;
  labels(query: AnalyticsQuery): Promise<readonly LabelCount[]>;
  dataQuality(query: Pick<AnalyticsQuery, 'customerId' | 'start' | 'end'>): Promise<DataQuality>;
  /** The products that most clicks, carts and purchases of the range name, whether or not these belong to a view. */
  namedProducts(
    query: Pick<AnalyticsQuery, 'customerId' | 'start' | 'end'>,
    limit: number,
  ): Promise<readonly NamedProduct[]>;
}

/**
 * The figures of a product from shoppers' actions. Counts are decayed by age, rates are smoothed towards the customer's
 * mean.
 */
export interface ProductSignal {
  readonly docId: string;
  /** From 0, nobody cares, towards 1. */
  readonly popularity: number;
  /** Clicks of each time it was shown. */
  readonly clickRate: number;
  /** Purchases of each click. */
  readonly conversionRate: number;
}

export interface ProductSignals {
  /** One entry for each product that something is known of. */
  readonly overall: readonly ProductSignal[];
  /** As `overall`, of each query as {@link EventStore} normalises it. */
  readonly byQuery: ReadonlyMap<string, readonly ProductSignal[]>;
}

export interface TopQuery {
  readonly query: string;
  readonly count: number;
  /** Users who searched for it; one of two months counts as two. */
  readonly users: number;
  /** Tells whether a logged search for it found anything; null where none was logged. */
  readonly findsSomething: boolean | null;
}

/** The products that users chose after a query. */
export interface QueryChoices {
  readonly query: string;
  /** Users who chose any; one of two months counts as two. */
  readonly users: number;
  /** By the number of users, most first; each user counts once for a product, by the strongest action. */
  readonly products: readonly {
    readonly docId: string;
    readonly clicked: number;
    readonly carted: number;
    readonly bought: number;
  }[];
}

export interface RecentEvent {
  readonly eventType: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Query or collection of a view; null of other events. */
  readonly term: string | null;
  /** Products of a click, cart or purchase. */
  readonly docIds: readonly string[];
}

export interface ErasureJob {
  readonly jobId: string;
  readonly state: 'pending' | 'done';
  /** ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** A part of the store that does not work, and why. */
export interface EventProblem {
  /** Red where something that was asked for cannot be done, yellow where it is made good or tried again. */
  readonly status: 'yellow' | 'red';
  readonly reason: string;
}

/** Events of one user as they came, oldest first. */
export interface ExportedEvents {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** The value of `after` for the events that follow; null at the end. */
  readonly next: string | null;
}

/** Events of a customer in the form of User Behavior Insights, month by month in the order of their coming. */
export interface ExportedUbi extends UbiRecords {
  /** The value of `after` for the events that follow; null where none follow. */
  readonly next: string | null;
}

/** The shopper whose events are asked for: those of the user, those of the session, or both together. */
export interface Shopper {
  readonly userId?: string;
  readonly sessionId?: string;
}

/** Events that came since the start, by what became of them, and those that wait to be stored. */
export interface EventCounts {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: number;
  /** Those that were sent back, as the store could not take them. */
  readonly refused: number;
  readonly waiting: number;
}

/**
 * The events of shoppers: kept durably, and made into figures. Queries are compared in NFKC, lower case, single blanks.
 */
export interface EventStore {
  /**
   * Stores the valid events of a batch, each once. Resolves when they are durable.
   * @throws PelorusError `service_unavailable` when too much waits already, or the store cannot be written
   */
  accept(customerId: string, events: readonly unknown[]): Promise<AcceptedEvents>;
  /** Notes a search for the figures. Costs nothing much, and may be dropped when the store is busy. */
  logSearch(search: LoggedSearch): void;
  /** The number of searches that were not noted since the start. */
  readonly droppedSearches: number;
  /** The events that came since the start. */
  readonly counts: EventCounts;

  readonly analytics: Analytics;
  /** Signals for ranking from the figures of days since `since`, in milliseconds since 1970. */
  productSignals(customerId: string, since: number): Promise<ProductSignals>;
  /** Queries by users, the most first. */
  topQueries(customerId: string, options: { since: number; limit: number }): Promise<readonly TopQuery[]>;
  /** The queries after which at least `usersMin` users chose something in the days since `since`, those of most first. */
  queryChoices(
    customerId: string,
    options: { since: number; usersMin: number; limit: number },
  ): Promise<readonly QueryChoices[]>;
  /** The last 20 events of a shopper, the latest first; none of a user who is being erased, by the session either. */
  recentOf(customerId: string, shopper: Shopper): Promise<readonly RecentEvent[]>;

  /** Keeps raw events of a customer for `days`, from 1 to 730; older ones are deleted a moment later. Figures without user data are kept on. */
  setRetention(customerId: string, days: number): Promise<void>;
  /** For how many days raw events of a customer are kept. */
  retentionOf(customerId: string): Promise<number>;
  exportUser(customerId: string, userId: string, after?: string): Promise<ExportedEvents>;
  exportUbi(customerId: string, after?: string): Promise<ExportedUbi>;
  /** Hides the user at once, and then removes every trace of the id. Resolves when the order is durable. */
  eraseUser(customerId: string, userId: string): Promise<ErasureJob>;
  erasure(jobId: string): Promise<ErasureJob | undefined>;
  /** Makes the figures of all hours whose raw events are there anew. */
  rebuild(): Promise<void>;
  /**
   * Copies all files, as they are at one moment, to a folder that is made: a store can be opened there. Events are taken
   * meanwhile.
   * @returns the names of the files
   */
  copyTo(folder: string): Promise<readonly string[]>;
  /** The problems that there are at the moment. */
  readonly problems: readonly EventProblem[];
  /** Resolves when the figures know everything accepted before. */
  settled(): Promise<void>;
  /** Ends work under way, then the thread. */
  close(): Promise<void>;
}
