import { isDeepStrictEqual } from 'node:util';
import { PelorusError } from '@pelorus/contract';
import type { Generations } from '@pelorus/files';
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
import { type KeyContent, KeyFiles, type StoredVersion } from './key-files.js';
import { type FoundLists, type ListedKeys, merged } from './key-lists.js';
import type { KeyRecord } from './key-record.js';
import type { FoundKey, IssuedKey, KeyEntry, KeyProblem, KeySnapshot, ListedKey, ManagedKeys, NewKey } from './keys.js';
import { LastUses } from './last-uses.js';

/** Interval at which the folder is looked at for changes by other processes. */
const POLL_MS = 400;
/** Attempts of a change that other processes get in the way of; each that fails is a change of theirs that did not. */
const ATTEMPTS_MAX = 50;

/** The version of the word that a key was revoked whose last version nobody knows: later than any. */
const VERSION_MAX = 999_999_999_999_999;

/** Said where no key of a file is good. */
const WAYS_OUT = 'Restore all files of one moment together, or begin anew with `pelorus keys reset`';

/** The one key of a folder that was begun anew. */
export interface ResetKeys extends IssuedKey {
  /** Folder of what was there before. */
  readonly aside: string;
}

export interface KeyStoreOptions {
  /** Most keys of both kinds. */
  readonly countMax: number;
  /** The secret of an admin key that no file holds; none when empty. */
  readonly adminSecret?: string;
  /** Notes the generation of the lists of the keys, so that older ones, and those that are gone, are told. */
  readonly generations?: Generations;
  /** Tells that there were keys, be it that all of them are gone, or that nobody knows: calls then need one. Default false. */
  readonly wasThere?: boolean;
  /** Told of damaged files and of a folder that cannot be used. */
  readonly warn?: (message: string) => void;
  /** The time, in milliseconds of the epoch. */
  readonly now?: () => number;
}

/** Generations of lists that are noted nowhere else. */
const noGenerations: Generations = { least: () => 0, raise: async () => undefined };

interface Known {
  readonly key: KeyRecord;
  readonly version: number;
}

/**
 * The keys of a data directory, in memory, for checks that wait for nothing. Changes are durable before they are
 * acknowledged; those that other processes make are noticed within half a second.
 */
export class KeyStore implements ManagedKeys {
  readonly #files: KeyFiles;
  readonly #countMax: number;
  readonly #warn: (message: string) => void;
  readonly #now: () => number;
  readonly #adminEntry: KeyEntry | undefined;
  #keys: ReadonlyMap<string, Known> = new Map();
  /** By the digest of their secret. */
  #entries: ReadonlyMap<string, KeyEntry> = new Map();
  #isRequired: boolean;
  /** As the folder was when it was last read. */
  #mark: string | undefined;
  #damaged: ReadonlyMap<string, number> = new Map();
  /** Ids of keys that are listed, and of which there is no file. */
  #lost: ReadonlySet<string> = new Set();
  /** Ids of keys whose files are older than what is listed of them, with the versions of these. */
  #outdated: ReadonlyMap<string, number> = new Map();
  #wasThere: boolean;
  /** As the lists were when they were last read. */
  #listed: FoundLists | undefined;
  /** Ids of keys that were revoked, by their files. */
  #revoked: ReadonlyMap<string, string> = new Map();
  /** The reason that no key of a file is good; null where one may be. */
  #fault: string | null = null;
  #isFolderThere = false;
  readonly #told = new Set<string>();
  #lastUses = new LastUses();
  /** The time at which a change last read the folder, by `performance.now`. */
  #readAtMs = 0;
  #turns: Promise<unknown> = Promise.resolve();
  #tell: ((keys: KeySnapshot) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(folder: string, options: KeyStoreOptions) {
    const { countMax, adminSecret = '', wasThere = false, generations = noGenerations, warn, now } = options;
    this.#files = new KeyFiles(folder, { generations, wereThere: wasThere });
    this.#countMax = countMax;
    this.#warn = warn ?? (() => undefined);
    this.#now = now ?? Date.now;
    this.#adminEntry = environmentEntry(adminSecret, this.#now());
    this.#wasThere = this.#files.wereListed;
    this.#isRequired = this.#adminEntry !== undefined || this.#wasThere;
  }

  /**
   * Reads the keys of `folder`, which is made with the first one.
   * @throws Error of the system where the folder cannot be read
   */
  static async open(folder: string, options: KeyStoreOptions): Promise<KeyStore> {
    const store = new KeyStore(folder, options);
    await store.#read();
    store.#tellUnnoted();
    store.#lastUses = new LastUses(await store.#files.readLastUsed());
    return store;
  }

  /**
   * Begins anew with one key that may do everything, whatever became of the files of the keys: these are set aside, and no
   * key of theirs counts again. At no moment there is nothing that tells of keys.
   * @returns the key, and the folder of what was set aside
   */
  static async reset(folder: string, name: string, options: KeyStoreOptions): Promise<ResetKeys> {
    const store = new KeyStore(folder, options);
    return await store.#files.whileListing(() => store.#reset(name));
  }

  async #reset(name: string): Promise<ResetKeys> {
    const files = this.#files;
    const { versions, revoked } = (await files.readLists()).written;
    const stored = (await files.read().catch(() => null)) ?? [];
    const now = new Date(this.#now()).toISOString();
    const ended = [...versions.keys(), ...stored.map(({ id }) => id)].map((id) => [id, now] as const);
    const all = { revoked: new Map([...ended, ...revoked]), since: now };
    const aside = await files.setAside(now, { versions: new Map(), ...all });
    const unbound = { indexes: null, origins: null, expiresAt: null };
    const issued = issuedKey({ kind: 'api', name, scope: 'admin', ...unbound }, this.#now(), now);
    const { id } = issued.key;
    await files.write(id, 1, { key: issued.key }, performance.now());
    await files.writeLists({ versions: new Map([[id, 1]]), ...all });
    return { ...issued, aside };
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

  /** Tells the keys, now and before each change of them is acknowledged. */
  tellChanges(tell: (keys: KeySnapshot) => void): void {
    this.#tell = tell;
    this.#tellAll();
  }

  #tellAll(): void {
    this.#tell?.({ isRequired: this.#isRequired, keys: this.list().map(({ key }) => key), entries: this.#entries });
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

  /** Tells of keys that are refused since their files cannot be used. */
  get problems(): readonly KeyProblem[] {
    if (this.#fault !== null) return [{ status: 'red', reason: this.#fault }];
    const all = [
      [this.#damaged.size, 'damaged'],
      [this.#lost.size, 'gone'],
      [this.#outdated.size, 'older than what is listed'],
    ] as const;
    const hasNone = this.#keys.size === 0;
    const status = hasNone ? 'red' : 'yellow';
    if (this.#isRequired && hasNone && this.#adminEntry === undefined && all.every(([count]) => count === 0)) {
      return [{ status, reason: `There is no key, so that every call is refused. ${WAYS_OUT}` }];
    }
    return all
      .filter(([count]) => count > 0)
      .map(([count, how]) => {
        return { status, reason: `Keys that are refused since their files are ${how}: ${count}; the log names these` };
      });
  }

  /** Stands for the keys of this moment: another object from the next change on. */
  get edition(): object {
    return this.#entries;
  }

  /** The key with this secret; undefined where there is none, or none any more. Waits for nothing. */
  find(secret: string): FoundKey | undefined {
    return findAmong(this.#entries, secret, this.#now());
  }

  /** Notes that a key was used. */
  noteUse(id: string): void {
    this.#lastUses.note(id, this.#now());
  }

  /** In the order in which they were made. */
  list(): readonly ListedKey[] {
    return listed(this.#records(), this.#lastUses.times);
  }

  /**
   * @throws PelorusError `quota_exceeded`; `last_admin_key` for a first key that could not manage keys
   */
  create(wanted: NewKey): Promise<IssuedKey> {
    return this.#change(async () => {
      requireRoomForKey(this.#keys.size, this.#countMax);
      const issued = issuedKey(wanted, this.#now(), this.#listed?.since);
      const { key } = issued;
      checkNewKey(key, this.#beside(key.id));
      return (await this.#write(key.id, 1, { key })) ? issued : undefined;
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
      checkChangedKey(before, key, this.#beside(id));
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
      const issued = rotatedKey(before, overlapSeconds, this.#now());
      secret = issued.secret;
      return issued.key;
    });
    return { key, secret };
  }

  /**
   * Ends a key with all its secrets, for ever, be it that its file is damaged, gone or older than it should be.
   * @throws PelorusError `key_not_found`; `last_admin_key` where nobody could manage keys afterwards
   */
  async revoke(id: string): Promise<void> {
    await this.#change(async () => {
      const revokedAt = new Date(this.#now()).toISOString();
      // A copy of the file that is put back must not count again.
      if (this.#lost.has(id) || this.#outdated.has(id)) {
        return (await this.#write(id, VERSION_MAX, { revokedAt })) ? true : undefined;
      }
      const damaged = this.#damaged.get(id);
      if (damaged !== undefined) return (await this.#write(id, damaged + 1, { revokedAt })) ? true : undefined;
      const { key, version } = this.#known(id);
      checkChangedKey(key, null, this.#beside(id));
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
        if (this.#listed?.fault != null) throw unlisted(this.#listed.fault);
        const result = await work();
        if (result === undefined) continue;
        await this.#read();
        await this.#list();
        await this.#files.sweep(this.#now());
        return result;
      }
      throw keyBusy();
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
    if (known === undefined) throw keyNotFound();
    return known;
  }

  #records(): KeyRecord[] {
    return [...this.#keys.values()].map(({ key }) => key);
  }

  #beside(id: string): OtherKeys {
    const others = this.#records().filter((key) => key.id !== id);
    return { others, hasEnvironmentKey: this.#adminEntry !== undefined, nowMs: this.#now() };
  }

  async #poll(): Promise<void> {
    try {
      const mark = await this.#files.mark(this.#now());
      if (mark === undefined || mark !== this.#mark) {
        await this.#read();
        await this.#list();
      }
      this.#mark = mark;
      if (this.#lastUses.isStale) await this.#storeLastUsed();
    } catch (error) {
      // Known keys stay known; the next look may find the folder well again.
      this.#warn(`The folder of the keys cannot be used: ${(error as Error).message}`);
    }
  }

  async #read(): Promise<void> {
    // First: a key that is changed meanwhile is newer than its lists then, never older.
    const listed = await this.#files.readLists();
    const stored = await this.#files.read();
    if (stored !== null || listed.isThere) this.#isRequired = true;
    this.#wasThere ||= stored !== null;
    const wasThere = this.#wasThere || listed.isThere;
    const fault = faultOf(stored, listed, { wasThere, noted: this.#files.notedGeneration });
    if (fault !== null && fault !== this.#fault) this.#warn(fault);
    this.#fault = fault;
    this.#isFolderThere = stored !== null;
    this.#takeStored(stored ?? [], listed);
    if (this.#listed === undefined && listed.differ) {
      this.#tellOnce('The lists of the keys do not say the same: the later state of each key counts');
    }
    this.#listed = listed;
    for (const reason of stored === null ? [] : listed.repairs) this.#tellOnce(`${reason}; it is to be written anew`);
    this.#entries = entriesOf(this.#records(), this.#adminEntry);
    this.#tellAll();
  }

  #takeStored(stored: readonly StoredVersion[], { versions, revoked: ended, since = '' }: FoundLists): void {
    const keys = new Map<string, Known>();
    const damaged = new Map<string, number>();
    const outdated = new Map<string, number>();
    const revoked = new Map(ended);
    for (const { id, version, content } of stored) {
      // A key that was revoked loses nothing with its file.
      if (content === null && ended.has(id))
        this.#tellOnce(`The key file ${id}.${version}.json is damaged: its key was revoked`);
      else if (content === null) damaged.set(id, version);
      else if ('revokedAt' in content) revoked.set(id, content.revokedAt);
      else if (ended.has(id) || version < (versions.get(id) ?? 0)) outdated.set(id, version);
      else if (!versions.has(id) && content.key.createdAt < since) outdated.set(id, version);
      else if (this.#fault === null) keys.set(id, { key: content.key, version });
    }
    const found = new Set(stored.map(({ id }) => id));
    const lost = new Set([...versions.keys()].filter((id) => this.#fault === null && !found.has(id)));
    for (const [id, version] of damaged) {
      if (this.#damaged.get(id) === version) continue;
      this.#warn(`The key file ${id}.${version}.json is damaged or of a later version: the key in it is refused`);
    }
    for (const [id, version] of outdated) {
      if (this.#outdated.get(id) === version) continue;
      const stored = versions.get(id);
      const changed = stored === undefined ? 'the keys were begun anew' : `version ${stored} was stored`;
      const later = ended.has(id) ? 'the key was revoked' : changed;
      this.#warn(
        `The key file ${id}.${version}.json is an older one, put back since ${later}: the key in it is refused`,
      );
    }
    const missed = [...lost].filter((id) => !this.#lost.has(id));
    if (missed.length > 0) {
      this.#warn(`Files of keys are gone, so that these keys are refused: ${missed.join(', ')}`);
    }
    [this.#keys, this.#damaged, this.#lost, this.#outdated, this.#revoked] = [keys, damaged, lost, outdated, revoked];
  }

  /** Tells that nobody noted the last change of the lists, which happens only where something is wrong. */
  #tellUnnoted(): void {
    const [generation, noted] = [this.#listed?.generation ?? 0, this.#files.notedGeneration];
    if (generation <= noted) return;
    this.#warn(
      `The lists of the keys are of generation ${generation}, but ${noted} was noted last: a process was killed, or the inventory is an older one`,
    );
  }

  #tellOnce(message: string): void {
    if (!this.#told.has(message)) this.#warn(message);
    this.#told.add(message);
  }

  /** Lists the keys that there are to be, where a list says something else. */
  async #list(): Promise<void> {
    try {
      const found = await this.#files.readLists();
      if (this.#toList(found) !== null) await this.#files.whileListing(() => this.#writeLists());
      else if (found.fault === null) await this.#files.noteLists(found.generation);
    } catch (error) {
      // A change that is done is not to fail by it; the next one writes the lists.
      this.#warn(`The lists of the keys cannot be written: ${(error as Error).message}`);
    }
  }

  async #writeLists(): Promise<void> {
    const all = this.#toList(await this.#files.readLists());
    if (all === null) return;
    await this.#files.writeLists(all);
    this.#told.clear();
  }

  /** The keys that the lists are to hold; null where they do, or nobody knows which keys are good. */
  #toList(found: FoundLists): ListedKeys | null {
    // Lost keys are not to be listed as keys that never were.
    if (found.fault !== null || this.#fault !== null || !this.#isFolderThere) return null;
    const own: ListedKeys = {
      versions: new Map([...this.#keys].map(([id, { version }]) => [id, version])),
      revoked: this.#revoked,
    };
    const all = merged([found, own, { versions: this.#damaged, revoked: new Map() }]);
    const isSame = isDeepStrictEqual([found.versions, found.revoked], [all.versions, all.revoked]);
    return isSame && found.repairs.length === 0 && !found.differ && found.generation > 0 ? null : all;
  }

  async #storeLastUsed(): Promise<void> {
    if (!this.#lastUses.isStale || this.#keys.size === 0) return;
    this.#lastUses.isStale = false;
    this.#lastUses.keepOnly((id) => this.#keys.has(id));
    try {
      await this.#files.writeLastUsed(this.#lastUses.times);
    } catch (error) {
      // Nothing hangs on it, least of all that a service ends.
      this.#warn(`When keys were last used cannot be written: ${(error as Error).message}`);
    }
  }
}

/** The reason that no key of a file is good; null where one may be. */
function faultOf(
  stored: readonly StoredVersion[] | null,
  listed: FoundLists,
  { wasThere, noted }: { readonly wasThere: boolean; readonly noted: number },
): string | null {
  if (stored === null && wasThere && !listed.isThere && noted === 0)
    return `Nothing tells any more which keys there were, or whether there were any: every call is refused. ${WAYS_OUT}`;
  if (stored === null && wasThere)
    return `The folder of the keys is gone: all that were in it are refused. ${WAYS_OUT}`;
  if (listed.fault !== null)
    return `Nobody knows which keys are good, so that all of them are refused: ${listed.fault}. ${WAYS_OUT}`;
  if (stored?.length === 0 && !listed.isThere)
    return `The folder of the keys is empty: all that were in it are refused. ${WAYS_OUT}`;
  return null;
}

function unlisted(reason: string): PelorusError {
  return new PelorusError(
    'backend_data_parsing_error',
    `Keys cannot be changed while nobody knows which are good: ${reason}. ${WAYS_OUT}`,
  );
}
