import { hash, randomUUID } from 'node:crypto';
import {
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PelorusError } from '@pelorus/contract';
import { isDiskFull, readSealed, type SealedForm, sealed, syncFolder, unsealed } from '@pelorus/files';
import { type FoundLists, KeyLists, type KnownLists, type ListedKeys } from './key-lists.js';
import type { KeyRecord } from './key-record.js';

/**
 * Time for which files stay that a process may still be at work on: a draft, and the name of a version that was
 * replaced.
 */
const SUPERSEDED_MS = 60_000;
/**
 * The number of times that the folder is listed anew where a file that was listed is gone: others replace it while it
 * is read.
 */
const LISTINGS_MAX = 20;
/** Time for which it is remembered that a key was revoked. */
const REVOKED_MS = 24 * 60 * 60 * 1000;
/** Between a change of a folder and the next that its time shows: file systems count in up to two seconds. */
const SETTLED_MS = 2_000;

/** The time after which a change that a full disk refused may be tried again. */
const FULL_RETRY_SECONDS = 5;

/** The form of files before they were sealed, which had a checksum of their own. */
const OLDER_FORMAT = 1;

const fileName = /^([0-9a-f-]{36})\.(\d{1,15})\.json$/;
const draftName = /^draft-|^list\.json\..*\.tmp$/;
const LAST_USED = 'last-used.json';
/** Folder beside that of the keys for what was there when they were begun anew. */
const ASIDE = 'damaged';

/** The content of one version of a key. */
export type KeyContent = { readonly key: KeyRecord } | { readonly revokedAt: string };

/** A key as the newest of its files has it. */
export interface StoredVersion {
  readonly id: string;
  readonly version: number;
  /** Null where the file cannot be used. */
  readonly content: KeyContent | null;
}

/**
 * The folder of the keys. Each change of a key is a file of its own, `{id}.{version}.json`, that comes to be whole and
 * durable or not at all, and of which there is only ever one: that two processes change a key at once, without a lock,
 * loses neither change. The newest version counts, damaged or not, since an older one may say of a key that was revoked
 * that it is good; for the same reason older ones are emptied, so that a file that is lost takes its key along. Their
 * names stay for a while: a process that read the folder before cannot store what it made of that under one of them.
 * Lists name the keys and their versions, so that a file that is gone is missed, and one that was put back counts no more.
 */
export class KeyFiles {
  readonly #folder: string;
  readonly #lists: KeyLists;
  /** The contents of the files, by name: a file never changes. */
  #contents = new Map<string, KeyContent>();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(folder: string, known: KnownLists) {
    this.#folder = folder;
    this.#lists = new KeyLists(folder, known);
  }

  /** The generation of the lists that is noted apart from them; 0 where none is. */
  get notedGeneration(): number {
    return this.#lists.noted;
  }

  /** Tells that there were lists of the keys, be it that they are gone, or that nobody knows. */
  get wereListed(): boolean {
    return this.#lists.wereThere;
  }

  /** @returns the newest version of every key; null where there is no folder */
  async read(): Promise<readonly StoredVersion[] | null> {
    for (let listings = 1; ; listings += 1) {
      const names = await this.#names();
      if (names === null) return null;
      const stored = [...newestVersions(names)].map(async ([id, version]) => {
        return { id, version, content: await this.#content(id, version) };
      });
      const all = await Promise.all(stored);
      const replaced = listings < LISTINGS_MAX ? await this.#replacedOf(all) : [];
      if (replaced.length > 0) continue;
      const found = all.filter((one): one is StoredVersion => one.content !== undefined);
      const good = found.flatMap(({ id, version, content }) =>
        content === null ? [] : [[nameOf(id, version), content] as const],
      );
      this.#contents = new Map(good);
      return found;
    }
  }

  /**
   * A mark of the state of the folder: while it is the same, so are the keys. Undefined where the folder has changed so
   * lately that its time might not show the next change.
   */
  async mark(nowMs: number): Promise<string | undefined> {
    const found = await unless('ENOENT', stat(this.#folder, { bigint: true }));
    if (found === null) return 'no folder';
    return Math.abs(nowMs - Number(found.mtimeMs)) < SETTLED_MS ? undefined : `${found.ino} ${found.mtimeNs}`;
  }

  /** The versions that others replaced while they were read. */
  async #replacedOf(all: readonly { id: string; version: number; content: KeyContent | null | undefined }[]) {
    const unread = all.filter(({ content }) => content == null);
    if (unread.length === 0) return [];
    const newest = newestVersions((await this.#names()) ?? []);
    return unread.filter(({ id, version, content }) => content === undefined || newest.get(id) !== version);
  }

  /**
   * Stores a version, durably, where the version before it was read less than half a minute ago.
   * @param readAtMs the time of that, by `performance.now`
   * @returns whether it is this one: false where another process stored it first
   * @throws PelorusError `insufficient_storage` on a full disk
   */
  async write(id: string, version: number, content: KeyContent, readAtMs: number): Promise<boolean> {
    try {
      return await this.#write(id, version, content, readAtMs);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      const headers = { 'retry-after': String(FULL_RETRY_SECONDS) };
      throw new PelorusError('insufficient_storage', 'The disk has no room for this change of a key', { headers });
    }
  }

  /** Removes files that no process needs any more, if it is time to. */
  async sweep(nowMs: number): Promise<void> {
    if (nowMs - this.#sweptAtMs < SUPERSEDED_MS) return;
    this.#sweptAtMs = nowMs;
    const names = (await this.#names()) ?? [];
    const newest = newestVersions(names);
    for (const name of names) {
      const [, id, version] = fileName.exec(name) ?? [];
      const isReplaced = id !== undefined && newest.get(id) !== Number(version);
      if (isReplaced || draftName.test(name)) await this.#removeOlder(join(this.#folder, name), SUPERSEDED_MS, nowMs);
    }
    const beside = dirname(this.#folder);
    for (const name of await readdir(beside)) {
      if (this.#lists.isUnfinished(name)) await this.#removeOlder(join(beside, name), SUPERSEDED_MS, nowMs);
    }
    // The record of a revocation is removed last, when it is durable that nothing else of the key is left.
    const { versions: listed, fault } = await this.readLists();
    const lone = [...newest].filter(
      ([id]) => fault === null && !listed.has(id) && names.filter((name) => name.startsWith(id)).length === 1,
    );
    let isSynced = false;
    for (const [id, version] of lone) {
      if (!(await this.#isForgotten(id, version, nowMs))) continue;
      if (!isSynced) await syncFolder(this.#folder);
      isSynced = true;
      await unless('ENOENT', unlink(this.#path(id, version)));
    }
  }

  /**
   * The times at which keys were last used, by their ids, in ISO 8601. It is only a hint: not durable, and possibly
   * missing.
   */
  async readLastUsed(): Promise<ReadonlyMap<string, string>> {
    const times = await readSealed(join(this.#folder, LAST_USED), lastUsedForm).catch(() => undefined);
    return new Map(Object.entries(times ?? {}));
  }

  async writeLastUsed(times: ReadonlyMap<string, string>): Promise<void> {
    await this.#replace(LAST_USED, sealed(Object.fromEntries(times), lastUsedForm));
  }

  /** The lists of the keys; to be read before the keys, so that none of a later state is missed. */
  readLists(): Promise<FoundLists> {
    return this.#lists.read();
  }

  /** Runs `work` while no other process writes the lists. The folder beside which they lie must be there. */
  whileListing<T>(work: () => Promise<T>): Promise<T> {
    return this.#lists.exclusively(work);
  }

  /**
   * Lists the keys that there are, for work that no other process does meanwhile. A key is listed once it is there, and no
   * word that one was revoked is forgotten before the lists tell of it: a crash in between makes no key miss that was
   * revoked.
   */
  async writeLists(listed: ListedKeys): Promise<void> {
    await this.#lists.write(listed);
  }

  /** Notes apart from the lists that there are some of this generation: older ones are refused from then on. */
  async noteLists(generation: number): Promise<void> {
    await this.#lists.note(generation);
  }

  /**
   * Takes whatever stands in the place of the folder out of the way, with a copy of the list beside it, in whose place
   * there is first one of the keys that ended: a crash at any moment leaves something that tells of keys. Answers the
   * folder where it is then.
   * @param time of it, ISO 8601
   * @param listed the keys that no longer count
   */
  async setAside(time: string, listed: ListedKeys): Promise<string> {
    const name = `keys-${time.replaceAll(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`;
    const aside = join(dirname(this.#folder), ASIDE, name);
    await mkdir(aside, { recursive: true, mode: 0o700 });
    const [, outer] = this.#lists.paths;
    const list = await unless('ENOENT', lstat(outer));
    if (list?.isFile()) await copyFile(outer, join(aside, basename(outer)));
    else if (list !== null) await rename(outer, join(aside, basename(outer)));
    await this.#lists.writeOuter(listed);
    await unless('ENOENT', rename(this.#folder, join(aside, basename(this.#folder))));
    for (const path of [aside, dirname(aside), dirname(this.#folder)]) await syncFolder(path);
    return aside;
  }

  /** Replaces a file that several processes may write: the last counts. */
  async #replace(name: string, text: string): Promise<void> {
    const draft = join(this.#folder, `draft-${randomUUID()}`);
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    try {
      await rename(draft, join(this.#folder, name));
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  }

  async #write(id: string, version: number, content: KeyContent, readAtMs: number): Promise<boolean> {
    await this.#prepare();
    const draft = join(this.#folder, `draft-${randomUUID()}`);
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(sealed(content, formOf(id, version)));
      await file.sync();
    } finally {
      await file.close();
    }
    // A name that was swept away since the folder was read would be free again.
    const isLate = performance.now() - readAtMs > SUPERSEDED_MS / 2;
    // A link, since renaming would replace what another process stored.
    const isFirst = !isLate && (await unless('EEXIST', link(draft, this.#path(id, version)))) !== null;
    await unlink(draft);
    if (isFirst) {
      await syncFolder(this.#folder);
      await this.#emptyOlder(id);
    }
    return isFirst;
  }

  /** Empties the versions of a key that a newer one replaces, and leaves their names to {@link sweep}. */
  async #emptyOlder(id: string): Promise<void> {
    const names = (await this.#names()) ?? [];
    const newest = newestVersions(names).get(id);
    for (const name of names) {
      const [, own, number] = fileName.exec(name) ?? [];
      if (own === id && Number(number) !== newest && !(await this.#isEmpty(name))) await this.#replace(name, '');
    }
    await syncFolder(this.#folder);
  }

  /** Tells whether a file is empty, or gone. */
  async #isEmpty(name: string): Promise<boolean> {
    const found = await unless('ENOENT', stat(join(this.#folder, name)));
    return found === null || found.size === 0;
  }

  #names(): Promise<string[] | null> {
    return unless('ENOENT', readdir(this.#folder));
  }

  #path(id: string, version: number): string {
    return join(this.#folder, nameOf(id, version));
  }

  /** Null of a file that cannot be used, that of another key among them; undefined where another process has just removed it. */
  async #content(id: string, version: number): Promise<KeyContent | null | undefined> {
    const known = this.#contents.get(nameOf(id, version));
    if (known !== undefined) return known;
    try {
      const path = this.#path(id, version);
      return unsealed(await readFile(path), path, formOf(id, version));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : null;
    }
  }

  /** Tells whether the key was revoked so long ago that nobody can still be changing it. */
  async #isForgotten(id: string, version: number, nowMs: number): Promise<boolean> {
    const content = await this.#content(id, version);
    return content != null && 'revokedAt' in content && nowMs - Date.parse(content.revokedAt) > REVOKED_MS;
  }

  async #removeOlder(path: string, ageMs: number, nowMs: number): Promise<void> {
    try {
      const found = await stat(path);
      if (found.isFile() && nowMs - found.mtimeMs > ageMs) await unlink(path);
    } catch {
      // Another process was first, or a later sweep will do better: a change that is done is not to fail by it.
    }
  }

  /** Makes the folder, durably, its user's alone. */
  async #prepare(): Promise<void> {
    const made = await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (made === undefined) return;
    await syncFolder(dirname(this.#folder));
    await syncFolder(dirname(made));
  }
}

function nameOf(id: string, version: number): string {
  return `${id}.${version}.json`;
}

function newestVersions(names: readonly string[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const name of names) {
    const [, id, version] = fileName.exec(name) ?? [];
    if (id !== undefined) newest.set(id, Math.max(Number(version), newest.get(id) ?? 0));
  }
  return newest;
}

function formOf(id: string, version: number): SealedForm<KeyContent> {
  return {
    name: `keys/${id}/${version}`,
    fromOlder,
    isValue: (value): value is KeyContent => {
      const { key, revokedAt } = (value ?? {}) as { key?: Partial<KeyRecord>; revokedAt?: unknown };
      return typeof revokedAt === 'string' || (key?.id === id && Array.isArray(key.secrets));
    },
  };
}

const lastUsedForm: SealedForm<Readonly<Record<string, string>>> = {
  name: 'keys/last-used',
  isValue: (value): value is Record<string, string> =>
    typeof value === 'object' && value !== null && Object.values(value).every((time) => typeof time === 'string'),
};

function fromOlder(parsed: unknown): KeyContent | null {
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { format, sha256, ...content } = parsed as Record<string, unknown>;
  const isWhole = format === OLDER_FORMAT && sha256 === hash('sha256', JSON.stringify(content));
  return isWhole ? (content as unknown as KeyContent) : null;
}

/** Null where the system says `code`. */
async function unless<Result>(code: 'ENOENT' | 'EEXIST', work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return null;
    throw error;
  }
}
