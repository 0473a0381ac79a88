import { DAY_MS, type Facts, type Item, SEARCH_LOG } from './event.js';
import type { Context } from './event-store.js';

/** A search or view of a collection, with everything that it led to. */
export interface View {
  readonly event: Facts;
  readonly context: Context;
  readonly term: string;
  readonly clicks: Item[];
  readonly carts: Item[];
  readonly purchases: { readonly currency: string; readonly items: readonly Item[] }[];
  /** The search's own log entry: how many hits it found and showed; null where nothing is known. */
  log: { readonly hits: number; readonly shown: readonly Item[] } | null;
}

/** The longest time from a view to an action that belongs to it, and between views of one session. */
export const WINDOW_MS = DAY_MS;

/** The longest time between a logged search without an id and its event. */
const LOG_DISTANCE_MS = 60_000;

/**
 * The views of a session, oldest first, with the actions that belong to each.
 *
 * A click belongs to the last view at or before it, within a day, of its `queryId` where both have one, and else of its
 * page. So does a cart, whose page may also be the product's: then its referrer counts, and else the last click of the
 * product. An item bought belongs where the last click or cart of that product does, when the view is within a day.
 */
export function viewsOf(events: readonly Facts[]): View[] {
  const ordered = [...events].sort(byTime);
  const views: View[] = [];
  /** The view that the last click or cart of each product belongs to, and when that was. */
  const touched = new Map<string, { readonly view: View; readonly at: number }>();
  for (const event of ordered) {
    if (event.type <= 1) views.push(viewOf(event));
    else if (event.type === 2 || event.type === 3) attribute(event, views, touched);
    else if (event.type === 4) attributePurchase(event, touched);
  }
  const logs = ordered.filter(({ type }) => type === SEARCH_LOG);
  if (logs.length > 0) for (const view of views) view.log = logOf(view, logs);
  return views;
}

/** By time; of one moment a view is before what it may have led to; the rest is settled by the key. */
function byTime(a: Facts, b: Facts): number {
  return a.at - b.at || a.type - b.type || (a.key < b.key ? -1 : Number(a.key > b.key));
}

function viewOf(event: Facts): View {
  const context = event.type === 0 ? 'searches' : 'collections';
  return { event, context, term: event.term as string, clicks: [], carts: [], purchases: [], log: null };
}

function attribute(
  event: Facts,
  views: readonly View[],
  touched: Map<string, { readonly view: View; readonly at: number }>,
): void {
  const [item] = event.items;
  if (item === undefined) return;
  let view = lastView(event, views, event.pageUrl);
  if (view === undefined && event.type === 3) {
    view = lastView(event, views, event.referrerUrl) ?? recent(touched.get(item.docId), event.at);
  }
  if (view === undefined) {
    touched.delete(item.docId);
    return;
  }
  (event.type === 2 ? view.clicks : view.carts).push(item);
  touched.set(item.docId, { view, at: event.at });
}

function lastView(event: Facts, views: readonly View[], page: string | null): View | undefined {
  for (let at = views.length - 1; at >= 0; at -= 1) {
    const view = views[at] as View;
    if (event.at - view.event.at > WINDOW_MS) return undefined;
    const { queryId, pageUrl } = view.event;
    const isIt = event.queryId !== null && queryId !== null ? event.queryId === queryId : page === pageUrl;
    if (isIt) return view;
  }
  return undefined;
}

function recent(touch: { readonly view: View; readonly at: number } | undefined, now: number): View | undefined {
  return touch !== undefined && now - touch.view.event.at <= WINDOW_MS ? touch.view : undefined;
}

function attributePurchase(
  event: Facts,
  touched: ReadonlyMap<string, { readonly view: View; readonly at: number }>,
): void {
  const bought = new Map<View, Item[]>();
  for (const item of event.items) {
    const view = recent(touched.get(item.docId), event.at);
    if (view === undefined) continue;
    const items = bought.get(view) ?? [];
    items.push(item);
    bought.set(view, items);
  }
  for (const [view, items] of bought) view.purchases.push({ currency: event.currency as string, items });
}

/** The logged search of a view: by id where both have one, else the nearest one for the same query. */
function logOf({ event, context, term }: View, logs: readonly Facts[]): View['log'] {
  if (context !== 'searches') return null;
  let nearest: Facts | undefined;
  for (const log of logs) {
    const distance = Math.abs(log.at - event.at);
    const isNamed = event.queryId !== null && log.queryId !== null;
    const isIt = isNamed
      ? log.queryId === event.queryId && distance <= WINDOW_MS
      : log.term === term && distance <= LOG_DISTANCE_MS;
    if (isIt && (nearest === undefined || distance < Math.abs(nearest.at - event.at))) nearest = log;
  }
  return nearest === undefined ? null : { hits: nearest.hits, shown: nearest.items };
}
