import type { Shop, ShopCalls } from './shop.js';

/** The number of filters that are remembered as whole. */
const CHECKED_MAX = 2_000;
/** Longer filters are checked each time. */
const REMEMBERED_LENGTH_MAX = 2_000;

/** A term that holds where the field has exactly this text. */
export function equals(field: string, value: string): string {
  return `${escaped(field, /[\\ ():]/g)}:(${escaped(value, /[\\()]/g)})`;
}

/** A filter that holds where one of them does. */
export function anyOf(terms: readonly string[]): string {
  return terms.join(' OR ');
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, '\\$&');
}

/**
 * Joins filters of the shop with that of a shopper, which must not get around them. The language is the index's: a
 * shopper's filter is handed to it alone first, and one that it takes has no parenthesis that closes another's.
 */
export class Filters {
  readonly #calls: ShopCalls;
  readonly #checked = new Set<string>();

  constructor(calls: ShopCalls) {
    this.#calls = calls;
  }

  /**
   * A filter that holds where all do; null where there is none.
   * @param trusted filters of the shop, each whole by itself
   * @throws PelorusError for a shopper's filter that the index does not take
   */
  async all(shop: Shop, trusted: readonly string[], given: string | null | undefined): Promise<string | null> {
    if (given == null || given.trim() === '') {
      return trusted.length === 0 ? null : trusted.map((filter) => `(${filter})`).join(' AND ');
    }
    if (trusted.length === 0) return given;
    await this.check(shop, given);
    // Last, so that a value that it leaves open, which the language allows, ends with the text.
    return [...trusted, given].map((filter) => `(${filter})`).join(' AND ');
  }

  /** @throws PelorusError for a filter that the index does not take */
  async check(shop: Shop, filter: string): Promise<void> {
    if (this.#checked.has(filter)) return;
    const hybridParameters = { retrievalMethod: 'lexical', rankingMethod: 'lexical' };
    const body = { q: '*', searchMethod: 'HYBRID', hybridParameters, limit: 1, trackTotalHits: false };
    await this.#calls.call(shop, 'search', { ...body, attributesToRetrieve: [], filter });
    if (filter.length > REMEMBERED_LENGTH_MAX) return;
    if (this.#checked.size >= CHECKED_MAX) this.#checked.clear();
    this.#checked.add(filter);
  }
}
