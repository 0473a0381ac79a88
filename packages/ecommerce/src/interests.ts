import type { Settings } from './settings.js';
import type { Shop } from './shop.js';
import { customerOf, type ShopperFigures } from './shopper-figures.js';

/** The worth of an action of a shopper in clicks. */
export const EVENT_WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['PurchaseEvent', 4],
  ['AddToCartEvent', 3],
  ['ClickEvent', 1],
]);
/** After this time an action tells half as much. */
const HALF_LIFE_MS = 7 * 24 * 60 * 60 * 1000;
const PRODUCTS_MAX = 100;
/** Time that a search waits for interests, which only change the order of its hits. */
const WAIT_MS = 50;

/** Weights of products, by id. */
export type Weights = Readonly<Record<string, number>>;

/** The products of most weight, at most `countMax`. An object has ids of digits first, whatever their weight. */
export function strongest(weights: Weights, countMax: number): Weights {
  const sorted = Object.entries(weights).toSorted(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.slice(0, countMax));
}

/** The ids of a shopper, as far as the page knows them. */
export interface ShopperIds {
  readonly userId?: string | null;
  readonly sessionId?: string | null;
}

/** The interest of shoppers in products, from their last actions. */
export class Interests {
  readonly #figures: ShopperFigures | undefined;
  readonly #now: () => number;

  /**
   * @param figures absent where nobody counts what shoppers do
   * @param now milliseconds since 1970
   */
  constructor(figures: ShopperFigures | undefined, now: () => number) {
    this.#figures = figures;
    this.#now = now;
  }

  /** The products that a shopper had to do with of late; none of one who is not known. */
  async of(shop: Shop, settings: Settings, { userId, sessionId }: ShopperIds): Promise<Weights> {
    if (this.#figures === undefined || (userId == null && sessionId == null)) return {};
    const shopper = { ...(userId != null && { userId }), ...(sessionId != null && { sessionId }) };
    const weights: Record<string, number> = {};
    for (const { eventType, at, docIds } of await this.#figures.recentOf(customerOf(shop, settings), shopper)) {
      const weight = (EVENT_WEIGHTS.get(eventType) ?? 0) * 0.5 ** (Math.max(0, this.#now() - at) / HALF_LIFE_MS);
      if (weight > 0) for (const id of docIds) weights[id] = (weights[id] ?? 0) + weight;
    }
    return strongest(weights, PRODUCTS_MAX);
  }

  /** As {@link of}; none where that fails or takes longer than a search waits for it. */
  async soon(shop: Shop, settings: Settings, shopper: ShopperIds): Promise<Weights> {
    const { promise: late, resolve } = Promise.withResolvers<Weights>();
    const timer = setTimeout(() => resolve({}), WAIT_MS);
    try {
      return await Promise.race([this.of(shop, settings, shopper), late]);
    } catch {
      // Hits in the order of everybody are better than none.
      return {};
    } finally {
      clearTimeout(timer);
    }
  }
}
