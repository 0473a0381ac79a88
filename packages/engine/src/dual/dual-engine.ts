import type { engine, schemas } from '@pelorus/contract';
import type { IndexAliases } from '../aliases.js';
import type {
  AddBatch,
  DocumentScan,
  IndexCopies,
  ItemsResponse,
  RankedSearch,
  StorageEngine,
  StoredDefinition,
  UpdateBatch,
  Wait,
  WrittenVector,
} from '../storage-engine.js';
import { Copier } from './copier.js';
import { codeOf } from './index-copy.js';
import { SearchComparison } from './search-comparison.js';

/** The time that copies have to end when the engine is closed. */
const CLOSE_MS = 10_000;

/** Codes of errors after which a write may have been made, or not. */
const UNDECIDED: ReadonlySet<unknown> = new Set([
  'backend_communication_error',
  'vector_store_timeout',
  'service_unavailable',
  undefined,
]);

/** The record of the indexes that both engines had alike when they were last closed. */
export interface StepRecord {
  readonly inStep: ReadonlySet<string>;
  save(inStep: readonly string[]): Promise<void>;
}

/** How the second engine follows with an index, as HTTP tells it. */
export type DualWriteReport = schemas.DualWriteReport;

export interface DualOptions {
  /** Default: no index is known to be alike, and none will be. */
  readonly record?: StepRecord;
  /** Told of what the second engine does not take, once for each time. */
  readonly warn?: (message: string) => void;
}

/**
 * Two engines: the first serves, and the second gets what is written to it. A write is acknowledged by the first one alone,
 * and copied then, as the first has it: a copy that fails is tried again, and what was missed is copied as a whole.
 * Searches of indexes that are in step are run in both and compared, one at a time.
 */
export class DualEngine implements StorageEngine {
  readonly #first: StorageEngine;
  readonly #second: StorageEngine;
  readonly #copier: Copier;
  readonly #comparison: SearchComparison;
  readonly #record: StepRecord | undefined;
  #closing: Promise<void> | undefined;

  private constructor(first: StorageEngine, second: StorageEngine, { record, warn = () => {} }: DualOptions) {
    this.#first = first;
    this.#second = second;
    this.#record = record;
    this.#copier = new Copier(first, second, warn);
    this.#comparison = new SearchComparison(second);
  }

  /** Begins to copy the indexes of the first engine that are not known to be in step. */
  static async open(first: StorageEngine, second: StorageEngine, options: DualOptions = {}): Promise<DualEngine> {
    const dual = new DualEngine(first, second, options);
    for (const name of await first.listIndexes())
      if (options.record?.inStep.has(name) !== true) dual.#copier.whole(name);
    return dual;
  }

  /** Those of the first engine: what the second one gets names indexes alone. */
  get aliases(): IndexAliases | undefined {
    return this.#first.aliases;
  }

  /** Those of the first engine; the second one gets an index that is restored as a whole. */
  get copies(): IndexCopies | undefined {
    const { copies } = this.#first;
    if (copies === undefined) return undefined;
    return {
      begin: (name) => copies.begin(name),
      restore: async (name) => {
        const index = await copies.restore(name);
        return {
          add: (piece) => index.add(piece),
          finish: async () => {
            await index.finish();
            this.#copier.whole(name);
          },
          close: () => index.close(),
        };
      },
    };
  }

  /** It has one event loop. */
  share(): null {
    return null;
  }

  followStates(): void {}

  /** Tells how the second engine follows with an index. */
  async dualWrite(name: string): Promise<DualWriteReport> {
    const { numberOfDocuments: first } = await this.#first.stats(name);
    const stats = await this.#second.stats(name).catch(() => null);
    const second = stats?.numberOfDocuments ?? null;
    const { since, ...copy } = this.#copier.stateOf(name);
    const searches = this.#comparison.of(name);
    const isAlike = copy.state === 'in_step' && first === second && this.#comparison.isAlike(name);
    return { isAlike, ...copy, since: since?.toISOString() ?? null, documents: { first, second }, searches };
  }

  /** Copies an index as a whole, whatever the second engine has of it, and begins to compare searches anew. */
  async repairDualWrite(name: string): Promise<void> {
    await this.#first.definition(name);
    this.#comparison.forget(name);
    this.#copier.whole(name);
  }

  /** Waits until the second engine has everything, or for so long; tells which. */
  settled(timeoutMs: number): Promise<boolean> {
    return this.#copier.settled(timeoutMs);
  }

  async createIndex(name: string, definition: StoredDefinition): Promise<void> {
    await this.#first.createIndex(name, definition);
    this.#copier.defined(name);
  }

  async redefineIndex(name: string, definition: StoredDefinition): Promise<void> {
    try {
      await this.#first.redefineIndex(name, definition);
    } finally {
      this.#copier.defined(name);
    }
  }

  async dropIndex(name: string): Promise<void> {
    await this.#first.dropIndex(name);
    this.#comparison.forget(name);
    this.#copier.dropped(name);
  }

  listIndexes(): Promise<readonly string[]> {
    return this.#first.listIndexes();
  }

  definition(name: string): Promise<StoredDefinition> {
    return this.#first.definition(name);
  }

  stats(name: string): Promise<engine.EngineStats> {
    return this.#first.stats(name);
  }

  /** Yellow for an index that the second engine does not follow with: its calls are answered all the same. */
  async health(): Promise<engine.EngineHealth> {
    const health = await this.#first.health();
    const sick = new Set(health.indexes.map(({ name }) => name));
    const behind = this.#copier.names().flatMap((name) => {
      const reason = sick.has(name) ? null : this.#gapOf(name);
      return reason === null ? [] : [{ name, status: 'yellow', code: 'dual_write_behind', reason } as const];
    });
    if (behind.length === 0) return health;
    const status = health.status === 'green' ? 'yellow' : health.status;
    return { status, indexes: [...health.indexes, ...behind] };
  }

  /** Words for an index that is not in step for more than the moment of a write; null for one that is. */
  #gapOf(name: string): string | null {
    const { state, since, reason, pendingDocuments, refusedDocuments } = this.#copier.stateOf(name);
    if (state === 'refused') return `The second engine does not take the index: ${reason}`;
    if (since !== null) {
      const what = this.#copier.isWhole(name) ? 'The index waits' : `${pendingDocuments} documents wait`;
      return `${what} for the second engine since ${since.toISOString()}, and the copy is tried again: ${reason}`;
    }
    if (refusedDocuments > 0) return `The second engine refuses ${refusedDocuments} documents, such as ${reason}`;
    return this.#copier.isWhole(name) ? 'The index is being copied to the second engine' : null;
  }

  async prepareAdd(name: string, body: Uint8Array): Promise<AddBatch> {
    const batch = await this.#first.prepareAdd(name, body);
    return {
      envelope: batch.envelope,
      count: batch.count,
      prepare: (options) => batch.prepare(options),
      apply: (vectors, report) => this.#written(name, batch.apply(vectors, report)),
    };
  }

  async prepareUpdate(name: string, body: Uint8Array): Promise<UpdateBatch> {
    const batch = await this.#first.prepareUpdate(name, body);
    return {
      envelope: batch.envelope,
      count: batch.count,
      nonObjectPlaces: batch.nonObjectPlaces,
      apply: (options) => this.#written(name, batch.apply(options)),
    };
  }

  /** Notes the documents that a write may have changed. */
  async #written(name: string, write: Promise<ItemsResponse>): Promise<ItemsResponse> {
    const response = await this.#decided(name, write);
    const { items } = JSON.parse(response.body.toString()) as { items: { _id?: unknown; status: number }[] };
    const changed = items.filter(({ status }) => status < 300 || status === 429 || status >= 500);
    const ids = changed.map(({ _id }) => _id).filter((id) => typeof id === 'string');
    this.#copier.documents(name, ids);
    return response;
  }

  /** Begins a copy of the whole index after an error that leaves open what was written. */
  async #decided<Result>(name: string, write: Promise<Result>): Promise<Result> {
    try {
      return await write;
    } catch (error) {
      if (UNDECIDED.has(codeOf(error))) this.#copier.whole(name);
      throw error;
    }
  }

  getDocument(name: string, request: engine.GetDocumentRequest): Promise<Buffer | null> {
    return this.#first.getDocument(name, request);
  }

  getDocuments(name: string, request: engine.GetDocumentsRequest): Promise<ItemsResponse> {
    return this.#first.getDocuments(name, request);
  }

  async deleteDocuments(name: string, request: engine.DeleteDocumentsRequest): Promise<ItemsResponse> {
    const documentIds = [...request.documentIds];
    const response = await this.#decided(name, this.#first.deleteDocuments(name, request));
    const ids = documentIds.filter((id) => id !== '');
    this.#copier.documents(name, ids);
    return response;
  }

  async deleteAllDocuments(name: string): Promise<number> {
    const count = await this.#decided(name, this.#first.deleteAllDocuments(name));
    this.#copier.allDocumentsDeleted(name);
    return count;
  }

  scanDocuments(name: string, request: engine.ScanRequest): Promise<DocumentScan> {
    return this.#first.scanDocuments(name, request);
  }

  async search(
    name: string,
    plan: engine.SearchPlan,
    vectors: Float32Array | WrittenVector,
    wait?: Wait,
  ): Promise<Buffer> {
    if (!this.#comparison.isFree || this.#copier.stateOf(name).state !== 'in_step')
      return this.#first.search(name, plan, vectors, wait);
    const changes = this.#copier.changesOf(name);
    const isSteady = (): boolean =>
      this.#copier.changesOf(name) === changes && this.#copier.stateOf(name).state === 'in_step';
    // The caller may use its own again as soon as it has the promise.
    const kept = vectors instanceof Float32Array ? vectors.slice() : { list: Uint8Array.from(vectors.list) };
    const answer = await this.#first.search(name, plan, vectors, wait);
    // In a turn of its own: the caller has the answer first, and may add to its bytes.
    const copy = Buffer.from(answer);
    setImmediate(() => void this.#comparison.run(name, plan, kept, copy, isSteady));
    return answer;
  }

  rank(name: string, plan: engine.SearchPlan, vectors: Float32Array, wait?: Wait): Promise<RankedSearch> {
    return this.#first.rank(name, plan, vectors, wait);
  }

  async putQueries(name: string, request: engine.PutQueriesRequest): Promise<ItemsResponse> {
    const texts = request.queries.map(({ query }) => query);
    const response = await this.#first.putQueries(name, request);
    this.#copier.queries(name, texts);
    return response;
  }

  getQueries(name: string, request: engine.QueriesRequest): Promise<Buffer> {
    return this.#first.getQueries(name, request);
  }

  scanQueries(name: string, request: engine.ScanQueriesRequest): Promise<Buffer> {
    return this.#first.scanQueries(name, request);
  }

  async deleteQueries(name: string, request: engine.QueriesRequest): Promise<void> {
    const texts = [...request.queries];
    await this.#first.deleteQueries(name, request);
    this.#copier.queries(name, texts);
  }

  async deleteAllQueries(name: string): Promise<void> {
    await this.#first.deleteAllQueries(name);
    this.#copier.allQueries(name);
  }

  suggest(name: string, plan: engine.SuggestPlan): Promise<Buffer> {
    return this.#first.suggest(name, plan);
  }

  /** Copies what waits, for ten seconds at most: what is left is copied after the next start. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#copier.settled(CLOSE_MS);
    this.#copier.close();
    const names = await this.#first.listIndexes().catch(() => []);
    const inStep = names.filter((name) => this.#copier.stateOf(name).state === 'in_step');
    await this.#record?.save(inStep).catch(() => undefined);
    await Promise.all([this.#first.close(), this.#second.close()]);
  }
}
