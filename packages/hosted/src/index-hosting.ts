import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { indexNotFound, operations, PelorusError, type schemas } from '@pelorus/contract';
import type { Inventory } from '@pelorus/files';
import { callTrace } from './call-trace.js';
import type {
  DamagedIndex,
  HostedIndex,
  HostedIndexes,
  IndexAnswer,
  IndexCounts,
  IndexOrder,
  IndexRequest,
  IndexState,
  ShopRecord,
} from './hosted-indexes.js';
import type { IndexConnections } from './index-connections.js';
import type { IndexPieces } from './index-copies.js';
import { IndexProcess, type OwnFault, type ProcessCommand, type Report } from './index-process.js';
import { RecordStore } from './record-store.js';
import { defaultResources, limitsOf, type Resources } from './resources.js';

/** Figures of the processes of indexes. */
export interface ProcessFigures {
  readonly states: ReadonlyMap<IndexState, number>;
  readonly serving: number;
  /** Since the start, by themselves or since they were killed. */
  readonly ends: number;
}

export interface HostingOptions {
  /** Folder of the records and of the documents of all indexes. */
  readonly folder: string;
  /** The list of entries that must be there, the indexes among it. */
  readonly inventory: Inventory;
  /** Folder of the sockets of processes: a short path, its user's alone. */
  readonly socketFolder: string;
  readonly command: ProcessCommand;
  /** Most indexes at once. */
  readonly indexesMax: number;
  /** Most model memory of one process, about one per gigabyte. */
  readonly modelMemoryMax: number;
  readonly report: Report;
}

/** Time for which the deletion of an index is remembered: clients wait for the word. */
const TOMBSTONE_MS = 24 * 60 * 60 * 1000;
/** A process that ends so often before it ever served will not do better. */
const START_FAILURES_MAX = 3;
/** Time that a state which could not be written waits before it is written again. */
const SAVE_AGAIN_MS = 1_000;

/** Time to wait for an index's own counts. */
const COUNTS_TIMEOUT_MS = 2_000;

/** Kind of the entries of the inventory that are indexes. */
const LISTED = 'index';

/** The states in which an index has documents that can be called. */
const CALLABLE: ReadonlySet<IndexState> = new Set(['CREATING', 'READY', 'MODIFYING']);

/**
 * The indexes of a hosted service, each in a process of its own. A state is durable before it is told, and each transition
 * can be gone through again from its beginning: after a crash it is.
 */
export class IndexHosting implements HostedIndexes {
  readonly #options: HostingOptions;
  readonly #records: RecordStore;
  /** By id: all that are there, and those deleted of late. */
  readonly #indexes = new Map<string, HostedIndex>();
  readonly #byName = new Map<string, string>();
  /** By id, those whose records cannot be read. Whoever repairs one finds the index again. */
  readonly #damaged = new Map<string, DamagedIndex>();
  /** The last result of {@link list}; null since something changed. Every call of a shop's page asks for it. */
  #listed: readonly HostedIndex[] | null = null;
  readonly #processes = new Map<string, IndexProcess>();
  /** Ends of processes that are no more. */
  #pastEnds = 0;
  /** Counts that indexes reported last, by id. */
  readonly #counts = new Map<string, IndexCounts>();
  /** Names of which a state is being written: nothing else may be begun with them. */
  readonly #reserved = new Set<string>();
  /** The last write of each record, by id: one waits for the other, and is made of what that left. */
  readonly #writes = new Map<string, Promise<unknown>>();
  /** Transitions under way, by id. */
  readonly #transitions = new Map<string, Promise<void>>();
  #isClosed = false;

  private constructor(options: HostingOptions) {
    this.#options = options;
    this.#records = new RecordStore(options.folder, options.inventory);
  }

  /** Reads the records, starts the processes, and goes on with the transitions that were under way. */
  static async open(options: HostingOptions): Promise<IndexHosting> {
    const hosting = new IndexHosting(options);
    const { inventory } = options;
    const { indexes, damaged, remarks } = await hosting.#records.load(inventory.of(LISTED));
    for (const index of damaged) {
      hosting.#damaged.set(index.id, index);
      options.report('error', { ...index }, 'The record of an index cannot be read: the index is closed');
    }
    for (const reason of remarks) options.report('warn', { reason }, 'A file among the indexes is not as it should be');
    // Live indexes come last, so that a name stands for the live one.
    for (const index of indexes.toSorted((a, b) => rank(a) - rank(b))) await hosting.#recover(index);
    try {
      const deleted = indexes.filter(({ state }) => state === 'DELETED');
      for (const { id } of deleted) await hosting.#unlist(id);
      for (const { id, name } of [...hosting.list(), ...damaged]) await inventory.add(entryOf(id), name ?? '');
    } catch (error) {
      // The next start does it.
      options.report('error', { reason: (error as Error).message }, 'The inventory cannot be written');
    }
    return hosting;
  }

  list(): readonly HostedIndex[] {
    this.#listed ??= [...this.#indexes.values()]
      .filter(({ state }) => state !== 'DELETED')
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#listed;
  }

  /** The indexes that are closed since their records cannot be read. */
  damaged(): readonly DamagedIndex[] {
    return [...this.#damaged.values()];
  }

  has(id: string): boolean {
    return this.#damaged.has(id) || this.byId(id) !== undefined;
  }

  folderOf(id: string): string {
    return this.#records.folder(id);
  }

  get(name: string): HostedIndex | undefined {
    if (this.#damagedOf(name) !== undefined) throw unreadable(`of index ${name}`);
    return this.#known(name);
  }

  /**
   * The index of an endpoint, unless it was deleted.
   * @throws PelorusError `backend_data_parsing_error` where its record cannot be read
   */
  byId(id: string): HostedIndex | undefined {
    if (this.#damaged.has(id)) throw unreadable('of this index');
    const index = this.#indexes.get(id);
    return index?.state === 'DELETED' ? undefined : index;
  }

  async create(name: string, { settings, resources = defaultResources, shop }: IndexOrder): Promise<HostedIndex> {
    const previous = this.#known(name);
    const isTaken = previous !== undefined && previous.state !== 'DELETED';
    if (isTaken || this.#damagedOf(name) !== undefined) {
      throw new PelorusError('index_already_exists', `Index ${name} already exists`);
    }
    const { indexesMax } = this.#options;
    const count = this.list().length + this.#damaged.size + this.#reserved.size;
    if (count >= indexesMax) {
      throw new PelorusError('quota_exceeded', `There are ${count} indexes, and the quota is ${indexesMax}`);
    }
    const now = new Date().toISOString();
    const index: HostedIndex = {
      id: newId(),
      name,
      state: 'CREATING',
      failure: null,
      createdAt: now,
      changedAt: now,
      settings,
      resources,
      shop: shop ?? null,
    };
    await this.#reserving(name, async () => {
      await this.#records.save(index);
      await this.#options.inventory.add(entryOf(index.id), name).catch(async (error) => {
        await this.#records.remove(index.id);
        throw error;
      });
    });
    this.#remember(index);
    if (previous !== undefined) await this.#dropTombstone(previous);
    this.#go(index, () => this.#provision(index));
    return index;
  }

  /**
   * Accepts other resources for an index, which is `MODIFYING` until its process has them. The same are no change.
   * @throws PelorusError `index_not_found`; `operation_conflict_error` unless it is `READY`
   */
  async modify(name: string, resources: Resources): Promise<void> {
    const index = this.#require(name);
    requireState(index, ['READY'], 'modified');
    if (isDeepStrictEqual(index.resources, resources)) return;
    const modifying = await this.#reserving(name, () => this.#enter(index, 'MODIFYING', { resources }));
    this.#go(modifying, () => this.#restart(modifying));
  }

  async changeShop(name: string, change: (shop: ShopRecord) => ShopRecord): Promise<HostedIndex> {
    const index = this.#require(name);
    const { shop } = index;
    if (shop === null) throw indexNotFound(name);
    requireState(index, ['READY', 'FAILED'], 'changed');
    return await this.#reserving(name, () =>
      this.#write(index, (current) => ({ ...current, shop: change(current.shop ?? shop) })),
    );
  }

  async noteShopFiles(id: string): Promise<void> {
    const index = this.byId(id);
    if (index === undefined || index.shop === null) throw indexNotFound(index?.name ?? id);
    if (index.shop.hasFiles === true) return;
    await this.#write(index, (current) => ({
      ...current,
      shop: current.shop && { ...current.shop, hasFiles: true },
    }));
  }

  async delete(name: string): Promise<void> {
    const damaged = this.#damagedOf(name);
    if (damaged !== undefined) return await this.#setAside(damaged);
    const index = this.#require(name);
    requireState(index, ['READY', 'FAILED'], 'deleted');
    const deleting = await this.#reserving(name, () => this.#enter(index, 'DELETING'));
    this.#go(deleting, () => this.#tearDown(deleting));
  }

  async call(name: string, { operation, body, signal }: IndexRequest): Promise<IndexAnswer> {
    const connections = await this.connections(this.#require(name));
    try {
      return await connections.request(
        {
          operation: operations[operation],
          params: { indexName: name },
          headers: { ...callTrace.getStore(), ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body }),
        },
        signal,
      );
    } catch (error) {
      if (signal?.aborted || error instanceof PelorusError) throw error;
      throw endedEarly(name, error);
    }
  }

  /**
   * The connections to the process of an index.
   * @throws PelorusError `service_unavailable` where there is none
   */
  connections(index: HostedIndex): Promise<IndexConnections> {
    const process = this.#processes.get(index.id);
    if (process !== undefined) return process.connections();
    if (!CALLABLE.has(index.state))
      throw new PelorusError('service_unavailable', `Index ${index.name} is ${index.state}`);
    throw new PelorusError(
      'service_unavailable',
      `Index ${index.name} has no inference nodes, so it cannot be called: raise numberOfInferences`,
    );
  }

  /** The connections to the process of an index while it can be called; else null. */
  serving({ id }: HostedIndex): IndexConnections | null {
    return this.#processes.get(id)?.serving ?? null;
  }

  /**
   * Begins a copy of an index as it is now; null of one that is not made yet, or is deleted.
   * @param openFolder opens the folder of an index that has no process, and so nobody who writes to it; null of one that
   * failed before it was made
   */
  async copy(
    index: HostedIndex,
    openFolder: (folder: string, name: string) => Promise<IndexPieces | null>,
  ): Promise<IndexPieces | null> {
    const { id, name, state } = index;
    if (state === 'CREATING' || state === 'DELETING' || state === 'DELETED') return null;
    const process = this.#processes.get(id);
    if (process === undefined) return await openFolder(this.#records.dataFolder(id), name);
    await process.connections();
    return await process.copy();
  }

  /** Tells whether the process of an index can be called now. */
  isServing({ id }: HostedIndex): boolean {
    return this.#processes.get(id)?.isServing ?? false;
  }

  /** The indexes by state, their processes that serve now, and the ends of those that should have gone on. */
  processFigures(): ProcessFigures {
    const states = new Map<IndexState, number>();
    for (const { state } of this.list()) states.set(state, (states.get(state) ?? 0) + 1);
    const processes = [...this.#processes.values()];
    const serving = processes.filter(({ isServing }) => isServing).length;
    const ends = processes.reduce((sum, { endCount }) => sum + endCount, this.#pastEnds);
    return { states, serving, ends };
  }

  /** Returns the fault of a process that should be there, for people; null where there is none. */
  troubleOf({ id }: HostedIndex): string | null {
    const process = this.#processes.get(id);
    return process === undefined ? 'Its process is being started' : process.trouble;
  }

  /** The reason that an index is closed whose data its process cannot use; null for any other. */
  unusable({ id }: HostedIndex): string | null {
    return this.#processes.get(id)?.unusable ?? null;
  }

  /** The fault that a serving index reports of itself; null without one. */
  ownFaultOf({ id }: HostedIndex): OwnFault | null {
    return this.#processes.get(id)?.ownFault ?? null;
  }

  /**
   * Asks an index for its counts; answers the last ones where it is busy or gone for now, which holds nobody up, and
   * null where it was never asked.
   */
  async counts(index: HostedIndex): Promise<IndexCounts | null> {
    const said = this.isServing(index) ? await this.#askCounts(index) : null;
    if (said !== null) this.#counts.set(index.id, said);
    return this.#lastCounts(index);
  }

  /** Ends all processes. Transitions under way are gone on with by the next {@link open}. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const ready = this.list().filter(({ state }) => state === 'READY');
    // While the processes can still be asked.
    await Promise.all(ready.map((index) => this.counts(index)));
    await Promise.all([...this.#processes.values()].map((process) => process.stop()));
    await Promise.all(this.#transitions.values());
    await Promise.all(ready.map((index) => this.#keepCounts(index)));
  }

  async #askCounts({ name }: HostedIndex): Promise<IndexCounts | null> {
    try {
      const signal = AbortSignal.timeout(COUNTS_TIMEOUT_MS);
      const { status, body } = await this.call(name, { operation: 'getIndexStats', signal });
      if (status !== 200) return null;
      const { numberOfDocuments, backend } = JSON.parse(body.toString('utf8')) as schemas.IndexStats;
      return { numberOfDocuments, memoryBytes: backend.memoryBytes ?? 0 };
    } catch {
      return null;
    }
  }

  #lastCounts({ id, counts }: HostedIndex): IndexCounts | null {
    return this.#counts.get(id) ?? counts ?? null;
  }

  /** For a start after this one, until the process of the index serves again. Where the disk takes no record it says less. */
  async #keepCounts(index: HostedIndex): Promise<void> {
    const counts = this.#lastCounts(index);
    if (this.#indexes.get(index.id)?.state !== 'READY' || isDeepStrictEqual(counts, index.counts ?? null)) return;
    await this.#write(index, (current) => ({ ...current, counts })).catch(() => undefined);
  }

  async #recover(index: HostedIndex): Promise<void> {
    if (isForgotten(index)) return await this.#records.remove(index.id);
    this.#remember(index);
    if (index.state === 'CREATING') this.#go(index, () => this.#provision(index));
    else if (index.state === 'MODIFYING') this.#go(index, () => this.#restart(index));
    else if (index.state === 'DELETING') this.#go(index, () => this.#tearDown(index));
    else if (index.state === 'READY') this.#start(index);
  }

  /** Makes the index in its process. One that was made before a crash is there already, which is as good. */
  async #provision(index: HostedIndex): Promise<void> {
    // One that is gone through again meets the process of its last try.
    await this.#stop(index);
    // Without an inference node the index could not be called, not even to be made.
    const process = this.#startProcess(index, { ...index.resources, numberOfInferences: 1 }, false);
    const connections = await this.#firstConnections(process);
    if (this.#isClosed) return;
    if (connections === null) return await this.#fail(index, process.unusable ?? 'its process does not start');
    const { status, body } = await connections.request({
      operation: operations.createIndex,
      params: { indexName: index.name },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(index.settings),
    });
    if (status !== 200 && status !== 409) return await this.#fail(index, body.toString('utf8'));
    if (index.resources.numberOfInferences !== 1) await this.#restart(index);
    else await this.#enter(index, 'READY');
  }

  /** Starts the process with the resources that the record has. */
  async #restart(index: HostedIndex): Promise<void> {
    await this.counts(index);
    // The next process is there at once, so that calls wait for it, and starts when this one has ended.
    const stopped = this.#stop(index);
    const process = this.#start(index, stopped);
    await stopped;
    const isServing = process === undefined || (await this.#firstConnections(process)) !== null;
    if (this.#isClosed) return;
    // Unusable data may be restored, so its index is not given up.
    if (!isServing && process.unusable === null) return await this.#fail(index, 'its process does not start');
    await this.#enter(index, 'READY');
  }

  async #tearDown(index: HostedIndex): Promise<void> {
    await this.#stop(index);
    // Before the record says so: after a crash between the two the index is torn down again.
    await this.#records.removeData(index.id);
    this.#counts.delete(index.id);
    await this.#enter(index, 'DELETED');
    await this.#unlist(index.id);
  }

  async #fail(index: HostedIndex, failure: string): Promise<void> {
    this.#options.report('error', { index: index.name, failure }, 'An index has failed');
    await this.#stop(index);
    await this.#enter(index, 'FAILED', { failure });
  }

  /** The connections of a process once it serves; null for one that does not come to that. */
  async #firstConnections(process: IndexProcess): Promise<IndexConnections | null> {
    while (!this.#isClosed && process.unusable === null && process.failures < START_FAILURES_MAX) {
      try {
        return await process.connections();
      } catch {
        // It may need longer than one call waits.
      }
    }
    return null;
  }

  /** Undefined for an index that is not to be called. */
  #start(index: HostedIndex, after?: Promise<void>): IndexProcess | undefined {
    const { resources } = index;
    return resources.numberOfInferences === 0 ? undefined : this.#startProcess(index, resources, true, after);
  }

  /** @param after the end of the process of the index that was before */
  #startProcess({ id, name }: HostedIndex, resources: Resources, isMade: boolean, after?: Promise<void>): IndexProcess {
    const { command, socketFolder, modelMemoryMax, report } = this.#options;
    const socketPath = process.platform === 'win32' ? `\\\\.\\pipe\\pelorus-${id}` : join(socketFolder, `${id}.sock`);
    const order = {
      ...{ name, socketPath, secret: randomBytes(32).toString('hex') },
      ...{ dataDir: this.#records.dataFolder(id), isMade, limits: limitsOf(resources, modelMemoryMax) },
    };
    const started = new IndexProcess(command, order, report, after);
    this.#processes.set(id, started);
    return started;
  }

  async #stop({ id }: HostedIndex): Promise<void> {
    const process = this.#processes.get(id);
    this.#processes.delete(id);
    this.#pastEnds += process?.endCount ?? 0;
    await process?.stop();
  }

  /** Brings an index into a state, once that is durable. */
  async #enter(index: HostedIndex, state: IndexState, change: Partial<HostedIndex> = {}): Promise<HostedIndex> {
    const changedAt = new Date().toISOString();
    const counts = state === 'DELETED' ? null : this.#lastCounts(index);
    const next = await this.#write(index, (current) => {
      return { ...current, ...change, state, failure: change.failure ?? null, changedAt, counts };
    });
    this.#options.report('info', { index: index.name, id: index.id, state }, 'An index came into a state');
    return next;
  }

  /**
   * Writes the record of an index as `change` makes it of the last one, after all writes before it.
   * @throws PelorusError `index_not_found` of one that was forgotten meanwhile
   */
  #write({ id, name }: HostedIndex, change: (current: HostedIndex) => HostedIndex): Promise<HostedIndex> {
    const write = (this.#writes.get(id) ?? Promise.resolve()).then(async () => {
      const current = this.#indexes.get(id);
      if (current === undefined) throw indexNotFound(name);
      const next = change(current);
      await this.#records.save(next);
      this.#remember(next);
      return next;
    });
    // A write that failed holds up none of those behind it.
    const settled = write
      .catch(() => undefined)
      .finally(() => {
        if (this.#writes.get(id) === settled) this.#writes.delete(id);
      });
    this.#writes.set(id, settled);
    return write;
  }

  /** Does a transition in the background. Where the disk takes no record it is gone through again. */
  #go(index: HostedIndex, transition: () => Promise<void>): void {
    const work = async () => {
      while (!this.#isClosed) {
        try {
          return await transition();
        } catch (error) {
          if (this.#isClosed) return;
          this.#options.report(
            'error',
            { index: index.name, reason: (error as Error).message },
            'A transition goes on later',
          );
          await delay(SAVE_AGAIN_MS);
        }
      }
    };
    const done = work().finally(() => {
      if (this.#transitions.get(index.id) === done) this.#transitions.delete(index.id);
    });
    this.#transitions.set(index.id, done);
  }

  #remember(index: HostedIndex): void {
    this.#indexes.set(index.id, index);
    this.#listed = null;
    this.#byName.set(index.name, index.id);
  }

  /** @throws PelorusError `operation_conflict_error` where somebody else writes a state of that name */
  async #reserving<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
    if (this.#reserved.has(name)) {
      throw new PelorusError('operation_conflict_error', `Another change of index ${name} is under way`);
    }
    this.#reserved.add(name);
    try {
      return await write();
    } finally {
      this.#reserved.delete(name);
    }
  }

  /** The index of that name whose record can be read, alive or deleted of late. */
  #known(name: string): HostedIndex | undefined {
    const id = this.#byName.get(name);
    const index = id === undefined ? undefined : this.#indexes.get(id);
    return index === undefined || isForgotten(index) ? undefined : index;
  }

  /** The closed index that a name stands for; none where the name is that of one that is alive. */
  #damagedOf(name: string): DamagedIndex | undefined {
    if (this.#damaged.size === 0) return undefined;
    const known = this.#known(name);
    const isAlive = known !== undefined && known.state !== 'DELETED';
    return isAlive ? undefined : this.damaged().find((index) => index.name === name);
  }

  /** Gives the name free of an index that is closed. Its files are kept, and never looked at again. */
  async #setAside({ id, name }: DamagedIndex): Promise<void> {
    await this.#reserving(name ?? id, () => this.#records.setAside(id));
    await this.#unlist(id);
    this.#damaged.delete(id);
    this.#options.report('warn', { id, index: name }, 'An index that was closed is set aside');
  }

  /** Lists an index no longer, nor the files in its folder. */
  async #unlist(id: string): Promise<void> {
    await this.#options.inventory.drop(entryOf(id));
    await this.#options.inventory.forget(`${id}/`);
  }

  /** Nobody waits to hear about the deletion of an index whose name is used again. */
  async #dropTombstone({ id }: HostedIndex): Promise<void> {
    this.#indexes.delete(id);
    this.#listed = null;
    await this.#records.remove(id);
  }

  #require(name: string): HostedIndex {
    const index = this.get(name);
    if (index === undefined || index.state === 'DELETED') throw indexNotFound(name);
    return index;
  }
}

/** A public id for a shop's index: 64 random bits, and its name, for people. */
export function newShopId(name: string): string {
  return `${newId()}-${name.toLowerCase()}`;
}

function entryOf(id: string): string {
  return `${LISTED}/${id}`;
}

function newId(): string {
  return randomBytes(8).toString('hex');
}

/** The fault of a call that the process of an index did not live to answer. */
export function endedEarly(name: string, cause: unknown): PelorusError {
  const message = `The process of index ${name} ended before it answered. It may have carried out the call`;
  // No `retry-after`: sent again, documents without ids may be stored twice.
  return new PelorusError('service_unavailable', message, { cause });
}

function requireState({ name, state }: HostedIndex, states: readonly IndexState[], verb: string): void {
  if (states.includes(state)) return;
  const expected = states.join(' or ');
  throw new PelorusError(
    'operation_conflict_error',
    `Index ${name} is ${state}: it can be ${verb} when it is ${expected}`,
  );
}

function unreadable(whose: string): PelorusError {
  return new PelorusError(
    'backend_data_parsing_error',
    `The record ${whose} cannot be read, so that it is closed; health and log say why`,
  );
}

/** Those that are deleted come first. */
function rank({ state }: HostedIndex): number {
  return state === 'DELETED' ? 0 : 1;
}

function isForgotten({ state, changedAt }: HostedIndex): boolean {
  return state === 'DELETED' && Date.now() - Date.parse(changedAt) > TOMBSTONE_MS;
}
