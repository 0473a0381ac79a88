import { PelorusError } from '@pelorus/contract';
import type { Shop, Shops } from '@pelorus/ecommerce';
import type { AnalyticsQuery, EventStore, NamedProduct } from '@pelorus/events';

/** Most products that are looked up for an answer: those that most events name. */
const PRODUCTS_MAX = 5_000;
/** Most products of a look-up in the index of a shop. */
const LOOK_UP_MAX = 100;
/** Most unknown products that are told of by name. */
const SHOWN_MAX = 20;

/** The events that name a product which no shop of the customer has; null where that cannot be told. */
export interface UnknownProducts {
  readonly unknownDocId: number | null;
  /** By events, the most first. */
  readonly unknownDocIds: readonly NamedProduct[];
}

const NOT_KNOWN: UnknownProducts = { unknownDocId: null, unknownDocIds: [] };

/** Compares products that events name with those that the shops of their customer have now. */
export class UnknownProductsReport {
  readonly #analytics: EventStore['analytics'];
  readonly #shops: Shops;

  constructor(analytics: EventStore['analytics'], shops: Shops) {
    this.#analytics = analytics;
    this.#shops = shops;
  }

  /** Not known of a customer without a shop, nor while one of the shops does not answer. */
  async of(query: Pick<AnalyticsQuery, 'customerId' | 'start' | 'end'>): Promise<UnknownProducts> {
    const shops = this.#shops.ofCustomer(query.customerId);
    if (shops.length === 0) return NOT_KNOWN;
    let unknown = await this.#analytics.namedProducts(query, PRODUCTS_MAX);
    try {
      for (const shop of shops) unknown = await this.#missingIn(shop, unknown);
    } catch (error) {
      if (error instanceof PelorusError) return NOT_KNOWN;
      throw error;
    }
    return {
      unknownDocId: unknown.reduce((sum, { events }) => sum + events, 0),
      unknownDocIds: unknown.slice(0, SHOWN_MAX),
    };
  }

  async #missingIn(shop: Shop, products: readonly NamedProduct[]): Promise<NamedProduct[]> {
    const missing: NamedProduct[] = [];
    for (let start = 0; start < products.length; start += LOOK_UP_MAX) {
      const batch = products.slice(start, start + LOOK_UP_MAX);
      const ids = batch.map(({ docId }) => docId);
      const { results } = await this.#shops.products.get(shop, ids);
      missing.push(...batch.filter((_, place) => results[place]?._found !== true));
    }
    return missing;
  }
}
