import { mkdir } from 'node:fs/promises';
import { indexNotFound, PelorusError } from '@pelorus/contract';
import type { Inventory } from '@pelorus/files';
import { type EarlierIndexId, type HostedIndex, type HostedIndexes, newShopId, type ShopRecord } from '@pelorus/hosted';
import type { ChatModel } from './agentic/chat-model.js';
import { Discovery } from './agentic/discovery.js';
import type { HelpCentre } from './agentic/help-centre.js';
import type { KeptContext } from './agentic/kept-context.js';
import { Collections } from './collections.js';
import { equals, Filters } from './filters.js';
import { earlierIdsOf, isNamedBy, knownIdsOf, withIndexId } from './index-ids.js';
import { Interests } from './interests.js';
import { KeptShop } from './kept-shop.js';
import { LearningJobs, type LearningOrder, type LearningState } from './learning/learning-jobs.js';
import { ShopLearning } from './learning/shop-learning.js';
import { moveFromOlderPlaces } from './older-places.js';
import { PARENT_FIELD, Products } from './products.js';
import { RankingFeed } from './ranking-feed.js';
import { Recommendations } from './recommendations.js';
import { profilesOf, type Settings } from './settings.js';
import { checkFieldKinds } from './settings-rules.js';
import type { SettingsVersion } from './settings-versions.js';
import { type Shop, ShopCalls } from './shop.js';
import { closedShop, placeOfShop, type Tell } from './shop-files.js';
import { type SearchLimits, ShopSearches } from './shop-search.js';
import { customerOf, type ShopperFigures } from './shopper-figures.js';
import { VisibleProducts } from './visible-products.js';

export interface ShopsOptions {
  readonly hosted: HostedIndexes;
  /** Folder for data that shops keep together; those of one shop lie in the folder of its index. */
  readonly folder: string;
  /** The list of files that must be there, the file of the collections among it. */
  readonly inventory: Inventory;
  /** The most that an index takes of one search, by the settings of the operator. */
  readonly limits: SearchLimits;
  /** Absent where nobody counts the actions of shoppers. */
  readonly figures?: ShopperFigures;
  /** Absent where the operator named no language model. */
  readonly chat?: ChatModel;
  /** Told of rounds of figures that failed, which are tried again, and of failures of the language model. */
  readonly report?: (error: Error, shop: Shop) => void;
  /** Told of files that cannot be used, or that are not ours. */
  readonly tell?: Tell;
  /** Told of what shops learned. */
  readonly noteLearned?: (shop: Shop, state: LearningState) => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Time between two rounds of figures. Default 30000. */
  readonly refreshMs?: number;
}

/** A shop that is to be. */
export interface NewShop {
  readonly name: string;
  readonly modelType: string;
  readonly model: string;
  readonly modelProperties?: Readonly<Record<string, unknown>> | undefined;
  /** Tells whether the model sees pictures. */
  readonly takesPictures: boolean;
  readonly collectionField: string;
}

/** The rights of a page that calls by the id of an index. */
export interface ShopOfPages {
  readonly indexName: string;
  /** Origins of the pages; null for any. */
  readonly origins: readonly string[] | null;
  /** Tells whether the id is not enough: pages then may do nothing. */
  readonly requiresKey: boolean;
  /** The reason that nobody is served, whoever it is; absent where the shop is open. */
  readonly closed?: PelorusError;
}

/** A shop of which some cannot be used. */
export interface ShopFault {
  readonly name: string;
  readonly reason: string;
}

/** The directory that follows from a list of hosted indexes, which stays the same until one of them changes. */
interface Directory {
  readonly indexes: readonly HostedIndex[];
  readonly shops: readonly Shop[];
  /** By all ids that their records know. */
  readonly byIndexId: ReadonlyMap<string, Shop>;
}

/** Longest text that filters match, in characters: ids of parents, names of collections. */
const FILTER_TEXT_MAX = 256;

/** The shops of a service: their indexes, settings and products. */
export class Shops {
  readonly products: Products;
  readonly searches: ShopSearches;
  readonly recommendations: Recommendations;
  readonly collections: Collections;
  readonly discovery: Discovery;
  readonly figures: ShopperFigures | undefined;
  readonly #options: ShopsOptions;
  readonly #now: () => number;
  #known: Directory | undefined;
  readonly #calls: ShopCalls;
  readonly #filters: Filters;
  /** By id of the index: of those that were there at the start all, of others those that were asked about. */
  readonly #kept: Map<string, KeptShop>;
  readonly #learning: ShopLearning;
  readonly #learningJobs: LearningJobs;
  readonly #feed: RankingFeed | undefined;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<unknown> = Promise.resolve();

  private constructor(options: ShopsOptions, collections: Collections, kept: Map<string, KeptShop>) {
    const { hosted, limits, figures, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#calls = new ShopCalls(hosted);
    this.#filters = new Filters(this.#calls);
    this.#kept = kept;
    this.collections = collections;
    this.figures = figures;
    this.products = new Products(this.#calls, now);
    const interests = new Interests(figures, now);
    const visible = new VisibleProducts(this.#calls, this.#filters, this.products, limits.limitMax);
    this.searches = new ShopSearches(this.#calls, this.#filters, interests, visible, limits);
    const asking = { calls: this.#calls, filters: this.#filters, searches: this.searches };
    const parts = { ...asking, interests, visible, pages: limits };
    this.recommendations = new Recommendations(parts);
    this.discovery = new Discovery({
      ...{ calls: this.#calls, searches: this.searches, collections, now },
      kept: (shop) => this.#keptOf(shop),
      visible,
      chat: options.chat,
      report: options.report,
    });
    this.#learning = new ShopLearning({
      ...{ figures, products: this.products, searches: this.searches, now },
      settings: (shop) => this.settings(shop),
      apply: (shop, change, learned) => this.#keptOf(shop).settings.change(change, learned.from, learned),
    });
    const run = this.#learning.run.bind(this.#learning);
    this.#learningJobs = new LearningJobs(run, now, (shop, state) => options.noteLearned?.(shop, state));
    this.#feed = figures === undefined ? undefined : new RankingFeed(this.#calls, figures, now);
  }

  /** Opens what shops keep, and begins to bring figures of shoppers into their products. */
  static async open(options: ShopsOptions): Promise<Shops> {
    const { hosted, folder, inventory, tell = () => undefined } = options;
    // A file in the place of the folder costs only the collections their file.
    await mkdir(folder, { recursive: true }).catch(({ message }: Error) =>
      tell({ reason: message }, 'There is no folder for shops'),
    );
    const older = await moveFromOlderPlaces(folder, hosted, tell, inventory);
    const kept = new Map<string, KeptShop>();
    for (const { id, name, shop } of hosted.list()) {
      if (shop === null) continue;
      const state = { fault: older.faults.get(id) ?? null, lostContext: older.contextsFault };
      const opened = await KeptShop.open(placeOfShop(id, hosted, inventory), tell, state);
      kept.set(id, opened);
      for (const reason of opened.faults) tell({ index: name, id, reason }, 'Files of a shop cannot be read');
    }
    const collections = await Collections.open(folder, inventory);
    if (collections.fault !== null) tell({ reason: collections.fault }, 'The file of the collections cannot be read');
    const shops = new Shops(options, collections, kept);
    shops.#schedule();
    return shops;
  }

  /** In order of their names. */
  list(): readonly Shop[] {
    return this.#directory().shops;
  }

  /**
   * The shop of that name, to be served.
   * @throws PelorusError `index_not_found`, of an index that is no shop's too; `backend_data_parsing_error` where its settings
   * cannot be read
   */
  get(name: string): Shop {
    const shop = this.open(name);
    void this.settings(shop);
    return shop;
  }

  /** As {@link get}, be it that its settings cannot be read: for who manages it. */
  open(name: string): Shop {
    const shop = this.lastOf(name);
    if (shop.state !== 'DELETED') return shop;
    throw indexNotFound(name.slice(0, FILTER_TEXT_MAX));
  }

  /**
   * As {@link open}, and for a day that of one that was deleted, whose state says so.
   * @throws PelorusError `index_not_found`
   */
  lastOf(name: string): Shop {
    const index = this.#options.hosted.get(name);
    if (index !== undefined && index.shop !== null) return index as Shop;
    throw indexNotFound(name.slice(0, FILTER_TEXT_MAX));
  }

  /** Those whose events are a customer's; whose they are of one whose settings cannot be read nobody knows. */
  ofCustomer(customerId: string): readonly Shop[] {
    return this.#readable().filter((shop) => customerOf(shop, this.settings(shop).settings) === customerId);
  }

  /** Shops of which some cannot be used. */
  faults(): readonly ShopFault[] {
    return this.list().flatMap((shop) => this.#keptOf(shop).faults.map((reason) => ({ name: shop.name, reason })));
  }

  /** The settings of the index of a shop. */
  static indexSettings({ model, modelProperties, takesPictures }: NewShop): Readonly<Record<string, unknown>> {
    return {
      model,
      ...(modelProperties !== undefined && { modelProperties }),
      ...(takesPictures && { treatUrlsAndPointersAsImages: true }),
      filterStringMaxLength: FILTER_TEXT_MAX,
      collapseFields: [{ name: PARENT_FIELD }],
    };
  }

  /** @throws PelorusError as {@link HostedIndexes.create} does */
  async create(order: NewShop): Promise<Shop> {
    const { name, modelType, collectionField } = order;
    const shop: ShopRecord = { indexId: newShopId(name), modelType, collectionField };
    return (await this.#options.hosted.create(name, { settings: Shops.indexSettings(order), shop })) as Shop;
  }

  /** @throws PelorusError as {@link HostedIndexes.delete} does */
  async delete(shop: Shop): Promise<void> {
    // Its files go with the folder of its index.
    await this.#options.hosted.delete(shop.name);
  }

  /**
   * Gives a shop another id for its pages to name it by. The one it had is good for `overlapSeconds` more.
   * @throws PelorusError as {@link HostedIndexes.changeShop} does; `operation_conflict_error` where too many are still good
   */
  async rotateIndexId({ name }: Shop, overlapSeconds: number): Promise<Shop> {
    const changed = await this.#options.hosted.changeShop(name, (shop) =>
      withIndexId(shop, newShopId(name), overlapSeconds, this.#now()),
    );
    return changed as Shop;
  }

  /** The ids that a shop had before and that its pages may still name it by, the oldest first. */
  earlierIndexIds({ shop }: Shop): readonly EarlierIndexId[] {
    return earlierIdsOf(shop, this.#now());
  }

  /** @throws PelorusError `backend_data_parsing_error` where they cannot be read */
  settings(shop: Shop): SettingsVersion {
    return this.#keptOf(shop).settings.current;
  }

  /** Those that can be read, newest first. */
  settingsVersions(shop: Shop): readonly SettingsVersion[] {
    return this.#keptOf(shop).settings.versions;
  }

  /** The context by which the language model knows a shop. */
  context(shop: Shop): KeptContext {
    return this.#keptOf(shop).context;
  }

  helpCentre(shop: Shop): HelpCentre {
    return this.#keptOf(shop).helpCentre;
  }

  /**
   * Replaces the members that `change` has. Where that changes nothing, there is no new version.
   * @throws PelorusError `version_conflict`, or `invalid_argument` for settings that cannot be
   */
  async changeSettings(shop: Shop, change: Settings, expected: number | null): Promise<SettingsVersion> {
    checkFieldKinds(change, shop.shop.collectionField);
    for (const { path, profile } of profilesOf(change)) {
      const filter = profile.defaultFilter ?? '';
      if (filter.trim() !== '') await this.#checkOwnFilter(shop, filter, `${path}defaultFilter`);
    }
    return this.#keptOf(shop).settings.change(change, expected);
  }

  /** @throws PelorusError `version_conflict`, or `invalid_argument` for a version that is not kept */
  rollBackSettings(shop: Shop, version: number, expected: number | null): Promise<SettingsVersion> {
    return this.#keptOf(shop).rollBackSettings(version, expected);
  }

  /** The learning of a shop that was last begun. */
  learning(shop: Shop): LearningState {
    return this.#learningJobs.of(shop);
  }

  /**
   * Begins to learn the weights of a shop from the choices of its shoppers.
   * @throws PelorusError `forbidden` where its settings do not consent, `operation_conflict_error` while it learns already
   */
  startLearning(shop: Shop, order: LearningOrder): LearningState {
    this.#learning.requireConsent(shop);
    return this.#learningJobs.start(shop, order);
  }

  /** Ends the learning of a shop, if it is under way. */
  cancelLearning(shop: Shop): LearningState {
    return this.#learningJobs.cancel(shop);
  }

  /**
   * The shop that pages name by `indexId`; undefined where there is none.
   * @param name of the index that they call: one whose record cannot be read is closed to them, whatever its ids were
   */
  byIndexId(indexId: string, name?: string): ShopOfPages | undefined {
    const shop = this.#directory().byIndexId.get(indexId);
    if (shop !== undefined && isNamedBy(shop.shop, indexId, this.#now())) return this.#ofPages(shop);
    return name === undefined ? undefined : this.#unreadable(name);
  }

  /** The shop of a name; undefined where there is none. */
  byIndexName(name: string): ShopOfPages | undefined {
    const shop = this.list().find((one) => one.name === name);
    return shop === undefined ? undefined : this.#ofPages(shop);
  }

  /** Counts the products of these shops in a collection; null while one of them does not answer. */
  async productCount(shops: readonly Shop[], collection: string): Promise<number | null> {
    try {
      const counts = await Promise.all(shops.map((shop) => this.#countIn(shop, collection)));
      return counts.reduce((sum, count) => sum + count, 0);
    } catch (error) {
      if (error instanceof PelorusError && error.code !== 'internal') return null;
      throw error;
    }
  }

  async #countIn(shop: Shop, collection: string): Promise<number> {
    // Products come once it is ready, and are gone from when it is being deleted.
    if (shop.state === 'CREATING' || shop.state === 'DELETING') return 0;
    const filter = equals(shop.shop.collectionField, collection);
    const { totalHits = 0 } = await this.#calls.call<{ totalHits?: number }>(shop, 'search', {
      q: '*',
      searchMethod: 'HYBRID',
      hybridParameters: { retrievalMethod: 'lexical', rankingMethod: 'lexical' },
      ...{ limit: 1, attributesToRetrieve: [], showHighlights: false, filter },
    });
    return totalHits;
  }

  /** Products that were written anew get their figures with the next round. */
  noteWritten(shop: Shop, ids: readonly unknown[]): void {
    this.#feed?.forget(shop, ids);
  }

  /** Brings the figures of shoppers into the products of every shop. Resolves with how many of these were changed. */
  async refreshFigures(): Promise<number> {
    let changed = 0;
    const shops = this.#readable().filter(({ state }) => state === 'READY');
    this.#feed?.keep(new Set(shops.map(({ id }) => id)));
    for (const shop of shops) {
      if (this.#closing.signal.aborted) break;
      try {
        changed += (await this.#feed?.refresh(shop, this.settings(shop).settings, this.#closing.signal)) ?? 0;
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#options.report?.(error as Error, shop);
      }
    }
    return changed;
  }

  /** Ends the rounds of figures, and learning. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#learningJobs.close();
    await this.#round;
  }

  /** Made anew when an index has changed, not with every call of a page. */
  #directory(): Directory {
    const indexes = this.#options.hosted.list();
    if (this.#known?.indexes !== indexes) {
      this.#known = directoryOf(indexes);
      const ids = new Set(indexes.map(({ id }) => id));
      for (const id of this.#kept.keys()) if (!ids.has(id)) this.#kept.delete(id);
      this.#learningJobs.keep(ids);
      this.searches.keep(ids);
    }
    return this.#known;
  }

  /** Those that are not closed. */
  #readable(): readonly Shop[] {
    return this.list().filter((shop) => this.#keptOf(shop).settings.fault === null);
  }

  #unreadable(name: string): ShopOfPages | undefined {
    try {
      this.#options.hosted.get(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof PelorusError)) throw error;
      return { indexName: name, origins: [], requiresKey: true, closed: error };
    }
  }

  #ofPages(shop: Shop): ShopOfPages {
    const { settings } = this.#keptOf(shop);
    const { fault } = settings;
    if (fault !== null) return { indexName: shop.name, origins: [], requiresKey: true, closed: closedShop(fault) };
    const { requireApiKey, allowedOrigins } = settings.current.settings;
    return { indexName: shop.name, origins: allowedOrigins ?? null, requiresKey: requireApiKey === true };
  }

  /**
   * Returns the files of a shop. All that was there at the start was opened then, and no other index ever has its id:
   * of others nothing was kept yet.
   */
  #keptOf({ id }: Pick<Shop, 'id'>): KeptShop {
    const kept = this.#kept.get(id) ?? KeptShop.create(placeOfShop(id, this.#options.hosted, this.#options.inventory));
    this.#kept.set(id, kept);
    return kept;
  }

  /** A filter that leaves a parenthesis open would let the rest of the text in. */
  async #checkOwnFilter(shop: Shop, filter: string, member: string): Promise<void> {
    try {
      await this.#filters.check(shop, filter);
      await this.#filters.check(shop, `(${filter}) AND (_id:x)`);
    } catch (error) {
      if (!(error instanceof PelorusError && error.type === 'invalid_request')) throw error;
      throw new PelorusError(error.code, `${member}: ${error.message}`, { headers: error.headers, cause: error });
    }
  }

  #schedule(): void {
    if (this.#feed === undefined || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#round = this.refreshFigures().finally(() => this.#schedule());
    }, this.#options.refreshMs ?? 30_000);
    this.#timer.unref();
  }
}

function directoryOf(indexes: readonly HostedIndex[]): Directory {
  const shops = indexes.filter((index): index is Shop => index.shop !== null);
  const named = shops.flatMap((shop) => knownIdsOf(shop.shop).map((indexId) => [indexId, shop] as const));
  return { indexes, shops, byIndexId: new Map(named) };
}
