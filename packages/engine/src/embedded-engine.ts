import type { engine } from '@pelorus/contract';
import type { Inventory } from '@pelorus/files';
import {
  beginCall,
  Cancellation,
  cancelCall,
  type InputBatch,
  type AddBatch as NativeBatch,
  Engine as NativeEngine,
  type RankedSearch as NativeRankedSearch,
  type UpdateBatch as NativeUpdate,
} from '@pelorus/node';
import { AliasFile } from './alias-file.js';
import { type AliasTable, changedAliases, type IndexAliases, requireNoAlias, requireNoneStandsFor } from './aliases.js';
import type { EngineError } from './engine-error.js';
import { requestBytes } from './request-bytes.js';
import type {
  AddBatch,
  DocumentScan,
  IndexCopies,
  ItemsResponse,
  RankedSearch,
  RestoredIndex,
  StorageEngine,
  StoredDefinition,
  UpdateBatch,
  Wait,
  WrittenVector,
} from './storage-engine.js';

/** Kind of the entries of an inventory that are indexes. */
const LISTED = 'index';

/** The facts about indexes that the thread which opened an engine has for those that attach to it. */
export interface IndexStates {
  /** The indexes that are listed, and of which nothing is there, with the reasons that calls are answered with. */
  readonly lost: ReadonlyMap<string, string>;
  /** Indexes whose redefinition failed on its way to the disk, where it may yet turn out to have arrived. */
  readonly undecided: ReadonlySet<string>;
  readonly aliases: AliasTable;
}

/**
 * The engine in this process: native code over one data directory. One thread opens it and changes its indexes; others
 * attach to it, and read, search and write documents.
 */
export class EmbeddedEngine implements StorageEngine {
  readonly aliases: IndexAliases = {
    now: () => {
      this.#follow();
      return this.#aliasFile?.table ?? (this.#states as IndexStates).aliases;
    },
    change: async (changes) => {
      const file = this.#requireOpener();
      await file.write(changedAliases(file.table, changes, await this.listIndexes()));
      this.#told();
    },
  };
  readonly #native: NativeEngine;
  readonly #definitions = new Map<string, Promise<StoredDefinition>>();
  #undecided = new Set<string>();
  /** Lists the indexes there must be; null where nobody does. */
  readonly #inventory: Inventory | null;
  /** Null on a thread that attached to the engine. */
  readonly #aliasFile: AliasFile | null;
  #lost: Map<string, string>;
  /** The states of the thread that opened it, another object after each change; null on that thread. */
  readonly #statesNow: (() => IndexStates) | null;
  #states: IndexStates | undefined;
  #tellStates: ((states: IndexStates) => void) | undefined;

  private constructor(
    native: NativeEngine,
    inventory: Inventory | null,
    aliasFile: AliasFile | null,
    lost: Map<string, string>,
    statesNow: (() => IndexStates) | null = null,
  ) {
    this.#native = native;
    this.#inventory = inventory;
    this.#aliasFile = aliasFile;
    this.#lost = lost;
    this.#statesNow = statesNow;
  }

  /**
   * Opens a data directory, making it where it is missing.
   *
   * Fails with `data_directory_in_use`, `data_directory_unreadable` or `newer_format`, and has then
   * touched nothing.
   *
   * @param inventory lists the indexes: one that is gone with all of its files keeps its name until it is deleted, and
   * its calls fail with `backend_data_parsing_error`
   */
  static async open(
    directory: string,
    options: engine.EngineOptions = {},
    inventory: Inventory | null = null,
  ): Promise<EmbeddedEngine> {
    // First: a directory without the list counts as one that lost it. The engine says better why a folder cannot be used.
    await inventory?.create().catch(() => undefined);
    const native = await NativeEngine.open(directory, toJson(options));
    const lost = new Map<string, string>();
    try {
      // The lock of the directory is had: no other process has the list.
      await inventory?.begin();
      const found = new Set(native.listIndexes());
      for (const name of inventory?.of(LISTED).keys() ?? []) {
        if (!found.has(name)) lost.set(name, lostText(name));
      }
      for (const name of found) await inventory?.add(entryOf(name));
      const aliases = await AliasFile.open(directory, inventory);
      aliases.leaveTo(new Set([...found, ...lost.keys()]));
      return new EmbeddedEngine(native, inventory, aliases, lost);
    } catch (error) {
      await native.close();
      throw error;
    }
  }

  /**
   * The engine that another thread shares.
   * @param token of {@link share}, for this thread alone
   * @param statesNow gives the states that `followStates` told last, and waits for nothing
   */
  static attach(token: number, statesNow: () => IndexStates): EmbeddedEngine {
    return new EmbeddedEngine(NativeEngine.attach(token), null, null, new Map(), statesNow);
  }

  /** A token with which one other thread of this process attaches to this engine. */
  share(): number {
    return this.#native.share();
  }

  /** Tells the states of indexes, now and before each call that changes one of them is answered. */
  followStates(tell: (states: IndexStates) => void): void {
    this.#tellStates = tell;
    this.#told();
  }

  async createIndex(name: string, definition: StoredDefinition): Promise<void> {
    requireNoAlias(this.#requireOpener().table, name);
    if (this.#lost.has(name)) throw existsLost(name);
    await this.#native.createIndex(name, toJson(definition));
    await this.#listed(name);
  }

  async redefineIndex(name: string, definition: StoredDefinition): Promise<void> {
    this.#requireOpener();
    try {
      await this.#of(name).redefineIndex(name, toJson(definition));
      this.#undecided.delete(name);
    } catch (error) {
      this.#undecided.add(name);
      throw error;
    } finally {
      // Only now: until the new one is served, a call may ask for the old one again.
      this.#definitions.delete(name);
      this.#told();
    }
  }

  async dropIndex(name: string): Promise<void> {
    const aliases = this.#requireOpener();
    requireNoneStandsFor(aliases.table, name);
    await aliases.decide();
    // First: an index that is listed and gone counts as lost.
    await this.#inventory?.drop(entryOf(name));
    if (this.#lost.delete(name)) return this.#told();
    try {
      await this.#native.dropIndex(name);
    } catch (error) {
      if (this.#native.listIndexes().includes(name)) await this.#inventory?.add(entryOf(name));
      throw error;
    } finally {
      // Only now: until the index is gone, a call may ask for its definition again.
      this.#definitions.delete(name);
      this.#undecided.delete(name);
      this.#told();
    }
  }

  async listIndexes(): Promise<readonly string[]> {
    this.#follow();
    const found = this.#native.listIndexes();
    return this.#lost.size === 0 ? found : [...found, ...this.#lost.keys()].sort();
  }

  definition(name: string): Promise<StoredDefinition> {
    this.#follow();
    const known = this.#definitions.get(name);
    if (known !== undefined) return known;
    // Asked before the definition is read: once the index takes writes, it has one or the other for good.
    if (this.#lost.has(name)) return Promise.reject(lostError(name));
    const isDecided = !this.#undecided.has(name) || this.#takesWrites(name);
    const read = this.#of(name)
      .definition(name)
      .then((bytes) => fromJson<StoredDefinition>(bytes));
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
    return fromJson(await this.#of(name).stats(name));
  }

  async health(): Promise<engine.EngineHealth> {
    this.#follow();
    const health = fromJson<engine.EngineHealth>(this.#native.health());
    if (this.#lost.size === 0) return health;
    const code = 'backend_data_parsing_error';
    const lost = [...this.#lost].map(([name, reason]) => ({ name, status: 'red', code, reason }) as const);
    return { status: 'red', indexes: [...health.indexes, ...lost] };
  }

  /** Takes the states of the thread that opened the engine over, and forgets what was kept of definitions before. */
  #follow(): void {
    const states = this.#statesNow?.();
    if (states === undefined || states === this.#states) return;
    this.#states = states;
    this.#lost = new Map(states.lost);
    this.#undecided = new Set(states.undecided);
    this.#definitions.clear();
  }

  #told(): void {
    const { now } = this.aliases;
    this.#tellStates?.({ lost: new Map(this.#lost), undecided: new Set(this.#undecided), aliases: now() });
  }

  /** The file of the aliases, which the thread that opened the engine has. */
  #requireOpener(): AliasFile {
    if (this.#aliasFile === null) throw new TypeError('the thread that opened an engine changes its indexes');
    return this.#aliasFile;
  }

  /** @throws EngineError where the index is lost */
  #of(name: string): NativeEngine {
    this.#follow();
    if (this.#lost.has(name)) throw lostError(name);
    return this.#native;
  }

  #takesWrites(name: string): boolean {
    const { indexes } = fromJson<engine.EngineHealth>(this.#native.health());
    return indexes.every((index) => index.name !== name || index.status !== 'red');
  }

  async prepareAdd(name: string, body: Uint8Array): Promise<AddBatch> {
    return new EmbeddedAddBatch(await this.#of(name).prepareAdd(name, await requestBytes(body)));
  }

  async prepareUpdate(name: string, body: Uint8Array): Promise<UpdateBatch> {
    return new EmbeddedUpdateBatch(await this.#of(name).prepareUpdate(name, await requestBytes(body)));
  }

  async getDocument(name: string, request: engine.GetDocumentRequest): Promise<Buffer | null> {
    return this.#of(name).getDocument(name, toJson(request));
  }

  async getDocuments(name: string, request: engine.GetDocumentsRequest): Promise<ItemsResponse> {
    return this.#of(name).getDocuments(name, toJson(request));
  }

  async deleteDocuments(name: string, request: engine.DeleteDocumentsRequest): Promise<ItemsResponse> {
    return this.#of(name).deleteDocuments(name, toJson(request));
  }

  async deleteAllDocuments(name: string): Promise<number> {
    const { body } = await this.#of(name).deleteAllDocuments(name);
    return fromJson<{ documentCount: number }>(body).documentCount;
  }

  async scanDocuments(name: string, request: engine.ScanRequest): Promise<DocumentScan> {
    return this.#of(name).scanDocuments(name, toJson(request));
  }

  search(name: string, plan: engine.SearchPlan, vectors: Float32Array | WrittenVector, wait?: Wait): Promise<Buffer> {
    // No `async` function: each on the way of a search costs the event loop a promise and a turn of its own.
    try {
      const native = this.#of(name);
      const json = toJson(plan);
      const call = beginCall(wait === undefined ? Number.POSITIVE_INFINITY : wait.deadlineMs - performance.now());
      wait?.onEnd(() => cancelCall(call));
      return vectors instanceof Float32Array
        ? native.search(name, json, vectors, call)
        : native.searchWritten(name, json, vectors.list, call);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async rank(name: string, plan: engine.SearchPlan, vectors: Float32Array, wait?: Wait): Promise<RankedSearch> {
    const rank = (cancellation: Cancellation) => this.#of(name).rank(name, toJson(plan), vectors, cancellation);
    return new EmbeddedRankedSearch(await whileWaiting(wait, rank));
  }

  async putQueries(name: string, request: engine.PutQueriesRequest): Promise<ItemsResponse> {
    return this.#of(name).putQueries(name, toJson(request));
  }

  async getQueries(name: string, request: engine.QueriesRequest): Promise<Buffer> {
    return this.#of(name).getQueries(name, toJson(request));
  }

  async scanQueries(name: string, request: engine.ScanQueriesRequest): Promise<Buffer> {
    return this.#of(name).scanQueries(name, toJson(request));
  }

  async deleteQueries(name: string, request: engine.QueriesRequest): Promise<void> {
    await this.#of(name).deleteQueries(name, toJson(request));
  }

  async deleteAllQueries(name: string): Promise<void> {
    await this.#of(name).deleteAllQueries(name);
  }

  async suggest(name: string, plan: engine.SuggestPlan): Promise<Buffer> {
    return this.#of(name).suggest(name, toJson(plan));
  }

  readonly copies: IndexCopies = {
    begin: async (name) => this.#of(name).backUp(name),
    restore: (name) => this.#restore(name),
  };

  async #restore(name: string): Promise<RestoredIndex> {
    requireNoAlias(this.#requireOpener().table, name);
    if (this.#lost.has(name)) throw existsLost(name);
    const restore = await this.#native.restore(name);
    return {
      add: (piece) => restore.add(piece),
      finish: async () => {
        // Another call may have given it meanwhile.
        requireNoAlias(this.#requireOpener().table, name);
        await restore.finish();
        await this.#listed(name);
      },
      close: () => restore.close(),
    };
  }

  /** Lists an index that was made; without its entry it is none. */
  async #listed(name: string): Promise<void> {
    try {
      await this.#inventory?.add(entryOf(name));
    } catch (error) {
      await this.#native.dropIndex(name);
      throw error;
    }
  }

  /** An engine that is attached is let go of, and stays open. */
  async close(): Promise<void> {
    if (this.#statesNow === null) await this.#native.close();
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

function entryOf(name: string): string {
  return `${LISTED}/${name}`;
}

function lostText(name: string): string {
  return `The folder of index ${name} is gone: put it back and start again, or delete the index`;
}

function lostError(name: string): EngineError {
  return engineError('backend_data_parsing_error', lostText(name));
}

function existsLost(name: string): EngineError {
  return engineError('index_already_exists', `Index ${name} already exists: ${lostText(name)}`);
}

function engineError(code: string, message: string): EngineError {
  return Object.assign(new Error(message), { code });
}

/** Runs a native call, which ends when nobody waits for it any more. */
function whileWaiting<Result>(
  wait: Wait | undefined,
  call: (cancellation: Cancellation) => Promise<Result>,
): Promise<Result> {
  if (wait === undefined) return call(Cancellation.after(Number.POSITIVE_INFINITY));
  const cancellation = Cancellation.after(wait.deadlineMs - performance.now());
  wait.onEnd(() => cancellation.cancel());
  return call(cancellation);
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function fromJson<Value>(bytes: Buffer): Value {
  return JSON.parse(bytes.toString('utf8'));
}
