import { closeSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

const CACHE_KIB = 32 * 1024;
const CHECKPOINT_PAGES = 16_384;
/** Time that a commit waits for another process, which has no business here: nothing else is done meanwhile. */
const BUSY_MS = 500;

/** A database whose commits are durable, and whose deletes overwrite the deleted bytes. */
export function openDurable(file: string): Database.Database {
  const db = new Database(file, { timeout: BUSY_MS });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('secure_delete = ON');
  // A checkpoint syncs the file besides its log: one for many commits.
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.pragma(`cache_size = -${CACHE_KIB}`);
  return db;
}

/** Writes a file anew, so that nothing is left of removed rows, and empties its log. */
export function compact(db: Database.Database): void {
  db.exec('VACUUM');
  emptyLog(db);
}

/**
 * Moves the log of a file into the file and cuts it off: no earlier copy is left of rows removed since.
 * @throws Error while another process reads the file
 */
export function emptyLog(db: Database.Database): void {
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (result?.busy !== 0) throw new Error('the log of a file cannot be emptied while another process reads it');
}

/** Makes names in a folder durable. Where folders cannot be opened, as on Windows, the system sees to it. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
