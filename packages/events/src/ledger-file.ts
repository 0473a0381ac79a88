import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { compact, openDurable } from './durable-database.js';
import type { ErasureJob } from './event-store.js';

export const RETENTION_DAYS_DEFAULT = 730;

const schema = `
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

/** How long each customer's events are kept, and who asked to be forgotten: a salted hash once that is done. */
export class LedgerFile {
  readonly #db: Database.Database;
  readonly #salt: Buffer;
  /** When each user who is, or is being, erased asked for it; by hash. */
  readonly #erased = new Map<string, number>();
  readonly #retention = new Map<string, number>();

  constructor(folder: string) {
    this.#db = openDurable(join(folder, 'ledger.db'));
    this.#db.exec(schema);
    this.#db.prepare('INSERT INTO salt SELECT ? WHERE NOT EXISTS (SELECT * FROM salt)').run(randomBytes(32));
    this.#salt = (this.#db.prepare('SELECT value FROM salt').get() as { value: Buffer }).value;
    for (const { hash, created } of this.#db
      .prepare<[], { hash: Buffer; created: number }>(
        'SELECT hash, MAX(created) AS created FROM erasures GROUP BY hash',
      )
      .all()) {
      this.#erased.set(hash.toString('hex'), created);
    }
    for (const { customer, days } of this.#db
      .prepare<[], { customer: string; days: number }>('SELECT customer, days FROM retention')
      .all()) {
      this.#retention.set(customer, days);
    }
  }

  retentionOf(customer: string): number {
    return this.#retention.get(customer) ?? RETENTION_DAYS_DEFAULT;
  }

  setRetention(customer: string, days: number): void {
    this.#db.prepare('INSERT OR REPLACE INTO retention VALUES (?, ?)').run(customer, days);
    this.#retention.set(customer, days);
  }

  /** Until when events of a user are not to come back; undefined where nobody asked for it. */
  erasedUntil(customer: string, user: string): number | undefined {
    return this.#erased.size === 0 ? undefined : this.#erased.get(this.#hashOf(customer, user).toString('hex'));
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
    this.#db
      .prepare('INSERT INTO erasures (job, hash, customer, user, created) VALUES (?, ?, ?, ?, ?)')
      .run(job, hash, customer, user, now);
    this.#erased.set(hash.toString('hex'), now);
    return { jobId: job, state: 'pending', createdAt: new Date(now).toISOString(), finishedAt: null };
  }

  /** Forgets the name of a user of whom nothing is left elsewhere. The jobs are to be finished. */
  forget(customer: string, user: string): void {
    this.#db.prepare('UPDATE erasures SET user = NULL WHERE customer = ? AND user = ?').run(customer, user);
  }

  /** Finishes the jobs whose users are forgotten, once no byte of their names is left in this file. */
  finish(now: number): void {
    compact(this.#db);
    this.#db.prepare('UPDATE erasures SET finished = ? WHERE user IS NULL AND finished IS NULL').run(now);
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

  #hashOf(customer: string, user: string): Buffer {
    return createHmac('sha256', this.#salt)
      .update(JSON.stringify([customer, user]))
      .digest();
  }
}
