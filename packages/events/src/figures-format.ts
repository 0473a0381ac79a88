import type Database from 'better-sqlite3';
import { type FigureTable, MONEY_HIGH, MONEY_PARTS, TABLES } from './contributions.js';
import { DamageError, NewerFormatError } from './damage.js';
import { AMOUNT_MAX, DAY_MS, QUANTITY_MAX } from './event.js';

export const FIGURES_FILE = 'figures.db';

/**
 * The form of the tables, as `user_version` tells it. Form 1 has money in two counts, and none that an order can spoil;
 * form 2 tells shoppers apart in what was chosen; form 3 has sums of watermarks; form 4 tells shoppers apart in what was
 * searched for.
 */
export const FIGURES_FORMAT = 4;
/** The most that it may be: a larger number was not written by any version. */
const FORMAT_MAX = 1_000;

/**
 * Brings tables of an earlier form to this one, all or nothing. Where an hour comes to more than an order can, one that no
 * bound kept out may have spoilt it: all that is not final is to be counted again, and what is final loses those sums.
 * @returns whether figures are to be counted again from the first event on
 * @throws DamageError, NewerFormatError
 */
export function bringUpToDate(db: Database.Database): boolean {
  const found = db.pragma('user_version', { simple: true }) as number;
  if (found === FIGURES_FORMAT) return false;
  if (found < 0 || found > FORMAT_MAX) throw new DamageError(FIGURES_FILE, `it says that it is of form ${found}`);
  if (found > FIGURES_FORMAT) throw new NewerFormatError(FIGURES_FILE, found, FIGURES_FORMAT);
  const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'totals'").get() === undefined;
  return db.transaction(() => {
    const isSpoilt = !isNew && found < 1 && splitMoney(db);
    if (!isNew && found < 2) tellShoppersApart(db);
    if (!isNew && found < 3) db.exec('ALTER TABLE watermarks ADD COLUMN sum INTEGER');
    if (!isNew && found < 4) tellSearchersApart(db);
    db.pragma(`user_version = ${FIGURES_FORMAT}`);
    return isSpoilt;
  })();
}

const INTEGER_KEYS: ReadonlySet<string> = new Set(['start', 'shopper']);

export function createTable({ name, keys, counts }: FigureTable): string {
  const columns = [
    ...keys.map((key) => `${key} ${INTEGER_KEYS.has(key) ? 'INTEGER' : 'TEXT'} NOT NULL`),
    ...counts.map((count) => `${count} INTEGER NOT NULL DEFAULT 0`),
  ];
  return `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}, PRIMARY KEY (${keys.join(', ')})) WITHOUT ROWID;`;
}

export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS watermarks (month TEXT PRIMARY KEY, seq INTEGER NOT NULL, sum INTEGER) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS final (customer TEXT PRIMARY KEY, before INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS erased (job TEXT, month TEXT, PRIMARY KEY (job, month)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS quality (customer TEXT, start INTEGER, reason TEXT, count INTEGER NOT NULL,
    PRIMARY KEY (customer, start, reason)) WITHOUT ROWID;
  ${Object.values(TABLES).map(createTable).join('\n')}`;

const tablesOfMoney = [TABLES.totals, TABLES.terms, TABLES.products];
const isNoSum = (count: string) => `typeof(${count}) <> 'integer' OR ABS(${count}) > ${Number.MAX_SAFE_INTEGER}`;
const isBeyondAnOrder = `${isNoSum('revenue')} OR revenue > ${AMOUNT_MAX * MONEY_PARTS}
  OR ${isNoSum('purchases')} OR purchases > ${QUANTITY_MAX}`;

function splitMoney(db: Database.Database): boolean {
  const isSpoilt = db.prepare(`SELECT 1 FROM totals WHERE ${isBeyondAnOrder} LIMIT 1`).get() !== undefined;
  for (const { name, counts } of tablesOfMoney) {
    db.exec(`ALTER TABLE ${name} ADD COLUMN revenue_high INTEGER NOT NULL DEFAULT 0`);
    if (isSpoilt) for (const count of counts) db.exec(`UPDATE ${name} SET ${count} = 0 WHERE ${isNoSum(count)}`);
    db.exec(`UPDATE ${name} SET revenue_high = revenue / ${MONEY_HIGH}, revenue = revenue % ${MONEY_HIGH}
      WHERE revenue >= ${MONEY_HIGH}`);
  }
  // Packed columns have none for the new count.
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'packed'").get() !== undefined) {
    db.exec('UPDATE packed SET columns = NULL WHERE columns IS NOT NULL');
  }
  return isSpoilt;
}

/**
 * Tells shoppers apart. For earlier days nobody knows how many shoppers chose a product: each day counts as one
 * shopper, with a number that none has.
 */
function tellShoppersApart(db: Database.Database): void {
  const { name, counts } = TABLES.choices;
  db.exec(createTable(TABLES.choices));
  const chosen = counts.map((count) => `${count} > 0`).join(', ');
  db.exec(`INSERT INTO ${name} SELECT customer, start, term, doc, -(start / ${DAY_MS}), ${chosen}
    FROM matches WHERE ${counts.map((count) => `${count} > 0`).join(' OR ')}`);
  for (const count of counts) db.exec(`ALTER TABLE matches DROP COLUMN ${count}`);
}

/** Tells searchers apart: as with choices, each earlier day of a query counts as one shopper, with a number that none has. */
function tellSearchersApart(db: Database.Database): void {
  db.exec(createTable(TABLES.searchers));
  db.exec(`INSERT INTO ${TABLES.searchers.name} SELECT customer, start, term, -(start / ${DAY_MS}), queries FROM terms
    WHERE context = 'searches' AND label = '' AND span = 'd' AND currency = '' AND queries > 0`);
}
