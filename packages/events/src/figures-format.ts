import type Database from 'better-sqlite3';
import { MONEY_HIGH, MONEY_PARTS, TABLES } from './contributions.js';
import { AMOUNT_MAX, QUANTITY_MAX } from './event.js';

/** The form of the tables, as `user_version` tells it: 1 has money in two counts, and none that an order can spoil. */
export const FIGURES_FORMAT = 1;

const tables = Object.values(TABLES);

/**
 * Brings tables of an earlier form to this one, all or nothing. Where an hour comes to more than an order can, one that no
 * bound kept out may have spoilt it: all that is not final is to be counted again, and what is final loses those sums.
 * @returns whether figures are to be counted again from the first event on
 */
export function bringUpToDate(db: Database.Database): boolean {
  if (db.pragma('user_version', { simple: true }) === FIGURES_FORMAT) return false;
  const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'totals'").get() === undefined;
  return db.transaction(() => {
    const isSpoilt = !isNew && upgrade(db);
    db.pragma(`user_version = ${FIGURES_FORMAT}`);
    return isSpoilt;
  })();
}

function upgrade(db: Database.Database): boolean {
  const isSpoilt = db.prepare(`SELECT 1 FROM totals WHERE ${isBeyondAnOrder} LIMIT 1`).get() !== undefined;
  for (const { name, counts } of tables) {
    const hasMoney = (counts as readonly string[]).includes('revenue_high');
    if (hasMoney) db.exec(`ALTER TABLE ${name} ADD COLUMN revenue_high INTEGER NOT NULL DEFAULT 0`);
    if (isSpoilt) for (const count of counts) db.exec(`UPDATE ${name} SET ${count} = 0 WHERE ${isNoSum(count)}`);
    if (!hasMoney) continue;
    db.exec(
      `UPDATE ${name} SET revenue_high = revenue / ${MONEY_HIGH}, revenue = revenue % ${MONEY_HIGH} WHERE revenue >= ${MONEY_HIGH}`,
    );
  }
  // Packed columns have none for the new count.
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'packed'").get() !== undefined) {
    db.exec('UPDATE packed SET columns = NULL WHERE columns IS NOT NULL');
  }
  return isSpoilt;
}

const isNoSum = (count: string) => `typeof(${count}) <> 'integer' OR ABS(${count}) > ${Number.MAX_SAFE_INTEGER}`;
const isBeyondAnOrder = `${isNoSum('revenue')} OR revenue > ${AMOUNT_MAX * MONEY_PARTS}
  OR ${isNoSum('purchases')} OR purchases > ${QUANTITY_MAX}`;
