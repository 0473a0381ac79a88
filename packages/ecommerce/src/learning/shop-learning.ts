import { setTimeout as rest } from 'node:timers/promises';
import { PelorusError } from '@pelorus/contract';
import { EVENT_WEIGHTS } from '../interests.js';
import { PARENT_FIELD, PICTURE_FIELD, type Products } from '../products.js';
import { redirectOf, type Settings } from '../settings.js';
import type { LearnedNote, SettingsVersion } from '../settings-versions.js';
import type { Shop } from '../shop.js';
import type { ShopSearches } from '../shop-search.js';
import { customerOf, type ShopperFigures } from '../shopper-figures.js';
import { type ChosenProducts, learnWeights, type RankingWeights } from './learn-weights.js';
import type { LearningOrder, LearningResult } from './learning-jobs.js';
import { DRAFT_LENGTH } from './team-draft.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Users who have to have chosen something after a query, as of what is popular. */
const USERS_MIN = 5;
/** Most queries that are looked at, those of most users. */
const QUERIES_MAX = 300;
/** Most members whose weights are tried. */
const FIELDS_MAX = 6;
/** Most products that are read at once. */
const PRODUCTS_AT_ONCE = 100;
/** The weight of meaning where neither a search nor settings name one, as `alpha` of a hybrid search. */
const ALPHA_DEFAULT = 0.5;
/** The time after which a call is tried again that the index was too busy for, twice as long each time; and how often it is. */
const RETRY_MS = 100;
const RETRIES_MAX = 8;
const BUSY: ReadonlySet<string> = new Set(['service_unavailable', 'too_many_requests', 'vector_store_timeout']);

export interface ShopLearningParts {
  /** Absent where nobody counts the actions of shoppers. */
  readonly figures: ShopperFigures | undefined;
  readonly products: Products;
  readonly searches: ShopSearches;
  readonly settings: (shop: Shop) => SettingsVersion;
  /** @throws PelorusError `version_conflict` where the settings are not of the version `learned` is about */
  readonly apply: (shop: Shop, change: Settings, learned: LearnedNote) => Promise<SettingsVersion>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Run {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/** Learns the weights of a shop from the choices of its shoppers, for who consents. */
export class ShopLearning {
  readonly #parts: ShopLearningParts;

  constructor(parts: ShopLearningParts) {
    this.#parts = parts;
  }

  /** @throws PelorusError `forbidden` where the settings of the shop do not consent */
  requireConsent(shop: Shop): void {
    if (this.#parts.settings(shop).settings.learnsWeights === true) return;
    throw new PelorusError('forbidden', 'Nothing is learned before learnsWeights of the settings of the shop is true');
  }

  /** @throws PelorusError where the index does not answer, or the consent is taken back */
  async run(shop: Shop, { days, apply }: LearningOrder, { signal, onProgress }: Run): Promise<LearningResult> {
    const { settings, version } = this.#parts.settings(shop);
    const queries = await this.#queries(shop, settings, days, signal);
    const ofIndex = await this.#patiently(() => this.#parts.searches.indexWeights(shop, signal), signal);
    const present = {
      fieldWeights: settings.fieldWeights ?? ofIndex.fieldWeights ?? {},
      alpha: settings.alpha ?? ofIndex.alpha ?? ALPHA_DEFAULT,
    };
    const { comparison, reason } = await learnWeights({
      queries: queries.chosen,
      fields: queries.fields,
      present,
      rank: (query, weights) => this.#rank(shop, { ...settings, ...weights }, query, signal),
      // Settings that were learned are judged by other halves than those that they were found by.
      salt: String(version),
      signal,
      onProgress,
    });
    const learned = comparison === null ? null : { from: version, ...comparison };
    const result = { queries: queries.chosen.length, comparison: learned, reason, appliedVersion: null };
    if (learned === null || reason !== null) return { ...result, outcome: 'unchanged' };
    if (!apply) return { ...result, outcome: 'proposed' };
    try {
      const applied = await this.#parts.apply(shop, settingsOf(learned.proposed, ofIndex), learned);
      return { ...result, outcome: 'applied', appliedVersion: applied.version };
    } catch (error) {
      if (!(error instanceof PelorusError && error.code === 'version_conflict')) throw error;
      return { ...result, outcome: 'proposed', reason: `It was not applied: ${error.message}` };
    }
  }

  /** The queries that shoppers chose something after, each product by its parent, and the texts that these products have. */
  async #queries(shop: Shop, settings: Settings, days: number, signal: AbortSignal) {
    const options = { since: this.#parts.now() - (days - 1) * DAY_MS, usersMin: USERS_MIN, limit: QUERIES_MAX };
    const choices = (await this.#parts.figures?.queryChoices(customerOf(shop, settings), options)) ?? [];
    const searched = choices.filter(({ query }) => redirectOf(settings, query) === null);
    const ids = [...new Set(searched.flatMap(({ products }) => products.map(({ docId }) => docId)))];
    const keys = new Map<string, string>();
    const texts = new Map<string, number>();
    for (let start = 0; start < ids.length; start += PRODUCTS_AT_ONCE) {
      const batch = ids.slice(start, start + PRODUCTS_AT_ONCE);
      const { results } = await this.#patiently(() => this.#parts.products.get(shop, batch), signal);
      for (const [place, product] of (results as readonly Readonly<Record<string, unknown>>[]).entries()) {
        if (product._found !== true) continue;
        keys.set(batch[place] as string, String(settings.collapseField === '' ? product._id : product[PARENT_FIELD]));
        for (const name of textsOf(product)) texts.set(name, (texts.get(name) ?? 0) + 1);
      }
    }
    const { searchableFields } = settings;
    const fields = [...texts]
      .filter(([name]) => name !== shop.shop.collectionField && (searchableFields?.includes(name) ?? true))
      .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .map(([name]) => name);
    const chosen = searched.map(({ query, products }): ChosenProducts => {
      const worth = new Map<string, number>();
      for (const { docId, clicked, carted, bought } of products) {
        const key = keys.get(docId);
        if (key === undefined) continue;
        const points = clicked * CLICK + carted * CART + bought * PURCHASE;
        worth.set(key, (worth.get(key) ?? 0) + points);
      }
      return { query, worth };
    });
    return { chosen: chosen.filter(({ worth }) => worth.size > 0), fields: fields.slice(0, FIELDS_MAX) };
  }

  /** One search at a time, and as long a rest after it: shoppers keep at least half of the time. */
  async #rank(shop: Shop, settings: Settings, query: string, signal: AbortSignal): Promise<readonly string[]> {
    this.requireConsent(shop);
    const startedMs = performance.now();
    const search = () => this.#parts.searches.ranking(shop, settings, query, DRAFT_LENGTH, signal);
    const ranking = await this.#patiently(search, signal);
    await rest(performance.now() - startedMs, undefined, { signal });
    return ranking;
  }

  async #patiently<Answer>(call: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        if (tries >= RETRIES_MAX || !(error instanceof PelorusError && BUSY.has(error.code))) throw error;
      }
      await rest(RETRY_MS * 2 ** tries, undefined, { signal });
    }
  }
}

const [CLICK = 0, CART = 0, PURCHASE = 0] = ['ClickEvent', 'AddToCartEvent', 'PurchaseEvent'].map((type) =>
  EVENT_WEIGHTS.get(type),
);

/** The members of a product whose words a search finds: no ids, and no pointers to pictures. */
function textsOf(product: Readonly<Record<string, unknown>>): string[] {
  const isText = ([name, value]: [string, unknown]) =>
    typeof value === 'string' && !name.startsWith('_') && !NO_TEXTS.has(name) && !/^https?:/.test(value);
  return Object.entries(product)
    .filter(isText)
    .map(([name]) => name);
}

const NO_TEXTS: ReadonlySet<string> = new Set([PARENT_FIELD, PICTURE_FIELD]);

/** The change of settings that weights are: a member that weighs 1 need not be named, unless the index weighs others. */
function settingsOf({ fieldWeights, alpha }: RankingWeights, ofIndex: Pick<Settings, 'fieldWeights'>): Settings {
  const named = Object.entries(fieldWeights).filter(([, weight]) => weight !== 1);
  const isLeftOut = named.length === 0 && ofIndex.fieldWeights == null;
  return { fieldWeights: isLeftOut ? null : Object.fromEntries(named), alpha };
}
