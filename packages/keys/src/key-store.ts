import { randomUUID, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { PelorusError } from '@pelorus/contract';
import { type KeyContent, KeyFiles } from './key-files.js';
import { effectiveScope, hasExpired, isFullAdmin, type KeyRecord, type StoredSecret } from './key-record.js';
import { digestOf, newSecret, prefixOf } from './secret.js';

/** Interval at which the folder is looked at for changes by other processes. */
const POLL_MS = 400;
/** A key's last use is known to the minute. */
const LAST_USED_STEP_MS = 60_000;
/** Secrets of one key that are good at once: the current one and those that still overlap with it. */
const SECRETS_MAX = 8;
/** Attempts of a change that other processes get in the way of; each that fails is a change of theirs that did not. */
const ATTEMPTS_MAX = 50;

/** The version of the word that a key was revoked whose last version nobody knows: later than any. */
const VERSION_MAX = 999_999_999_999_999;

/** The name and id of the key that the environment gives. */
const ENVIRONMENT_KEY = 'environment';

/** The data that a caller gives for a new key. */
export type NewKey = Unmade<Extract<KeyRecord, { kind: 'api' }>> | Unmade<Extract<KeyRecord, { kind: 'tracking' }>>;
type Unmade<Key> = Omit<Key, 'id' | 'createdAt' | 'secrets'>;

/** A key, and the record of its use. */
export interface ListedKey {
  readonly key: KeyRecord;
  /** ISO 8601, to the minute; null where it was never used. */
  readonly lastUsedAt: string | null;
}

/** A key with its secret, which nothing shows again. */
export interface IssuedKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

export interface FoundKey {
  readonly key: KeyRecord;
  readonly hasExpired: boolean;
}

export interface KeyStoreOptions {
  /** Most keys of both kinds. */
  readonly countMax: number;
  /** The secret of an admin key that no file holds; none when empty. */
  readonly adminSecret?: string;
  /** Tells that there were keys, be it that their folder is gone: calls then need a key. Default false. */
  readonly wasThere?: boolean;
  /** Called once there is a folder with keys. */
  readonly onThere?: () => void;
  /** Told of damaged files and of a folder that cannot be used. */
  readonly warn?: (message: string) => void;
  /** The time, in milliseconds of the epoch. */
  readonly now?: () => number;
}

interface Entry {
  readonly key: KeyRecord;
  readonly digest: Buffer;
  /** The time at which this secret of the key ends; infinite where it does not before the key does. */
  readonly endsAtMs: number;
}

interface Known {
  readonly key: KeyRecord;
  readonly version: number;
}

/**
 * The keys of a data directory, in memory, for checks that wait for nothing. Changes are durable before they are
 * acknowledged; those that other processes make are noticed within half a second.
 */
export class KeyStore {
  readonly #files: KeyFiles;
  readonly #countMax: number;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #adminEntry: Entry | undefined;
  #keys: ReadonlyMap<string, Known> = new Map();
  /** By the digest of their secret. */
  #entries: ReadonlyMap<string, Entry> = new Map();
  #isRequired: boolean;
  /** As the folder was when it was last read. */
  #mark: string | undefined;
  #damaged: ReadonlyMap<string, number> = new Map();
  /** Ids of keys that are listed, and of which there is no file. */
  #lost: ReadonlySet<string> = new Set();
  #wasThere: boolean;
  #onThere: (() => void) | undefined;
  #isFolderGone = false;
  #isListDamaged = false;
  #lastUsed = new Map<string, string>();
  #lastUsedIsStale = false;
  /** The time at which a change last read the folder, by `performance.now`. */
  #readAtMs = 0;
  #turns: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(folder: string, options: KeyStoreOptions) {
    const { countMax, adminSecret = '', wasThere = false, onThere, warn, now } = options;
    this.#files = new KeyFiles(folder);
    this.#countMax = countMax;
    this.#warn = warn ?? (() => undefined);
    this.#now = now ?? Date.now;
    this.#adminEntry = adminSecret === '' ? undefined : environmentEntry(adminSecret, this.#now());
    this.#wasThere = wasThere;
    this.#onThere = onThere;
    this.#isRequired = this.#adminEntry !== undefined || this.#wasThere;
  }

  /**
   * Reads the keys of `folder`, which is made with the first one.
   * @throws Error of the system where the folder cannot be read
   */
  static async open(folder: string, options: KeyStoreOptions): Promise<KeyStore> {
    const store = new KeyStore(folder, options);
    await store.#read();
    store.#lastUsed = new Map(await store.#files.readLastUsed());
    return store;
  }

  /** Looks at the folder from now on, until {@link close}. For processes that stay. */
  follow(): this {
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      await this.#inTurn(() => this.#poll());
      isLooking = false;
    };
    this.#timer = setInterval(look, POLL_MS).unref();
    void this.#inTurn(() => this.#list());
    return this;
  }

  /** Stops following and stores when keys were last used. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#inTurn(() => this.#storeLastUsed());
  }

  /**
   * Tells whether calls need a key: they do since the first key was made, even if all are revoked, expired or damaged
   * now. Where the folder of the keys was never made, there was none. Once true it stays so, whatever becomes of the
   * folder.
   */
  get isRequired(): boolean {
    return this.#isRequired;
  }

  /** Tells of keys that are refused since their files are damaged or gone, for people; without ids, which are for who has a key. */
  get problems(): readonly string[] {
    const { size: damaged } = this.#damaged;
    const { size: lost } = this.#lost;
    return [
      ...(this.#isFolderGone ? ['The folder of the keys is gone: all that were in it are refused'] : []),
      ...(damaged > 0 ? [`Keys that are refused since their files are damaged: ${damaged}; the log names these`] : []),
      ...(lost > 0 ? [`Keys that are refused since their files are gone: ${lost}; the log names these`] : []),
    ];
  }

  /** The key with this secret; undefined where there is none, or none any more. Waits for nothing. */
  find(secret: string): FoundKey | undefined {
    const digest = digestOf(secret);
    // How long a look-up by a digest takes says nothing of a secret: nobody can choose its digest.
    const entry = this.#entries.get(digest.toString('latin1'));
    if (entry === undefined || !timingSafeEqual(digest, entry.digest)) return undefined;
    const now = this.#now();
    if (entry.endsAtMs <= now) return undefined;
    return { key: entry.key, hasExpired: hasExpired(entry.key, now) };
  }

  /** Notes that a key was used. */
  noteUse(id: string): void {
    const now = this.#now();
    const before = this.#lastUsed.get(id);
    if (before !== undefined && now - Date.parse(before) < LAST_USED_STEP_MS) return;
    this.#lastUsed.set(id, new Date(now).toISOString());
    this.#lastUsedIsStale = true;
  }

  /** In the order in which they were made. */
  list(): readonly ListedKey[] {
    return [...this.#keys.values()]
      .map(({ key }) => ({ key, lastUsedAt: this.#lastUsed.get(key.id) ?? null }))
      .sort((a, b) => compareTexts(a.key.createdAt, b.key.createdAt) || compareTexts(a.key.id, b.key.id));
  }

  /**
   * @throws PelorusError `quota_exceeded`; `last_admin_key` for a first key that could not manage keys
   */
  create(wanted: NewKey): Promise<IssuedKey> {
    return this.#change(async () => {
      if (this.#keys.size >= this.#countMax) {
        throw new PelorusError('quota_exceeded', `There are ${this.#keys.size} keys, of at most ${this.#countMax}`);
      }
      const secret = newSecret(effectiveScope(wanted));
      const id = randomUUID();
      const createdAt = new Date(this.#now()).toISOString();
      const key = { id, ...wanted, createdAt, secrets: [storedSecret(secret)] } as KeyRecord;
      this.#requireAdmin([...this.#others(id), key], 'The first key must be one that can manage keys');
      return (await this.#write(id, 1, { key })) ? { key, secret } : undefined;
    });
  }

  /**
   * @param changed the key that is to be, from the one that is
   * @throws PelorusError `key_not_found`; `last_admin_key` where nobody could manage keys afterwards
   */
  update(id: string, changed: (key: KeyRecord) => KeyRecord): Promise<KeyRecord> {
    return this.#change(async () => {
      const { key: before, version } = this.#known(id);
      const key = changed(before);
      if (isFullAdmin(before, this.#now())) {
        this.#requireAdmin([...this.#others(id), key], 'This is the last key that can manage keys');
      }
      return (await this.#write(id, version + 1, { key })) ? key : undefined;
    });
  }

  /**
   * Gives a key another secret. The one it had is good for `overlapSeconds` more.
   * @throws PelorusError `key_not_found`; `operation_conflict_error` where too many secrets of it are still good
   */
  async rotate(id: string, overlapSeconds: number): Promise<IssuedKey> {
    let secret = '';
    const key = await this.update(id, (before) => {
      const now = this.#now();
      secret = newSecret(effectiveScope(before));
      const end = new Date(now + overlapSeconds * 1000).toISOString();
      const ending = before.secrets.map((one) => ({ ...one, expiresAt: one.expiresAt ?? end }));
      const overlapping = ending.filter(({ expiresAt }) => Date.parse(expiresAt) > now);
      if (overlapping.length >= SECRETS_MAX) {
        throw new PelorusError(
          'operation_conflict_error',
          `The key has ${overlapping.length} secrets that are still good, of at most ${SECRETS_MAX}: wait until one of them ends`,
        );
      }
      return { ...before, secrets: [...overlapping, storedSecret(secret)] };
    });
    return { key, secret };
  }

  /**
   * Ends a key with all its secrets, for ever, be it that its file is damaged or gone.
   * @throws PelorusError `key_not_found`; `last_admin_key` where nobody could manage keys afterwards
   */
  async revoke(id: string): Promise<void> {
    await this.#change(async () => {
      const revokedAt = new Date(this.#now()).toISOString();
      // A copy of the file that is put back must not count again.
      if (this.#lost.has(id)) return (await this.#write(id, VERSION_MAX, { revokedAt })) ? true : undefined;
      const damaged = this.#damaged.get(id);
      if (damaged !== undefined) return (await this.#write(id, damaged + 1, { revokedAt })) ? true : undefined;
      const { key, version } = this.#known(id);
      if (isFullAdmin(key, this.#now())) {
        this.#requireAdmin(this.#others(id), 'This is the last key that can manage keys');
      }
      return (await this.#write(id, version + 1, { revokedAt })) ? true : undefined;
    });
  }

  /**
   * Works on the keys as the folder has them, again where another process came first.
   * @param work gives undefined where it did
   */
  #change<Result>(work: () => Promise<Result | undefined>): Promise<Result> {
    const run = async (): Promise<Result> => {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
        this.#readAtMs = performance.now();
        await this.#read();
        const result = await work();
        if (result === undefined) continue;
        await this.#read();
        await this.#list();
        await this.#files.sweep(this.#now());
        return result;
      }
      throw new PelorusError('operation_conflict_error', 'Another process is changing this key. Try again later.');
    };
    return this.#inTurn(run);
  }

  #write(id: string, version: number, content: KeyContent): Promise<boolean> {
    return this.#files.write(id, version, content, this.#readAtMs);
  }

  /** Runs `work` after earlier work: of two reads at once the older might be believed. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turns.then(work);
    this.#turns = result.catch(() => undefined);
    return result;
  }

  #known(id: string): Known {
    const known = this.#keys.get(id);
    if (known === undefined) throw new PelorusError('key_not_found', 'There is no key of that id');
    return known;
  }

  #others(id: string): KeyRecord[] {
    return [...this.#keys.values()].map(({ key }) => key).filter((key) => key.id !== id);
  }

  #requireAdmin(keys: readonly KeyRecord[], reason: string): void {
    if (this.#adminEntry !== undefined || keys.some((key) => isFullAdmin(key, this.#now()))) return;
    throw new PelorusError(
      'last_admin_key',
      `${reason}: of scope admin, for all indexes, and not expired. There must always be one`,
    );
  }

  async #poll(): Promise<void> {
    try {
      const mark = await this.#files.mark(this.#now());
      if (mark === undefined || mark !== this.#mark) {
        await this.#read();
        await this.#list();
      }
      this.#mark = mark;
      if (this.#lastUsedIsStale) await this.#storeLastUsed();
    } catch (error) {
      // Known keys stay known; the next look may find the folder well again.
      this.#warn(`The folder of the keys cannot be used: ${(error as Error).message}`);
    }
  }

  async #read(): Promise<void> {
    const stored = await this.#files.read();
    if (stored !== null) {
      this.#isRequired = true;
      this.#wasThere = true;
      this.#onThere?.();
      this.#onThere = undefined;
    }
    const keys = new Map<string, Known>();
    const damaged = new Map<string, number>();
    const found = new Set<string>();
    for (const { id, version, content } of stored ?? []) {
      found.add(id);
      if (content === null) damaged.set(id, version);
      else if ('key' in content) keys.set(id, { key: content.key, version });
    }
    for (const [id, version] of damaged) {
      if (this.#damaged.get(id) === version) continue;
      this.#warn(`The key file ${id}.${version}.json is damaged or of a later version: the key in it is refused`);
    }
    const lost = new Set((await this.#listed())?.filter((id) => !found.has(id)));
    for (const id of lost)
      if (!this.#lost.has(id)) this.#warn(`The file of the key ${id} is gone: that key is refused`);
    const isFolderGone = stored === null && this.#wasThere;
    if (isFolderGone && !this.#isFolderGone)
      this.#warn('The folder of the keys is gone: all that were in it are refused');
    this.#isFolderGone = isFolderGone;
    this.#damaged = damaged;
    this.#lost = lost;
    this.#keys = keys;
    this.#entries = entriesOf(keys.values(), this.#adminEntry);
  }

  /** The ids on the list; null where there is none: one that cannot be used is told, and written anew. */
  async #listed(): Promise<readonly string[] | null> {
    try {
      return await this.#files.readList();
    } catch (error) {
      if (!this.#isListDamaged) this.#warn(`${(error as Error).message}; it is to be written anew`);
      this.#isListDamaged = true;
      return null;
    }
  }

  /** Lists the keys that there are to be, where the list says something else. */
  async #list(): Promise<void> {
    const ids = [...this.#keys.keys(), ...this.#damaged.keys(), ...this.#lost].sort();
    try {
      const listed = await this.#listed();
      if (isDeepStrictEqual(ids, listed ?? [])) return;
      await this.#files.writeList(ids);
      this.#isListDamaged = false;
    } catch (error) {
      // A change that is done is not to fail by it; the next one writes the list.
      this.#warn(`The list of the keys cannot be written: ${(error as Error).message}`);
    }
  }

  async #storeLastUsed(): Promise<void> {
    if (!this.#lastUsedIsStale || this.#keys.size === 0) return;
    this.#lastUsedIsStale = false;
    this.#lastUsed = new Map([...this.#lastUsed].filter(([id]) => this.#keys.has(id)));
    try {
      await this.#files.writeLastUsed(this.#lastUsed);
    } catch (error) {
      // Nothing hangs on it, least of all that a service ends.
      this.#warn(`When keys were last used cannot be written: ${(error as Error).message}`);
    }
  }
}

function entriesOf(keys: Iterable<Known>, admin: Entry | undefined): ReadonlyMap<string, Entry> {
  const entries = admin === undefined ? [] : [admin];
  for (const { key } of keys) {
    for (const { sha256, expiresAt } of key.secrets) {
      const endsAtMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
      entries.push({ key, digest: Buffer.from(sha256, 'hex'), endsAtMs });
    }
  }
  return new Map(entries.map((entry) => [entry.digest.toString('latin1'), entry]));
}

function environmentEntry(secret: string, nowMs: number): Entry {
  const key: KeyRecord = {
    ...{ id: ENVIRONMENT_KEY, kind: 'api', name: ENVIRONMENT_KEY, scope: 'admin', indexes: null, origins: null },
    ...{ createdAt: new Date(nowMs).toISOString(), expiresAt: null, secrets: [] },
  };
  return { key, digest: digestOf(secret), endsAtMs: Number.POSITIVE_INFINITY };
}

function storedSecret(secret: string): StoredSecret {
  return { sha256: digestOf(secret).toString('hex'), prefix: prefixOf(secret), expiresAt: null };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
