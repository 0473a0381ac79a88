import type { Handlers } from '../call.js';
import { agenticHandlers } from './agentic-handlers.js';
import { collectionHandlers } from './collection-handlers.js';
import type { EcommerceServices } from './ecommerce-services.js';
import { productHandlers } from './product-handlers.js';
import { recommendationHandlers } from './recommendation-handlers.js';
import { shopIndexHandlers } from './shop-index-handlers.js';
import { shopLearningHandlers } from './shop-learning-handlers.js';
import { shopSearchHandlers } from './shop-search-handlers.js';
import { shopSettingsHandlers } from './shop-settings-handlers.js';

/** The handlers of every operation of shops. */
export function ecommerceHandlers(services: EcommerceServices) {
  return {
    ...shopIndexHandlers(services),
    ...productHandlers(services),
    ...shopSearchHandlers(services),
    ...collectionHandlers(services),
    ...recommendationHandlers(services),
    ...shopSettingsHandlers(services),
    ...shopLearningHandlers(services),
    ...agenticHandlers(services),
  } satisfies Partial<Handlers<'hosted'>>;
}
