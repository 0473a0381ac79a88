import type { AnalyticsQuery, Metrics, NamedProduct } from '../src/event-store.js';
import type { Given } from './generator.js';

/**
 * The figures as they must be, from plain loops over all events: slow, and written from the rules alone. It shares
 * nothing with the store.
 */
export class Oracle {
  /** Valid events, each once. */
  readonly #sessions = new Map<string, Given[]>();
  readonly #owners = new WeakMap<readonly Given[], Owners>();
  readonly #seen = new Set<string>();

  /** Takes an event that is valid, or one that is not valid and has no timestamp that counts. */
  add(event: Given): 'accepted' | 'duplicate' {
    const { customerId, eventType, userId, sessionId, query, collectionId, docId } = event;
    const id = JSON.stringify([
      customerId,
      eventType,
      userId,
      sessionId,
      timeOf(event),
      query ?? collectionId ?? docId,
    ]);
    if (this.#seen.has(id)) return 'duplicate';
    this.#seen.add(id);
    const events = this.#sessions.get(sessionId as string) ?? [];
    this.#sessions.set(sessionId as string, events);
    events.push(event);
    return 'accepted';
  }

  /** Forgets a user. */
  erase(userId: string): void {
    for (const [name, events] of this.#sessions)
      this.#sessions.set(
        name,
        events.filter((event) => event.userId !== userId),
      );
  }

  eventsOf(userId: string): Given[] {
    return [...this.#sessions.values()].flat().filter((event) => event.userId === userId);
  }

  /** Counts the clicks, carts and purchases of a range that name each product. */
  namedProducts({ start, end }: Pick<AnalyticsQuery, 'start' | 'end'>): NamedProduct[] {
    const counts = new Map<string, number>();
    for (const event of [...this.#sessions.values()].flat()) {
      if (timeOf(event) < start || timeOf(event) >= end || event.docId === undefined) continue;
      for (const id of new Set(list(event.docId) as string[])) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const rows = [...counts].map(([docId, events]) => ({ docId, events }));
    return rows.sort((a, b) => b.events - a.events || (a.docId < b.docId ? -1 : 1));
  }

  /** The view to which every action of a session belongs, found once. */
  #ownersIn(events: readonly Given[]): Owners {
    const known = this.#owners.get(events);
    if (known !== undefined && known.size === events.length) return known;
    const owners = new Map(events.map((event) => [event, ownersOf(event, events)]));
    this.#owners.set(events, owners);
    return owners;
  }

  metrics({ context, start, end, term, label }: AnalyticsQuery): Metrics {
    const kind = context === 'searches' ? 'SearchEvent' : 'CollectionViewEvent';
    const counts = { queries: 0, clicked: 0, carted: 0, bought: 0, clicks: 0, carts: 0, purchases: 0, sessions: 0 };
    const money = new Map<string, { orders: number; revenue: number }>();
    for (const events of this.#sessions.values()) {
      const owners = this.#ownersIn(events);
      for (const view of events.filter(({ eventType }) => eventType === kind)) {
        const isCounted = timeOf(view) >= start && timeOf(view) < end;
        if (!isCounted || (term !== undefined && termOf(view) !== term) || !hasLabel(view, label)) continue;
        counts.queries += 1;
        const isFirst = !events.some((other) => {
          const isSame =
            other.eventType === kind && (term === undefined || termOf(other) === term) && hasLabel(other, label);
          return isSame && isBefore(other, view) && timeOf(view) - timeOf(other) <= DAY;
        });
        if (isFirst) counts.sessions += 1;
        const led = (type: string) =>
          events.filter((event) => event.eventType === type && owners.get(event)?.includes(view));
        const [clicks, carts, purchases] = [led('ClickEvent'), led('AddToCartEvent'), led('PurchaseEvent')];
        counts.clicks += clicks.length;
        counts.carts += carts.length;
        counts.clicked += Number(clicks.length > 0);
        counts.carted += Number(carts.length > 0);
        counts.bought += Number(purchases.length > 0);
        for (const event of purchases) {
          const currency = String(event.currency).toUpperCase();
          const sum = money.get(currency) ?? { orders: 0, revenue: 0 };
          money.set(currency, sum);
          sum.orders += 1;
          for (const [place, owner] of (owners.get(event) ?? []).entries()) {
            if (owner !== view) continue;
            const [quantity, price] = [list(event.quantity)[place] as number, list(event.price)[place] as number];
            counts.purchases += quantity;
            sum.revenue += quantity * price;
          }
        }
      }
    }
    const rate = (count: number) => (counts.queries === 0 ? 0 : count / counts.queries);
    const byCurrency = (of: (sum: { orders: number; revenue: number }) => number) =>
      Object.fromEntries([...money].map(([currency, sum]) => [currency, of(sum)]));
    return {
      totalQueries: counts.queries,
      clickThroughRate: rate(counts.clicked),
      addToCartRate: rate(counts.carted),
      conversionRate: rate(counts.bought),
      averageOrderValue: byCurrency(({ revenue, orders }) => round(revenue) / orders),
      totalRevenue: byCurrency(({ revenue }) => round(revenue)),
      totalClicks: counts.clicks,
      totalAddToCarts: counts.carts,
      totalPurchases: counts.purchases,
      totalSessions: counts.sessions,
    };
  }
}

type Owners = ReadonlyMap<Given, readonly (Given | undefined)[]>;

const DAY = 86_400_000;

/** A sum of prices without what floats add to it. */
function round(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}

function timeOf({ timestamp }: Given): number {
  return Date.parse(timestamp as string);
}

const order = ['SearchEvent', 'CollectionViewEvent', 'ClickEvent', 'AddToCartEvent', 'PurchaseEvent'];

function isBefore(a: Given, b: Given): boolean {
  const rank = ({ eventType }: Given) => order.indexOf(eventType as string);
  return timeOf(a) < timeOf(b) || (timeOf(a) === timeOf(b) && rank(a) < rank(b));
}

export function termOf({ query, collectionId }: Given): string {
  if (collectionId !== undefined) return collectionId as string;
  return (query as string).normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');
}

const sources = /^(web|app|web_mobile|web_desktop)_(prod|staging)$/;

function hasLabel({ tags, experimentId }: Given, label: string | undefined): boolean {
  if (label === undefined) return true;
  const source = ((tags as string[]) ?? []).find((tag) => sources.test(tag));
  return label === `user_source:${source}` || label === `pixel_experiment:${experimentId}`;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** The view that each item of an action belongs to. */
function ownersOf(action: Given, events: readonly Given[]): (Given | undefined)[] {
  if (action.eventType === 'PurchaseEvent')
    return list(action.docId).map((docId) => ownerThroughProduct(docId, action, events));
  if (action.eventType === 'ClickEvent') return [ownerThroughPage(action, events, action.pageUrl)];
  if (action.eventType !== 'AddToCartEvent') return [];
  return [ownerOfCart(action, events)];
}

function ownerOfCart(cart: Given, events: readonly Given[]): Given | undefined {
  return (
    ownerThroughPage(cart, events, cart.pageUrl) ??
    ownerThroughPage(cart, events, cart.referrerUrl) ??
    ownerThroughProduct(cart.docId, cart, events)
  );
}

function ownerThroughPage(action: Given, events: readonly Given[], page: unknown): Given | undefined {
  return last(
    events.filter((view) => {
      if (view.eventType !== 'SearchEvent' && view.eventType !== 'CollectionViewEvent') return false;
      if (!isBefore(view, action) || timeOf(action) - timeOf(view) > DAY) return false;
      const isNamed = view.queryId !== undefined && action.queryId !== undefined;
      return isNamed ? view.queryId === action.queryId : view.pageUrl === page;
    }),
  );
}

/** The view of the last click or cart of a product, where it is within a day. */
function ownerThroughProduct(docId: unknown, action: Given, events: readonly Given[]): Given | undefined {
  const touch = last(
    events.filter(({ eventType, docId: own }, place) => {
      const isTouch = eventType === 'ClickEvent' || eventType === 'AddToCartEvent';
      return isTouch && own === docId && isBefore(events[place] as Given, action);
    }),
  );
  if (touch === undefined) return undefined;
  const [view] = ownersOf(touch, events);
  return view !== undefined && timeOf(action) - timeOf(view) <= DAY ? view : undefined;
}

function last(events: readonly Given[]): Given | undefined {
  return events.reduce<Given | undefined>(
    (latest, event) => (latest === undefined || isBefore(latest, event) ? event : latest),
    undefined,
  );
}
