import { closeSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { isDamage, keepAside, removeFile } from './damage.js';
import { syncFolder } from './durable-database.js';
import { SEARCH_LOG } from './event.js';
import { rangeOf } from './month-check.js';
import { type EventRow, fileOfMonth, MonthFile, type NameRow, sumOfEvent, sumOfName } from './month-file.js';

/** Events that are read at once, as long as all of them can be. */
const PAGE = 500;
/** Most places where reading begins again behind something that cannot be read. */
const ATTEMPTS_MAX = 50_000;
/** Up to which number rows are looked for where nobody knows how many there were. */
const NUMBERS_UNKNOWN = 1_000_000;

const HEADER_BYTES = 100;
const PAGE_BYTES_AT = 16;
const PAGES_AT = 28;
/** More than a month has; numbers that are not written take no room. */
const FILE_BYTES_MAX = 2 ** 40;

/** The name of a file before all of it is there. */
export const unfinished = (name: string) => `${name}.new`;

/**
 * Makes the file of a month anew of the events that can be read in the damaged one, which is kept beside it.
 * @param lastSeq the number of the last event that was ever stored in it, as far as that is known
 */
export function salvageMonth(
  folder: string,
  month: string,
  { lastSeq, now }: { readonly lastSeq: number; readonly now: number },
): { readonly kept: string; readonly saved: number } {
  const name = fileOfMonth(month);
  removeFile(folder, unfinished(name));
  const made = new MonthFile(folder, month, unfinished(name));
  const path = join(folder, name);
  const bytes = statSync(path).size;
  // SQLite opens no file that is shorter than its header says.
  truncateSync(path, Math.max(bytes, bytesInHeader(path)));
  // Events after the last note lie beyond that.
  const saved = copyReadable(path, made, lastSeq > 0 ? 2 * lastSeq + ATTEMPTS_MAX / 10 : NUMBERS_UNKNOWN);
  truncateSync(path, bytes);
  made.continueAfter(lastSeq);
  made.close();
  const kept = keepAside(folder, name, now);
  renameSync(join(folder, unfinished(name)), join(folder, name));
  syncFolder(folder);
  return { kept, saved };
}

/** The length of a file by its header, https://www.sqlite.org/fileformat2.html#database_header; nothing unlikely. */
function bytesInHeader(path: string): number {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  const bytes = header.readUInt16BE(PAGE_BYTES_AT) * header.readUInt32BE(PAGES_AT);
  return bytes <= FILE_BYTES_MAX ? bytes : 0;
}

function copyReadable(path: string, made: MonthFile, last: number): number {
  let saved = 0;
  let db: Database.Database | null = null;
  try {
    db = new Database(path);
    const names = { user: namesIn(db, 'users', last), session: namesIn(db, 'sessions', last) };
    made.begin();
    for (const row of rowsBy<EventRow>(db, 'events', 'seq', last)) {
      if (!isWhole(row, made.month)) continue;
      const owner = ownerOf(row, names.user.get(row.user), names.session.get(row.session));
      if (owner !== null && made.restore(row, owner)) saved += 1;
    }
  } catch (error) {
    // Not even the list of its tables can be read.
    if (!isDamage(error)) throw error;
  } finally {
    if (made.isOpen) made.commit();
    db?.close();
  }
  return saved;
}

/** Tells whether an event is the one that was stored; of one without a sum, whether it may be. */
function isWhole(row: EventRow, month: string): boolean {
  const [from, to] = rangeOf(month);
  if (!Buffer.isBuffer(row.key) || typeof row.body !== 'string' || row.at < from || row.at >= to) return false;
  return row.sum === null ? isObject(row.body) : row.sum === sumOfEvent(row);
}

function isObject(body: string): boolean {
  try {
    const value = JSON.parse(body);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/**
 * The owner of an event, by the names of the file, or by what the event says itself, which a logged search does not.
 */
function ownerOf(row: EventRow, user: NameRow | undefined, session: NameRow | undefined) {
  if (user !== undefined && session !== undefined) {
    return { customer: session.customer, user: user.name, session: session.name };
  }
  if (row.type === SEARCH_LOG) return null;
  const { customerId, userId, sessionId } = JSON.parse(row.body);
  const isNamed = [customerId, userId, sessionId].every((name) => typeof name === 'string');
  return isNamed ? { customer: customerId, user: userId, session: sessionId } : null;
}

function namesIn(db: Database.Database, table: 'users' | 'sessions', last: number): Map<number, NameRow> {
  const names = new Map<number, NameRow>();
  for (const row of rowsBy<NameRow>(db, table, 'id', last)) {
    if (typeof row.name !== 'string' || typeof row.customer !== 'string') continue;
    if (row.sum === null || row.sum === sumOfName(row)) names.set(row.id, row);
  }
  return names;
}

/** Rows by their number, up to `last`, over whatever of them cannot be read. */
function* rowsBy<Row>(db: Database.Database, table: string, key: 'id' | 'seq', last: number): Generator<Row> {
  const select = db.prepare<[number, number], Row & Record<string, number>>(
    `SELECT * FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT ?`,
  );
  const step = Math.ceil(last / ATTEMPTS_MAX);
  let [from, limit] = [0, PAGE];
  while (from <= last) {
    try {
      const rows = select.all(from, limit);
      yield* rows;
      const end = rows.at(-1);
      if (end === undefined) return;
      from = (end[key] as number) + 1;
      limit = Math.min(PAGE, limit * 2);
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (limit === 1) from += step;
      limit = 1;
    }
  }
}
