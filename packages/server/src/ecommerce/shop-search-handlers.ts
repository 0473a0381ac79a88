import { invalidArgument, schemas } from '@pelorus/contract';
import { customerOf, type FoundProducts, type Shop } from '@pelorus/ecommerce';
import type { Answer, Call, Handlers } from '../call.js';
import { checkOf } from '../validation/check.js';
import { type EcommerceServices, searchedShop, settingsFor } from './ecommerce-services.js';
import { checkShopper, productsAnswer, type Shopper } from './found-products.js';
import { jsonInBase64 } from './json-in-base64.js';

type ShopSearchOperation = 'searchProducts' | 'browseCollection' | 'browseCachedCollection';

const COLLECTION_NAME_LENGTH_MAX = 256;

const checkCollectionRequest = checkOf(schemas.CollectionRequest, 'body');

/** Searches of shoppers, and the pages of collections. */
export function shopSearchHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, ShopSearchOperation> {
  const { shops, config } = services;

  const browse = async (
    call: Call<'browseCollection' | 'browseCachedCollection'>,
    { collectionName, ...request }: schemas.CollectionRequest,
  ): Promise<Answer> => {
    const deadline = call.deadline(config.searchTimeoutMs);
    const shop = searchedShop(services, call);
    checkShopper(request);
    if (collectionName.trim() === '' || collectionName.length > COLLECTION_NAME_LENGTH_MAX) {
      throw invalidArgument(`collectionName must be a text of 1 to ${COLLECTION_NAME_LENGTH_MAX} characters`);
    }
    const settings = settingsFor(services, call, shop);
    const search = { ...request, q: null, collection: collectionName };
    const found = await deadline.until(() => shops.searches.search(shop, settings, search, deadline.signal));
    return { body: productsAnswer(found, request, call.startedMs) };
  };

  return {
    searchProducts: async (call) => {
      const deadline = call.deadline(config.searchTimeoutMs);
      const shop = searchedShop(services, call);
      const { body, startedMs } = call;
      checkShopper(body);
      const settings = settingsFor(services, call, shop);
      const found = await deadline.until(() => shops.searches.search(shop, settings, body, deadline.signal));
      const answer = productsAnswer(found, { ...body, query: body.q ?? null }, startedMs);
      logSearch(services, shop, body, found, answer.queryId);
      return { body: answer };
    },
    browseCollection: (call) => browse(call, call.body),
    browseCachedCollection: (call) =>
      browse(call, checkCollectionRequest(jsonInBase64(call.query.body, 'body')) as schemas.CollectionRequest),
  };
}

/** A first page that somebody asked for in words is noted, for the figures of the shop. */
function logSearch(
  { shops }: EcommerceServices,
  shop: Shop,
  { q, offset, userId, sessionId }: Shopper & { readonly q?: string | null; readonly offset: number },
  { hits, totalHits }: FoundProducts,
  queryId: string,
): void {
  if (q == null || q.trim() === '' || offset > 0) return;
  shops.figures?.logSearch({
    customerId: customerOf(shop, shops.settings(shop).settings),
    query: q,
    hits: totalHits,
    shown: hits.map(({ _id }) => _id),
    queryId,
    ...(userId != null && { userId }),
    ...(sessionId != null && { sessionId }),
    at: Date.now(),
  });
}
