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
  readonly #limitMax: number;

  /** @param limitMax most hits of one search of an index */
  constructor(calls: ShopCalls, filters: Filters, products: Products, limitMax: number) {
    this.#limitMax = limitMax;
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
    const attributesToRetrieve = [...new Set(members)].filter((name) => name !== '_id' && name !== '_score');
    const pages = Array.from({ length: Math.ceil(named.length / this.#limitMax) }, async (_, page) => {
      const some = named.slice(page * this.#limitMax, (page + 1) * this.#limitMax);
      const filter = await this.#filters.all(shop, [defaultFilter, anyOf(some.map((id) => equals('_id', id)))], null);
      const body = { ...ALL, limit: some.length, filter, attributesToRetrieve, showHighlights: false };
      return (await this.#calls.call<{ hits: Product[] }>(shop, 'search', body, signal)).hits;
    });
    return byId((await Promise.all(pages)).flat());
  }
}

function byId(products: readonly Product[]): ReadonlyMap<string, Product> {
  return new IdMap(products.map((product) => [product._id as string, product]));
}
