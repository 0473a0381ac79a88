import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { DamageError, NewerFormatError } from './damage.js';
import { compact, openDurable } from './durable-database.js';
import type { ErasureJob } from './event-store.js';
import { COPY_FILE, type LedgerCopy, readCopy, writeCopy } from './ledger-copy.js';
import { requireIntegrity } from './month-check.js';

export const RETENTION_DAYS_DEFAULT = 730;

export const LEDGER_FILE = 'ledger.db';
const LEDGER_FORMAT = 1;
/** The largest form: a larger number was not written by any version. */
const FORMAT_MAX = 1_000;

/**
 * `months` has how many events were stored of each month at some time, `removed` how many of these were erased, expired or
 * told as lost, `sums` those of files that were closed, and `kept` what there is to be said of damaged files
 * that are kept; all else is in the copy too.
 */
const schema = `
  CREATE TABLE IF NOT EXISTS generation (number INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS months (month TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS removed (month TEXT PRIMARY KEY, events INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS sums (month TEXT PRIMARY KEY, sum TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS kept (file TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS salt (value BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS retention (customer TEXT PRIMARY KEY, days INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS erasures (job TEXT PRIMARY KEY, hash BLOB NOT NULL, customer TEXT NOT NULL, user TEXT,
    created INTEGER NOT NULL, finished INTEGER) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS erasures_by_hash ON erasures (hash);`;

interface ErasureRow {
  readonly job: string;
  readonly customer: string;
  readonly user: string | null;
  readonly created: number;
  readonly finished: number | null;
}

/** A user who is still to be erased, whatever number of jobs ask for it. */
export interface PendingErasure {
  /** The first of the jobs. */
  readonly job: string;
  readonly customer: string;
  /** Null where nothing is left to be done but to remove the last trace of the name from the ledger itself. */
  readonly user: string | null;
}

/**
 * The retention of each customer's events, and the users who asked to be forgotten: a salted hash once that is done.
 */
export class LedgerFile {
  readonly #folder: string;
  readonly #db: Database.Database;
  readonly #salt: Buffer;
  /** The times at which users who are, or are being, erased asked for it; by hash. */
  readonly #erased = new Map<string, number>();
  /** Said of a copy that was written anew; null where that was as it should be. */
  readonly repair: string | null;
  readonly #retention = new Map<string, number>();

  /**
   * @param from what a new file begins with
   * @throws DamageError, NewerFormatError
   */
  constructor(folder: string, from?: LedgerCopy) {
    this.#folder = folder;
    const isNew = from !== undefined || !existsSync(join(folder, LEDGER_FILE));
    this.#db = openDurable(join(folder, LEDGER_FILE));
    try {
      bringUpToDate(this.#db);
      requireIntegrity(this.#db, LEDGER_FILE);
      if (from !== undefined) this.#restore(from);
      this.#db.prepare('INSERT INTO salt SELECT ? WHERE NOT EXISTS (SELECT * FROM salt)').run(randomBytes(32));
      const repair = this.#compare();
      this.repair = isNew ? null : repair;
    } catch (error) {
      this.#db.close();
      throw error;
    }
    const { salt, retention, erasures } = this.#content();
    this.#salt = Buffer.from(salt, 'hex');
    for (const { hash, created } of erasures) this.#erased.set(hash, Math.max(created, this.#erased.get(hash) ?? 0));
    for (const { customer, days } of retention) this.#retention.set(customer, days);
  }

  /** The number of events that each month had when it was last noted. */
  monthNotes(): Map<string, number> {
    const rows = this.#db.prepare<[], { month: string; seq: number }>('SELECT month, seq FROM months').all();
    return new Map(rows.map(({ month, seq }) => [month, seq]));
  }

  noteMonth(month: string, seq: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO months VALUES (?, ?)').run(month, seq);
  }

  /** The number of events of a month that are no longer to be there. */
  removedOf(month: string): number {
    const query = this.#db.prepare<[string], number>('SELECT events FROM removed WHERE month = ?').pluck();
    return query.get(month) ?? 0;
  }

  /**
   * Notes events that were removed, or are lost, once they are: an event that is not noted counts as lost when the file
   * is damaged.
   */
  noteRemoved(month: string, events: number): void {
    if (events === 0) return;
    this.#db
      .prepare('INSERT INTO removed VALUES (?, ?) ON CONFLICT DO UPDATE SET events = events + excluded.events')
      .run(month, events);
  }

  forgetMonth(month: string): void {
    for (const table of ['months', 'removed']) this.#db.prepare(`DELETE FROM ${table} WHERE month = ?`).run(month);
  }

  /** Sums of the files of months that were closed, which count no more once they are open. */
  takeSums(): Map<string, string> {
    const rows = this.#db.prepare<[], { month: string; sum: string }>('SELECT month, sum FROM sums').all();
    if (rows.length > 0) this.#db.exec('DELETE FROM sums');
    return new Map(rows.map(({ month, sum }) => [month, sum]));
  }

  noteSum(month: string, sum: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO sums VALUES (?, ?)').run(month, sum);
  }

  /** Reads the reasons that are noted of damaged files that are kept, by their names. */
  keptReasons(): Map<string, string> {
    const rows = this.#db.prepare<[], { file: string; reason: string }>('SELECT file, reason FROM kept').all();
    return new Map(rows.map(({ file, reason }) => [file, reason]));
  }

  noteKept(file: string, reason: string): void {
    this.#db.prepare('INSERT OR REPLACE INTO kept VALUES (?, ?)').run(file, reason);
  }

  forgetKept(file: string): void {
    this.#db.prepare('DELETE FROM kept WHERE file = ?').run(file);
  }

  retentionOf(customer: string): number {
    return this.#retention.get(customer) ?? RETENTION_DAYS_DEFAULT;
  }

  setRetention(customer: string, days: number): void {
    this.#change(() => this.#db.prepare('INSERT OR REPLACE INTO retention VALUES (?, ?)').run(customer, days));
    this.#retention.set(customer, days);
  }

  /** Until when events of a user are not to come back; undefined where nobody asked for it. */
  erasedUntil(customer: string, user: string): number | undefined {
    return this.#erased.size === 0 ? undefined : this.#erased.get(this.#hashOf(customer, user).toString('hex'));
  }

  /** The number of erasures that were carried out. */
  finishedCount(): number {
    return this.#db.prepare<[], number>('SELECT COUNT(*) FROM erasures WHERE finished IS NOT NULL').pluck().get() ?? 0;
  }

  /** The number of erasures whose users are forgotten, and which {@link finish} would finish. */
  unfinishedCount(): number {
    const query = 'SELECT COUNT(*) FROM erasures WHERE user IS NULL AND finished IS NULL';
    return this.#db.prepare<[], number>(query).pluck().get() ?? 0;
  }

  /**
   * The last erasure of a user that was carried out, by the times at which it was asked for and done; undefined of a user
   * who was not erased.
   */
  erasureOf(customer: string, user: string): { created: number; finished: number } | undefined {
    if (this.#erased.size === 0) return undefined;
    const hash = this.#hashOf(customer, user);
    if (!this.#erased.has(hash.toString('hex'))) return undefined;
    const row = this.#db
      .prepare<[Buffer], { created: number; finished: number | null }>(
        'SELECT MAX(created) AS created, MAX(finished) AS finished FROM erasures WHERE hash = ? AND finished IS NOT NULL',
      )
      .get(hash);
    return row === undefined || row.finished === null ? undefined : { created: row.created, finished: row.finished };
  }

  isPending(customer: string, user: string): boolean {
    return this.#db.prepare('SELECT 1 FROM erasures WHERE customer = ? AND user = ?').get(customer, user) !== undefined;
  }

  /** Users to be erased, in the order of their first jobs. */
  pending(): PendingErasure[] {
    return this.#db
      .prepare<[], PendingErasure>(
        `SELECT job, customer, user, MIN(created) AS created FROM (SELECT * FROM erasures ORDER BY created, job)
         WHERE finished IS NULL GROUP BY customer, user ORDER BY created, job`,
      )
      .all()
      .map(({ job, customer, user }) => ({ job, customer, user }));
  }

  order(customer: string, user: string, now: number): ErasureJob {
    const job = randomUUID();
    const hash = this.#hashOf(customer, user);
    const insert = this.#db.prepare('INSERT INTO erasures (job, hash, customer, user, created) VALUES (?, ?, ?, ?, ?)');
    this.#change(() => insert.run(job, hash, customer, user, now));
    this.#erased.set(hash.toString('hex'), now);
    return { jobId: job, state: 'pending', createdAt: new Date(now).toISOString(), finishedAt: null };
  }

  /** Forgets the name of a user of whom nothing is left elsewhere. The jobs are to be finished. */
  forget(customer: string, user: string): void {
    const update = this.#db.prepare('UPDATE erasures SET user = NULL WHERE customer = ? AND user = ?');
    this.#change(() => update.run(customer, user));
  }

  /** Finishes the jobs whose users are forgotten, once no byte of their names is left in this file. */
  finish(now: number): void {
    compact(this.#db);
    const update = this.#db.prepare('UPDATE erasures SET finished = ? WHERE user IS NULL AND finished IS NULL');
    this.#change(() => update.run(now));
  }

  job(id: string): ErasureJob | undefined {
    const row = this.#db.prepare<[string], ErasureRow>('SELECT * FROM erasures WHERE job = ?').get(id);
    if (row === undefined) return undefined;
    const time = (at: number) => new Date(at).toISOString();
    const finishedAt = row.finished === null ? null : time(row.finished);
    return {
      jobId: row.job,
      state: finishedAt === null ? 'pending' : 'done',
      createdAt: time(row.created),
      finishedAt,
    };
  }

  close(): void {
    this.#db.close();
  }

  /** Makes a change durable, here and then in the copy. */
  #change(change: () => void): void {
    this.#db.transaction(() => {
      change();
      this.#db.exec('UPDATE generation SET number = number + 1');
    })();
    this.#writeCopy();
  }

  #writeCopy(): void {
    writeCopy(this.#folder, { generation: this.#generation(), ...this.#content() });
  }

  /**
   * Compares this file with its copy, which is written after it: where the copy is as new, or newer, it has the say.
   * Older it is where writing it failed.
   * @returns what was wrong with a copy that was written anew; null where it was as it should be
   * @throws DamageError
   */
  #compare(): string | null {
    const copy = readCopy(this.#folder);
    const own = { generation: this.#generation(), ...this.#content() };
    if (copy !== null && JSON.stringify(copy) === JSON.stringify(own)) return null;
    if (copy !== null && copy.generation >= own.generation) {
      throw new DamageError(LEDGER_FILE, 'it does not say what its copy says');
    }
    this.#writeCopy();
    const state = copy === null ? 'is missing or damaged' : `is older than ${LEDGER_FILE}`;
    return `${COPY_FILE} ${state}; it is written anew`;
  }

  #restore({ generation, salt, retention, erasures }: LedgerCopy): void {
    const insert = (table: string, count: number) =>
      this.#db.prepare<unknown[]>(`INSERT INTO ${table} VALUES (${Array(count).fill('?').join(', ')})`);
    this.#db.transaction(() => {
      this.#db.prepare('UPDATE generation SET number = ?').run(generation);
      insert('salt', 1).run(Buffer.from(salt, 'hex'));
      for (const { customer, days } of retention) insert('retention', 2).run(customer, days);
      for (const { job, hash, customer, user, created, finished } of erasures) {
        insert('erasures', 6).run(job, Buffer.from(hash, 'hex'), customer, user, created, finished);
      }
    })();
  }

  #generation(): number {
    return this.#db.prepare<[], number>('SELECT number FROM generation').pluck().get() as number;
  }

  #content(): Omit<LedgerCopy, 'generation'> {
    const rows = <Row>(query: string) => this.#db.prepare<[], Row>(query).all();
    const erasures = rows<ErasureRow & { hash: Buffer }>('SELECT * FROM erasures ORDER BY created, job');
    return {
      salt: (this.#db.prepare('SELECT value FROM salt').get() as { value: Buffer }).value.toString('hex'),
      retention: rows('SELECT customer, days FROM retention ORDER BY customer'),
      erasures: erasures.map(({ job, hash, customer, user, created, finished }) => ({
        ...{ job, hash: hash.toString('hex'), customer, user, created, finished },
      })),
    };
  }

  #hashOf(customer: string, user: string): Buffer {
    return createHmac('sha256', this.#salt)
      .update(JSON.stringify([customer, user]))
      .digest();
  }
}

function bringUpToDate(db: Database.Database): void {
  const found = db.pragma('user_version', { simple: true }) as number;
  if (found < 0 || found > FORMAT_MAX) throw new DamageError(LEDGER_FILE, `it says that it is of form ${found}`);
  if (found > LEDGER_FORMAT) throw new NewerFormatError(LEDGER_FILE, found, LEDGER_FORMAT);
  db.transaction(() => {
    db.exec(schema);
    db.exec('INSERT INTO generation SELECT 0 WHERE NOT EXISTS (SELECT * FROM generation)');
    if (found !== LEDGER_FORMAT) db.pragma(`user_version = ${LEDGER_FORMAT}`);
  })();
}
