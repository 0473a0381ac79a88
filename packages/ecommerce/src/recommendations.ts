import { PelorusError, type schemas } from '@pelorus/contract';
import type { Filters } from './filters.js';
import type { Interests, Weights } from './interests.js';
import { PARENT_FIELD } from './products.js';
import { normalizedQuery, QUERY_LENGTH_MAX } from './query-text.js';
import type { Settings } from './settings.js';
import { checkNamespace } from './settings-rules.js';
import type { Shop, ShopCalls } from './shop.js';
import { checkPage, type FoundProducts, type Hit, retrieval, type ShopSearches, shownHits } from './shop-search.js';

/** Variants of one parent take each other's places: so many times the wanted hits are looked at. */
const VARIANTS_FACTOR = 4;
const LIMIT_MAX = 1000;

type Suggestion = schemas.QueryRecommendations['suggestions'][number];
type Recommended = Pick<schemas.RecommendSimilarRequest, 'limit' | 'filter' | 'attributesToRetrieve'>;

export interface RecommendationParts {
  readonly calls: ShopCalls;
  readonly filters: Filters;
  readonly searches: ShopSearches;
  readonly interests: Interests;
}

/** Products and queries that nobody asked for in words. */
export class Recommendations {
  readonly #parts: RecommendationParts;

  constructor(parts: RecommendationParts) {
    this.#parts = parts;
  }

  /** Products near others by meaning, one variant of each parent; the others and their variants are left out. */
  async similar(
    shop: Shop,
    settings: Settings,
    { documentIds, ...request }: schemas.RecommendSimilarRequest,
    signal?: AbortSignal,
  ): Promise<FoundProducts> {
    checkPage(request);
    return this.#near(shop, settings, Object.fromEntries(documentIds.map((id) => [id, 1])), request, signal);
  }

  /** Products near what a shopper, or a session, had to do with of late; of one that is not known, what is popular. */
  async forYou(
    shop: Shop,
    settings: Settings,
    request: schemas.RecommendForYouRequest,
    signal?: AbortSignal,
  ): Promise<FoundProducts> {
    checkPage(request);
    if (request.userId == null && request.sessionId == null) {
      throw new PelorusError('invalid_argument', 'A userId or a sessionId must be given');
    }
    const weights = await this.#known(shop, await this.#parts.interests.of(shop, settings, request));
    if (Object.keys(weights).length > 0) return this.#near(shop, settings, weights, request, signal);
    return this.#parts.searches.search(shop, settings, { ...request, offset: 0 }, signal);
  }

  /** Queries to suggest: those of the settings first, then what many shoppers asked and found something by. */
  async queries(
    shop: Shop,
    { suggestions }: Settings,
    { q, limit, namespace }: schemas.RecommendQueriesRequest,
    signal?: AbortSignal,
  ): Promise<Suggestion[]> {
    if (namespace != null) checkNamespace(namespace);
    const typed = normalizedQuery(q ?? '');
    if (typed.length > QUERY_LENGTH_MAX) {
      throw new PelorusError(
        'invalid_argument',
        `q has ${typed.length} characters, more than the limit of ${QUERY_LENGTH_MAX}`,
      );
    }
    const listed = (suggestions ?? [])
      .filter((one) => (namespace == null || one.namespace === namespace) && begins(one.suggestion, typed))
      .map(({ suggestion, namespace: own }): Suggestion => ({ suggestion, ...(own != null && { namespace: own }) }));
    if (namespace != null || listed.length >= limit) return listed.slice(0, limit);
    const body = { q: typed === '' ? '*' : typed, limit };
    const logged = await this.#parts.calls.call<schemas.SuggestResponse>(shop, 'suggest', body, signal);
    const known = new Set(listed.map(({ suggestion }) => normalizedQuery(suggestion)));
    const others = logged.suggestions.filter(({ suggestion }) => !known.has(normalizedQuery(suggestion)));
    return [...listed, ...others.map(({ suggestion }) => ({ suggestion }))].slice(0, limit);
  }

  async #near(
    shop: Shop,
    settings: Settings,
    documents: Weights,
    request: Recommended,
    signal?: AbortSignal,
  ): Promise<FoundProducts> {
    const { calls, filters } = this.#parts;
    const { limit } = request;
    const { attributesToRetrieve } = retrieval(shop, request);
    const isGrouped = settings.collapseField !== '';
    const trusted =
      settings.defaultFilter == null || settings.defaultFilter.trim() === '' ? [] : [settings.defaultFilter];
    const body = {
      documents,
      limit: isGrouped ? Math.min(LIMIT_MAX, limit * VARIANTS_FACTOR) : limit,
      filter: await filters.all(shop, trusted, request.filter),
      attributesToRetrieve: isGrouped ? [...new Set([...attributesToRetrieve, PARENT_FIELD])] : attributesToRetrieve,
      showHighlights: false,
    };
    const { hits } = await calls.call<{ hits: Hit[] }>(shop, 'recommend', body, signal);
    const seen = isGrouped ? await this.#parentsOf(shop, Object.keys(documents)) : new Set<unknown>();
    const first = hits.filter((hit) => {
      if (!isGrouped) return true;
      const isNew = !seen.has(hit[PARENT_FIELD]);
      seen.add(hit[PARENT_FIELD]);
      return isNew;
    });
    const shown = attributesToRetrieve.includes(PARENT_FIELD)
      ? first
      : first.map(({ [PARENT_FIELD]: _, ...hit }) => hit as Hit);
    const page = shownHits(shop, request, shown.slice(0, limit));
    return { hits: page, totalHits: page.length, redirect: null };
  }

  /** Those of the products that are there. */
  async #known(shop: Shop, weights: Weights): Promise<Weights> {
    if (Object.keys(weights).length === 0) return weights;
    const stored = await this.#stored(shop, Object.keys(weights));
    return Object.fromEntries(Object.entries(weights).filter(([id]) => stored.has(id)));
  }

  async #parentsOf(shop: Shop, documentIds: readonly string[]): Promise<Set<unknown>> {
    return new Set((await this.#stored(shop, documentIds)).values());
  }

  /** Parents of the products that are there, by id. */
  async #stored(shop: Shop, documentIds: readonly string[]): Promise<Map<string, unknown>> {
    const { results } = await this.#parts.calls.call<{ results: Readonly<Record<string, unknown>>[] }>(
      shop,
      'getDocumentsBatch',
      { documentIds },
    );
    const found = results.filter(({ _found }) => _found === true);
    return new Map(found.map((product) => [product._id as string, product[PARENT_FIELD]]));
  }
}

/** Whether `suggestion`, or one of its words, begins with what was typed. */
function begins(suggestion: string, typed: string): boolean {
  return ` ${normalizedQuery(suggestion)}`.includes(` ${typed}`);
}
