import { PelorusError } from '@pelorus/contract';
import type { Shop, ShopCalls } from './shop.js';

export type FieldWeights = Readonly<Record<string, number>>;

/** Time for which a member that no product has is taken to be so still. */
const UNKNOWN_MS = 30_000;

/** The members of products that a search may weigh: an index refuses those that none of its documents has had. */
export class WeighableFields {
  readonly #calls: ShopCalls;
  /** By id of the index, when each name was found unknown; infinity of known ones, which stay so. */
  readonly #seen = new Map<string, Map<string, number>>();

  constructor(calls: ShopCalls) {
    this.#calls = calls;
  }

  /** Forgets indexes that are gone. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }

  /** The weights of members that products have; null where none are given, which leaves them to the index. */
  async known(
    shop: Shop,
    weights: FieldWeights | null | undefined,
    signal?: AbortSignal,
  ): Promise<FieldWeights | null> {
    if (weights == null) return null;
    const given = Object.entries(weights).filter(([, weight]) => weight !== 1);
    const seen = this.#seen.get(shop.id) ?? new Map<string, number>();
    this.#seen.set(shop.id, seen);
    const names = given.map(([name]) => name);
    const due = names.filter((name) => (seen.get(name) ?? Number.NEGATIVE_INFINITY) < performance.now() - UNKNOWN_MS);
    await Promise.all(
      due.map(async (name) => {
        seen.set(name, (await this.#has(shop, name, signal)) ? Number.POSITIVE_INFINITY : performance.now());
      }),
    );
    return Object.fromEntries(given.filter(([name]) => seen.get(name) === Number.POSITIVE_INFINITY));
  }

  async #has(shop: Shop, name: string, signal: AbortSignal | undefined): Promise<boolean> {
    const body = { q: '*', searchMethod: 'LEXICAL', fieldWeights: { [name]: 2 }, limit: 1, attributesToRetrieve: [] };
    try {
      await this.#calls.call(shop, 'search', body, signal);
      return true;
    } catch (error) {
      if (error instanceof PelorusError && error.code === 'invalid_field_name') return false;
      throw error;
    }
  }
}
