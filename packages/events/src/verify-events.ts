import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { FIGURES_FILE } from './figures-format.js';
import { LEDGER_FILE } from './ledger-file.js';
import { checkMonth, requireIntegrity } from './month-check.js';
import { MONTH_FORMAT, monthOfFile } from './month-file.js';

/** A file of events that is not as it was written. */
export interface EventFileProblem {
  readonly file: string;
  readonly reason: string;
  /** Tells whether it can be made anew of the others. */
  readonly isDerived: boolean;
}

/**
 * Goes through all files of events in a folder that nobody uses, and changes none: each is read as a copy, since SQLite writes
 * beside what it opens. A folder that is not there has no problems.
 */
export function verifyEvents(folder: string): EventFileProblem[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => [LEDGER_FILE, FIGURES_FILE].includes(name) || monthOfFile(name));
  return names.toSorted().flatMap((file) => {
    const reason = faultOf(folder, file);
    return reason === null ? [] : [{ file, reason, isDerived: file === FIGURES_FILE }];
  });
}

function faultOf(folder: string, file: string): string | null {
  const copies = mkdtempSync(join(tmpdir(), 'pelorus-verify-'));
  let db: Database.Database | undefined;
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(join(folder, file + end))) copyFileSync(join(folder, file + end), join(copies, file + end));
    }
    db = new Database(join(copies, file), { fileMustExist: true });
    const month = monthOfFile(file);
    const form = db.pragma('user_version', { simple: true });
    // Files of an earlier form have no sums; a start brings them up to date.
    if (month !== undefined && form === MONTH_FORMAT) checkMonth(db, file, month);
    else requireIntegrity(db, file);
    return null;
  } catch (error) {
    return (error as Error).message;
  } finally {
    db?.close();
    rmSync(copies, { recursive: true, force: true });
  }
}
