import type { engine } from '@pelorus/contract';
import type {
  AddBatch,
  DocumentScan,
  EngineOptions,
  EngineStats,
  ItemsResponse,
  RankedSearch,
  SearchPlan,
  StorageEngine,
  StorageHealth,
  StoredDefinition,
  UpdateBatch,
  Wait,
  WrittenVector,
} from '@pelorus/engine';
import { requestBytes } from '@pelorus/engine';
import { ClusterAddBatch, ClusterUpdates } from '@pelorus/node';
import { ClusterReadings } from './cluster-readings.js';
import { type ClusterOptions, Connection } from './connection.js';
import { Documents } from './documents.js';
import { Indexes } from './indexes.js';
import { IndexNames } from './names.js';
import { type ClusterFacts, type DiskUsage, diskUsage, examined } from './nodes.js';
import { getDocument, getDocuments } from './reads.js';
import { type ScannedIndex, scanDocuments } from './scans.js';
import { ClusterSearches } from './search/cluster-searches.js';
import { SharedRecords } from './shared-records.js';
import { removeSuggestions, type SuggestionIndex, Suggestions } from './suggestions.js';
import { OpenSearchUpdateBatch } from './updates.js';
import { deleteDocuments, OpenSearchAddBatch, type WrittenIndex } from './writes.js';

/** Indexes on an OpenSearch cluster. `docs/design/cluster.md` lists what it serves so far. */
export class OpenSearchEngine implements StorageEngine {
  readonly #connection: Connection;
  readonly #names: IndexNames;
  readonly #indexes: Indexes;
  readonly #searches: ClusterSearches;
  readonly sharedReadings: ClusterReadings;
  readonly #limits: EngineOptions;
  readonly #suggestionIndex: SuggestionIndex;
  readonly #suggestions = new Map<string, Suggestions>();
  #changeCount = 0;
  #tellChanges: ((changes: number) => void) | undefined;

  private constructor(connection: Connection, options: ClusterOptions, changesNow?: () => number) {
    const { prefix = 'pelorus', shards = 1, replicas = 1, limits = {} } = options;
    this.#connection = connection;
    this.#names = new IndexNames(prefix);
    this.#indexes = new Indexes(connection, this.#names, { shards, replicas }, limits, changesNow);
    this.#searches = new ClusterSearches(connection, this.#names, this.#indexes);
    this.#suggestionIndex = { alias: this.#names.suggestions, replicas, limits };
    this.#limits = limits;
    const readings = new SharedRecords(connection, this.#names.readings, replicas);
    this.sharedReadings = new ClusterReadings(readings, (name) => this.#scanned(name), this.#searches);
  }

  /**
   * Connects to a cluster. Fails with `service_unavailable` where no node answers.
   * @param changesNow on a thread beside the first, gives the number of changes that `followStates` told last
   */
  static async open(options: ClusterOptions, changesNow?: () => number): Promise<OpenSearchEngine> {
    const engine = new OpenSearchEngine(await Connection.open(options), options, changesNow);
    try {
      await engine.#connection.call((client) => client.info());
    } catch (error) {
      await engine.close();
      throw error;
    }
    return engine;
  }

  /** Other threads connect by themselves. */
  share(): null {
    return null;
  }

  /** Tells the number of changes to indexes, now and before each call that changed one is answered. */
  followStates(tell: (changes: number) => void): void {
    this.#tellChanges = tell;
    tell(this.#changeCount);
  }

  /** @throws EngineError `server_configuration_error` where our indexes cannot be on the cluster */
  examine(): Promise<ClusterFacts> {
    return examined(this.#connection);
  }

  /** Returns the fullness of the disks that documents are on. */
  disk(): Promise<DiskUsage> {
    return diskUsage(this.#connection);
  }

  createIndex(name: string, definition: StoredDefinition): Promise<void> {
    return this.#changing(this.#indexes.create(name, definition));
  }

  async dropIndex(name: string): Promise<void> {
    const id = await this.#changing(this.#indexes.drop(name));
    if (id === undefined) return;
    this.#suggestions.delete(name);
    // No index has this id any more: what stays behind is read by nobody.
    await removeSuggestions(this.#connection, this.#names.suggestions, id).catch(() => undefined);
  }

  listIndexes(): Promise<readonly string[]> {
    return this.#indexes.list();
  }

  definition(name: string): Promise<StoredDefinition> {
    return this.#indexes.definition(name);
  }

  health(): Promise<StorageHealth> {
    return this.#indexes.health();
  }

  redefineIndex(name: string, definition: StoredDefinition): Promise<void> {
    return this.#changing(this.#indexes.redefine(name, definition));
  }

  async stats(name: string): Promise<EngineStats> {
    const [documents, suggestions] = await Promise.all([this.#documents(name), this.#suggestionsOf(name)]);
    const [stats, { count, memoryBytes }] = await Promise.all([
      this.#indexes.orMissing(name, documents.stats()),
      suggestions.stats(),
    ]);
    const memory = { ...stats.memory, suggestions: memoryBytes };
    return { ...stats, numberOfSuggestions: count, memoryBytes: stats.memoryBytes + memoryBytes, memory };
  }

  async prepareAdd(name: string, body: Uint8Array): Promise<AddBatch> {
    // An index that is not there is found later: the shape of the request comes first.
    return new OpenSearchAddBatch(await ClusterAddBatch.split(await requestBytes(body)), this.#written(name));
  }

  async prepareUpdate(name: string, body: Uint8Array): Promise<UpdateBatch> {
    const bytes = await requestBytes(body);
    const prepared = await this.#indexes.known(name);
    return new OpenSearchUpdateBatch(await ClusterUpdates.split(bytes), this.#written(name), prepared);
  }

  async getDocument(name: string, request: engine.GetDocumentRequest): Promise<Buffer | null> {
    return getDocument(await this.#index(name), request);
  }

  async getDocuments(name: string, request: engine.GetDocumentsRequest): Promise<ItemsResponse> {
    return getDocuments(await this.#index(name), request);
  }

  async deleteDocuments(name: string, request: engine.DeleteDocumentsRequest): Promise<ItemsResponse> {
    return deleteDocuments(await this.#index(name), request);
  }

  async deleteAllDocuments(name: string): Promise<number> {
    const documents = await this.#documents(name);
    return this.#indexes.orMissing(name, documents.deleteAll());
  }

  async scanDocuments(name: string, request: engine.ScanRequest): Promise<DocumentScan> {
    return scanDocuments(this.#scanned(name), request);
  }

  search(name: string, plan: SearchPlan, vectors: Float32Array | WrittenVector, wait?: Wait): Promise<Buffer> {
    return this.#searches.search(name, plan, vectors, wait);
  }

  rank(name: string, plan: SearchPlan, vectors: Float32Array, wait?: Wait): Promise<RankedSearch> {
    return this.#searches.rank(name, plan, vectors, wait);
  }

  async putQueries(name: string, request: engine.PutQueriesRequest): Promise<ItemsResponse> {
    return (await this.#suggestionsOf(name)).put(request);
  }

  async getQueries(name: string, request: engine.QueriesRequest): Promise<Buffer> {
    return (await this.#suggestionsOf(name)).get(request);
  }

  async scanQueries(name: string, request: engine.ScanQueriesRequest): Promise<Buffer> {
    return (await this.#suggestionsOf(name)).scan(request);
  }

  async deleteQueries(name: string, request: engine.QueriesRequest): Promise<void> {
    await (await this.#suggestionsOf(name)).remove(request);
  }

  async deleteAllQueries(name: string): Promise<void> {
    await (await this.#suggestionsOf(name)).clear();
  }

  async suggest(name: string, plan: engine.SuggestPlan): Promise<Buffer> {
    return (await this.#suggestionsOf(name)).suggest(plan);
  }

  /** Calls that are under way fail. */
  close(): Promise<void> {
    this.#indexes.close();
    return this.#connection.close();
  }

  /** The index of a name, which is there. */
  async #index(name: string): Promise<WrittenIndex> {
    await this.#indexes.known(name);
    return this.#written(name);
  }

  #scanned(name: string): ScannedIndex {
    const [indexes, connection, limits] = [this.#indexes, this.#connection, this.#limits];
    return { name, alias: this.#names.alias(name), indexes, connection, limits };
  }

  #written(name: string): WrittenIndex {
    const [indexes, connection, limits] = [this.#indexes, this.#connection, this.#limits];
    return { name, alias: this.#names.alias(name), indexes, connection, limits };
  }

  async #changing<Result>(change: Promise<Result>): Promise<Result> {
    try {
      return await change;
    } finally {
      this.#changeCount += 1;
      this.#tellChanges?.(this.#changeCount);
    }
  }

  async #documents(name: string): Promise<Documents> {
    await this.#indexes.definition(name);
    return new Documents(this.#connection, this.#names.alias(name));
  }

  async #suggestionsOf(name: string): Promise<Suggestions> {
    const { id } = await this.#indexes.known(name);
    const known = this.#suggestions.get(name);
    if (known?.id === id) return known;
    const suggestions = new Suggestions(this.#connection, this.#suggestionIndex, id);
    this.#suggestions.set(name, suggestions);
    return suggestions;
  }
}
