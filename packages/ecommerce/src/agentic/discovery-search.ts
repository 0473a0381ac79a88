import { invalidArgument, type schemas } from '@pelorus/contract';
import type { Shop, ShopCalls } from '../shop.js';
import type { ShopSearch } from '../shop-search.js';
import { checkWebUrl } from '../web-url.js';

type DiscoveryRequest = schemas.DiscoveryRequest;

/** Products of each category, where a request does not say it. */
const CATEGORY_RESULT_LIMIT = 12;

/**
 * The search that each category of a discovery makes. Its pictures are fetched and embedded once for all of them.
 * @throws PelorusError `invalid_argument` for what stands in two places, and for a picture that cannot be had
 */
export async function discoverySearch(
  calls: ShopCalls,
  shop: Shop,
  request: DiscoveryRequest,
  signal: AbortSignal,
): Promise<ShopSearch> {
  const { q, categoryResultLimit, imageUrls, searchSettings } = request;
  for (const name of ['filter', 'attributesToRetrieve'] as const) {
    if (request[name] == null || searchSettings?.[name] == null) continue;
    throw invalidArgument(`${name} must stand in the request or in its searchSettings, but it stands in both`);
  }
  return {
    ...searchSettings,
    ...{ q, limit: categoryResultLimit ?? CATEGORY_RESULT_LIMIT, offset: 0 },
    filter: request.filter ?? searchSettings?.filter ?? null,
    attributesToRetrieve: request.attributesToRetrieve ?? searchSettings?.attributesToRetrieve ?? null,
    pictures: imageUrls == null || imageUrls.length === 0 ? [] : await pictures(calls, shop, imageUrls, signal),
  };
}

/** Vectors of pictures, by the index's own model, which fetches them as it does those of any query. */
async function pictures(
  calls: ShopCalls,
  shop: Shop,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<(readonly number[])[]> {
  if (shop.settings.treatUrlsAndPointersAsImages !== true) {
    throw invalidArgument(`imageUrls must be absent or empty: the model of ${shop.name} sees no pictures`);
  }
  for (const [place, url] of urls.entries()) checkWebUrl(`imageUrls[${place}]`, url);
  const body = { content: urls, contentType: 'query' };
  const { embeddings } = await calls.call<schemas.EmbedResponse>(shop, 'embed', body, signal);
  return embeddings;
}
