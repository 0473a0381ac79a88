import { randomUUID } from 'node:crypto';
import { PelorusError } from '@pelorus/contract';
import type { Generations } from '@pelorus/files';
import { Freshness } from './freshness.js';
import {
  checkChangedKey,
  checkNewKey,
  issuedKey,
  keyBusy,
  keyNotFound,
  type OtherKeys,
  requireRoomForKey,
  rotatedKey,
} from './key-changes.js';
import { entriesOf, environmentEntry, findAmong, listed } from './key-entries.js';
import type { KeyRecord } from './key-record.js';
import type { KeyStoreOptions, ResetKeys } from './key-store.js';
import type { FoundKey, IssuedKey, KeyEntry, KeyProblem, KeySnapshot, ListedKey, ManagedKeys, NewKey } from './keys.js';
import { LastUses } from './last-uses.js';

/** Interval at which the record is looked at for changes by other processes. */
const POLL_MS = 400;
/** Looks that are under way at once: one that a node does not answer is no reason not to ask another. */
const POLLS_MAX = 6;
/** Interval at which the times of uses are exchanged with other processes. */
const USES_MS = 30_000;
/** Attempts of a change that other processes get in the way of; each that fails is a change of theirs that did not. */
const ATTEMPTS_MAX = 50;

/** Milliseconds by which keys that are begun anew are later than the clock: others' clocks may be ahead. */
const RESET_STEP = 24 * 60 * 60 * 1000;

/** Name of the record in the list of generations. */
const GENERATION = 'keys/cluster';

/** A value that several processes share, and replace one after the other. */
export interface SharedRecord {
  /** The version that is there; undefined where there is none. */
  version(): Promise<string | undefined>;
  /** Undefined where there is none. */
  read(): Promise<{ readonly value: unknown; readonly version: string } | undefined>;
  /**
   * Replaces the value, durably.
   * @param over the version that it replaces; undefined where there is to be none
   * @returns the version that is there now; undefined where another process came first
   */
  replace(value: object, over: string | undefined): Promise<string | undefined>;
}

/** The records of keys, which whoever opens them hands on. */
export interface KeyRecords {
  /** All keys: one record, so that of two changes at once neither breaks a rule about all of them. */
  readonly keys: SharedRecord;
  /** The times of their last uses, a hint. */
  readonly lastUsed: SharedRecord;
  /** Keeps what is set aside; tells where. */
  setAside(name: string, value: object): Promise<string>;
  close(): Promise<void>;
}

/** All keys, as they are stored. */
interface StoredKeys {
  /** Grows with each change, and is no less than the time of it: older keys that are put back are told by it. */
  readonly generation: number;
  readonly keys: readonly KeyRecord[];
}

/**
 * The keys of all servers of a cluster, in memory, for checks that wait for nothing. A change is made against the version
 * that was read, and durable before it is acknowledged. The record is looked at every 400 ms; keys that were not found
 * the same for two seconds count no longer, so that no server lets a key in for longer that another one revoked.
 */
export class SharedKeyStore implements ManagedKeys {
  readonly #records: KeyRecords;
  readonly #countMax: number;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #generations: Generations | undefined;
  readonly #adminEntry: KeyEntry | undefined;
  readonly #freshness = new Freshness();
  #keys: ReadonlyMap<string, KeyRecord> = new Map();
  #entries: ReadonlyMap<string, KeyEntry>;
  #isRequired: boolean;
  /** The version of the record that was taken last; undefined where there was none. */
  #version: string | undefined;
  #generation: number;
  /** The time at which the read began that was taken last. */
  #readAtNs = 0n;
  /** The reason that the last read failed; null where it did not. */
  #failure: string | null = null;
  #isFailureTold = false;
  #polls = 0;
  #lastUses = new LastUses();
  #usesAtMs = performance.now();
  #usesVersion: string | undefined;
  #tell: ((keys: KeySnapshot) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(records: KeyRecords, options: KeyStoreOptions) {
    const { countMax, adminSecret = '', wasThere = false, generations, warn, now } = options;
    this.#records = records;
    this.#countMax = countMax;
    this.#warn = warn ?? (() => undefined);
    this.#now = now ?? Date.now;
    this.#generations = generations;
    this.#generation = generations?.least(GENERATION) ?? 0;
    this.#adminEntry = environmentEntry(adminSecret, this.#now());
    this.#entries = entriesOf([], this.#adminEntry);
    this.#isRequired = this.#adminEntry !== undefined || wasThere || this.#generation > 0;
  }

  /**
   * Reads the keys. Those that are older than what this process, or its list of generations, has seen are told, and
   * never count.
   * @throws an error with a code where they cannot be read
   */
  static async open(records: KeyRecords, options: KeyStoreOptions): Promise<SharedKeyStore> {
    const store = new SharedKeyStore(records, options);
    const readAtNs = process.hrtime.bigint();
    await store.#take(await records.keys.read(), readAtNs).catch((error: unknown) => {
      if (!(error instanceof OlderKeysError)) throw error;
      store.#fail(error);
    });
    await store.#readUses().catch(() => undefined);
    return store;
  }

  /** Begins anew with one key that may do everything, whatever is stored: no other one counts again. */
  static async reset(records: KeyRecords, name: string, options: KeyStoreOptions): Promise<ResetKeys> {
    const store = new SharedKeyStore(records, options);
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const found = await records.keys.read();
      const now = new Date(store.#now()).toISOString();
      const aside = await records.setAside(`${now}-${randomUUID().slice(0, 8)}`, { found: found?.value ?? null });
      const unbound = { indexes: null, origins: null, expiresAt: null };
      const issued = issuedKey({ kind: 'api', name, scope: 'admin', ...unbound }, store.#now());
      const generation = store.#next(isStoredKeys(found?.value) ? found.value.generation : 0) + RESET_STEP;
      const value = { generation, keys: [issued.key] } satisfies StoredKeys;
      if ((await records.keys.replace(value, found?.version)) !== undefined) return { ...issued, aside };
    }
    throw keyBusy();
  }

  follow(): this {
    this.#timer = setInterval(() => void this.#poll(), POLL_MS).unref();
    return this;
  }

  tellChanges(tell: (keys: KeySnapshot) => void): void {
    this.#tell = tell;
    this.#tellAll();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#lastUses.isStale) await this.#exchangeUses().catch(() => undefined);
    await this.#records.close();
  }

  get isRequired(): boolean {
    return this.#isRequired;
  }

  get problems(): readonly KeyProblem[] {
    if (this.#failure !== null && this.#freshness.isOver) return [{ status: 'red', reason: this.#failure }];
    if (!this.#isRequired || this.#keys.size > 0 || this.#adminEntry !== undefined) return [];
    const reason = 'There is no key on the cluster, so that every call is refused: `pelorus keys create` makes one';
    return [{ status: 'red', reason }];
  }

  get edition(): object {
    return this.#entries;
  }

  fresh(): Promise<void> | undefined {
    return this.#freshness.wait();
  }

  find(secret: string): FoundKey | undefined {
    this.#freshness.require();
    return findAmong(this.#entries, secret, this.#now());
  }

  noteUse(id: string): void {
    this.#lastUses.note(id, this.#now());
  }

  list(): readonly ListedKey[] {
    return listed(this.#keys.values(), this.#lastUses.times);
  }

  create(wanted: NewKey): Promise<IssuedKey> {
    return this.#change((keys) => {
      requireRoomForKey(keys.size, this.#countMax);
      const issued = issuedKey(wanted, this.#now());
      checkNewKey(issued.key, this.#beside(issued.key.id, keys));
      return { result: issued, after: [...keys.values(), issued.key] };
    });
  }

  update(id: string, changed: (key: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return this.#replace(id, (before) => ({ key: changed(before) })).then(({ key }) => key);
  }

  rotate(id: string, overlapSeconds: number): Promise<IssuedKey> {
    return this.#replace(id, (before) => rotatedKey(before, overlapSeconds, this.#now()));
  }

  async revoke(id: string): Promise<void> {
    await this.#change((keys) => {
      const before = keys.get(id);
      if (before === undefined) throw keyNotFound();
      checkChangedKey(before, null, this.#beside(id, keys));
      return { result: undefined, after: [...keys.values()].filter((key) => key.id !== id) };
    });
  }

  #replace<Result extends { readonly key: KeyRecord }>(
    id: string,
    changed: (key: KeyRecord) => Result,
  ): Promise<Result> {
    return this.#change((keys) => {
      const before = keys.get(id);
      if (before === undefined) throw keyNotFound();
      const result = changed(before);
      checkChangedKey(before, result.key, this.#beside(id, keys));
      return { result, after: [...keys.values()].map((key) => (key.id === id ? result.key : key)) };
    });
  }

  /** Changes the keys as they are now, again where another process came first. */
  async #change<Result>(
    work: (keys: ReadonlyMap<string, KeyRecord>) => { readonly result: Result; readonly after: readonly KeyRecord[] },
  ): Promise<Result> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const readAtNs = process.hrtime.bigint();
      const found = await this.#records.keys.read();
      await this.#take(found, readAtNs);
      const { generation, keys } = storedIn(found?.value);
      const { result, after } = work(byId(keys));
      const value = { generation: this.#next(generation), keys: after } satisfies StoredKeys;
      const version = await this.#records.keys.replace(value, found?.version);
      if (version === undefined) continue;
      await this.#take({ value, version }, process.hrtime.bigint());
      return result;
    }
    throw keyBusy();
  }

  #next(generation: number): number {
    return Math.max(generation + 1, this.#generation + 1, this.#now());
  }

  #beside(id: string, keys: ReadonlyMap<string, KeyRecord>): OtherKeys {
    const others = [...keys.values()].filter((key) => key.id !== id);
    return { others, hasEnvironmentKey: this.#adminEntry !== undefined, nowMs: this.#now() };
  }

  async #poll(): Promise<void> {
    if (this.#polls >= POLLS_MAX) return;
    this.#polls += 1;
    try {
      const readAtNs = process.hrtime.bigint();
      const version = await this.#records.keys.version();
      if (version === this.#version && version !== undefined) this.#agree(readAtNs);
      else await this.#take(await this.#records.keys.read(), readAtNs);
      await this.#followUses();
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#polls -= 1;
    }
  }

  #fail({ message }: Error): void {
    const failure = `The keys cannot be read, so that nobody is let in: ${message}`;
    this.#failure = failure;
    this.#freshness.fail();
    if (!this.#freshness.isOver || this.#isFailureTold) return;
    this.#warn(failure);
    this.#isFailureTold = true;
  }

  #agree(readAtNs: bigint): void {
    if (readAtNs > this.#readAtNs) this.#readAtNs = readAtNs;
    this.#freshness.extend(readAtNs);
    this.#failure = null;
    this.#isFailureTold = false;
  }

  /**
   * Takes what a read found, unless one that began later was taken before.
   * @throws OlderKeysError for keys that are older than those known
   */
  async #take(found: Awaited<ReturnType<SharedRecord['read']>>, readAtNs: bigint): Promise<void> {
    if (readAtNs < this.#readAtNs) return;
    const { generation, keys } = storedIn(found?.value);
    if (generation < this.#generation) throw new OlderKeysError(found === undefined);
    this.#readAtNs = readAtNs;
    this.#version = found?.version;
    this.#isRequired ||= found !== undefined;
    if (generation > this.#generation || this.#keys.size !== keys.length) {
      this.#generation = generation;
      this.#keys = byId(keys);
      this.#entries = entriesOf(keys, this.#adminEntry);
      this.#tellAll();
      // Noted late at worst: what this process has taken counts for it at once.
      await this.#generations?.raise(GENERATION, generation).catch(({ message }: Error) => this.#warn(message));
    }
    this.#agree(readAtNs);
  }

  #tellAll(): void {
    const keys = this.list().map(({ key }) => key);
    const [entries, freshness] = [this.#entries, this.#freshness.memory];
    this.#tell?.({ isRequired: this.#isRequired, keys, entries, freshness });
  }

  async #followUses(): Promise<void> {
    if (performance.now() - this.#usesAtMs < USES_MS || this.#keys.size === 0) return;
    this.#usesAtMs = performance.now();
    // Nothing hangs on it.
    await (this.#lastUses.isStale ? this.#exchangeUses() : this.#readUses()).catch(() => undefined);
  }

  async #readUses(): Promise<void> {
    const found = await this.#records.lastUsed.read();
    this.#usesVersion = found?.version;
    const { times } = (found?.value ?? {}) as { readonly times?: Readonly<Record<string, string>> };
    this.#lastUses.merge(Object.entries(times ?? {}));
  }

  async #exchangeUses(): Promise<void> {
    await this.#readUses();
    this.#lastUses.keepOnly((id) => this.#keys.has(id));
    const times = Object.fromEntries(this.#lastUses.times);
    // Where another server was faster, the next time is an occasion.
    const version = await this.#records.lastUsed.replace({ times }, this.#usesVersion);
    if (version !== undefined) this.#lastUses.isStale = false;
  }
}

/** Keys that are older than ones that were seen before: a key that ended since would count by them. */
class OlderKeysError extends PelorusError {
  constructor(areGone: boolean) {
    const found = areGone ? 'the keys on the cluster are gone' : 'the keys on the cluster are older than before';
    super(
      'backend_data_parsing_error',
      `${found}. Restore the index of keys as it was last, or begin anew with \`pelorus keys reset\``,
    );
  }
}

const noKeys: StoredKeys = { generation: 0, keys: [] };

/** @throws PelorusError `backend_data_parsing_error` for what no version has stored */
function storedIn(value: unknown): StoredKeys {
  if (value === undefined) return noKeys;
  if (isStoredKeys(value)) return value;
  throw new PelorusError('backend_data_parsing_error', 'the keys on the cluster are damaged, or of a later version');
}

function isStoredKeys(value: unknown): value is StoredKeys {
  const { generation, keys } = (value ?? {}) as Partial<StoredKeys>;
  const isKey = (key: Partial<KeyRecord> | null) => typeof key?.id === 'string' && Array.isArray(key.secrets);
  return Number.isSafeInteger(generation) && Array.isArray(keys) && keys.every(isKey);
}

function byId(keys: readonly KeyRecord[]): ReadonlyMap<string, KeyRecord> {
  return new Map(keys.map((key) => [key.id, key]));
}
