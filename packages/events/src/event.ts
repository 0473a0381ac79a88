/** The events of the interface, in the order of the numbers that they are stored under. */
export const EVENT_TYPES = [
  'SearchEvent',
  'CollectionViewEvent',
  'ClickEvent',
  'AddToCartEvent',
  'PurchaseEvent',
] as const;

export const PURCHASE = EVENT_TYPES.indexOf('PurchaseEvent');

export type EventType = (typeof EVENT_TYPES)[number];

/** The log entry of a shop's search: stored among the events of its session, and told to nobody. */
export const SEARCH_LOG = EVENT_TYPES.length;

/** The tags that say where an event came from. */
export const TRAFFIC_SOURCES: ReadonlySet<string> = new Set(
  ['web', 'app', 'web_mobile', 'web_desktop'].flatMap((source) => [`${source}_prod`, `${source}_staging`]),
);

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const BATCH_EVENTS_MAX = 1_000;

/** The bounds on when events may have happened. */
export interface TimeRules {
  /** The time by which a client's clock may be ahead of the server's. */
  readonly aheadMs: number;
  /** The greatest age of an event when it comes. */
  readonly ageMs: number;
}

export const TIME_RULES: TimeRules = { aheadMs: 10 * 60_000, ageMs: 30 * DAY_MS };

/**
 * Most that one piece may cost, and that all items of an order may come to, in units of its currency: fifty million euros
 * even in the currency of which most go into one.
 */
export const AMOUNT_MAX = 1e12;
/** Most pieces of an item, and of all items of an order. */
export const QUANTITY_MAX = 1e6;

/** An item of a click, cart or purchase. */
export interface Item {
  readonly docId: string;
  readonly quantity: number;
  /** Per piece, in units of the event's currency. */
  readonly price: number;
}

/** Members of an event as they came, once they have been checked. */
export type EventBody = Readonly<Record<string, unknown>>;

/** The facts of an event that figures are made of. */
export interface Facts {
  readonly key: string;
  /** Number of the user in the file of the month. */
  readonly user: number;
  readonly type: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Query, normalised, or collection; null of actions. */
  readonly term: string | null;
  readonly pageUrl: string | null;
  readonly referrerUrl: string | null;
  readonly queryId: string | null;
  readonly currency: string | null;
  readonly items: readonly Item[];
  readonly labels: readonly string[];
  /** Number of documents that a logged search found. */
  readonly hits: number;
}

/** Queries that differ by case, blanks or the form of their characters are one term. */
export function normalisedQuery(query: string): string {
  return query.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');
}

/** A checked event as figures look at it. */
export function factsOf({ type, at, key, user }: Pick<Facts, 'type' | 'at' | 'key' | 'user'>, body: EventBody): Facts {
  return {
    key,
    user,
    type,
    at,
    term: termOf(type, body),
    pageUrl: textOf(body.pageUrl),
    referrerUrl: textOf(body.referrerUrl),
    queryId: textOf(body.queryId),
    currency: textOf(body.currency),
    items: countedItemsOf(type, body),
    labels: type === SEARCH_LOG ? [] : labelsOf(body),
    hits: typeof body.hits === 'number' ? body.hits : 0,
  };
}

function termOf(type: number, { query, collectionId }: EventBody): string | null {
  if (typeof query === 'string' && (type === 0 || type === SEARCH_LOG)) return normalisedQuery(query);
  return type === 1 ? textOf(collectionId) : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Products of an action, or those that a logged search showed. */
export function itemsOf({ docId, quantity, price }: EventBody): Item[] {
  return listOf(docId).map((id, at) => ({
    docId: id as string,
    quantity: (listOf(quantity)[at] ?? 1) as number,
    price: (listOf(price)[at] ?? 0) as number,
  }));
}

/**
 * Items as figures count them: views have none, whatever members they come with, and of a purchase of more than is taken,
 * which was stored before there were bounds, nothing but the products counts.
 */
function countedItemsOf(type: number, body: EventBody): readonly Item[] {
  if (type <= 1) return [];
  const items = itemsOf(body);
  return type !== PURCHASE || isBounded(items) ? items : items.map(({ docId }) => ({ docId, quantity: 0, price: 0 }));
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function isBounded(items: readonly Item[]): boolean {
  return (
    items.every(({ quantity, price }) => isQuantity(quantity) && isPrice(price)) &&
    piecesOf(items) <= QUANTITY_MAX &&
    amountOf(items) <= AMOUNT_MAX
  );
}

export function isQuantity(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= QUANTITY_MAX;
}

export function isPrice(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0 && (value as number) <= AMOUNT_MAX;
}

export function piecesOf(items: readonly Item[]): number {
  return items.reduce((sum, { quantity }) => sum + quantity, 0);
}

/** Sums items up in units of their currency. */
export function amountOf(items: readonly Item[]): number {
  return items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
}

/** The first recognised traffic source, and the experiment. */
function labelsOf({ tags, experimentId }: EventBody): string[] {
  const source = Array.isArray(tags) ? tags.find((tag) => TRAFFIC_SOURCES.has(tag)) : undefined;
  const experiment = `pixel_experiment:${experimentId}`;
  return source === undefined ? [experiment] : [`user_source:${source}`, experiment];
}
