import { statSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type Database from 'better-sqlite3';
import { DamageError, NewerFormatError } from './damage.js';
import { compact, emptyLog, openDurable } from './durable-database.js';
import { DAY_MS, type Facts, factsOf, PURCHASE } from './event.js';
import { checkMonth } from './month-check.js';

/** A row to be stored. */
export interface NewEvent {
  readonly customer: string;
  readonly user: string;
  readonly session: string;
  readonly type: number;
  readonly at: number;
  readonly received: number;
  readonly key: Buffer;
  /** Tells whether the key stands for an id that the sender chose. */
  readonly hasOwnId: boolean;
  /** JSON. */
  readonly body: string;
  /** The number of items of a purchase; 1 of any other event. */
  readonly items: number;
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

/** The owner of an event. */
export interface Owner {
  readonly customer: string;
  readonly user: string;
  readonly session: string;
}

/** The members of an event that its sum covers. */
export interface SummedEvent {
  readonly type: number;
  readonly at: number;
  readonly received: number;
  readonly key: Buffer;
  readonly own_id: number;
  /** Numbers of names. */
  readonly user: number;
  readonly session: number;
  readonly body: string;
}

export interface EventRow extends SummedEvent {
  readonly seq: number;
  /** Null of an event that was stored before there were sums. */
  readonly sum: number | null;
}

export interface NameRow {
  readonly id: number;
  readonly customer: string;
  readonly name: string;
  readonly sum: number | null;
}

/** CRC-32 of all that an event is. */
export function sumOfEvent({ type, at, received, key, own_id, user, session, body }: SummedEvent): number {
  return crc32(body, crc32(key, crc32(`${type} ${at} ${received} ${own_id} ${user} ${session} `)));
}

export function sumOfName({ id, customer, name }: Omit<NameRow, 'sum'>): number {
  return crc32(name, crc32(customer, crc32(`${id} ${customer.length} `)));
}

/** Numbers of names that are remembered, so that most events need no look-up; more begin anew. */
const REMEMBERED_MAX = 100_000;
/**
 * Most events of one session in a month, of which one with many items counts as many: what sends more is no shopper, and
 * figures look at all of a session with each of its events.
 */
export const SESSION_EVENTS_MAX = 5_000;

/** The form of the tables, as `user_version` tells it. */
export const MONTH_FORMAT = 1;
/** The largest form of a file: a larger number was not written by any version. */
const FORMAT_MAX = 1_000;

/** The table of the number of erasures that a file was cleaned by. Files of before have none. */
export const CLEANED = 'CREATE TABLE IF NOT EXISTS cleaned (erasures INTEGER NOT NULL)';

/** `removals` has a row while something that was removed may still be in free space of the file. */
const schema = `
  CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, name TEXT NOT NULL,
    sum INTEGER, UNIQUE (customer, name));
  CREATE TABLE IF NOT EXISTS sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL, name TEXT NOT NULL,
    sum INTEGER, UNIQUE (customer, name));
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, type INTEGER NOT NULL, at INTEGER NOT NULL, received INTEGER NOT NULL,
    key BLOB NOT NULL, own_id INTEGER NOT NULL, user INTEGER NOT NULL, session INTEGER NOT NULL, body TEXT NOT NULL,
    sum INTEGER, UNIQUE (at, key));
  CREATE INDEX IF NOT EXISTS events_by_session ON events (session, at);
  CREATE TABLE IF NOT EXISTS removals (at INTEGER NOT NULL);
  ${CLEANED};
  CREATE TABLE IF NOT EXISTS user_sessions (user INTEGER, session INTEGER, PRIMARY KEY (user, session)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS events_by_own_id ON events (key, at) WHERE own_id = 1;`;

/**
 * Raw events of a month, in which no name of a user stands but in `users` and in bodies. Times lead the key against
 * duplicates, and names have numbers in the order of their coming, so that rows that come together are written
 * together.
 */
export class MonthFile {
  /** `2026-11`, of the times of its events, in UTC. */
  readonly month: string;
  /** Name of the file in its folder. */
  readonly name: string;
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #inode: number;
  readonly #insert: Database.Statement<SummedEvent & { sum: number }>;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #insertUserSession: Database.Statement<[number, number]>;
  readonly #ofSession: Database.Statement<[number, number, number], EventRow>;
  readonly #ofUser: Database.Statement<[number, number, number, number], EventRow>;
  readonly #recentOfUser: Database.Statement<[number, number], EventRow>;
  readonly #recentOfSession: Database.Statement<[number, number], EventRow & { userName: string }>;
  readonly #ownId: Database.Statement<[Buffer, number, number], { seq: number }>;
  readonly #sessionCount: Database.Statement<[number], { count: number | null }>;
  #restore: Database.Statement<EventRow> | undefined;
  readonly #names: { readonly [Table in 'users' | 'sessions']: Names };
  /** The number of events of each session that something came of lately, and the user of the last one. */
  readonly #sessions = new Map<number, { count: number; user: number }>();

  /**
   * @param name of a file that is to become that of the month
   * @throws DamageError, NewerFormatError
   */
  constructor(folder: string, month: string, name = fileOfMonth(month)) {
    this.month = month;
    this.name = name;
    const path = join(folder, name);
    this.#db = openDurable(path);
    try {
      bringUpToDate(this.#db, name);
    } catch (error) {
      this.#db.close();
      throw error;
    }
    this.#path = path;
    this.#inode = statSync(path).ino;
    this.#names = { users: new Names(this.#db, 'users'), sessions: new Names(this.#db, 'sessions') };
    this.#insert = this.#db.prepare(
      `INSERT OR IGNORE INTO events (type, at, received, key, own_id, user, session, body, sum)
       VALUES ($type, $at, $received, $key, $own_id, $user, $session, $body, $sum)`,
    );
    this.#begin = this.#db.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#db.prepare('COMMIT');
    this.#insertUserSession = this.#db.prepare('INSERT OR IGNORE INTO user_sessions VALUES (?, ?)');
    this.#ofSession = this.#db.prepare('SELECT * FROM events WHERE session = ? AND at >= ? AND at <= ?');
    const ofUser = `SELECT events.* FROM user_sessions JOIN events USING (user, session) WHERE user = ?`;
    this.#ofUser = this.#db.prepare(`${ofUser} AND (at, seq) > (?, ?) ORDER BY at, seq LIMIT ?`);
    this.#recentOfUser = this.#db.prepare(`${ofUser} ORDER BY at DESC, seq DESC LIMIT ?`);
    this.#recentOfSession = this.#db.prepare(
      `SELECT events.*, users.name AS userName FROM events JOIN users ON users.id = user
       WHERE session = ? ORDER BY at DESC, seq DESC LIMIT ?`,
    );
    this.#ownId = this.#db.prepare('SELECT seq FROM events WHERE own_id = 1 AND key = ? AND at >= ? AND at <= ?');
    this.#sessionCount = this.#db.prepare(
      `SELECT SUM(CASE WHEN type = ${PURCHASE} THEN MAX(1, json_array_length(body, '$.docId')) ELSE 1 END) AS count
       FROM events WHERE session = ?`,
    );
  }

  begin(): void {
    this.#begin.run();
  }

  /**
   * Makes inserted events durable.
   * @throws DamageError where the file was removed while it was open: nobody would find what is written to it
   */
  commit(): void {
    if (statSync(this.#path, { throwIfNoEntry: false })?.ino !== this.#inode) {
      throw new DamageError(this.name, 'it was removed, or another one put in its place, while it was open');
    }
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
    if (known.count + event.items > SESSION_EVENTS_MAX) return 'session_full';
    const { type, at, received, key, body } = event;
    const user = this.#names.users.numberFor(event.customer, event.user);
    const row = { type, at, received, key, own_id: Number(event.hasOwnId), user, session, body };
    if (this.#insert.run({ ...row, sum: sumOfEvent(row) }).changes === 0) return 'duplicate';
    if (known.user !== user) this.#insertUserSession.run(user, session);
    if (this.#sessions.size >= REMEMBERED_MAX) this.#sessions.clear();
    this.#sessions.set(session, { count: known.count + event.items, user });
    return 'stored';
  }

  /** Stores an event of a damaged file again, by the numbers that it had there. False where that cannot be. */
  restore(row: EventRow, { customer, user, session }: Owner): boolean {
    const event = {
      ...row,
      user: this.#names.users.numberFor(customer, user, row.user),
      session: this.#names.sessions.numberFor(customer, session, row.session),
    };
    this.#restore ??= this.#db.prepare(
      `INSERT OR IGNORE INTO events (seq, type, at, received, key, own_id, user, session, body, sum)
       VALUES ($seq, $type, $at, $received, $key, $own_id, $user, $session, $body, $sum)`,
    );
    const isStored = this.#restore.run({ ...event, sum: sumOfEvent(event) }).changes > 0;
    this.#insertUserSession.run(event.user, event.session);
    return isStored;
  }

  /** @throws DamageError where anything in the file is not what was stored */
  check(): void {
    checkMonth(this.#db, this.name, this.month);
  }

  /** Tells whether something was inserted that is not durable yet. */
  get isOpen(): boolean {
    return this.#db.inTransaction;
  }

  /** Tells whether an event with the sender's own id of this key happened from `from` to `to`. */
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
    return this.#checked(this.#ofSession.all(id, from, to)).map(({ seq, type, at, key, user, body }) => ({
      ...factsOf({ type, at, key: key.toString('latin1'), user }, JSON.parse(body)),
      seq,
    }));
  }

  /** Events of a user behind the place (`at`, `seq`), oldest first. */
  ofUser(customer: string, user: string, after: { at: number; seq: number }, limit: number): StoredEvent[] {
    const id = this.#names.users.numberOf(customer, user);
    return id === undefined ? [] : this.#checked(this.#ofUser.all(id, after.at, after.seq, limit));
  }

  /** The `limit` events behind `seq` in the order of their coming, of all customers. */
  after(seq: number, limit: number): (StoredEvent & Owner)[] {
    const rows = this.#db
      .prepare<[number, number], EventRow & { customer: string; userName: string; sessionName: string }>(
        `SELECT events.*, sessions.customer, users.name AS userName, sessions.name AS sessionName
         FROM events JOIN sessions ON sessions.id = session JOIN users ON users.id = user
         WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .all(seq, limit);
    return this.#checked(rows).map(({ userName, sessionName, ...row }) => ({
      ...row,
      user: userName,
      session: sessionName,
    }));
  }

  /** The `limit` latest events of a user, the latest first. */
  recentOfUser(customer: string, user: string, limit: number): StoredEvent[] {
    const id = this.#names.users.numberOf(customer, user);
    return id === undefined ? [] : this.#checked(this.#recentOfUser.all(id, limit));
  }

  /** The `limit` latest events of a session, the latest first, and of which user each is. */
  recentOfSession(customer: string, session: string, limit: number): (StoredEvent & { user: string })[] {
    const id = this.#names.sessions.numberOf(customer, session);
    if (id === undefined) return [];
    const rows = this.#checked(this.#recentOfSession.all(id, limit));
    return rows.map(({ userName, ...row }) => ({ ...row, user: userName }));
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

  /** @throws DamageError where an event is not the one that was stored */
  #checked<Row extends EventRow>(rows: Row[]): Row[] {
    for (const row of rows) {
      if (row.sum !== null && row.sum !== sumOfEvent(row)) throw new DamageError(this.name, 'an event has another sum');
    }
    return rows;
  }

  /** The number of the event that came last, whether or not it is still there. */
  lastSeq(): number {
    const row = this.#db.prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'").get();
    return row?.seq ?? 0;
  }

  /** Gives events that come from now on numbers above `seq`, where the last ones up to it are lost. */
  continueAfter(seq: number): void {
    if (seq <= this.lastSeq()) return;
    this.#db.transaction(() => {
      this.#db.exec("DELETE FROM sqlite_sequence WHERE name = 'events'");
      this.#db.prepare("INSERT INTO sqlite_sequence VALUES ('events', ?)").run(seq);
    })();
  }

  isEmpty(): boolean {
    return this.#db.prepare('SELECT 1 FROM events LIMIT 1').get() === undefined;
  }

  /**
   * Removes the events of a user. Returns how many there were; {@link removeTraces} is to follow.
   */
  removeUser(customer: string, user: string): number {
    const id = this.#names.users.numberOf(customer, user);
    return id === undefined ? 0 : this.#remove('user = ?', id);
  }

  /** Users with events. Nothing else can be done with the file until the last was told. */
  users(): IterableIterator<{ customer: string; name: string }> {
    return this.#db.prepare<[], { customer: string; name: string }>('SELECT customer, name FROM users').iterate();
  }

  /** Removes events of a user that happened until `at` or came until `received`, as {@link removeUser} does. */
  removeUserUntil(customer: string, user: string, at: number, received: number): number {
    const id = this.#names.users.numberOf(customer, user);
    return id === undefined ? 0 : this.#remove('user = ? AND (at <= ? OR received <= ?)', id, at, received);
  }

  /** The number of erasures that the file was cleaned by; null where it does not say. */
  cleanedBy(): number | null {
    return cleanedBy(this.#db);
  }

  noteCleaned(erasures: number): void {
    noteCleaned(this.#db, erasures);
  }

  /** Leaves no byte of removed events in the file or in its log. */
  removeTraces(): void {
    if (this.#db.prepare('SELECT 1 FROM removals').get() === undefined) {
      emptyLog(this.#db);
      return;
    }
    compact(this.#db);
    this.#db.exec('DELETE FROM removals');
  }

  /** Removes the events of a customer that happened before `time`. Returns how many there were. */
  removeBefore(customer: string, time: number): number {
    return this.#remove('at < ? AND session IN (SELECT id FROM sessions WHERE customer = ?)', time, customer);
  }

  #remove(condition: string, ...values: (number | string)[]): number {
    const count = this.#db.transaction(() => {
      const { changes } = this.#db.prepare(`DELETE FROM events WHERE ${condition}`).run(...values);
      this.#db.exec(`DELETE FROM user_sessions
          WHERE NOT EXISTS (SELECT * FROM events WHERE events.session = user_sessions.session AND events.user = user_sessions.user);
        DELETE FROM users WHERE id NOT IN (SELECT user FROM user_sessions);
        DELETE FROM sessions WHERE id NOT IN (SELECT session FROM user_sessions);`);
      // With the rows: who breaks off before the file is written anew finds that it has to be.
      this.#db.prepare('INSERT INTO removals SELECT ? WHERE NOT EXISTS (SELECT * FROM removals)').run(Date.now());
      return changes;
    })();
    this.#names.users.forget();
    this.#names.sessions.forget();
    this.#sessions.clear();
    return count;
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Brings a file to the present form. An earlier form does not tell whether something was removed and left in its free
 * space; its events have no sums.
 */
function bringUpToDate(db: Database.Database, name: string): void {
  const found = db.pragma('user_version', { simple: true }) as number;
  if (found === MONTH_FORMAT) {
    db.exec(CLEANED);
    return;
  }
  if (found < 0 || found > FORMAT_MAX) throw new DamageError(name, `it says that it is of form ${found}`);
  if (found > MONTH_FORMAT) throw new NewerFormatError(name, found, MONTH_FORMAT);
  db.transaction(() => {
    const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined;
    db.exec(schema);
    if (!isNew) db.exec('INSERT INTO removals VALUES (0)');
    for (const table of ['users', 'sessions', 'events']) {
      const columns = db.pragma(`table_info(${table})`) as { name: string }[];
      if (columns.every((column) => column.name !== 'sum')) db.exec(`ALTER TABLE ${table} ADD COLUMN sum INTEGER`);
    }
    db.pragma(`user_version = ${MONTH_FORMAT}`);
  })();
}

/** The numbers that names have in a file. */
class Names {
  readonly #select: Database.Statement<[string, string], { id: number }>;
  readonly #insert: Database.Statement<NameRow>;
  readonly #last: Database.Statement<[], number>;
  readonly #nameOf: Database.Statement<[number]>;
  /** By customer, then by name. */
  readonly #known = new Map<string, Map<string, number>>();
  #knownCount = 0;

  constructor(db: Database.Database, table: 'users' | 'sessions') {
    this.#select = db.prepare(`SELECT id FROM ${table} WHERE customer = ? AND name = ?`);
    this.#insert = db.prepare(`INSERT INTO ${table} (id, customer, name, sum) VALUES ($id, $customer, $name, $sum)`);
    this.#nameOf = db.prepare(`SELECT 1 FROM ${table} WHERE id = ?`);
    this.#last = db
      .prepare<[], number>(`SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = '${table}'`)
      .pluck();
  }

  numberOf(customer: string, name: string): number | undefined {
    const known = this.#known.get(customer)?.get(name);
    if (known !== undefined) return known;
    const found = this.#select.get(customer, name)?.id;
    if (found !== undefined) this.#remember(customer, name, found);
    return found;
  }

  /** @param wanted the number that a new name is to have; the next one when absent, or where that is another's */
  numberFor(customer: string, name: string, wanted?: number): number {
    const known = this.numberOf(customer, name);
    if (known !== undefined) return known;
    const isFree = wanted !== undefined && this.#nameOf.get(wanted) === undefined;
    const made = isFree ? wanted : (this.#last.get() as number) + 1;
    const row = { id: made, customer, name };
    this.#insert.run({ ...row, sum: sumOfName(row) });
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

export function cleanedBy(db: Database.Database): number | null {
  return db.prepare<[], number>('SELECT MAX(erasures) FROM cleaned').pluck().get() ?? null;
}

/** Writes nothing where as many are noted already: a higher number tells of a ledger that is older, at every start. */
export function noteCleaned(db: Database.Database, erasures: number): void {
  if ((cleanedBy(db) ?? -1) >= erasures) return;
  db.transaction(() => {
    db.exec('DELETE FROM cleaned');
    db.prepare('INSERT INTO cleaned VALUES (?)').run(erasures);
  })();
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

export function fileOfMonth(month: string): string {
  return `events-${month}.db`;
}

/** The month of a file of that name; undefined of any other file. */
export function monthOfFile(file: string): string | undefined {
  return /^events-(\d{4}-(0[1-9]|1[0-2]))\.db$/.exec(file)?.[1];
}
