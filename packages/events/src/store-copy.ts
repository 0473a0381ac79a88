import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { FIGURES_FILE } from './figures-format.js';
import { COPY_FILE } from './ledger-copy.js';
import { LEDGER_FILE } from './ledger-file.js';
import { monthOfFile } from './month-file.js';

/** Pages that are copied before others have a turn: some milliseconds. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies the files of a store to an empty folder, all as they are at this call: each is read in a state that is held from
 * now on, whatever is written meanwhile. To be called between two commits, by the thread that makes them.
 * @returns the names of the files
 */
export function copyStore(from: string, to: string): Promise<readonly string[]> {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  const isDatabase = (name: string) => name === LEDGER_FILE || name === FIGURES_FILE || monthOfFile(name) !== undefined;
  const names = readdirSync(from).filter(isDatabase);
  const held = names.map((name) => [name, heldState(join(from, name))] as const);
  const isCopyThere = existsSync(join(from, COPY_FILE));
  if (isCopyThere) copyFileSync(join(from, COPY_FILE), join(to, COPY_FILE));
  return copied(held, to).then(() => (isCopyThere ? [...names, COPY_FILE] : names));
}

function heldState(path: string): Database.Database {
  const db = new Database(path, { readonly: true });
  // The first read begins the transaction, and with it the state.
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  return db;
}

async function copied(held: readonly (readonly [string, Database.Database])[], to: string): Promise<void> {
  try {
    for (const [name, db] of held) await db.backup(join(to, name), { progress: () => PAGES_AT_ONCE });
  } finally {
    for (const [, db] of held) db.close();
  }
}
