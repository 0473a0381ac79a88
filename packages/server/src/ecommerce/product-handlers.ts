import type { Answer, Call, Handlers } from '../call.js';
import { type EcommerceServices, shopOf } from './ecommerce-services.js';

type ProductOperation = 'addProducts' | 'updateProducts' | 'getProducts' | 'deleteProducts' | 'deleteProductsBatch';

/** The products of shops. */
export function productHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, ProductOperation> {
  const { shops } = services;

  const remove = async (call: Call<'deleteProducts' | 'deleteProductsBatch'>): Promise<Answer> => ({
    body: await shops.products.delete(shopOf(services, call), call.body.ids),
  });

  return {
    addProducts: async (call) => {
      const shop = shopOf(services, call);
      const body = await shops.products.add(shop, call.body.documents);
      const written = body.items.filter(({ status }) => status === 200);
      const ids = written.map(({ _id }) => _id);
      shops.noteWritten(shop, ids);
      return { body };
    },
    updateProducts: async (call) => ({
      body: await shops.products.update(shopOf(services, call), call.body.documents),
    }),
    getProducts: async (call) => ({ body: await shops.products.get(shopOf(services, call), call.body.documentIds) }),
    deleteProducts: remove,
    deleteProductsBatch: remove,
  };
}
