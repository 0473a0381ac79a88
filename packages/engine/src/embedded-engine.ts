import type { engine } from '@pelorus/contract';
import {
  Cancellation,
  type InputBatch,
  type AddBatch as NativeBatch,
  Engine as NativeEngine,
  type RankedSearch as NativeRankedSearch,
  type UpdateBatch as NativeUpdate,
} from '@pelorus/node';
import { requestBytes } from './request-bytes.js';
import type {
  AddBatch,
  DocumentScan,
  ItemsResponse,
  RankedSearch,
  StorageEngine,
  StoredDefinition,
  UpdateBatch,
  Wait,
} from './storage-engine.js';

/** The engine in this process: native code over one data directory. */
export class EmbeddedEngine implements StorageEngine {
  readonly #native: NativeEngine;
  readonly #definitions = new Map<string, Promise<StoredDefinition>>();
  /** Indexes whose redefinition failed on its way to the disk, where it may yet turn out to have arrived. */
  readonly #undecided = new Set<string>();

  private constructor(native: NativeEngine) {
    this.#native = native;
  }

  /**
   * Opens a data directory, making it where it is missing.
   *
   * Fails with `data_directory_in_use`, `data_directory_unreadable` or `newer_format`, and has then
   * touched nothing.
   */
  static async open(directory: string, options: engine.EngineOptions = {}): Promise<EmbeddedEngine> {
    return new EmbeddedEngine(await NativeEngine.open(directory, toJson(options)));
  }

  async createIndex(name: string, definition: StoredDefinition): Promise<void> {
    await this.#native.createIndex(name, toJson(definition));
  }

  async redefineIndex(name: string, definition: StoredDefinition): Promise<void> {
    try {
      await this.#native.redefineIndex(name, toJson(definition));
      this.#undecided.delete(name);
    } catch (error) {
      this.#undecided.add(name);
      throw error;
    } finally {
      // Only now: until the new one is served, a call may ask for the old one again.
      this.#definitions.delete(name);
    }
  }

  async dropIndex(name: string): Promise<void> {
    try {
      await this.#native.dropIndex(name);
    } finally {
      // Only now: until the index is gone, a call may ask for its definition again.
      this.#definitions.delete(name);
      this.#undecided.delete(name);
    }
  }

  async listIndexes(): Promise<readonly string[]> {
    return this.#native.listIndexes();
  }

  definition(name: string): Promise<StoredDefinition> {
    const known = this.#definitions.get(name);
    if (known !== undefined) return known;
    // Asked before the definition is read: once the index takes writes, it has one or the other for good.
    const isDecided = !this.#undecided.has(name) || this.#takesWrites(name);
    const read = this.#native.definition(name).then((bytes) => fromJson<StoredDefinition>(bytes));
    if (!isDecided) return read;
    this.#undecided.delete(name);
    this.#definitions.set(name, read);
    const forget = () => {
      if (this.#definitions.get(name) === read) this.#definitions.delete(name);
    };
    read.catch(forget);
    return read;
  }

  async stats(name: string): Promise<engine.EngineStats> {
    return fromJson(await this.#native.stats(name));
  }

  async health(): Promise<engine.EngineHealth> {
    return fromJson(this.#native.health());
  }

  #takesWrites(name: string): boolean {
    const { indexes } = fromJson<engine.EngineHealth>(this.#native.health());
    return indexes.every((index) => index.name !== name || index.status !== 'red');
  }

  async prepareAdd(name: string, body: Uint8Array): Promise<AddBatch> {
    return new EmbeddedAddBatch(await this.#native.prepareAdd(name, await requestBytes(body)));
  }

  async prepareUpdate(name: string, body: Uint8Array): Promise<UpdateBatch> {
    return new EmbeddedUpdateBatch(await this.#native.prepareUpdate(name, await requestBytes(body)));
  }

  async getDocument(name: string, request: engine.GetDocumentRequest): Promise<Buffer | null> {
    return this.#native.getDocument(name, toJson(request));
  }

  async getDocuments(name: string, request: engine.GetDocumentsRequest): Promise<ItemsResponse> {
    return this.#native.getDocuments(name, toJson(request));
  }

  async deleteDocuments(name: string, request: engine.DeleteDocumentsRequest): Promise<ItemsResponse> {
    return this.#native.deleteDocuments(name, toJson(request));
  }

  async deleteAllDocuments(name: string): Promise<number> {
    const { body } = await this.#native.deleteAllDocuments(name);
    return fromJson<{ documentCount: number }>(body).documentCount;
  }

  async scanDocuments(name: string, request: engine.ScanRequest): Promise<DocumentScan> {
    return this.#native.scanDocuments(name, toJson(request));
  }

  async search(name: string, plan: engine.SearchPlan, vectors: Float32Array, wait?: Wait): Promise<Buffer> {
    return whileWaiting(wait, (cancellation) => this.#native.search(name, toJson(plan), vectors, cancellation));
  }

  async rank(name: string, plan: engine.SearchPlan, vectors: Float32Array, wait?: Wait): Promise<RankedSearch> {
    const rank = (cancellation: Cancellation) => this.#native.rank(name, toJson(plan), vectors, cancellation);
    return new EmbeddedRankedSearch(await whileWaiting(wait, rank));
  }

  async putQueries(name: string, request: engine.PutQueriesRequest): Promise<ItemsResponse> {
    return this.#native.putQueries(name, toJson(request));
  }

  async getQueries(name: string, request: engine.QueriesRequest): Promise<Buffer> {
    return this.#native.getQueries(name, toJson(request));
  }

  async deleteQueries(name: string, request: engine.QueriesRequest): Promise<void> {
    await this.#native.deleteQueries(name, toJson(request));
  }

  async deleteAllQueries(name: string): Promise<void> {
    await this.#native.deleteAllQueries(name);
  }

  async suggest(name: string, plan: engine.SuggestPlan): Promise<Buffer> {
    return this.#native.suggest(name, toJson(plan));
  }

  async close(): Promise<void> {
    await this.#native.close();
    this.#definitions.clear();
  }
}

class EmbeddedAddBatch implements AddBatch {
  readonly #native: NativeBatch;
  readonly envelope: Buffer;
  readonly count: number;

  constructor(native: NativeBatch) {
    this.#native = native;
    this.envelope = native.envelope;
    this.count = native.count;
  }

  async prepare(options: engine.AddOptions): Promise<InputBatch> {
    return this.#native.prepare(toJson(options));
  }

  async apply(vectors: Float32Array, report: engine.EmbeddingReport): Promise<ItemsResponse> {
    return this.#native.apply(vectors, toJson(report));
  }
}

class EmbeddedRankedSearch implements RankedSearch {
  readonly #native: NativeRankedSearch;
  readonly count: number;
  readonly memoryBytes: number;

  constructor(native: NativeRankedSearch) {
    this.#native = native;
    this.count = native.count;
    this.memoryBytes = native.memoryBytes;
  }

  async page(start: number, limit: number, wait?: Wait): Promise<Buffer> {
    return whileWaiting(wait, (cancellation) => this.#native.page(start, limit, cancellation));
  }

  close(): void {
    this.#native.close();
  }
}

class EmbeddedUpdateBatch implements UpdateBatch {
  readonly #native: NativeUpdate;
  readonly envelope: Buffer;
  readonly count: number;
  readonly nonObjectPlaces: readonly number[];

  constructor(native: NativeUpdate) {
    this.#native = native;
    this.envelope = native.envelope;
    this.count = native.count;
    this.nonObjectPlaces = native.strays;
  }

  async apply(options: engine.UpdateOptions): Promise<ItemsResponse> {
    return this.#native.apply(toJson(options));
  }
}

/** Runs a native call, which ends when nobody waits for it any more. */
async function whileWaiting<Result>(
  wait: Wait | undefined,
  call: (cancellation: Cancellation) => Promise<Result>,
): Promise<Result> {
  if (wait === undefined) return call(Cancellation.after(Number.POSITIVE_INFINITY));
  const { deadlineMs, signal } = wait;
  const cancellation = Cancellation.after(deadlineMs - performance.now());
  const cancel = () => cancellation.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel);
  try {
    return await call(cancellation);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function fromJson<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString('utf8'));
}
