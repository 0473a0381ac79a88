import { anyOf, equals, type Filters } from './filters.js';
import { IdMap } from './id-map.js';
import type { Products } from './products.js';
import type { Settings } from './settings.js';
import type { Shop, ShopCalls } from './shop.js';

type Product = Readonly<Record<string, unknown>>;

/** The text of a filter of all that is there. */
const ALL = {
  q: '*',
  searchMethod: 'HYBRID',
  hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
};

/** Reads products by their ids as searches do: what the default filter of a shop hides is not there. */
export class VisibleProducts {
  readonly #calls: ShopCalls;
  readonly #filters: Filters;
  readonly #products: Products;

  constructor(calls: ShopCalls, filters: Filters, products: Products) {
    this.#calls = calls;
    this.#filters = filters;
    this.#products = products;
  }

  /**
   * Those of the products that can be seen, with these of their members at least, by id.
   * @param ids at most 1000
   */
  async get(
    shop: Shop,
    { defaultFilter }: Settings,
    ids: readonly string[],
    members: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Product>> {
    const named = [...new Set(ids)].filter((id) => id !== '');
    if (named.length === 0) return new Map();
    if (defaultFilter == null || defaultFilter.trim() === '') {
      const { results } = await this.#products.get(shop, named);
      return byId(results.filter(({ _found }) => _found === true));
    }
    const filter = await this.#filters.all(shop, [defaultFilter, anyOf(named.map((id) => equals('_id', id)))], null);
    const attributesToRetrieve = [...new Set(members)].filter((name) => name !== '_id' && name !== '_score');
    const body = { ...ALL, limit: named.length, filter, attributesToRetrieve, showHighlights: false };
    const { hits } = await this.#calls.call<{ hits: Product[] }>(shop, 'search', body, signal);
    return byId(hits);
  }
}

function byId(products: readonly Product[]): ReadonlyMap<string, Product> {
  return new IdMap(products.map((product) => [product._id as string, product]));
}
