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

/** Indexes on an OpenSearch cluster. `docs/design/cluster.md` lists what it serves so far. */
export class OpenSearchEngine implements StorageEngine {
  readonly #connection: Connection;
  readonly #names: IndexNames;
  readonly #indexes: Indexes;

  private constructor(options: ClusterOptions) {
    const { prefix = 'pelorus', shards = 1, replicas = 1 } = options;
    this.#connection = new Connection(options);
    this.#names = new IndexNames(prefix);
    this.#indexes = new Indexes(this.#connection, this.#names, { shards, replicas });
  }

  /** Connects to a cluster. Fails with `backend_communication_error` where no node answers. */
  static async open(options: ClusterOptions): Promise<OpenSearchEngine> {
    const engine = new OpenSearchEngine(options);
    try {
      await engine.#connection.call((client) => client.info({}, { maxRetries: options.nodes.length }));
    } catch (error) {
      await engine.close();
      throw error;
    }
    return engine;
  }

  createIndex(name: string, definition: StoredDefinition): Promise<void> {
    return this.#indexes.create(name, definition);
  }

  dropIndex(name: string): Promise<void> {
    return this.#indexes.drop(name);
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
