import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { compact, emptyLog, openDurable } from './durable-database.js';
import { DAY_MS, type Facts, factsOf } from './event.js';

/** A row to be stored. */
export interface NewEvent {
  readonly customer: string;
  readonly user: string;
  readonly session: string;
  readonly type: number;
  readonly at: number;
  readonly received: number;
  readonly key: Buffer;
  /** Whether the key stands for an id that the sender chose. */
  readonly hasOwnId: boolean;
  /** JSON. */
  readonly body: string;
}

/** An event of a session, and where it stands in the order of coming. */
export interface SequencedFacts extends Facts {
  readonly seq: number;
}

export interface StoredEvent {
  readonly seq: number;
  readonly type: number;
  readonly at: number;
  readonly body: string;
}

/** Whose an event is. */
export interface Owner {
  readonly customer: string;
  readonly user: string;
  readonly session: string;
}

interface EventRow {
  readonly seq: number;
  readonly type: number;
  readonly at: number;
  readonly key: Buffer;
  readonly user: number;
  readonly body: string;
}

/** Numbers of names that are remembered, so that most events need no look-up; more begin anew. */
const REMEMBERED_MAX = 100_000;
/** Most events of one session in a month: what sends more is no shopper. */
export const SESSION_EVENTS_MAX = 5_000;

/** The form of the tables, as `user_version` tells it. */
const MONTH_FORMAT = 1;

/** `removals` has a row while something that was removed may still be in free space of the file. */
const schema = `
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (customer, name));
  CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, name TEXT NOT NULL,
    UNIQUE (customer, name));
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, type INTEGER NOT NULL, at INTEGER NOT NULL, received INTEGER NOT NULL,
    key BLOB NOT NULL, own_id INTEGER NOT NULL, user INTEGER NOT NULL, session INTEGER NOT NULL, body TEXT NOT NULL,
    UNIQUE (at, key));
  CREATE INDEX IF NOT EXISTS events_by_session ON events (session, at);
  CREATE TABLE IF NOT EXISTS removals (at INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS user_sessions (user INTEGER, session INTEGER, PRIMARY KEY (user, session)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS events_by_own_id ON events (key, at) WHERE own_id = 1;`;

/**
 * Raw events of a month, in which no name of a user stands but in `users` and in bodies. Times lead the key against
 * duplicates, and names have numbers in the order of their coming, so that what comes together is written together.
 */
export class MonthFile {
  /** `2026-11`, of the times of its events, in UTC. */
  readonly month: string;
  /** Name of the file in its folder. */
  readonly name: string;
  readonly #db: Database.Database;
  readonly #insert: Database.Statement<[number, number, number, Buffer, number, number, number, string]>;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #insertUserSession: Database.Statement<[number, number]>;
  readonly #ofSession: Database.Statement<[number, number, number], EventRow>;
  readonly #ofUser: Database.Statement<[number, number, number, number], StoredEvent>;
  readonly #recentOfUser: Database.Statement<[number, number], StoredEvent>;
  readonly #recentOfSession: Database.Statement<[number, number], StoredEvent & { user: string }>;
  readonly #ownId: Database.Statement<[Buffer, number, number], { seq: number }>;
  readonly #sessionCount: Database.Statement<[number], { count: number }>;
  readonly #names: { readonly [Table in 'users' | 'sessions']: Names };
  /** How many events each session has that something came of lately, and of which user the last one was. */
  readonly #sessions = new Map<number, { count: number; user: number }>();

  constructor(folder: string, month: string) {
    this.month = month;
    this.name = `events-${month}.db`;
    this.#db = openDurable(join(folder, this.name));
    bringUpToDate(this.#db);
    this.#names = { users: new Names(this.#db, 'users'), sessions: new Names(this.#db, 'sessions') };
    this.#insert = this.#db.prepare(`INSERT OR IGNORE INTO events (type, at, received, key, own_id, user, session, body)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
    this.#insertUserSession = this.#db.prepare('INSERT OR IGNORE INTO user_sessions VALUES (?, ?)');
    this.#ofSession = this.#db.prepare(
      'SELECT seq, type, at, key, user, body FROM events WHERE session = ? AND at >= ? AND at <= ?',
    );
    const ofUser = `SELECT seq, type, at, body FROM user_sessions JOIN events USING (user, session) WHERE user = ?`;
    this.#ofUser = this.#db.prepare(`${ofUser} AND (at, seq) > (?, ?) ORDER BY at, seq LIMIT ?`);
    this.#recentOfUser = this.#db.prepare(`${ofUser} ORDER BY at DESC, seq DESC LIMIT ?`);
    this.#recentOfSession = this.#db.prepare(
      `SELECT seq, type, at, body, users.name AS user FROM events JOIN users ON users.id = user
       WHERE session = ? ORDER BY at DESC, seq DESC LIMIT ?`,
    );
    this.#ownId = this.#db.prepare('SELECT seq FROM events WHERE own_id = 1 AND key = ? AND at >= ? AND at <= ?');
    this.#sessionCount = this.#db.prepare('SELECT COUNT(*) AS count FROM events WHERE session = ?');
  }

  begin(): void {
    this.#begin.run();
  }

  /** Makes what was inserted durable. */
  commit(): void {
    this.#commit.run();
  }

  rollBack(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    this.#names.users.forget();
    this.#names.sessions.forget();
    this.#sessions.clear();
  }

  insert(event: NewEvent): 'stored' | 'duplicate' | 'session_full' {
    const session = this.#names.sessions.numberFor(event.customer, event.session);
    const known = this.#sessions.get(session) ?? { count: this.#sessionCount.get(session)?.count ?? 0, user: 0 };
    if (known.count >= SESSION_EVENTS_MAX) return 'session_full';
    const { type, at, received, key, body } = event;
    const user = this.#names.users.numberFor(event.customer, event.user);
    const ownId = Number(event.hasOwnId);
    if (this.#insert.run(type, at, received, key, ownId, user, session, body).changes === 0) return 'duplicate';
    if (known.user !== user) this.#insertUserSession.run(user, session);
    if (this.#sessions.size >= REMEMBERED_MAX) this.#sessions.clear();
    this.#sessions.set(session, { count: known.count + 1, user });
    return 'stored';
  }

  /** Whether an event with the sender's own id of this key happened from `from` to `to`. */
  hasOwnId(key: Buffer, from: number, to: number): boolean {
    return this.#ownId.get(key, from, to) !== undefined;
  }

  /** Sessions of the events that came after `seq`, at most `limit` events, in the order of their coming. */
  since(seq: number, limit: number): { seq: number; at: number; customer: string; session: string }[] {
    return this.#db
      .prepare<[number, number], { seq: number; at: number; customer: string; session: string }>(
        `SELECT seq, at, customer, name AS session FROM events JOIN sessions ON sessions.id = session
         WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .all(seq, limit);
  }

  /** Events of a session from `from` to `to`, both included. */
  ofSession(customer: string, session: string, from: number, to: number): SequencedFacts[] {
    const id = this.#names.sessions.numberOf(customer, session);
    if (id === undefined) return [];
    return this.#ofSession.all(id, from, to).map(({ seq, type, at, key, user, body }) => ({
      ...factsOf({ type, at, key: key.toString('latin1'), user }, JSON.parse(body)),
      seq,
    }));
  }

  /** Events of a user behind the place (`at`, `seq`), oldest first. */
  ofUser(customer: string, user: string, after: { at: number; seq: number }, limit: number): StoredEvent[] {
    const id = this.#names.users.numberOf(customer, user);
    return id === undefined ? [] : this.#ofUser.all(id, after.at, after.seq, limit);
  }

  /** The `limit` events behind `seq` in the order of their coming, of all customers. */
  after(seq: number, limit: number): (StoredEvent & Owner)[] {
    return this.#db
      .prepare<[number, number], StoredEvent & Owner>(
        `SELECT seq, type, at, body, sessions.customer, users.name AS user, sessions.name AS session
         FROM events JOIN sessions ON sessions.id = session JOIN users ON users.id = user
         WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .all(seq, limit);
  }

  /** The `limit` latest events of a user, the latest first. */
  recentOfUser(customer: string, user: string, limit: number): StoredEvent[] {
    const id = this.#names.users.numberOf(customer, user);
    return id === undefined ? [] : this.#recentOfUser.all(id, limit);
  }

  /** The `limit` latest events of a session, the latest first, and of which user each is. */
  recentOfSession(customer: string, session: string, limit: number): (StoredEvent & { user: string })[] {
    const id = this.#names.sessions.numberOf(customer, session);
    return id === undefined ? [] : this.#recentOfSession.all(id, limit);
  }

  /** Sessions with events of a user. */
  sessionsOf(customer: string, user: string): string[] {
    const id = this.numberOfUser(customer, user);
    if (id === undefined) return [];
    return this.#db
      .prepare<[number], { name: string }>(
        'SELECT name FROM user_sessions JOIN sessions ON sessions.id = session WHERE user = ?',
      )
      .all(id)
      .map(({ name }) => name);
  }

  /** The number of a user in this file; undefined of one who is not in it. */
  numberOfUser(customer: string, user: string): number | undefined {
    return this.#names.users.numberOf(customer, user);
  }

  customers(): string[] {
    return this.#db
      .prepare<[], { customer: string }>('SELECT DISTINCT customer FROM sessions ORDER BY customer')
      .all()
      .map(({ customer }) => customer);
  }

  isEmpty(): boolean {
    return this.#db.prepare('SELECT 1 FROM events LIMIT 1').get() === undefined;
  }

  /** Removes a user so that no byte of the name is left in the file or in its log, whatever was removed before. */
  removeUser(customer: string, user: string): void {
    const id = this.#names.users.numberOf(customer, user);
    if (id !== undefined) this.#remove('user = ?', id);
    if (this.#db.prepare('SELECT 1 FROM removals').get() === undefined) {
      emptyLog(this.#db);
      return;
    }
    compact(this.#db);
    this.#db.exec('DELETE FROM removals');
  }

  /** Removes the events of a customer that happened before `time`. */
  removeBefore(customer: string, time: number): void {
    this.#remove('at < ? AND session IN (SELECT id FROM sessions WHERE customer = ?)', time, customer);
  }

  #remove(condition: string, ...values: (number | string)[]): void {
    this.#db.transaction(() => {
      this.#db.prepare(`DELETE FROM events WHERE ${condition}`).run(...values);
      this.#db.exec(`DELETE FROM user_sessions
          WHERE NOT EXISTS (SELECT * FROM events WHERE events.session = user_sessions.session AND events.user = user_sessions.user);
        DELETE FROM users WHERE id NOT IN (SELECT user FROM user_sessions);
        DELETE FROM sessions WHERE id NOT IN (SELECT session FROM user_sessions);`);
      // With the rows: who breaks off before the file is written anew finds that it has to be.
      this.#db.prepare('INSERT INTO removals SELECT ? WHERE NOT EXISTS (SELECT * FROM removals)').run(Date.now());
    })();
    this.#names.users.forget();
    this.#names.sessions.forget();
    this.#sessions.clear();
  }

  close(): void {
    this.#db.close();
  }
}

/** Of a file of an earlier form nobody knows whether something was removed from it and left in its free space. */
function bringUpToDate(db: Database.Database): void {
  if (db.pragma('user_version', { simple: true }) === MONTH_FORMAT) return;
  db.transaction(() => {
    const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined;
    db.exec(schema);
    if (!isNew) db.exec('INSERT INTO removals VALUES (0)');
    db.pragma(`user_version = ${MONTH_FORMAT}`);
  })();
}

/** The numbers that names have in a file. */
class Names {
  readonly #select: Database.Statement<[string, string], { id: number }>;
  readonly #insert: Database.Statement<[string, string]>;
  /** By customer, then by name. */
  readonly #known = new Map<string, Map<string, number>>();
  #knownCount = 0;

  constructor(db: Database.Database, table: 'users' | 'sessions') {
    this.#select = db.prepare(`SELECT id FROM ${table} WHERE customer = ? AND name = ?`);
    this.#insert = db.prepare(`INSERT INTO ${table} (customer, name) VALUES (?, ?)`);
  }

  numberOf(customer: string, name: string): number | undefined {
    const known = this.#known.get(customer)?.get(name);
    if (known !== undefined) return known;
    const found = this.#select.get(customer, name)?.id;
    if (found !== undefined) this.#remember(customer, name, found);
    return found;
  }

  numberFor(customer: string, name: string): number {
    const known = this.numberOf(customer, name);
    if (known !== undefined) return known;
    const made = Number(this.#insert.run(customer, name).lastInsertRowid);
    this.#remember(customer, name, made);
    return made;
  }

  #remember(customer: string, name: string, id: number): void {
    if (this.#knownCount >= REMEMBERED_MAX) this.forget();
    const names = this.#known.get(customer) ?? new Map<string, number>();
    this.#known.set(customer, names.set(name, id));
    this.#knownCount += 1;
  }

  forget(): void {
    this.#known.clear();
    this.#knownCount = 0;
  }
}

const months = new Map<number, string>();

/** `2026-11`, in UTC. */
export function monthOf(at: number): string {
  const day = Math.floor(at / DAY_MS);
  const known = months.get(day) ?? new Date(at).toISOString().slice(0, 7);
  if (months.size > 1_000) months.clear();
  months.set(day, known);
  return known;
}

/** The month of a file of that name; undefined of any other file. */
export function monthOfFile(file: string): string | undefined {
  return /^events-(\d{4}-\d\d)\.db$/.exec(file)?.[1];
}
