import type { Collection } from '@pelorus/ecommerce';
import { mayCall } from '../auth/access.js';
import type { Handlers, Principal } from '../call.js';
import type { EcommerceServices } from './ecommerce-services.js';

type CollectionOperation = 'listCollections' | 'putCollection' | 'getCollection' | 'deleteCollection';

/** Collections whose products are counted at once. */
const COUNTED_AT_ONCE = 8;

/** Operations on the data of collections besides their products. */
export function collectionHandlers({ shops }: EcommerceServices): Pick<Handlers<'hosted'>, CollectionOperation> {
  const shown = async (collection: Collection, principal: Principal | undefined) => {
    const visible = shops.list().filter(({ name }) => mayCall(principal, name));
    return { ...collection, productCount: await shops.productCount(visible, collection.id) };
  };

  return {
    listCollections: async ({ principal }) => {
      const collections = shops.collections.list();
      const results: Awaited<ReturnType<typeof shown>>[] = [];
      for (let start = 0; start < collections.length; start += COUNTED_AT_ONCE) {
        const some = collections.slice(start, start + COUNTED_AT_ONCE);
        results.push(...(await Promise.all(some.map((collection) => shown(collection, principal)))));
      }
      return { body: { results } };
    },
    putCollection: async ({ body, principal }) => ({ body: await shown(await shops.collections.put(body), principal) }),
    getCollection: async ({ params, principal }) => ({
      body: await shown(shops.collections.get(params.collectionId), principal),
    }),
    deleteCollection: async ({ params }) => {
      await shops.collections.delete(params.collectionId);
      return { body: { acknowledged: true } };
    },
  };
}
