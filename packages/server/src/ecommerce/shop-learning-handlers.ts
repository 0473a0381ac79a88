import type { Handlers } from '../call.js';
import { type EcommerceServices, managedShop, shopOf } from './ecommerce-services.js';

type ShopLearningOperation = 'getShopLearning' | 'learnShopWeights' | 'cancelShopLearning';

const DAYS_DEFAULT = 90;

/** Operations on what a shop learns from its shoppers. */
export function shopLearningHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, ShopLearningOperation> {
  const { shops } = services;
  return {
    getShopLearning: (call) => ({ body: { ...shops.learning(managedShop(services, call)) } }),
    learnShopWeights: (call) => {
      const { days = DAYS_DEFAULT, apply = false } = call.body ?? {};
      return { status: 202, body: { ...shops.startLearning(shopOf(services, call), { days, apply }) } };
    },
    cancelShopLearning: (call) => ({ body: { ...shops.cancelLearning(managedShop(services, call)) } }),
  };
}
