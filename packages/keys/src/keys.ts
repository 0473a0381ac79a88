import type { KeyRecord } from './key-record.js';

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

/** The keys of a moment, as one thread tells them to others. */
export interface KeySnapshot {
  readonly isRequired: boolean;
  /** In the order in which they were made, without the key of the environment. */
  readonly keys: readonly KeyRecord[];
  /** Their secrets, and that of the environment, by digest. */
  readonly entries: ReadonlyMap<string, KeyEntry>;
  /** The end of the time for which they count, as `Freshness` has it; absent where they are never old. */
  readonly freshness?: SharedArrayBuffer;
}

/** The keys that calls are let in by, on whichever thread. */
export interface Keys {
  /**
   * Waits until the keys are known as of a moment ago; undefined where they are. None where they are never old.
   * @throws PelorusError `service_unavailable` where they cannot be read
   */
  fresh?(): Promise<void> | undefined;
  /** Tells whether calls need a key. */
  readonly isRequired: boolean;
  /**
   * The key with this secret; undefined where there is none, or none any more. Waits for nothing.
   * @throws PelorusError `service_unavailable` where the keys are not {@link fresh}
   */
  find(secret: string): FoundKey | undefined;
  /** Notes that a key was used. */
  noteUse(id: string): void;
  /** In the order in which they were made. */
  list(): readonly Pick<ListedKey, 'key'>[];
}

/** A fault of the files of keys, for people; without ids, which are for who has a key. */
export interface KeyProblem {
  /** `red` where no key of a file is good, `yellow` where some are not. */
  readonly status: 'yellow' | 'red';
  readonly reason: string;
}

/** A secret of a key. */
export interface KeyEntry {
  readonly key: KeyRecord;
  /** SHA-256 of the secret. */
  readonly digest: Uint8Array;
  /** The time at which this secret of the key ends; infinite where it does not before the key does. */
  readonly endsAtMs: number;
}

/** The keys of a service, which are made, changed and revoked here. */
export interface ManagedKeys extends Keys {
  /** Tells of keys that are refused since what is stored of them cannot be used. */
  readonly problems: readonly KeyProblem[];
  /** Stands for the keys of this moment: another object from the next change on. */
  readonly edition: object;
  list(): readonly ListedKey[];
  /** @throws PelorusError `quota_exceeded`; `last_admin_key` for a first key that could not manage keys */
  create(wanted: NewKey): Promise<IssuedKey>;
  /**
   * @param changed the key that is to be, from the one that is
   * @throws PelorusError `key_not_found`; `last_admin_key` where nobody could manage keys afterwards
   */
  update(id: string, changed: (key: KeyRecord) => KeyRecord): Promise<KeyRecord>;
  /**
   * Gives a key another secret. The one it had is good for `overlapSeconds` more.
   * @throws PelorusError `key_not_found`; `operation_conflict_error` where too many secrets of it are still good
   */
  rotate(id: string, overlapSeconds: number): Promise<IssuedKey>;
  /**
   * Ends a key with all its secrets, for ever.
   * @throws PelorusError `key_not_found`; `last_admin_key` where nobody could manage keys afterwards
   */
  revoke(id: string): Promise<void>;
  /** Looks for changes of other processes from now on, until {@link close}. For processes that stay. */
  follow(): this;
  /** Tells the keys, now and before each change of them is acknowledged. */
  tellChanges(tell: (keys: KeySnapshot) => void): void;
  /** Stops following and stores when keys were last used. */
  close(): Promise<void>;
}
