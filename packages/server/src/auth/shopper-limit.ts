import { PelorusError } from '@pelorus/contract';
import type { Config } from '../config.js';
import { type Rate, RateLimit, sourceOf } from '../http/rate-limit.js';

/**
 * Bounds how often pages call by the id of a shop: each address in itself, so that one page leaves room for the others of
 * its shop, and each shop in itself, so that it leaves room for the other shops.
 */
export class ShopperLimit {
  readonly #shops: RateLimit;
  readonly #addresses: RateLimit;

  /** @param now a clock that never goes back, in milliseconds */
  constructor(config: Pick<Config, 'shopperCallsPerMinute' | 'shopperCallsPerAddress'>, now?: () => number) {
    this.#shops = new RateLimit(rateOf(config.shopperCallsPerMinute), now);
    this.#addresses = new RateLimit(rateOf(config.shopperCallsPerAddress), now);
  }

  /**
   * Counts a call of the shop `indexName` from `address`, by whichever of its ids it names the shop.
   * @param headers of a refusal, besides `Retry-After`
   * @throws PelorusError `too_many_requests`
   */
  take(indexName: string, address: string, headers: Readonly<Record<string, string>>): void {
    // A call beyond the limit of its address takes nothing from the share of its shop.
    const ofAddress = this.#addresses.take(`${indexName} ${sourceOf(address)}`);
    if (ofAddress > 0) throw tooMany('from this address', 'PELORUS_SHOPPER_CALLS_PER_ADDRESS', ofAddress, headers);
    const ofShop = this.#shops.take(indexName);
    if (ofShop > 0) throw tooMany('in all', 'PELORUS_SHOPPER_CALLS_PER_MINUTE', ofShop, headers);
  }
}

/** A sixth of a minute's calls may come at once. */
function rateOf(perMinute: number): Rate {
  return { perMinute, burst: Math.ceil(perMinute / 6) };
}

function tooMany(
  whose: string,
  setting: string,
  waitSeconds: number,
  headers: Readonly<Record<string, string>>,
): PelorusError {
  return new PelorusError(
    'too_many_requests',
    `Pages of this shop send more calls ${whose} than the limit (${setting}). Try again later.`,
    { headers: { ...headers, 'retry-after': String(waitSeconds) } },
  );
}
