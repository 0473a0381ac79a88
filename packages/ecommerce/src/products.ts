import { PelorusError, type schemas } from '@pelorus/contract';
import { IdMap } from './id-map.js';
import { isRankingField, rankingFields } from './ranking-fields.js';
import type { Shop, ShopCalls } from './shop.js';
import { isWebUrl } from './web-url.js';

/** Most products of one request. */
export const PRODUCTS_MAX = 128;
/** Longest id of a parent product, in characters: what filters can match. */
const PARENT_ID_LENGTH_MAX = 256;

/** Texts that are searched by meaning. */
export const MEANING_FIELDS = ['productTitle', 'variantTitle', 'description'] as const;
export const PICTURE_FIELD = 'variantImageUrl';
export const PARENT_FIELD = 'parentProductId';

/** In the words that the index has for such a document. */
const NO_PRODUCT = 'Docs must be dicts';

type Product = Readonly<Record<string, unknown>>;
type Item = schemas.AddDocumentsResponse['items'][number];
type Added = schemas.AddDocumentsResponse;

/** The products of a shop, which are documents of its index. */
export class Products {
  readonly #calls: ShopCalls;
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(calls: ShopCalls, now: () => number = Date.now) {
    this.#calls = calls;
    this.#now = now;
  }

  /** Adds or replaces products; of one that is replaced the figures of shoppers stay. */
  async add(shop: Shop, products: readonly unknown[]): Promise<Added> {
    checkCount(products.length, 'add documents');
    const counting = lastOfEachId(products);
    const faults = counting.map((product) => productProblem(product, shop.shop.collectionField));
    const good = counting.filter((_, place) => faults[place] === undefined) as Product[];
    if (good.length === 0) return answerOf(shop, counting, faults, null, true);
    const kept = await this.#keptOf(shop, good);
    const addedAt = Math.floor(this.#now() / 1000);
    const documents = good.map((product) => ({
      ...product,
      [PARENT_FIELD]: product[PARENT_FIELD] ?? product._id,
      [rankingFields.addedAt]: addedAt,
      ...(typeof product._id === 'string' ? kept.get(product._id) : undefined),
    }));
    const { settings } = shop;
    const takesPictures = settings.treatUrlsAndPointersAsImages === true;
    const tensorFields = takesPictures ? [...MEANING_FIELDS, PICTURE_FIELD] : MEANING_FIELDS;
    const added = await this.#calls.call<Added>(shop, 'addDocuments', { documents, tensorFields });
    return answerOf(shop, counting, faults, added, true);
  }

  /** Changes the members that each product has. */
  async update(shop: Shop, products: readonly unknown[]): Promise<schemas.UpdateDocumentsResponse> {
    checkCount(products.length, 'update_documents');
    const counting = lastOfEachId(products);
    const faults = counting.map((product) => changeProblem(product, shop.shop.collectionField));
    const documents = counting.filter((_, place) => faults[place] === undefined);
    const updated =
      documents.length === 0
        ? null
        : await this.#calls.call<schemas.UpdateDocumentsResponse>(shop, 'updateDocuments', { documents });
    return answerOf(shop, counting, faults, updated as Added | null, false) as schemas.UpdateDocumentsResponse;
  }

  /** At most 100 products, those that are not there with `_found` false. */
  async get(shop: Shop, documentIds: readonly string[]): Promise<schemas.ProductsResponse> {
    const { results } = await this.#calls.call<{ results: Product[] }>(shop, 'getDocumentsBatch', {
      documentIds,
    });
    return {
      results: results.map((product) => (product._found === true ? withoutRanking(product) : product)),
    } as schemas.ProductsResponse;
  }

  delete(shop: Shop, ids: readonly string[]): Promise<schemas.DeleteDocumentsResponse> {
    checkCount(ids.length, 'delete documents');
    return this.#calls.call(shop, 'deleteDocuments', ids);
  }

  /** The fields that the service itself keeps of existing products, by id. */
  async #keptOf(shop: Shop, products: readonly Product[]): Promise<Map<string, Product>> {
    const documentIds = [
      ...new Set(products.map(({ _id }) => _id).filter((id) => typeof id === 'string' && id !== '')),
    ];
    if (documentIds.length === 0) return new Map();
    const found = await this.#calls.call<{ results: Product[] }>(shop, 'getDocumentsBatch', { documentIds });
    return new IdMap(found.results.filter(({ _found }) => _found).map((one) => [one._id as string, rankingOf(one)]));
  }
}

function checkCount(count: number, operation: string): void {
  if (count <= PRODUCTS_MAX) return;
  throw new PelorusError(
    'illegal_requested_doc_count',
    `Number of docs in ${operation} request (${count}) exceeds limit of ${PRODUCTS_MAX}.`,
  );
}

/**
 * Keeps the last of several products with one id, as the index does, in their order: the earlier ones are neither
 * written nor answered, even where the last is refused.
 */
function lastOfEachId(products: readonly unknown[]): readonly unknown[] {
  const last = new IdMap<unknown>();
  for (const product of products) {
    const id = idOf(product);
    if (typeof id === 'string') last.set(id, product);
  }
  return products.filter((product) => {
    const id = idOf(product);
    return typeof id !== 'string' || last.get(id) === product;
  });
}

function isProduct(value: unknown): value is Product {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf(product: unknown): unknown {
  return isProduct(product) ? product._id : undefined;
}

/** Answers for each product, in order: the index answers for those without a fault, in the same order. */
function answerOf(
  shop: Shop,
  products: readonly unknown[],
  faults: readonly (string | undefined)[],
  stored: Added | null,
  /** Items of additions have them, items of changes do not. */
  hasCodes: boolean,
): Added {
  const told = [...(stored?.items ?? [])];
  const items = products.flatMap((product, place): Item[] => {
    const fault = faults[place];
    return fault === undefined ? told.splice(0, 1) : [refused(product, fault, hasCodes)];
  });
  const errors = items.some(({ status }) => status >= 400);
  return { errors, items, processingTimeMs: stored?.processingTimeMs ?? 0, index_name: shop.name };
}

function refused(product: unknown, message: string, hasCode: boolean): Item {
  const _id = idOf(product);
  const item = { status: 400, _id: typeof _id === 'string' ? _id : '', message, error: message };
  return hasCode ? { ...item, code: 'invalid_argument' } : item;
}

/**
 * Describes the problem of a product that is to be added; the index checks its id and its other members. One without an
 * id would be stored under one that nobody knows.
 */
function productProblem(product: unknown, collectionField: string): string | undefined {
  if (!isProduct(product)) return NO_PRODUCT;
  if (product._id == null) return 'A product must have an _id';
  const missing = ['productTitle', PICTURE_FIELD, 'price'].find((name) => product[name] == null);
  if (missing !== undefined) return `A product must have a ${missing}`;
  return changeProblem(product, collectionField);
}

function changeProblem(product: unknown, collectionField: string): string | undefined {
  if (!isProduct(product)) return NO_PRODUCT;
  const kept = Object.keys(product).find(isRankingField);
  if (kept !== undefined) return `${kept} is kept by the service and cannot be set`;
  for (const [name, value] of Object.entries(product)) {
    const fault = memberProblem(name, value, collectionField);
    if (fault !== undefined) return `${name} must be ${fault}`;
  }
  return undefined;
}

/** Names the expected type of a member where its value has another. */
function memberProblem(name: string, value: unknown, collectionField: string): string | undefined {
  switch (name) {
    case 'productTitle':
    case 'variantTitle':
    case 'description':
      return typeof value === 'string' ? undefined : 'a text';
    case PARENT_FIELD: {
      const isId = typeof value === 'string' && value.trim() !== '' && value.length <= PARENT_ID_LENGTH_MAX;
      return isId ? undefined : `a text of 1 to ${PARENT_ID_LENGTH_MAX} characters`;
    }
    case PICTURE_FIELD:
      return isWebUrl(value) ? undefined : 'an http or https URL';
    case 'price':
      return typeof value === 'number' ? undefined : 'a number';
    case collectionField:
      return Array.isArray(value) && value.every((one) => typeof one === 'string') ? undefined : 'a list of texts';
    default:
      return undefined;
  }
}

function withoutRanking(product: Product): Product {
  return Object.fromEntries(Object.entries(product).filter(([name]) => !isRankingField(name)));
}

/** The figures of a stored product, whose maps are shown an entry at a time, as they are added again. */
function rankingOf(product: Product): Product {
  const ranking: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(product)) {
    if (!isRankingField(name)) continue;
    const dot = name.indexOf('.');
    if (dot < 0) ranking[name] = value;
    else ranking[name.slice(0, dot)] = { ...(ranking[name.slice(0, dot)] as Product), [name.slice(dot + 1)]: value };
  }
  return ranking;
}
