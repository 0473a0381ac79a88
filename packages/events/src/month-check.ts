import type Database from 'better-sqlite3';
import { DamageError } from './damage.js';
import { type EventRow, type NameRow, sumOfEvent, sumOfName } from './month-file.js';

/**
 * Goes through all of a file of events: its pages by SQLite's own check, its sums, and the rows that follow from
 * others.
 */
export function checkMonth(db: Database.Database, name: string, month: string): void {
  const damaged = (reason: string): never => {
    throw new DamageError(name, reason);
  };
  requireIntegrity(db, name);
  for (const table of ['users', 'sessions']) {
    for (const row of db.prepare<[], NameRow>(`SELECT * FROM ${table}`).iterate()) {
      if (row.sum !== null && row.sum !== sumOfName(row)) damaged(`a name of its ${table} has another sum`);
    }
  }
  const [from, to] = rangeOf(month);
  for (const row of db.prepare<[], EventRow>('SELECT * FROM events').iterate()) {
    if (row.sum !== null && row.sum !== sumOfEvent(row)) damaged('an event has another sum');
    if (row.at < from || row.at >= to) damaged('an event is of another month');
  }
  const found = (query: string) => db.prepare(`SELECT 1 WHERE EXISTS (${query})`).get() !== undefined;
  if (found('SELECT 1 FROM events WHERE sum IS NULL AND NOT json_valid(body)')) damaged('an event is no JSON');
  if (
    found(`SELECT 1 FROM events WHERE user NOT IN (SELECT id FROM users) OR session NOT IN (SELECT id FROM sessions)
      OR NOT EXISTS (SELECT 1 FROM user_sessions AS own WHERE own.user = events.user AND own.session = events.session)`)
  ) {
    damaged('an event has no name');
  }
}

/** @throws DamageError with the first thing that SQLite finds wrong */
export function requireIntegrity(db: Database.Database, name: string): void {
  const found = db.pragma('integrity_check(1)', { simple: true }) as string;
  if (found !== 'ok') throw new DamageError(name, found.replaceAll(/\s+/g, ' ').trim());
}

/** The first moment of a month, and of the next one, in milliseconds since 1970. */
export function rangeOf(month: string): [number, number] {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return [Date.UTC(year, number - 1), Date.UTC(year, number)];
}
