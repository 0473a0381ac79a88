import type { schemas } from '@pelorus/contract';
import { invalidArgument, truncated } from '@pelorus/contract';
import { type NewShop, type Shop, Shops } from '@pelorus/ecommerce';
import { defaultResources } from '@pelorus/hosted';
import { mayCall } from '../auth/access.js';
import type { Handlers } from '../call.js';
import { checkNameLength } from '../hosted/control-handlers.js';
import { checkModelFits } from '../hosted/requested-resources.js';
import { definitionOf } from '../indexes/creation.js';
import { readSettings } from '../indexes/requested-settings.js';
import { type EcommerceServices, lastShopOf, managedShop } from './ecommerce-services.js';

type ShopIndexOperation =
  | 'listShopIndexes'
  | 'createShopIndex'
  | 'getShopIndex'
  | 'deleteShopIndex'
  | 'getShopIndexStatus'
  | 'rotateShopIndexId';

const COLLECTION_FIELD = 'productCollections';
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;

/** The indexes of shops. */
export function shopIndexHandlers(services: EcommerceServices): Pick<Handlers<'hosted'>, ShopIndexOperation> {
  const { shops, changes, inference, record } = services;

  const shopRecord = async (shop: Shop, base: string) => {
    const { modelType, collectionField } = shop.shop;
    const earlierIndexIds = [...shops.earlierIndexIds(shop)];
    return { ...(await record(shop, base)), modelType, collectionField, earlierIndexIds };
  };

  return {
    listShopIndexes: async ({ principal, base }) => {
      const visible = shops.list().filter(({ name }) => mayCall(principal, name));
      return { body: { results: await Promise.all(visible.map((shop) => shopRecord(shop, base()))) } };
    },

    createShopIndex: async ({ body, principal }) => {
      changes.take(principal);
      const order = newShop(services, body);
      checkNameLength(order.name);
      const definition = definitionOf({ inference }, order.name, readSettings(Shops.indexSettings(order)));
      checkModelFits(definition, defaultResources, services);
      const { name, shop, state } = await shops.create(order);
      const { indexId, modelType } = shop;
      return { body: { acknowledged: true, index: name, indexId, modelType, indexStatus: state } };
    },

    getShopIndex: async (call) => ({ body: await shopRecord(managedShop(services, call), call.base()) }),

    deleteShopIndex: async (call) => {
      changes.take(call.principal);
      await shops.delete(managedShop(services, call));
      return { body: { acknowledged: true } };
    },

    getShopIndexStatus: (call) => ({ body: { indexStatus: lastShopOf(services, call).state } }),

    rotateShopIndexId: async (call) => {
      changes.take(call.principal);
      const rotated = await shops.rotateIndexId(managedShop(services, call), call.body?.overlapSeconds ?? 0);
      const earlierIndexIds = [...shops.earlierIndexIds(rotated)];
      return { body: { index: rotated.name, indexId: rotated.shop.indexId, earlierIndexIds } };
    },
  };
}

/** @throws PelorusError for a shop that cannot be */
function newShop({ config, inference }: EcommerceServices, body: schemas.ShopIndexRequest): NewShop {
  const { indexName: name, modelType, collectionField } = body;
  if (modelType !== 'ecommerce' && modelType !== 'custom') {
    throw invalidArgument(`modelType must be 'ecommerce' or 'custom', but it is '${truncated(modelType)}'`);
  }
  if (modelType === 'ecommerce' && (body.model != null || body.modelProperties != null)) {
    throw invalidArgument("model and modelProperties are for the modelType 'custom'");
  }
  if (modelType === 'custom' && body.model == null) throw invalidArgument("The modelType 'custom' needs a model");
  if (collectionField != null && !FIELD_NAME.test(collectionField)) {
    throw invalidArgument('collectionField must be a name of letters, digits and _, at most 128');
  }
  const model = body.model ?? config.shopModel;
  const modelProperties = (body.modelProperties as Readonly<Record<string, unknown>> | null | undefined) ?? undefined;
  const takesPictures = inference.resolve(model, modelProperties).modalities.includes('image');
  return {
    name,
    modelType,
    model,
    modelProperties,
    takesPictures,
    collectionField: collectionField ?? COLLECTION_FIELD,
  };
}
