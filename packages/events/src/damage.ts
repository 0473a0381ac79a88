import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolder } from './durable-database.js';

/** A file whose bytes are not those written to it. */
export class DamageError extends Error {
  /** Its name in the folder. */
  readonly file: string;

  constructor(file: string, reason: string) {
    super(reason);
    this.file = file;
  }
}

/** A file that a later version of this service wrote: it is left alone. */
export class NewerFormatError extends Error {
  constructor(file: string, found: number, known: number) {
    super(`${file} is of form ${found}, which a later version wrote: expected at most ${known}`);
  }
}

/** Tells whether an error says that the bytes of a file are not those that were written. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamageError || error instanceof SyntaxError) return true;
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** Tells whether files are to be opened anew after an error: they may be damaged, gone, or on a disk that failed. */
export function asksToReopen(error: unknown): boolean {
  const isOfFile = error instanceof Database.SqliteError && /^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(error.code);
  return isOfFile || isDamage(error);
}

/** Endings of the files that SQLite writes beside a file. */
const BESIDE = ['-wal', '-shm'] as const;

/** A damaged file that is kept, by the name that it had and when it was found. */
const KEPT = /^(.+)\.damaged-\d{8}T\d{6}Z(-wal)?$/;

export function isKept(name: string): boolean {
  return KEPT.test(name);
}

/** Moves a damaged file and its log out of the way. Answers its new name. */
export function keepAside(folder: string, name: string, now: number): string {
  const kept = keptName(folder, name, now);
  for (const end of ['', '-wal']) renameIfThere(join(folder, name + end), join(folder, kept + end));
  rmSync(join(folder, `${name}-shm`), { force: true });
  syncFolder(folder);
  return kept;
}

/** `events-2026-11.db.damaged-20261126T115500Z` */
export function keptName(folder: string, name: string, now: number): string {
  const kept = `${name}.damaged-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const isTaken = ['', '-wal'].some((end) => existsSync(join(folder, kept + end)));
  return isTaken ? keptName(folder, name, now + 1_000) : kept;
}

export function removeFile(folder: string, name: string): void {
  for (const end of ['', ...BESIDE]) rmSync(join(folder, name + end), { force: true });
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
