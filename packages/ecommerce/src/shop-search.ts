import { invalidArgument, PelorusError, type schemas } from '@pelorus/contract';
import { anyOf, equals, type Filters } from './filters.js';
import { type Interests, strongest, type Weights } from './interests.js';
import { MEANING_FIELDS, PARENT_FIELD, PICTURE_FIELD } from './products.js';
import { checkExcludedTerms, checkPublicOrder } from './public-fields.js';
import { isBrowsing, QUERY_LENGTH_MAX, queryKey } from './query-text.js';
import { POPULARITY_WEIGHT, QUERY_POPULARITY_WEIGHT, rankingFields } from './ranking-fields.js';
import { boostsOf, hiddenOf, pinsOf, redirectOf, type Settings, settingsOf, synonymsOf } from './settings.js';
import type { Shop, ShopCalls } from './shop.js';
import { checkNames, type Hit, retrieval, shownHits } from './shop-hits.js';
import type { VisibleProducts } from './visible-products.js';
import { WeighableFields } from './weighable-fields.js';

/** A search of a shopper. */
export type ShopSearch = schemas.ShopSearchRequest & {
  /** The collection whose page is asked for. */
  readonly collection?: string;
  /** Vectors of pictures that are searched by besides the words, each of as much weight as these. */
  readonly pictures?: readonly (readonly number[])[];
  /** Facets that are counted for the service itself, in place of those that the search names. */
  readonly counted?: schemas.ShopSearchRequest['facets'];
};

export interface FoundProducts {
  readonly hits: readonly Hit[];
  readonly totalHits: number;
  readonly facets?: Readonly<Record<string, unknown>>;
  /** The address to which the settings send shoppers who ask this; null for none. */
  readonly redirect: string | null;
}

interface IndexAnswer {
  readonly hits: readonly Hit[];
  readonly totalHits?: number;
  readonly facets?: Readonly<Record<string, unknown>>;
  readonly didYouMean?: string | null;
}

type Body = Readonly<Record<string, unknown>>;

/** The largest page of an index, which is that of its shop. */
export interface PageLimits {
  readonly limitMax: number;
  readonly offsetMax: number;
}

/** The most that an index takes of one search, with the parts that the shop adds to one of a shopper. */
export interface SearchLimits extends PageLimits {
  /** Documents of a search's context. */
  readonly contextDocumentsMax: number;
}

/** The most that the index sorts together: of larger catalogues the most popular ones. */
const SORT_CANDIDATES_MAX = 10_000;
/** Most products of a shopper's past that a search looks at where its index takes so many, and their weight together where the query weighs 1. */
const INTERESTS_MAX = 20;
const INTERESTS_WEIGHT = 0.2;

const ALL = { q: '*', hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' } };

/** Searches a shop by its settings. */
export class ShopSearches {
  readonly #calls: ShopCalls;
  readonly #filters: Filters;
  readonly #interests: Interests;
  readonly #visible: VisibleProducts;
  readonly #weighable: WeighableFields;
  readonly #limits: SearchLimits;

  constructor(
    calls: ShopCalls,
    filters: Filters,
    interests: Interests,
    visible: VisibleProducts,
    limits: SearchLimits,
  ) {
    this.#limits = limits;
    this.#calls = calls;
    this.#filters = filters;
    this.#interests = interests;
    this.#visible = visible;
    this.#weighable = new WeighableFields(calls);
  }

  /** Forgets what is known of shops that are gone. */
  keep(ids: ReadonlySet<string>): void {
    this.#weighable.keep(ids);
  }

  /** @throws PelorusError for a search that cannot be made */
  async search(shop: Shop, all: Settings, search: ShopSearch, signal?: AbortSignal): Promise<FoundProducts> {
    checkPage(search, this.#limits);
    const settings = settingsOf(all, search.profileId);
    checkSort(search, settings);
    checkNames(shop, settings, search);
    checkPublicOrder(settings, search);
    checkExcludedTerms(settings, search);
    const query = queryOf(search.q);
    if (query.length > QUERY_LENGTH_MAX) {
      throw invalidArgument(`q has ${query.length} characters, more than the limit of ${QUERY_LENGTH_MAX}`);
    }
    const redirect = query === '' ? null : redirectOf(settings, query);
    const pins = search.collection === undefined && search.sortBy == null ? pinsOf(settings, query) : [];
    const isBrowsed = query === '' && (search.pictures ?? []).length === 0;
    // A sorted result, or one shown to everybody alike, is the same for every shopper.
    const isPersonal = query !== '' && search.sortBy == null;
    const interests = isPersonal ? await this.#interestsOf(shop, all, settings, search) : {};
    const filter = await this.#filters.all(shop, trustedFilters(shop, settings, search), search.filter);
    const weights = query === '' ? null : await this.#weighable.known(shop, settings.fieldWeights, signal);
    const bodyOf = (meant: string) => ({
      ...(weights !== null && { fieldWeights: weights }),
      ...(isBrowsed ? browsing(settings, search) : asked(settings, query, search, interests, meant)),
      facets: facetsOf(settings, search),
      // One after the other from the first place on, as far as they pass the filters.
      ...(pins.length > 0 && { pinned: pins.map((_id) => ({ _id, position: 1 })) }),
      ...{ limit: search.limit, offset: search.offset },
      ...retrieval(shop, settings, search),
      filter,
    });
    const answer = await this.#run(shop, settings, bodyOf(query), signal);
    const { didYouMean: meant } = answer;
    // A model that reads a word with a typo takes it for any other.
    const isMistyped = meant != null && correcting(settings, query, search);
    const best = isMistyped ? await this.#run(shop, settings, bodyOf(meant), signal) : answer;
    return found(shop, settings, search, best, redirect);
  }

  /**
   * The products that a query finds by the legs and the settings alone, best first, each by its parent where hits stand for
   * all of its variants. The figures of shoppers have no say: they know the very choices by which rankings are compared.
   */
  async ranking(shop: Shop, settings: Settings, query: string, limit: number, signal?: AbortSignal): Promise<string[]> {
    const search = { q: query, limit, offset: 0 };
    const pins = pinsOf(settings, query);
    const weights = await this.#weighable.known(shop, settings.fieldWeights, signal);
    const { scoreModifiers, ...others } = asked(settings, query, search, {});
    const boosts = boostsOf(settings, query);
    const body = {
      ...others,
      ...(boosts.length > 0 && { scoreModifiers: { add_to_score: boosts } }),
      ...(weights !== null && { fieldWeights: weights }),
      ...(pins.length > 0 && { pinned: pins.map((_id) => ({ _id, position: 1 })) }),
      ...{ limit, attributesToRetrieve: [PARENT_FIELD] },
      filter: await this.#filters.all(shop, trustedFilters(shop, settings, search), null),
    };
    const { hits } = await this.#run(shop, settings, body, signal);
    const isCollapsed = settings.collapseField !== '';
    return hits.map((hit) => (isCollapsed ? String(hit[PARENT_FIELD]) : hit._id));
  }

  /** The weights that searches of the index have which name none. */
  async indexWeights(shop: Shop, signal?: AbortSignal): Promise<Pick<Settings, 'fieldWeights' | 'alpha'>> {
    const { searchDefaults } = await this.#calls.call<schemas.Curation>(shop, 'getCuration', undefined, signal);
    return {
      fieldWeights: searchDefaults?.fieldWeights ?? null,
      alpha: searchDefaults?.hybridParameters?.alpha ?? null,
    };
  }

  /**
   * Counts the products that have words of the query, or of its synonyms: a search by meaning has none that it leaves
   * out.
   */
  async countOfWords(shop: Shop, all: Settings, search: ShopSearch, signal?: AbortSignal): Promise<number> {
    const settings = settingsOf(all, search.profileId);
    const query = search.q ?? '';
    const filter = await this.#filters.all(shop, trustedFilters(shop, settings, search), search.filter);
    const q = [query, ...synonymsOf(settings, query)].join(' ');
    const body = { ...ALL, ...{ q, limit: 1, attributesToRetrieve: [], filter }, ...collapsing(settings) };
    const { totalHits = 0 } = await this.#run(shop, settings, body, signal);
    return totalHits;
  }

  /** The strongest interests of a shopper, but for products that are hidden: nobody is to learn what those are like. */
  async #interestsOf(shop: Shop, all: Settings, settings: Settings, search: ShopSearch): Promise<Weights> {
    const countMax = Math.min(INTERESTS_MAX, this.#limits.contextDocumentsMax);
    const interests = await this.#interests.soon(shop, all, search);
    const isFiltered = settings.defaultFilter != null && settings.defaultFilter.trim() !== '';
    if (!isFiltered || Object.keys(interests).length === 0) return strongest(interests, countMax);
    const visible = await this.#visible.get(shop, settings, Object.keys(interests), []);
    const seen = Object.entries(interests).filter(([id]) => visible.has(id));
    return strongest(Object.fromEntries(seen), countMax);
  }

  /** Fields that the settings name and no product has yet do not fail a search: it then looks in all. */
  async #run(shop: Shop, settings: Settings, body: Body, signal?: AbortSignal): Promise<IndexAnswer> {
    const whole = { searchMethod: 'HYBRID', showHighlights: false, ...body };
    const search = (one: Body) => this.#calls.call<IndexAnswer>(shop, 'search', one, signal);
    const within = withinFields(settings, whole);
    if (within === null) return search(whole);
    try {
      return await search(within);
    } catch (error) {
      if (!(error instanceof PelorusError && error.code === 'invalid_field_name')) throw error;
      return search(whole);
    }
  }
}

/** The query that settings are about: empty where the catalogue is browsed. */
function queryOf(q: string | null | undefined): string {
  return isBrowsing(q) ? '' : (q ?? '');
}

/** The search restricted to the fields of the settings; null where there are none. */
function withinFields({ searchableFields }: Settings, body: Body & { hybridParameters?: Body }): Body | null {
  if (searchableFields == null || body.q === ALL.q) return null;
  const meant: readonly string[] = [...MEANING_FIELDS, PICTURE_FIELD];
  const byWordsAlone = body.hybridParameters?.retrievalMethod === 'lexical';
  const tensor = byWordsAlone ? [] : searchableFields.filter((name) => meant.includes(name));
  const lexical = searchableFields.filter((name) => name !== PICTURE_FIELD);
  return {
    ...body,
    hybridParameters: {
      ...body.hybridParameters,
      ...(tensor.length > 0 && { searchableAttributesTensor: tensor }),
      ...(lexical.length > 0 && { searchableAttributesLexical: lexical }),
    },
  };
}

/** The search that browses: popular products first, then new ones. */
function browsing(settings: Settings, { sortBy }: ShopSearch): Body {
  const modifiers = [{ field_name: rankingFields.popularity, weight: 1 }, ...boostsOf(settings, '')];
  const fields = [{ fieldName: rankingFields.popularity }, { fieldName: rankingFields.addedAt }];
  return {
    q: ALL.q,
    hybridParameters: { ...ALL.hybridParameters, scoreModifiersLexical: { add_to_score: modifiers } },
    sortBy: { minSortCandidates: SORT_CANDIDATES_MAX, ...(sortBy ?? { fields }) },
    ...collapsing(settings),
  };
}

/**
 * The search by words and by meaning, ranked by the choices of shoppers who asked the same, and a little by the last
 * actions of this one.
 */
function asked(settings: Settings, query: string, search: ShopSearch, interests: Weights, meant = query): Body {
  const { sortBy, pictures = [] } = search;
  const { relevanceCutoff, alpha } = settings;
  const queries = queriesOf(query, meant, synonymsOf(settings, query), pictures, interests);
  const modifiers = [
    { field_name: rankingFields.popularity, weight: POPULARITY_WEIGHT },
    { field_name: `${rankingFields.queryPopularity}.${queryKey(query)}`, weight: QUERY_POPULARITY_WEIGHT },
    ...boostsOf(settings, query),
  ];
  return {
    ...queries,
    // A search by pictures alone has one leg.
    ...(alpha != null && query !== '' && { hybridParameters: { ...queries.hybridParameters, alpha } }),
    ...(query !== '' && typingOf(search)),
    ...(meant === query && correcting(settings, query, search) && { didYouMean: true }),
    // A search by pictures alone gives no words to judge relevance by.
    ...(relevanceCutoff != null && query !== '' && { relevanceCutoff: { affectFacets: true, ...relevanceCutoff } }),
    ...(sortBy == null ? { scoreModifiers: { add_to_score: modifiers } } : { sortBy }),
    ...collapsing(settings),
  };
}

/** The words that match others than themselves, as a shopper types them. */
function typingOf({ prefix, typoTolerance }: ShopSearch): Body {
  return { ...(prefix != null && { prefix }), ...(typoTolerance != null && { typoTolerance }) };
}

/** Tells whether the words that may have been meant are looked for. A query with synonyms is known as it is. */
function correcting(settings: Settings, query: string, { typoTolerance }: ShopSearch): boolean {
  return query !== '' && typoTolerance === true && synonymsOf(settings, query).length === 0;
}

/**
 * The queries of each leg of the search: the words as they were typed, and those `meant` for their meaning. Pictures join
 * the meaning of the words; alone, there are no words to find.
 */
function queriesOf(
  query: string,
  meant: string,
  synonyms: readonly string[],
  pictures: readonly (readonly number[])[],
  interests: Weights,
): Body & { readonly hybridParameters?: Body } {
  const queryLexical = [query, ...synonyms].join(' ');
  const documents = documentsOf(interests);
  if (pictures.length === 0 && documents === null) {
    return queryLexical === meant ? { q: query } : { hybridParameters: { queryTensor: meant, queryLexical } };
  }
  const contextOf = (vectors: typeof pictures) => ({
    ...(vectors.length > 0 && { tensor: vectors.map((vector) => ({ vector, weight: 1 })) }),
    ...(documents !== null && { documents }),
  });
  if (query !== '') {
    return { context: contextOf(pictures), hybridParameters: { queryTensor: { [meant]: 1 }, queryLexical } };
  }
  const [vector, ...others] = pictures;
  return {
    ...{ q: { customVector: { vector, content: ALL.q } }, hybridParameters: { alpha: 1 } },
    ...(others.length > 0 && { context: contextOf(others) }),
  };
}

/** The products that a shopper had to do with, as a context whose weight is a share of the query's; null for none. */
function documentsOf(interests: Weights): Body | null {
  const products = Object.entries(interests);
  if (products.length === 0) return null;
  const sum = products.reduce((total, [, weight]) => total + weight, 0);
  return {
    ids: Object.fromEntries(products.map(([id, weight]) => [id, (weight / sum) * INTERESTS_WEIGHT])),
    parameters: {
      tensorFields: [MEANING_FIELDS[0]],
      ...{ excludeInputDocuments: false, allowMissingDocuments: true, allowMissingEmbeddings: true },
    },
  };
}

function collapsing({ collapseField }: Settings): Body {
  return collapseField === '' ? {} : { collapseFields: [{ name: PARENT_FIELD }] };
}

function facetsOf({ facetFields }: Settings, { counted, facets }: ShopSearch): unknown {
  if (counted != null) return counted;
  if (facets != null) return facets;
  return facetFields == null || Object.keys(facetFields).length === 0 ? null : { fields: facetFields };
}

/** The filters of the shop: they are whole, since settings with others are refused. */
function trustedFilters({ shop }: Shop, settings: Settings, { q, collection }: ShopSearch): string[] {
  const { defaultFilter } = settings;
  const filters: string[] = [];
  const hidden = collection === undefined ? hiddenOf(settings, queryOf(q)) : [];
  if (hidden.length > 0) filters.push(`NOT (${anyOf(hidden.map((id) => equals(PARENT_FIELD, id)))})`);
  if (defaultFilter != null && defaultFilter.trim() !== '') filters.push(defaultFilter);
  if (collection !== undefined) filters.push(equals(shop.collectionField, collection));
  return filters;
}

function found(
  shop: Shop,
  settings: Settings,
  search: ShopSearch,
  answer: IndexAnswer,
  redirect: string | null,
): FoundProducts {
  const { hits, totalHits = hits.length, facets } = answer;
  return {
    hits: shownHits(shop, settings, search, hits),
    totalHits,
    ...(facets !== undefined && { facets }),
    redirect,
  };
}

/** @throws PelorusError for a page that no answer has */
export function checkPage(
  { limit, offset = 0 }: { readonly limit: number; readonly offset?: number },
  { limitMax, offsetMax }: PageLimits,
): void {
  if (limit < 1 || limit > limitMax) {
    throw new PelorusError('illegal_requested_doc_count', `limit must be from 1 to ${limitMax}, but it is ${limit}`);
  }
  if (offset >= 0 && offset <= offsetMax) return;
  throw new PelorusError('illegal_requested_doc_count', `offset must be from 0 to ${offsetMax}, but it is ${offset}`);
}

function checkSort({ sortBy }: ShopSearch, { sortFields }: Settings): void {
  const other =
    sortFields == null ? undefined : sortBy?.fields.find(({ fieldName }) => !sortFields.includes(fieldName));
  if (other === undefined) return;
  throw invalidArgument(
    `This shop does not sort by ${other.fieldName.slice(0, 256)}: its sortFields are ${sortFields?.join(', ')}`,
  );
}
