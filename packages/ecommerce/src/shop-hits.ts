import { PARENT_FIELD, PICTURE_FIELD } from './products.js';
import { checkPublic, checkPublicFilter, isPublic, publicPart } from './public-fields.js';
import type { Settings } from './settings.js';
import type { Shop } from './shop.js';
import type { ShopSearch } from './shop-search.js';

export type Hit = Readonly<Record<string, unknown>> & { readonly _id: string; readonly _score: number };

/** Under this name, besides its own, a hit may have its collections. */
const COLLECTIONS = 'collections';

/** The members of products that hits have. */
export function retrieval(
  { shop }: Shop,
  settings: Settings,
  { attributesToRetrieve, collection }: Pick<ShopSearch, 'attributesToRetrieve' | 'collection'>,
) {
  const { collectionField } = shop;
  const usual = ['productTitle', 'variantTitle', 'price', PICTURE_FIELD, collectionField];
  const wanted = attributesToRetrieve ?? (collection === undefined ? usual : [...usual, PARENT_FIELD]);
  const named = wanted.map((name) => (name === COLLECTIONS ? collectionField : name));
  // These two every hit has.
  const others = [...new Set(named)].filter((name) => name !== '_id' && name !== '_score');
  return { attributesToRetrieve: others.filter((name) => isPublic(settings, name)) };
}

/**
 * Checks the names of members that a shopper asks for.
 * @throws PelorusError `invalid_argument` for what pages may not see
 */
export function checkNames(
  { shop }: Shop,
  settings: Settings,
  { attributesToRetrieve, filter }: Pick<ShopSearch, 'attributesToRetrieve' | 'filter'>,
): void {
  const named = attributesToRetrieve?.map((name) => (name === COLLECTIONS ? shop.collectionField : name));
  checkPublic(settings, named, 'attributesToRetrieve');
  checkPublicFilter(settings, filter);
}

/** The hits of an answer as shops show them: how they came about is left out, and collections may have two names. */
export function shownHits(
  { shop }: Shop,
  settings: Settings,
  search: Pick<ShopSearch, 'attributesToRetrieve'>,
  hits: readonly Hit[],
): Hit[] {
  const { collectionField } = shop;
  const isAsked = search.attributesToRetrieve?.includes(COLLECTIONS) ?? false;
  return hits.map((hit) => {
    const members = Object.entries(hit).filter(
      ([name]) => !name.startsWith('_') || name === '_id' || name === '_score',
    );
    const shown = publicPart(settings, Object.fromEntries(members)) as Hit;
    return isAsked && hit[collectionField] !== undefined ? { ...shown, [COLLECTIONS]: hit[collectionField] } : shown;
  });
}
