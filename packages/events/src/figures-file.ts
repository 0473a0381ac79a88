import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Database from 'better-sqlite3';
import { hasDays, type Sums, TABLES, type TableName } from './contributions.js';
import { DamageError } from './damage.js';
import { emptyLog } from './durable-database.js';
import { DAY_MS, HOUR_MS } from './event.js';
import { bringUpToDate, FIGURES_FILE, SCHEMA } from './figures-format.js';
import { requireIntegrity } from './month-check.js';
import { CLEANED, cleanedBy, noteCleaned } from './month-file.js';
import { PackedFigures } from './packed-figures.js';

/** The outcomes of events that came, beside the figures: known since the last start that went well, not rebuilt. */
export type QualityReason = 'accepted' | 'duplicates' | 'late' | `rejected:${string}`;

interface Statements {
  readonly add: Database.Statement<unknown[]>;
  /** Removes a row that has come to nothing. */
  readonly drop: Database.Statement<unknown[]>;
}

/**
 * The sums that figures are read from, and up to which event of each month they go. All of it can be made anew from raw
 * events, except final rows: hours whose raw events may be gone.
 */
export class FiguresFile {
  readonly db: Database.Database;
  readonly packed: PackedFigures;
  readonly #statements: { readonly [Name in TableName]: Statements };
  readonly #quality = new Map<string, number>();

  /** @throws DamageError, NewerFormatError */
  constructor(folder: string) {
    this.db = new Database(join(folder, FIGURES_FILE));
    try {
      this.db.pragma('journal_mode = WAL');
      // Rows that a power cut takes from its end are added again from raw events.
      this.db.pragma('synchronous = NORMAL');
      // A query may tell of a user who is erased.
      this.db.pragma('secure_delete = ON');
      this.db.pragma('cache_size = -65536');
      const isToBeCountedAgain = bringUpToDate(this.db);
      this.db.exec(SCHEMA);
      this.db.exec(CLEANED);
      this.packed = new PackedFigures(this.db);
      if (isToBeCountedAgain) this.reset();
      const statements = Object.keys(TABLES).map((name) => [name, statementsOf(this.db, name as TableName)]);
      this.#statements = Object.fromEntries(statements);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /**
   * Compares rows that follow from others: sums of days with those of their hours.
   * @throws DamageError where anything in the file is not what was written
   */
  check(): void {
    requireIntegrity(this.db, FIGURES_FILE);
    this.watermarks();
    for (const name of Object.keys(TABLES) as TableName[]) {
      if (hasDays(name) && this.db.prepare(differingDays(name)).get() !== undefined) {
        throw new DamageError(FIGURES_FILE, `days of its ${name} are not what their hours come to`);
      }
    }
  }

  /**
   * Up to which event of each month the figures go.
   * @throws DamageError where that is not what was written: events would be counted twice, or never
   */
  watermarks(): Map<string, number> {
    const rows = this.db
      .prepare<[], { month: string; seq: number; sum: number | null }>('SELECT * FROM watermarks')
      .all();
    for (const { month, seq, sum } of rows) {
      if (sum !== null && sum !== crc32(`${month} ${seq}`))
        throw new DamageError(FIGURES_FILE, 'a watermark has another sum');
    }
    return new Map(rows.map(({ month, seq }) => [month, seq]));
  }

  /** Removes the watermarks of a month whose events are gone. */
  forgetMonth(month: string): void {
    this.db.prepare('DELETE FROM watermarks WHERE month = ?').run(month);
  }

  /** Adds `sums`, which go up to event `seq` of `month`. */
  advance(sums: Sums, month: string, seq: number): void {
    this.#change(() => {
      this.#add(sums);
      this.db.prepare('INSERT OR REPLACE INTO watermarks VALUES (?, ?, ?)').run(month, seq, crc32(`${month} ${seq}`));
    });
  }

  /** Adds the changes of an erasure in `month`, once. */
  erase(sums: Sums, job: string, month: string): void {
    this.#change(() => {
      this.#forgetTerms(this.#add(sums));
      this.db.prepare('INSERT INTO erased VALUES (?, ?)').run(job, month);
    });
    this.#sync();
  }

  hasErased(job: string, month: string): boolean {
    return this.db.prepare('SELECT 1 FROM erased WHERE job = ? AND month = ?').get(job, month) !== undefined;
  }

  forgetErasure(job: string): void {
    this.db.prepare('DELETE FROM erased WHERE job = ?').run(job);
  }

  /** Figures of a customer before this do not change any more. */
  finalBefore(customer: string): number {
    const row = this.db
      .prepare<[string], { before: number }>('SELECT before FROM final WHERE customer = ?')
      .get(customer);
    return row?.before ?? 0;
  }

  /** Makes the figures of `customer` final before `time`, the first of a day. */
  makeFinal(customer: string, time: number): void {
    this.db
      .prepare('INSERT INTO final VALUES (?, ?) ON CONFLICT DO UPDATE SET before = MAX(before, excluded.before)')
      .run(customer, time);
    this.#sync();
  }

  /** Empties rows that are not final, so that raw events are counted again from the first one on. */
  reset(): void {
    this.db.transaction(() => {
      for (const { name } of Object.values(TABLES)) {
        this.db.exec(
          `DELETE FROM ${name} WHERE start >= COALESCE((SELECT before FROM final WHERE final.customer = ${name}.customer), 0)`,
        );
      }
      this.db.exec('DELETE FROM watermarks');
      this.packed.reset();
    })();
  }

  /** Counts the outcomes of events that came at `received`. */
  note(customer: string, received: number, reason: QualityReason, count: number): void {
    if (count === 0) return;
    const key = JSON.stringify([customer, Math.floor(received / HOUR_MS) * HOUR_MS, reason]);
    this.#quality.set(key, (this.#quality.get(key) ?? 0) + count);
  }

  /** Writes the notes. */
  flushNotes(): void {
    if (this.#quality.size === 0) return;
    const add = this.db.prepare(
      'INSERT INTO quality VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
    );
    this.db.transaction(() => {
      for (const [key, count] of this.#quality) add.run(...(JSON.parse(key) as [string, number, string]), count);
    })();
    this.#quality.clear();
  }

  close(): void {
    try {
      this.flushNotes();
    } finally {
      this.db.close();
    }
  }

  /** The number of erasures that the figures were cleaned by; null where they do not say. */
  cleanedBy(): number | null {
    return cleanedBy(this.db);
  }

  /** Durable when it returns. */
  noteCleaned(erasures: number): void {
    noteCleaned(this.db, erasures);
    this.#sync();
  }

  /** Leaves no earlier copy of removed rows in the log. */
  emptyLog(): void {
    emptyLog(this.db);
  }

  /** In a transaction; what is in memory of changes that did not come about is forgotten. */
  #change(change: () => void): void {
    try {
      this.db.transaction(change)();
    } catch (error) {
      this.packed.forget();
      throw error;
    }
  }

  /** Adds to rows. Answers the terms of each customer of which a row came to nothing. */
  #add(sums: Sums): Map<string, Set<string>> {
    const ended = new Map<string, Set<string>>();
    const finals = new Map<string, number>();
    for (const { table, key, counts } of sums.rows()) {
      const customer = key[0] as string;
      const before = finals.get(customer) ?? this.finalBefore(customer);
      finals.set(customer, before);
      const { keys, counts: names } = TABLES[table];
      if ((key[(keys as readonly string[]).indexOf('start')] as number) < before) continue;
      const values = names.map((name) => counts[name] ?? 0);
      this.#statements[table].add.run(...key, ...values);
      this.packed.change(table, key, counts);
      if (values.every((value) => value >= 0) || this.#statements[table].drop.run(...key).changes === 0) continue;
      if (table === 'terms') ended.set(customer, (ended.get(customer) ?? new Set()).add(key[5] as string));
    }
    return ended;
  }

  /** A query may tell of the user whose events are gone: no name of it is left where no row is. */
  #forgetTerms(ended: ReadonlyMap<string, ReadonlySet<string>>): void {
    const isThere = this.db.prepare(
      `SELECT 1 FROM (SELECT customer, context, label, span, start FROM packed
         WHERE "table" = 'terms' AND customer = ? AND context = ? AND label = '' AND span = 'd')
       CROSS JOIN terms USING (customer, context, label, span, start) WHERE term = ? LIMIT 1`,
    );
    for (const [customer, terms] of ended) {
      const gone = [...terms].filter((term) =>
        ['searches', 'collections'].every((context) => isThere.get(customer, context, term) === undefined),
      );
      if (gone.length === 0) continue;
      this.packed.forgetNames('term', customer, gone);
      // Rows counted by an earlier form of these tables are not taken away by the events.
      for (const table of ['matches', 'choices', 'searchers']) {
        this.db
          .prepare(`DELETE FROM ${table} WHERE customer = ? AND term IN (SELECT value FROM json_each(?))`)
          .run(customer, JSON.stringify(gone));
      }
    }
  }

  /** Raw events are deleted only after this: rows written before must not be lost with them. */
  #sync(): void {
    this.db.pragma('wal_checkpoint(FULL)');
  }
}

/** Days whose hours come to something else. */
function differingDays(table: TableName): string {
  const { name, keys, counts } = TABLES[table];
  const others = keys.filter((key) => key !== 'span' && key !== 'start').join(', ');
  const differences = counts.map((count) => `SUM(CASE span WHEN 'h' THEN ${count} ELSE -${count} END) <> 0`);
  return `SELECT 1 FROM ${name} GROUP BY ${others}, start - start % ${DAY_MS} HAVING ${differences.join(' OR ')} LIMIT 1`;
}

function statementsOf(db: Database.Database, table: TableName): Statements {
  const { name, keys, counts } = TABLES[table];
  const places = [...keys, ...counts].map(() => '?').join(', ');
  const sums = counts.map((count) => `${count} = ${count} + excluded.${count}`).join(', ');
  const isKey = keys.map((key) => `${key} = ?`).join(' AND ');
  // Rows that an earlier form counted in another way may be taken away twice.
  const isNothing = counts.map((count) => `${count} ${hasDays(table) ? '=' : '<='} 0`).join(' AND ');
  return {
    add: db.prepare(`INSERT INTO ${name} VALUES (${places}) ON CONFLICT DO UPDATE SET ${sums}`),
    drop: db.prepare(`DELETE FROM ${name} WHERE ${isKey} AND ${isNothing}`),
  };
}
