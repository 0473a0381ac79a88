import type { schemas } from '@pelorus/contract';
import { PRODUCTS_MAX } from './products.js';
import { queryKey } from './query-text.js';
import { rankingFields } from './ranking-fields.js';
import type { Settings } from './settings.js';
import type { Shop, ShopCalls } from './shop.js';
import { customerOf, type ProductFigures, type ShopperFigures } from './shopper-figures.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Older events say little about the wishes of today's shoppers. */
const FIGURES_MS = 90 * DAY_MS;
/** Most queries of which a product keeps figures: those by which it is chosen most. */
const QUERIES_OF_PRODUCT_MAX = 50;
/** Most products of a shop that have figures. */
const PRODUCTS_WITH_FIGURES_MAX = 200_000;
/** Figures are told apart to so many digits: smaller changes are none. */
const DIGITS = 4;
/** Users who must have searched for a query before it is suggested: nobody's own words are shown to others. */
const USERS_MIN = 3;
const SUGGESTIONS_MAX = 1_000;
const NONE: Fields = { popularity: 0, clickRate: 0, conversionRate: 0, queryPopularity: {} };

interface Fields {
  readonly popularity: number;
  readonly clickRate: number;
  readonly conversionRate: number;
  readonly queryPopularity: Readonly<Record<string, number>>;
}

/** The state written for a shop since the service started. */
interface Written {
  /** By product, its figures as JSON. */
  readonly figures: Map<string, string>;
  /** By query, its popularity; null before the first round. */
  queries: Map<string, number> | null;
}

/** Writes figures of shoppers into the products of shops, and what is asked often into their suggestions. */
export class RankingFeed {
  readonly #calls: ShopCalls;
  readonly #figures: ShopperFigures;
  readonly #now: () => number;
  readonly #written = new Map<string, Written>();

  /** @param now milliseconds since 1970 */
  constructor(calls: ShopCalls, figures: ShopperFigures, now: () => number = Date.now) {
    this.#calls = calls;
    this.#figures = figures;
    this.#now = now;
  }

  /** Products that were written anew: their figures are written again by the next round. */
  forget({ id }: Shop, products: readonly unknown[]): void {
    const written = this.#written.get(id);
    for (const product of products) written?.figures.delete(product as string);
  }

  /** Forgets shops that are gone. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#written.keys()) if (!ids.has(id)) this.#written.delete(id);
  }

  /**
   * One round for one shop: writes the figures that changed since the last one, and returns of how many products.
   * @throws PelorusError where the index does not take it; what was written until then is remembered
   */
  async refresh(shop: Shop, settings: Settings, signal?: AbortSignal): Promise<number> {
    const customerId = customerOf(shop, settings);
    const since = this.#now() - FIGURES_MS;
    const written = this.#writtenOf(shop);
    const wanted = fieldsOf(await this.#figures.productSignals(customerId, since));
    for (const id of written.figures.keys()) if (!wanted.has(id)) wanted.set(id, NONE);
    const changed = [...wanted].filter(([id, fields]) => written.figures.get(id) !== JSON.stringify(fields));
    for (let start = 0; start < changed.length; start += PRODUCTS_MAX) {
      const batch = changed.slice(start, start + PRODUCTS_MAX);
      const documents = batch.map(([id, fields]) => ({ _id: id, ...fields }));
      await this.#calls.call(shop, 'updateDocuments', { documents }, signal);
      for (const [id, fields] of batch) {
        // A product without figures need not be remembered.
        if (fields === NONE) written.figures.delete(id);
        else written.figures.set(id, JSON.stringify(fields));
      }
    }
    await this.#suggest(shop, customerId, since, written, signal);
    return changed.length;
  }

  async #suggest(shop: Shop, customerId: string, since: number, written: Written, signal?: AbortSignal): Promise<void> {
    const top = await this.#figures.topQueries(customerId, { since, limit: SUGGESTIONS_MAX });
    const good = top.filter(
      // Browsing sends an empty query, which is nothing to suggest.
      ({ query, users, findsSomething }) => query !== '' && users >= USERS_MIN && findsSomething === true,
    );
    const wanted = new Map(good.map(({ query, users }) => [query, users]));
    written.queries ??= await this.#suggested(shop, signal);
    const known = written.queries;
    const changed = [...wanted].filter(([query, users]) => known.get(query) !== users);
    for (let start = 0; start < changed.length; start += PRODUCTS_MAX) {
      const batch = changed.slice(start, start + PRODUCTS_MAX);
      const queries = batch.map(([query, popularity]) => ({ query, popularity }));
      await this.#calls.call<schemas.IndexQueriesResponse>(shop, 'indexQueries', { queries }, signal);
      for (const [query, users] of batch) known.set(query, users);
    }
    const gone = [...known.keys()].filter((query) => !wanted.has(query));
    for (let start = 0; start < gone.length; start += PRODUCTS_MAX) {
      const batch = gone.slice(start, start + PRODUCTS_MAX);
      await this.#calls.call(shop, 'deleteQueries', batch, signal);
      for (const query of batch) known.delete(query);
    }
  }

  /** The suggestions of an earlier run of the service; nobody knows by how many users. */
  async #suggested(shop: Shop, signal?: AbortSignal): Promise<Map<string, number>> {
    const all = { q: '*', limit: SUGGESTIONS_MAX };
    const { suggestions } = await this.#calls.call<schemas.SuggestResponse>(shop, 'suggest', all, signal);
    return new Map(suggestions.map(({ suggestion }) => [suggestion, 0]));
  }

  #writtenOf({ id }: Shop): Written {
    const written = this.#written.get(id) ?? { figures: new Map(), queries: null };
    this.#written.set(id, written);
    return written;
  }
}

/** The fields that products should hold, by id. */
function fieldsOf({
  overall,
  byQuery,
}: {
  readonly overall: readonly ProductFigures[];
  readonly byQuery: ReadonlyMap<string, readonly ProductFigures[]>;
}): Map<string, Fields> {
  const chosen = new Map<string, [key: string, popularity: number][]>();
  for (const [query, products] of byQuery) {
    const key = queryKey(query);
    for (const { docId, popularity } of products) {
      if (rounded(popularity) === 0) continue;
      const queries = chosen.get(docId);
      if (queries === undefined) chosen.set(docId, [[key, popularity]]);
      else queries.push([key, popularity]);
    }
  }
  const best = overall.length <= PRODUCTS_WITH_FIGURES_MAX ? overall : mostPopular(overall);
  return new Map(
    best.map(({ docId, popularity, clickRate, conversionRate }) => [
      docId,
      {
        [rankingFields.popularity]: rounded(popularity),
        [rankingFields.clickRate]: rounded(clickRate),
        [rankingFields.conversionRate]: rounded(conversionRate),
        [rankingFields.queryPopularity]: queriesOf(chosen.get(docId) ?? []),
      },
    ]),
  );
}

function mostPopular(products: readonly ProductFigures[]): readonly ProductFigures[] {
  return products.toSorted((a, b) => b.popularity - a.popularity).slice(0, PRODUCTS_WITH_FIGURES_MAX);
}

function queriesOf(queries: readonly [key: string, popularity: number][]): Record<string, number> {
  const best = queries.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, QUERIES_OF_PRODUCT_MAX);
  return Object.fromEntries(best.map(([key, popularity]) => [key, rounded(popularity)]));
}

function rounded(figure: number): number {
  return Number(figure.toFixed(DIGITS));
}
