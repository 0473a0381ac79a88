import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { TABLES } from './contributions.js';
import { DamageError, isDamage } from './damage.js';
import { syncFolder } from './durable-database.js';
import { FiguresFile } from './figures-file.js';
import { FIGURES_FILE, FIGURES_FORMAT, SCHEMA } from './figures-format.js';
import { sumOfFile } from './file-sum.js';

/** Size and CRC-32 of the figures after an orderly end; not there while they are open. */
const SUM_FILE = 'figures.sum';
/** Larger files are not read as a whole, neither at the end nor at the start. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Opens the figures of a folder once nothing is found wrong with them.
 * @param report is told of a sum that cannot be used
 * @param isSuspect whether they are gone through whatever their size, and packed anew
 * @throws DamageError, NewerFormatError
 */
export function openFigures(
  folder: string,
  isSuspect: boolean,
  report: (message: string) => void = () => undefined,
): FiguresFile {
  const path = join(folder, FIGURES_FILE);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const isSmall = bytes <= CHECKED_BYTES_MAX;
  const noted = takeSum(folder, report);
  const isSummed = isSmall && noted !== null && isSum(folder, noted);
  const figures = new FiguresFile(folder);
  try {
    if (isSuspect || (isSmall && !isSummed)) figures.check();
    if (!isSummed && isSmall) figures.packed.makeAnew();
    else if (isSuspect) figures.packed.reset();
  } catch (error) {
    figures.close();
    throw error;
  }
  return figures;
}

/** Closes the figures, and notes their state. */
export function closeFigures(folder: string, figures: FiguresFile): void {
  figures.close();
  const sum = sumOf(folder);
  if (sum !== null) writeFileSync(join(folder, SUM_FILE), sum, { flush: true });
}

/** Takes away the sum that was noted at the end; null where nothing was. */
function takeSum(folder: string, report: (message: string) => void): string | null {
  const path = join(folder, SUM_FILE);
  if (!existsSync(path)) return null;
  const noted = readFileSync(path, 'utf8');
  rmSync(path);
  syncFolder(folder);
  if (noted === lineOf(noted.split(' ', 2).join(' '))) return noted;
  report(`${SUM_FILE} is damaged: ${FIGURES_FILE} is gone through in its place`);
  return null;
}

/**
 * Tells whether the file is known to be the one that was closed.
 * @throws DamageError where it is another one
 */
function isSum(folder: string, noted: string): boolean {
  const sum = sumOf(folder);
  if (sum !== null && sum !== noted) throw new DamageError(FIGURES_FILE, 'it has another sum');
  return sum !== null;
}

function sumOf(folder: string): string | null {
  const sum = sumOfFile(folder, FIGURES_FILE, CHECKED_BYTES_MAX);
  return sum === null ? null : lineOf(sum);
}

/** A sum with one of its own. */
function lineOf(sum: string): string {
  return `${sum} ${crc32(sum)}\n`;
}

/**
 * Makes empty figures, with those that no raw events tell any more as far as they can be read in a damaged file: the
 * final ones, and the outcomes of events that came.
 * @returns whether that could be read
 */
export function makeFiguresAnew(folder: string, damaged: string | null): boolean {
  rmSync(join(folder, SUM_FILE), { force: true });
  const db = new Database(join(folder, FIGURES_FILE));
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA);
  db.pragma(`user_version = ${FIGURES_FORMAT}`);
  try {
    return damaged !== null && carryOver(db, join(folder, damaged));
  } finally {
    db.close();
  }
}

function carryOver(db: Database.Database, damaged: string): boolean {
  try {
    db.prepare('ATTACH ? AS damaged').run(damaged);
    if (db.pragma('damaged.user_version', { simple: true }) !== FIGURES_FORMAT) return false;
    db.transaction(() => {
      for (const table of ['final', 'quality']) db.exec(`INSERT INTO main.${table} SELECT * FROM damaged.${table}`);
      for (const { name } of Object.values(TABLES)) {
        db.exec(`INSERT INTO main.${name} SELECT rows.* FROM damaged.${name} AS rows
          JOIN damaged.final AS final ON final.customer = rows.customer WHERE rows.start < final.before`);
      }
    })();
    return true;
  } catch (error) {
    if (isDamage(error) || error instanceof Database.SqliteError) return false;
    throw error;
  }
}
