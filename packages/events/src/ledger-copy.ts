import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from './durable-database.js';

/** The content of the ledger. Salt and hashes are in hexadecimal. */
export interface LedgerCopy {
  /** Counts the changes. */
  readonly generation: number;
  readonly salt: string;
  readonly retention: readonly { readonly customer: string; readonly days: number }[];
  readonly erasures: readonly {
    readonly job: string;
    readonly hash: string;
    readonly customer: string;
    readonly user: string | null;
    readonly created: number;
    readonly finished: number | null;
  }[];
}

export const COPY_FILE = 'ledger-copy.json';
const UNFINISHED = `${COPY_FILE}.new`;

/** The copy in a folder; null where there is none, or where its bytes are not those that were written. */
export function readCopy(folder: string): LedgerCopy | null {
  rmSync(join(folder, UNFINISHED), { force: true });
  const text = textOf(join(folder, COPY_FILE));
  if (text === null) return null;
  try {
    const copy = JSON.parse(text);
    const isWhole =
      typeof copy?.sha256 === 'string' && copy.sha256 === hash('sha256', String(JSON.stringify(copy.ledger)));
    return isWhole ? copy.ledger : null;
  } catch {
    return null;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Replaces the copy whole and durably. */
export function writeCopy(folder: string, ledger: LedgerCopy): void {
  const path = join(folder, UNFINISHED);
  const file = openSync(path, 'w', 0o600);
  try {
    writeFileSync(file, JSON.stringify({ sha256: hash('sha256', JSON.stringify(ledger)), ledger }));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(path, join(folder, COPY_FILE));
  syncFolder(folder);
}
