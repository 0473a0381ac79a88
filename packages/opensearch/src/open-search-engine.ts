import type {
  AddBatch,
  DocumentScan,
  EngineHealth,
  EngineStats,
  ItemsResponse,
  RankedSearch,
  StorageEngine,
  StoredDefinition,
  UpdateBatch,
} from '@pelorus/engine';
import { type ClusterOptions, Connection } from './connection.js';
import { Documents } from './documents.js';
import { notYet } from './errors.js';
import { Indexes } from './indexes.js';
import { IndexNames } from './names.js';
import { type ClusterFacts, type DiskUsage, diskUsage, examined } from './nodes.js';

/** Indexes on an OpenSearch cluster. `docs/design/cluster.md` lists what it serves so far. */
export class OpenSearchEngine implements StorageEngine {
  readonly #connection: Connection;
  readonly #names: IndexNames;
  readonly #indexes: Indexes;
  #changeCount = 0;
  #tellChanges: ((changes: number) => void) | undefined;

  private constructor(connection: Connection, options: ClusterOptions, changesNow?: () => number) {
    const { prefix = 'pelorus', shards = 1, replicas = 1 } = options;
    this.#connection = connection;
    this.#names = new IndexNames(prefix);
    this.#indexes = new Indexes(connection, this.#names, { shards, replicas }, changesNow);
  }

  /**
   * Connects to a cluster. Fails with `backend_communication_error` where no node answers.
   * @param changesNow on a thread beside the first, gives the number of changes that `followStates` told last
   */
  static async open(options: ClusterOptions, changesNow?: () => number): Promise<OpenSearchEngine> {
    const engine = new OpenSearchEngine(await Connection.open(options), options, changesNow);
    try {
      await engine.#connection.call((client) => client.info({}, { maxRetries: options.nodes.length }));
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

  dropIndex(name: string): Promise<void> {
    return this.#changing(this.#indexes.drop(name));
  }

  listIndexes(): Promise<readonly string[]> {
    return this.#indexes.list();
  }

  definition(name: string): Promise<StoredDefinition> {
    return this.#indexes.definition(name);
  }

  health(): Promise<EngineHealth> {
    return this.#indexes.health();
  }

  redefineIndex(name: string): Promise<void> {
    return this.#refuse(name, 'other definitions of an index');
  }

  async stats(name: string): Promise<EngineStats> {
    return (await this.#documents(name)).stats();
  }

  prepareAdd(name: string): Promise<AddBatch> {
    return this.#refuse(name, 'documents');
  }

  prepareUpdate(name: string): Promise<UpdateBatch> {
    return this.#refuse(name, 'documents');
  }

  getDocument(name: string): Promise<Buffer | null> {
    return this.#refuse(name, 'documents');
  }

  getDocuments(name: string): Promise<ItemsResponse> {
    return this.#refuse(name, 'documents');
  }

  deleteDocuments(name: string): Promise<ItemsResponse> {
    return this.#refuse(name, 'documents');
  }

  async deleteAllDocuments(name: string): Promise<number> {
    return (await this.#documents(name)).deleteAll();
  }

  scanDocuments(name: string): Promise<DocumentScan> {
    return this.#refuse(name, 'scans');
  }

  search(name: string): Promise<Buffer> {
    return this.#refuse(name, 'searches');
  }

  rank(name: string): Promise<RankedSearch> {
    return this.#refuse(name, 'searches');
  }

  putQueries(name: string): Promise<ItemsResponse> {
    return this.#refuse(name, 'suggestions');
  }

  getQueries(name: string): Promise<Buffer> {
    return this.#refuse(name, 'suggestions');
  }

  deleteQueries(name: string): Promise<void> {
    return this.#refuse(name, 'suggestions');
  }

  deleteAllQueries(name: string): Promise<void> {
    return this.#refuse(name, 'suggestions');
  }

  suggest(name: string): Promise<Buffer> {
    return this.#refuse(name, 'suggestions');
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #changing(change: Promise<void>): Promise<void> {
    try {
      await change;
    } finally {
      this.#changeCount += 1;
      this.#tellChanges?.(this.#changeCount);
    }
  }

  async #documents(name: string): Promise<Documents> {
    await this.#indexes.definition(name);
    return new Documents(this.#connection, this.#names.alias(name));
  }

  /** An index that is not there is the first thing that is wrong. */
  async #refuse(name: string, what: string): Promise<never> {
    await this.#indexes.definition(name);
    throw notYet(what);
  }
}
