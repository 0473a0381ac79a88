import { randomBytes } from 'node:crypto';
import { PelorusError } from '@pelorus/contract';
import { DamagedFileError } from '@pelorus/files';
import { type Destination, faultOfObject, isFull } from './destination.js';
import {
  bytesOf,
  type FileEntry,
  type IndexEntry,
  idOfName,
  isId,
  type Manifest,
  manifestName,
  newId,
  type Piece,
  piecesOf,
  readManifest,
  writtenManifest,
} from './manifest.js';
import { damaged, PieceStore } from './piece-store.js';
import { type OpenedSource, storedPieces } from './source.js';
import { WriterLock } from './writer-lock.js';

/** A backup that is listed: what it has, or why nobody knows. */
export type ListedBackup =
  | { readonly id: string; readonly manifest: Manifest; readonly bytes: number }
  | { readonly id: string; readonly manifest: null; readonly reason: string };

/** How far work has come. */
export interface WorkProgress {
  readonly bytes: number;
  /** Bytes of all; null while nobody knows. */
  readonly bytesOfAll: number | null;
}

export interface Verification {
  readonly pieces: number;
  readonly bytes: number;
  /** One for each piece that is missing or damaged; of many the first hundred. */
  readonly problems: readonly string[];
}

const PROBLEMS_MAX = 100;
/** Pieces that are read before they are needed. */
const READ_AHEAD = 4;

/** The backups of one destination. */
export class Backups {
  readonly destination: Destination;
  readonly #manifests = new Map<string, ListedBackup>();
  /** Pieces that were found to be damaged. The next backup that has them stores them anew. */
  readonly #damaged = new Set<string>();
  readonly #now: () => Date;

  constructor(destination: Destination, now: () => Date = () => new Date()) {
    this.destination = destination;
    this.#now = now;
  }

  /** An id for a backup that is to be made. */
  newId(): string {
    return newId(this.#now(), randomBytes(3).toString('hex'));
  }

  /**
   * Stores a backup; it is there once this resolves, and after an error it is not.
   * @throws PelorusError `backup_conflict` while another writes to the destination; `insufficient_storage`
   */
  async create(
    id: string,
    made: NewBackup,
    tell: (progress: WorkProgress) => void = () => undefined,
  ): Promise<Manifest> {
    const lock = await WriterLock.acquire(this.destination);
    try {
      const source = await made.open();
      try {
        return await this.#store({ id, made, source, lock, tell });
      } finally {
        await source.close();
      }
    } catch (error) {
      // Its pieces would keep the destination full, which may be the disk of the server.
      if (isFull(error)) await this.#removeUnneeded(lock).catch(() => undefined);
      throw error;
    } finally {
      await lock.release().catch(() => undefined);
    }
  }

  async #store({ id, made, source, lock, tell }: BackupUnderWay): Promise<Manifest> {
    const { destination } = this;
    const { version, isWhole, isScheduled = false } = made;
    const pieces = new PieceStore(destination);
    await pieces.learn();
    for (const sha256 of this.#damaged) pieces.distrust(sha256);
    let bytes = 0;
    const count = (stored: { readonly bytes: number }) => {
      bytes += stored.bytes;
      tell({ bytes, bytesOfAll: null });
    };
    const indexes: IndexEntry[] = [];
    for (const index of source.indexes) indexes.push(await index.store(pieces, count));
    const files: FileEntry[] = [];
    for (const { path, read } of source.files) {
      files.push({ path, pieces: await storedPieces(read(), pieces, count) });
    }
    const [createdAt, finishedAt] = [source.at, this.#now()].map((at) => at.toISOString()) as [string, string];
    const { newBytes } = pieces;
    const manifest = { id, createdAt, finishedAt, version, isWhole, isScheduled, indexes, files, newBytes };
    await lock.check();
    await destination.write(manifestName(id), writtenManifest(manifest));
    try {
      await lock.check();
    } catch (error) {
      // Pieces may have been removed before the manifest told of them.
      await destination.remove([manifestName(id)]);
      throw error;
    }
    for (const sha256 of piecesOf(manifest).keys()) this.#damaged.delete(sha256);
    return manifest;
  }

  /** All backups, the latest first. */
  async list(): Promise<readonly ListedBackup[]> {
    const ids: string[] = [];
    for await (const { name } of this.destination.list('backups/')) {
      const id = idOfName(name);
      if (id !== undefined) ids.push(id);
    }
    for (const id of this.#manifests.keys()) if (!ids.includes(id)) this.#manifests.delete(id);
    const listed: ListedBackup[] = [];
    for (const id of ids.toSorted().reverse()) {
      const one = await this.#look(id);
      if (one !== null) listed.push(one);
    }
    return listed;
  }

  /**
   * @throws PelorusError `backup_not_found`; `backup_damaged` where its manifest cannot be used
   */
  async get(id: string): Promise<Manifest> {
    // Another process may have removed it.
    this.#manifests.delete(id);
    const found = isId(id) ? await this.#look(id) : null;
    if (found === null) throw notFound(id);
    if (found.manifest === null) throw damaged(found.reason);
    return found.manifest;
  }

  /**
   * The latest backup of a whole server.
   * @param tellUnusable told of each later one whose manifest cannot be used, so that nobody knows what it has
   */
  async latest(tellUnusable: (reason: string) => void = () => undefined): Promise<Manifest> {
    for (const listed of await this.list()) {
      if (listed.manifest === null) tellUnusable(listed.reason);
      else if (listed.manifest.isWhole) return listed.manifest;
    }
    throw new PelorusError('backup_not_found', `${this.destination.text} has no backup of a whole server`);
  }

  /** A manifest never changes; one that could not be used may be put back. */
  async #look(id: string): Promise<ListedBackup | null> {
    const known = this.#manifests.get(id);
    if (known !== undefined) return known;
    const unusable = (reason: string) => ({
      id,
      manifest: null,
      reason: `The manifest of backup ${id} cannot be used: ${reason}`,
    });
    let bytes: Buffer | null;
    try {
      bytes = await this.destination.read(manifestName(id));
    } catch (error) {
      const fault = faultOfObject(error);
      if (fault === undefined) throw error;
      return unusable(fault);
    }
    if (bytes === null) return null;
    try {
      const manifest = readManifest(bytes, id);
      const one = { id, manifest, bytes: bytesOf(manifest) };
      this.#manifests.set(id, one);
      return one;
    } catch (error) {
      if (!(error instanceof DamagedFileError) && !(error instanceof TypeError)) throw error;
      return unusable(error.message);
    }
  }

  /** Reads every piece of a backup, and compares it with its checksum. */
  async verify(id: string, tell: (progress: WorkProgress) => void = () => undefined): Promise<Verification> {
    const manifest = await this.get(id);
    const store = new PieceStore(this.destination);
    const pieces = [...piecesOf(manifest)];
    const bytesOfAll = pieces.reduce((sum, [, bytes]) => sum + bytes, 0);
    const problems: string[] = [];
    let bytes = 0;
    for (const piece of pieces) {
      try {
        await store.get(piece);
        this.#damaged.delete(piece[0]);
      } catch (error) {
        if (!(error instanceof PelorusError) || error.code !== 'backup_damaged') throw error;
        this.#damaged.add(piece[0]);
        if (problems.length < PROBLEMS_MAX) problems.push(`${error.message}; ${placesOf(manifest, piece)}`);
      }
      bytes += piece[1];
      tell({ bytes, bytesOfAll });
    }
    return { pieces: pieces.length, bytes, problems };
  }

  /** The bytes of pieces in their order, each compared with its checksum. */
  async *read(pieces: readonly Piece[]): AsyncGenerator<Buffer> {
    const store = new PieceStore(this.destination);
    const ahead: Promise<Buffer>[] = [];
    for (let at = 0; at < pieces.length; at += 1) {
      while (ahead.length < READ_AHEAD && at + ahead.length < pieces.length) {
        const read = store.get(pieces[at + ahead.length] as Piece);
        read.catch(() => undefined);
        ahead.push(read);
      }
      yield (await ahead.shift()) as Buffer;
    }
  }

  /**
   * Removes a backup, and the pieces that no other needs.
   * @throws PelorusError `backup_not_found`; `backup_conflict` while another writes to the destination
   */
  async remove(id: string): Promise<void> {
    const found = isId(id) ? await this.#look(id) : null;
    if (found === null) throw notFound(id);
    try {
      await this.#removing(async () => [id]);
    } catch (error) {
      if (!isFull(error)) throw error;
      // There is no room for a lock. A manifest needs none, as it takes no piece along, and its room is enough for one.
      await this.destination.remove([manifestName(id)]);
      await this.#removing(async () => [id]);
    }
  }

  /**
   * Removes backups that the schedule made, but for the latest `keep`, and pieces that no backup needs.
   * @returns the ids of those that are removed
   */
  async retain(keep: number): Promise<readonly string[]> {
    return await this.#removing(async () => {
      const scheduled = (await this.list()).filter(({ manifest }) => manifest?.isScheduled === true);
      return scheduled.slice(keep).map(({ id }) => id);
    });
  }

  async #removing(choose: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const lock = await WriterLock.acquire(this.destination);
    try {
      const ids = await choose();
      await lock.check();
      // Durably, before their pieces: no backup that lacks one comes back with the power.
      await this.destination.remove(ids.map(manifestName));
      for (const id of ids) this.#manifests.delete(id);
      await this.#removeUnneeded(lock);
      return ids;
    } finally {
      await lock.release().catch(() => undefined);
    }
  }

  async #removeUnneeded(lock: WriterLock): Promise<void> {
    const left = await this.list();
    // Nobody knows which pieces that one needs.
    if (left.some(({ manifest }) => manifest === null)) return;
    const needed = new Set(left.flatMap(({ manifest }) => (manifest === null ? [] : [...piecesOf(manifest).keys()])));
    const pieces = new PieceStore(this.destination);
    await pieces.learn();
    await lock.check();
    await pieces.remove([...pieces.known.keys()].filter((sha256) => !needed.has(sha256)));
  }
}

/** A backup that is to be made. */
export interface NewBackup {
  /** Called once nobody else writes to the destination. */
  readonly open: () => Promise<OpenedSource>;
  readonly version: string;
  readonly isWhole: boolean;
  /** False when absent. */
  readonly isScheduled?: boolean;
}

interface BackupUnderWay {
  readonly id: string;
  readonly made: NewBackup;
  readonly source: OpenedSource;
  readonly lock: WriterLock;
  readonly tell: (progress: WorkProgress) => void;
}

const notFound = (id: string): PelorusError =>
  new PelorusError('backup_not_found', `There is no backup ${id.slice(0, 100)}`);

/** The indexes and files that a piece is of, for people. */
function placesOf({ indexes, files }: Manifest, [sha256]: Piece): string {
  const has = ({ pieces }: { readonly pieces: readonly Piece[] }) => pieces.some(([one]) => one === sha256);
  const names = [
    ...indexes.filter(has).map(({ name }) => `index ${name}`),
    ...files.filter(has).map(({ path }) => path),
  ];
  return `it is of ${names.join(', ')}`;
}
