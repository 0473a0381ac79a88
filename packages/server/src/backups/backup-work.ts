import { invalidArgument, PelorusError, type schemas } from '@pelorus/contract';
import type { Problems } from '../host/health.js';
import {
  type Backups,
  bytesOf,
  type IndexEntry,
  type ListedBackup,
  type Manifest,
  type OpenedSource,
  type PieceWriting,
  restoreIndex,
} from './index.js';

/** Creations that failed are told until so many others did. */
const FAILED_MAX = 20;

export interface BackupWorkOptions {
  readonly backups: Backups;
  /** Version of this program. */
  readonly version: string;
  /** @throws PelorusError where indexes of these names cannot be backed up by themselves */
  readonly requireIndexes: (names: readonly string[]) => Promise<void>;
  /** Opens the data of the server as they are now: of some indexes, or everything. */
  readonly open: (indexes: readonly string[] | null) => Promise<OpenedSource>;
  /** Begins to make an index; absent where that is done by the command alone. */
  readonly restore?: (indexName: string) => Promise<PieceWriting>;
  /** Told of work that failed. */
  readonly warn: (text: string) => void;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Creation = Mutable<schemas.Backup>;
type Reading = Mutable<NonNullable<schemas.Backup['verification']>>;
type Restore = Mutable<schemas.Backup['restores'][number]>;

interface BegunRestore {
  readonly id: string;
  readonly from: string;
  readonly indexName: string;
  readonly restore: (indexName: string) => Promise<PieceWriting>;
  readonly warn: (text: string) => void;
}

/** The backups of a server, and the work on them since it started: one creation, one reading and one restore at a time. */
export class BackupWork {
  readonly #options: BackupWorkOptions;
  readonly #backups: Backups;
  /** Creations that are under way or failed, by id. */
  readonly #creations = new Map<string, Creation>();
  readonly #readings = new Map<string, Reading>();
  readonly #restores = new Map<string, Restore[]>();
  readonly #running = new Set<Promise<unknown>>();
  #scheduleFault: { readonly since: string; readonly message: string } | null = null;
  #isBeginningRestore = false;
  #isClosed = false;

  constructor(options: BackupWorkOptions) {
    this.#options = options;
    this.#backups = options.backups;
  }

  /** The place of backups, for people. */
  get place(): string {
    return this.#backups.destination.text;
  }

  /** All backups, the latest first. */
  async list(): Promise<schemas.Backup[]> {
    const listed = (await this.#backups.list()).map((one) => this.#shown(one));
    const known = new Set(listed.map(({ id }) => id));
    const others = [...this.#creations.values()].filter(({ id }) => !known.has(id));
    return [...listed, ...others].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** @throws PelorusError `backup_not_found` */
  async get(id: string): Promise<schemas.Backup> {
    const creation = this.#creations.get(id);
    if (creation !== undefined) return creation;
    try {
      const manifest = await this.#backups.get(id);
      return this.#shown({ id, manifest, bytes: bytesOf(manifest) });
    } catch (error) {
      if (!(error instanceof PelorusError) || error.code !== 'backup_damaged') throw error;
      return this.#shown({ id, manifest: null, reason: error.message });
    }
  }

  /**
   * Begins a backup of some indexes, or of everything.
   * @throws PelorusError `index_not_found`; `backup_conflict` while another is made
   */
  async create(indexes: readonly string[] | null): Promise<schemas.Backup> {
    if (indexes !== null) await this.#options.requireIndexes(indexes);
    const { creation, done } = this.#begin(indexes, false);
    done.catch(() => undefined);
    return creation;
  }

  /** Makes a backup of everything for the schedule, once the one that this server makes has ended. */
  async createScheduled(): Promise<Manifest> {
    while (this.#isCreating()) await Promise.race([...this.#running].map((one) => one.catch(() => undefined)));
    return await this.#begin(null, true).done;
  }

  /**
   * Removes backups of the schedule that are too many.
   * @throws PelorusError `backup_damaged` where one has a manifest that cannot be used, so that no pieces can be removed
   */
  async retain(keep: number): Promise<void> {
    await this.#backups.retain(keep);
    const unusable = (await this.#backups.list()).find(({ manifest }) => manifest === null);
    if (unusable?.manifest !== null) return;
    throw new PelorusError(
      'backup_damaged',
      `${unusable.reason}. Nobody knows which pieces it needs, and none are removed: put its manifest back, or delete the backup`,
    );
  }

  /** Lets the log and health tell of a turn of the schedule that failed, until one goes well. */
  tellOfSchedule(fault: Error | null): void {
    const since = this.#scheduleFault?.since ?? new Date().toISOString();
    this.#scheduleFault = fault && { since, message: fault.message };
    for (const { reason } of this.problems) this.#options.warn(reason);
  }

  /** Faults that an operator has to mend. */
  get problems(): Problems {
    if (this.#scheduleFault === null) return [];
    const { since, message } = this.#scheduleFault;
    return [{ status: 'yellow', reason: `Backups are not made or removed as scheduled since ${since}: ${message}` }];
  }

  /** The work on backups that is under way. */
  underWay(): schemas.Queues['backups'] {
    const work = (row: Pick<schemas.Queues['backups'][number], 'work' | 'backupId' | 'bytes'>, more: object = {}) => ({
      ...{ indexName: null, bytesOfAll: null },
      ...row,
      ...more,
    });
    const creations = [...this.#creations.values()].filter(isUnderWay);
    const readings = [...this.#readings].filter(([, reading]) => isRunning(reading));
    const restores = [...this.#restores].flatMap(([id, all]) => all.filter(isRunning).map((one) => [id, one] as const));
    return [
      ...creations.map(({ id, bytes }) => work({ work: 'creation', backupId: id, bytes })),
      ...readings.map(([id, { bytes, bytesOfAll }]) =>
        work({ work: 'verification', backupId: id, bytes }, { bytesOfAll }),
      ),
      ...restores.map(([id, { indexName, bytes, bytesOfAll }]) =>
        work({ work: 'restore', backupId: id, bytes }, { indexName, bytesOfAll }),
      ),
    ];
  }

  /** The moment of the latest backup that the schedule made; null where there is none. */
  async lastScheduled(): Promise<Date | null> {
    const found = (await this.#backups.list()).find(({ manifest }) => manifest?.isScheduled === true);
    return found?.manifest ? new Date(found.manifest.createdAt) : null;
  }

  #begin(indexes: readonly string[] | null, isScheduled: boolean): { creation: Creation; done: Promise<Manifest> } {
    this.#requireFree(this.#isCreating(), 'A backup is made');
    const { open, version, warn } = this.#options;
    const id = this.#backups.newId();
    const creation: Creation = { ...created(id), version, isWhole: indexes === null, isScheduled };
    this.#creations.set(id, creation);
    const opened = async (): Promise<OpenedSource> => {
      const source = await open(indexes);
      creation.createdAt = source.at.toISOString();
      return source;
    };
    const work = this.#backups.create(
      id,
      { open: opened, version, isWhole: indexes === null, isScheduled },
      ({ bytes }) => {
        this.#requireOpen();
        creation.bytes = bytes;
      },
    );
    const done = work.then(
      (manifest) => {
        this.#creations.delete(id);
        return manifest;
      },
      (error: Error) => {
        creation.state = 'failed';
        creation.reason = error.message;
        creation.finishedAt = new Date().toISOString();
        // The schedule tells of its own.
        if (!isScheduled) warn(`Backup ${id} failed: ${error.message}`);
        this.#forgetFailed();
        throw error;
      },
    );
    this.#track(done);
    return { creation, done };
  }

  #isCreating(): boolean {
    return [...this.#creations.values()].some(isUnderWay);
  }

  /** @throws PelorusError `backup_conflict` for a backup that is being made */
  #requireMade(id: string): void {
    const creation = this.#creations.get(id);
    this.#requireFree(creation !== undefined && isUnderWay(creation), 'The backup is made');
  }

  #forgetFailed(): void {
    const failed = [...this.#creations.values()].filter(({ state }) => state === 'failed');
    for (const { id } of failed.slice(0, -FAILED_MAX)) this.#creations.delete(id);
  }

  /** @throws PelorusError `backup_not_found`; `backup_conflict` while there is work on backups */
  async remove(id: string): Promise<void> {
    this.#requireMade(id);
    const isRead = this.#readings.get(id)?.state === 'running' || this.#restoresOf(id).some(isRunning);
    this.#requireFree(isRead, 'The backup is read');
    if (this.#creations.get(id)?.state === 'failed') {
      this.#creations.delete(id);
      return;
    }
    await this.#backups.remove(id);
    this.#readings.delete(id);
    this.#restores.delete(id);
  }

  /** Begins to read all of a backup. */
  async verify(id: string): Promise<schemas.Backup> {
    this.#requireMade(id);
    this.#requireFree([...this.#readings.values()].some(isRunning), 'A backup is read');
    const reading: Reading = { state: 'running', bytes: 0, bytesOfAll: null, problems: [], reason: null };
    this.#readings.set(id, reading);
    let manifest: Manifest;
    try {
      manifest = await this.#backups.get(id);
    } catch (error) {
      this.#readings.delete(id);
      throw error;
    }
    const work = this.#backups.verify(id, ({ bytes, bytesOfAll }) => {
      this.#requireOpen();
      reading.bytes = bytes;
      reading.bytesOfAll = bytesOfAll;
    });
    const { warn } = this.#options;
    const done = work.then(
      ({ problems }) => {
        reading.problems = [...problems];
        reading.state = problems.length > 0 ? 'damaged' : 'sound';
        for (const problem of problems) warn(`Backup ${id} is damaged: ${problem}`);
      },
      (error: Error) => {
        reading.state = 'failed';
        reading.reason = error.message;
      },
    );
    this.#track(done);
    // Nothing is waited for in between: the answer has the reading as it begins.
    return this.#shown({ id, manifest, bytes: bytesOf(manifest) });
  }

  /**
   * Begins to restore an index.
   * @throws PelorusError `invalid_argument` where the backup has none of that name; `index_already_exists`
   */
  async restore(id: string, from: string, indexName: string): Promise<schemas.Backup> {
    const { restore, warn } = this.#options;
    if (restore === undefined) {
      throw new PelorusError(
        'bad_request',
        'The hosted form restores everything, by the command `pelorus restore`, into an empty data directory. To have one index of it, serve that directory beside this one, and copy the index by `pelorus export` and `pelorus import`',
      );
    }
    this.#requireMade(id);
    const isRestored = this.#isBeginningRestore || [...this.#restores.values()].flat().some(isRunning);
    this.#requireFree(isRestored, 'An index is restored');
    this.#isBeginningRestore = true;
    try {
      await this.#beginRestore({ id, from, indexName, restore, warn });
    } finally {
      this.#isBeginningRestore = false;
    }
    return await this.get(id);
  }

  async #beginRestore({ id, from, indexName, restore, warn }: BegunRestore): Promise<void> {
    const entry = entryOf(await this.#backups.get(id), from);
    const bytesOfAll = bytesOfEntry(entry);
    const one: Restore = { indexName, from, state: 'running', bytes: 0, bytesOfAll, reason: null };
    // Refused at once where the name is taken.
    const index = await restore(indexName);
    if (this.#isClosed) await index.close();
    this.#requireOpen();
    this.#restores.set(id, [...this.#restoresOf(id), one]);
    const work = restoreIndex(
      this.#backups,
      entry,
      async () => index,
      ({ bytes }) => {
        this.#requireOpen();
        one.bytes += bytes;
      },
    );
    const done = work.then(
      () => {
        one.state = 'done';
      },
      (error: Error) => {
        one.state = 'failed';
        one.reason = error.message;
        warn(`Index ${indexName} was not restored of backup ${id}: ${error.message}`);
      },
    );
    this.#track(done);
  }

  /** Ends the work that is under way, which leaves nothing behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work);
    void work.catch(() => undefined).finally(() => this.#running.delete(work));
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new PelorusError('service_unavailable', 'The server was stopped');
  }

  #requireFree(isBusy: boolean, what: string): void {
    this.#requireOpen();
    if (isBusy) throw new PelorusError('backup_conflict', `${what} at this moment: try again when that has ended`);
  }

  #restoresOf(id: string): readonly Restore[] {
    return this.#restores.get(id) ?? [];
  }

  #shown(listed: ListedBackup): schemas.Backup {
    const { id, manifest } = listed;
    const work = { verification: this.#readings.get(id) ?? null, restores: [...this.#restoresOf(id)] };
    if (manifest === null) return { ...created(id), state: 'damaged', reason: listed.reason, ...work };
    const { createdAt, finishedAt, version, isWhole, isScheduled, newBytes, indexes, files } = manifest;
    return {
      ...{ id, state: 'ready', reason: null, createdAt, finishedAt, version, isWhole, isScheduled },
      indexes: indexes.map((one) => ({ indexName: one.name, documents: one.documents, bytes: bytesOfEntry(one) })),
      ...{ files: files.length, bytes: listed.bytes, newBytes, ...work },
    };
  }
}

function created(id: string): schemas.Backup {
  const unknown = { reason: null, createdAt: null, finishedAt: null, version: null };
  const nothing = { indexes: [], files: 0, bytes: 0, newBytes: 0, verification: null, restores: [] };
  return { id, state: 'creating', isWhole: false, isScheduled: false, ...unknown, ...nothing };
}

const isUnderWay = ({ state }: Creation): boolean => state === 'creating';
const isRunning = ({ state }: { readonly state: string }): boolean => state === 'running';

function bytesOfEntry({ pieces }: IndexEntry): number {
  return pieces.reduce((sum, [, bytes]) => sum + bytes, 0);
}

function entryOf({ id, indexes }: Manifest, name: string): IndexEntry {
  const entry = indexes.find((one) => one.name === name);
  if (entry !== undefined) return entry;
  throw invalidArgument(`Backup ${id} has no index ${name.slice(0, 100)}`);
}
