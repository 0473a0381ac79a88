import { indexNotFound, truncated } from '@pelorus/contract';
import type { Settings, Shop, Shops } from '@pelorus/ecommerce';
import type { Inference } from '@pelorus/inference';
import { mayCall } from '../auth/access.js';
import type { Principal } from '../call.js';
import type { Config } from '../config.js';
import type { ChangeQuota } from '../hosted/change-quota.js';
import type { ReadRecord } from '../hosted/read-record.js';
import type { SearchCounts } from '../hosted/search-counts.js';

/** The services of shop handlers. */
export interface EcommerceServices {
  readonly shops: Shops;
  readonly inference: Inference;
  readonly config: Config;
  readonly record: ReadRecord;
  /** The quota for changes of indexes. */
  readonly changes: ChangeQuota;
  readonly searches: SearchCounts;
}

interface ShopCall {
  readonly params: { readonly indexName: string };
  readonly principal: Principal | undefined;
}

/**
 * The shop that a call is about.
 * @throws PelorusError `index_not_found`, of one that the caller may not know of too; `backend_data_parsing_error` where its
 * settings cannot be read
 */
export function shopOf({ shops }: EcommerceServices, { params: { indexName }, principal }: ShopCall): Shop {
  if (mayCall(principal, indexName)) return shops.get(indexName);
  throw indexNotFound(truncated(indexName));
}

/** As {@link shopOf}, of a call that manages it: one whose settings cannot be read is managed all the same. */
export function managedShop({ shops }: EcommerceServices, { params: { indexName }, principal }: ShopCall): Shop {
  if (mayCall(principal, indexName)) return shops.open(indexName);
  throw indexNotFound(truncated(indexName));
}

/** As {@link shopOf}, of a call that asks for its state: one that was deleted has that, for a day. */
export function lastShopOf({ shops }: EcommerceServices, { params: { indexName }, principal }: ShopCall): Shop {
  if (mayCall(principal, indexName)) return shops.lastOf(indexName);
  throw indexNotFound(truncated(indexName));
}

/** The settings that a call goes by: who has a key may see every member of products. */
export function settingsFor(
  { shops }: EcommerceServices,
  { principal }: Pick<ShopCall, 'principal'>,
  shop: Shop,
): Settings {
  const { settings } = shops.settings(shop);
  return principal?.isPage === true ? settings : { ...settings, publicFields: null };
}

/** As {@link shopOf}, of a call that looks for products: its record counts it as a search. */
export function searchedShop(services: EcommerceServices, call: ShopCall): Shop {
  const shop = shopOf(services, call);
  services.searches.note(shop.id);
  return shop;
}
