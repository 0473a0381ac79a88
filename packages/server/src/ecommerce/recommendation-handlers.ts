import type { Handlers } from '../call.js';
import { type EcommerceServices, searchedShop, settingsFor, shopOf } from './ecommerce-services.js';
import { checkShopper, productsAnswer } from './found-products.js';

type RecommendationOperation = 'recommendQueries' | 'recommendForYou' | 'recommendSimilar';

/** Queries and products that nobody asked for in words. */
export function recommendationHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, RecommendationOperation> {
  const { shops, config } = services;
  return {
    recommendQueries: async (call) => {
      const deadline = call.deadline(config.searchTimeoutMs);
      const shop = shopOf(services, call);
      checkShopper(call.body);
      const settings = settingsFor(services, call, shop);
      const suggestions = await deadline.until(() =>
        shops.recommendations.queries(shop, settings, call.body, deadline.signal),
      );
      return { body: { suggestions } };
    },
    recommendForYou: async (call) => {
      const deadline = call.deadline(config.searchTimeoutMs);
      const shop = searchedShop(services, call);
      checkShopper(call.body);
      const settings = settingsFor(services, call, shop);
      const found = await deadline.until(() =>
        shops.recommendations.forYou(shop, settings, call.body, deadline.signal),
      );
      return { body: productsAnswer(found, call.body, call.startedMs) };
    },
    recommendSimilar: async (call) => {
      const deadline = call.deadline(config.searchTimeoutMs);
      const shop = searchedShop(services, call);
      const settings = settingsFor(services, call, shop);
      const found = await deadline.until(() =>
        shops.recommendations.similar(shop, settings, call.body, deadline.signal),
      );
      return { body: productsAnswer(found, call.body, call.startedMs) };
    },
  };
}
