import { type View, viewsOf, WINDOW_MS } from './attribution.js';
import { DAY_MS, type Facts, HOUR_MS, type Item, piecesOf, SEARCH_LOG } from './event.js';

/** A table of figures: sums of counts by key. */
export interface FigureTable {
  readonly name: string;
  readonly keys: readonly string[];
  readonly counts: readonly string[];
}

const outcomes = ['queries', 'clicked', 'carted', 'bought', 'clicks', 'carts', 'purchases', 'sessions'] as const;
const range = ['customer', 'context', 'label', 'span', 'start'] as const;

/** An amount of money: `revenue_high` {@link MONEY_HIGH}s and `revenue` {@link MONEY_PARTS}, each of which is summed by itself. */
const money = ['revenue', 'revenue_high'] as const;

/**
 * The tables of figures. `span` is `h` for an hour or `d` for a day, which `start` is the first millisecond of. Counts
 * stand in rows of currency '', money in a row for each currency, in ten-thousandths, so that sums are exact in any order.
 */
export const TABLES = {
  totals: { name: 'totals', keys: [...range, 'currency'], counts: [...outcomes, 'orders', ...money] },
  /** `empty` and `found`: searches that are known to have found nothing, and something. */
  terms: {
    name: 'terms',
    keys: [...range, 'term', 'currency'],
    counts: [...outcomes, 'empty', 'found', 'orders', ...money],
  },
  products: {
    name: 'products',
    keys: [...range, 'doc', 'currency'],
    counts: ['impressions', 'clicks', 'carts', 'purchases', ...money],
  },
  /**
   * Matches that ranking goes by: searches alone, by the day. A session that asks the same again is shown nothing new.
   */
  matches: { name: 'matches', keys: ['customer', 'start', 'term', 'doc'], counts: ['impressions'] },
  /** Choices of each shopper after a search, by the number of the user in the file of the month. */
  choices: {
    name: 'choices',
    keys: ['customer', 'start', 'term', 'doc', 'shopper'],
    counts: ['clicks', 'carts', 'purchases'],
  },
  /** Searches of each shopper, by the number of the user in the file of the month. */
  searchers: { name: 'searchers', keys: ['customer', 'start', 'term', 'shopper'], counts: ['queries'] },
  /** Clicks, carts and purchases that name a product, whether or not they belong to a view. */
  actions: { name: 'actions', keys: ['customer', 'span', 'start', 'doc'], counts: ['events'] },
} as const satisfies Record<string, FigureTable>;

export type TableName = keyof typeof TABLES;

/** Parts of a unit of currency that amounts are counted in. */
export const MONEY_PARTS = 10_000;
/**
 * Parts that go over into `revenue_high`. An order comes to 10^16 parts at most, of which either count gets 10^8: 90
 * billion orders fit into the 64 bits that SQLite adds up, which is more than its files hold.
 */
export const MONEY_HIGH = 1e8;

/** Counts by the names of a table's. */
type Counts = Readonly<Record<string, number>>;

interface Sum {
  readonly table: TableName;
  readonly key: readonly (string | number)[];
  readonly counts: Record<string, number>;
}

/** The sums to add to rows of figures. Only rows of hours are added to: those of days follow from them. */
export class Sums {
  readonly #sums = new Map<string, Sum>();

  add(table: TableName, key: readonly (string | number)[], counts: Counts, sign: 1 | -1): void {
    const id = JSON.stringify([table, ...key]);
    const sum = this.#sums.get(id) ?? { table, key, counts: {} };
    this.#sums.set(id, sum);
    for (const [name, count] of Object.entries(counts)) sum.counts[name] = (sum.counts[name] ?? 0) + sign * count;
  }

  /** Rows that something changes in: those that were added to, and those of the days of the hours among them. */
  *rows(): Generator<Sum> {
    const days = new Sums();
    for (const sum of this.#sums.values()) {
      if (Object.values(sum.counts).every((count) => count === 0)) continue;
      yield sum;
      if (hasDays(sum.table)) days.add(sum.table, dayOf(sum.table, sum.key), sum.counts, 1);
    }
    for (const sum of days.#sums.values()) {
      if (Object.values(sum.counts).some((count) => count !== 0)) yield sum;
    }
  }
}

/** Tells whether a table has rows of hours, which those of days follow from. */
export function hasDays(table: TableName): boolean {
  return (TABLES[table].keys as readonly string[]).includes('span');
}

/** The key of the day of a row of an hour. */
function dayOf(table: TableName, key: Sum['key']): Sum['key'] {
  const span = (TABLES[table].keys as readonly string[]).indexOf('span');
  return key.with(span, 'd').with(span + 1, startOf(key[span + 1] as number, DAY_MS));
}

/** The views of a session's events that are counted: those from `from` to `to`, both included. */
export interface Counted {
  readonly customer: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Adds the difference that a session has the events `to` in place of `from`, one of which holds the other. A view
 * depends on events of its session within a day of it, no others: with those at hand its sums are the same as among all
 * events of all time.
 */
export function addDifference(sums: Sums, from: readonly Facts[], to: readonly Facts[], counted: Counted): void {
  const old = countedViews(from, counted);
  const grown = countedViews(to, counted);
  for (const [event, is] of grown) {
    const was = old.get(event);
    if (was !== undefined && isSame(was, is)) continue;
    if (was !== undefined) addView(sums, counted.customer, was, -1);
    addView(sums, counted.customer, is, 1);
  }
  for (const [event, was] of old) if (!grown.has(event)) addView(sums, counted.customer, was, -1);
  const [had, has] = [new Set(from), new Set(to)];
  for (const event of to) if (!had.has(event)) addAction(sums, counted.customer, event, 1);
  for (const event of from) if (!has.has(event)) addAction(sums, counted.customer, event, -1);
}

/** Adds an event to the products that it names, each once. */
function addAction(sums: Sums, customer: string, { type, at, items }: Facts, sign: 1 | -1): void {
  if (type === SEARCH_LOG) return;
  const hour = startOf(at, HOUR_MS);
  for (const doc of new Set(items.map(({ docId }) => docId))) {
    sums.add('actions', [customer, 'h', hour, doc], { events: 1 }, sign);
  }
}

/** Tells whether no view of the same context was in the day before, of the label at all and of the term. */
interface Firsts {
  readonly total: boolean;
  readonly term: boolean;
}

interface CountedView {
  readonly view: View;
  /** By label, '' of views with any and none. */
  readonly firsts: ReadonlyMap<string, Firsts>;
}

function countedViews(events: readonly Facts[], { from, to }: Counted): Map<Facts, CountedView> {
  const counted = new Map<Facts, CountedView>();
  /** The time of the last view of a context and label, and of these with a term. */
  const lastAt = new Map<string, number>();
  const isFirst = (key: string, at: number) => {
    const isIt = at - (lastAt.get(key) ?? Number.NEGATIVE_INFINITY) > WINDOW_MS;
    lastAt.set(key, at);
    return isIt;
  };
  for (const view of viewsOf(events)) {
    const { at, labels } = view.event;
    const firsts = new Map<string, Firsts>();
    for (const label of new Set(['', ...labels])) {
      const of = (...term: string[]) => isFirst(JSON.stringify([view.context, label, ...term]), at);
      firsts.set(label, { total: of(), term: of(view.term) });
    }
    if (at >= from && at <= to) counted.set(view.event, { view, firsts });
  }
  return counted;
}

/** Tells whether a view counts the same among more or fewer events. */
function isSame(a: CountedView, b: CountedView): boolean {
  const isSameList = (of: (view: View) => readonly unknown[]) => {
    const [ofA, ofB] = [of(a.view), of(b.view)];
    return ofA.length === ofB.length && ofA.every((item, place) => item === ofB[place]);
  };
  return (
    [...a.firsts].every(([label, { total, term }]) => {
      const other = b.firsts.get(label);
      return other?.total === total && other.term === term;
    }) &&
    isSameList(({ clicks }) => clicks) &&
    isSameList(({ carts }) => carts) &&
    isSameList(({ purchases }) => purchases.flatMap(({ items }) => items)) &&
    isSameList(({ log }) => [log?.hits, ...(log?.shown ?? [])])
  );
}

function addView(sums: Sums, customer: string, { view, firsts }: CountedView, sign: 1 | -1): void {
  const { event, context, term } = view;
  const counts = countsOf(view);
  const amounts = moneyOf(view);
  const products = productsOf(view);
  for (const [label, first] of firsts) {
    const sessions = { total: Number(first.total), term: Number(first.term) };
    const key = [customer, context, label, 'h', startOf(event.at, HOUR_MS)];
    sums.add('totals', [...key, ''], { ...counts, sessions: sessions.total }, sign);
    sums.add('terms', [...key, term, ''], { ...counts, ...foundOf(view), sessions: sessions.term }, sign);
    for (const [currency, amount] of amounts) {
      sums.add('totals', [...key, currency], amount, sign);
      sums.add('terms', [...key, term, currency], amount, sign);
    }
    for (const row of products) sums.add('products', [...key, row.doc, row.currency], row.counts, sign);
  }
  if (context !== 'searches') return;
  sums.add('searchers', [customer, startOf(event.at, DAY_MS), term, event.user], { queries: 1 }, sign);
  for (const { doc, currency, counts: product } of products) {
    if (currency !== '') continue;
    const match = [customer, startOf(event.at, DAY_MS), term, doc];
    if (!('impressions' in product)) sums.add('choices', [...match, event.user], product, sign);
    else if (firsts.get('')?.term) sums.add('matches', match, product, sign);
  }
}

export function startOf(at: number, spanMs: number): number {
  return Math.floor(at / spanMs) * spanMs;
}

function countsOf({ clicks, carts, purchases }: View) {
  const items = purchases.reduce((sum, purchase) => sum + piecesOf(purchase.items), 0);
  return {
    queries: 1,
    clicked: Number(clicks.length > 0),
    carted: Number(carts.length > 0),
    bought: Number(purchases.length > 0),
    clicks: clicks.length,
    carts: carts.length,
    purchases: items,
  };
}

function foundOf({ log }: View) {
  return { empty: Number(log?.hits === 0), found: Number(log !== null && log.hits > 0) };
}

/** Sums items up in parts, exactly: each by its price in whole parts. */
function partsOf(items: readonly Item[]): bigint {
  return items.reduce(
    (sum, { quantity, price }) => sum + BigInt(Math.round(price * MONEY_PARTS)) * BigInt(quantity),
    0n,
  );
}

function revenueOf(parts: bigint): { revenue: number; revenue_high: number } {
  const high = BigInt(MONEY_HIGH);
  return { revenue: Number(parts % high), revenue_high: Number(parts / high) };
}

/** An amount in units of its currency: the nearest number to it. */
export function unitsOf({
  revenue,
  revenue_high,
}: {
  readonly revenue: number;
  readonly revenue_high: number;
}): number {
  return (revenue_high * MONEY_HIGH + revenue) / MONEY_PARTS;
}

function moneyOf({ purchases }: View): Map<string, Counts> {
  const money = new Map<string, { orders: number; parts: bigint }>();
  for (const { currency, items } of purchases) {
    const sum = money.get(currency) ?? { orders: 0, parts: 0n };
    money.set(currency, { orders: sum.orders + 1, parts: sum.parts + partsOf(items) });
  }
  return new Map([...money].map(([currency, { orders, parts }]) => [currency, { orders, ...revenueOf(parts) }]));
}

/** Counts of each product; its revenue in rows of their currencies. */
function productsOf({ clicks, carts, purchases, log }: View) {
  const rows: { doc: string; currency: string; counts: Counts }[] = [];
  for (const { docId } of log?.shown ?? []) rows.push({ doc: docId, currency: '', counts: { impressions: 1 } });
  for (const { docId } of clicks) rows.push({ doc: docId, currency: '', counts: { clicks: 1 } });
  for (const { docId } of carts) rows.push({ doc: docId, currency: '', counts: { carts: 1 } });
  for (const { currency, items } of purchases) {
    for (const item of items) {
      rows.push({ doc: item.docId, currency: '', counts: { purchases: item.quantity } });
      rows.push({ doc: item.docId, currency, counts: revenueOf(partsOf([item])) });
    }
  }
  return rows;
}
