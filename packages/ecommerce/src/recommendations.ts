import { invalidArgument, normalizedQuery, PelorusError, type schemas, truncated } from '@pelorus/contract';
import type { Filters } from './filters.js';
import type { Interests, Weights } from './interests.js';
import { PARENT_FIELD } from './products.js';
import { QUERY_LENGTH_MAX } from './query-text.js';
import type { Settings } from './settings.js';
import { checkNamespace } from './settings-rules.js';
import type { Shop, ShopCalls } from './shop.js';
import { checkNames, type Hit, retrieval, shownHits } from './shop-hits.js';
import { checkPage, type FoundProducts, type PageLimits, type ShopSearches } from './shop-search.js';
import type { VisibleProducts } from './visible-products.js';

/** Variants of one parent take each other's places: so many times the wanted hits are looked at. */
const VARIANTS_FACTOR = 4;

type Suggestion = schemas.QueryRecommendations['suggestions'][number];
type Recommended = Pick<schemas.RecommendSimilarRequest, 'limit' | 'filter' | 'attributesToRetrieve'>;

export interface RecommendationParts {
  readonly calls: ShopCalls;
  readonly filters: Filters;
  readonly searches: ShopSearches;
  readonly interests: Interests;
  readonly visible: VisibleProducts;
  readonly pages: PageLimits;
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
    checkPage(request, this.#parts.pages);
    const visible = await this.#parts.visible.get(shop, settings, documentIds, [PARENT_FIELD], signal);
    const missing = documentIds.filter((id) => !visible.has(id));
    // A hidden product is answered like a missing one.
    if (missing.length > 0) {
      throw invalidArgument(`The following document IDs were not found: ${truncated(missing.join(', '))}`);
    }
    const weights = Object.fromEntries(documentIds.map((id) => [id, 1]));
    return this.#near(shop, settings, weights, visible, request, signal);
  }

  /** Products near those that a shopper, or a session, had to do with of late; an unknown shopper gets popular ones. */
  async forYou(
    shop: Shop,
    settings: Settings,
    request: schemas.RecommendForYouRequest,
    signal?: AbortSignal,
  ): Promise<FoundProducts> {
    checkPage(request, this.#parts.pages);
    if (request.userId == null && request.sessionId == null) {
      throw new PelorusError('invalid_argument', 'A userId or a sessionId must be given');
    }
    const all = await this.#parts.interests.of(shop, settings, request);
    const visible = await this.#parts.visible.get(shop, settings, Object.keys(all), [PARENT_FIELD], signal);
    const weights = Object.fromEntries(Object.entries(all).filter(([id]) => visible.has(id)));
    if (visible.size > 0) return this.#near(shop, settings, weights, visible, request, signal);
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
    stored: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
    request: Recommended,
    signal?: AbortSignal,
  ): Promise<FoundProducts> {
    const { calls, filters, pages } = this.#parts;
    const { limit } = request;
    checkNames(shop, settings, request);
    const { attributesToRetrieve } = retrieval(shop, settings, request);
    const isGrouped = settings.collapseField !== '';
    const trusted =
      settings.defaultFilter == null || settings.defaultFilter.trim() === '' ? [] : [settings.defaultFilter];
    const body = {
      documents,
      limit: isGrouped ? Math.min(pages.limitMax, limit * VARIANTS_FACTOR) : limit,
      filter: await filters.all(shop, trusted, request.filter),
      attributesToRetrieve: isGrouped ? [...new Set([...attributesToRetrieve, PARENT_FIELD])] : attributesToRetrieve,
      showHighlights: false,
    };
    const { hits } = await calls.call<{ hits: Hit[] }>(shop, 'recommend', body, signal);
    const parents = [...stored.values()].map((product) => product[PARENT_FIELD]);
    const seen = new Set<unknown>(isGrouped ? parents : []);
    const first = hits.filter((hit) => {
      if (!isGrouped) return true;
      const isNew = !seen.has(hit[PARENT_FIELD]);
      seen.add(hit[PARENT_FIELD]);
      return isNew;
    });
    const shown = attributesToRetrieve.includes(PARENT_FIELD)
      ? first
      : first.map(({ [PARENT_FIELD]: _, ...hit }) => hit as Hit);
    const page = shownHits(shop, settings, request, shown.slice(0, limit));
    return { hits: page, totalHits: page.length, redirect: null };
  }
}

/** Tells whether `suggestion`, or one of its words, begins with the typed text. */
function begins(suggestion: string, typed: string): boolean {
  return ` ${normalizedQuery(suggestion)}`.includes(` ${typed}`);
}
