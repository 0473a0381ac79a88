import type Database from 'better-sqlite3';
import { bytesOf, decodeRows, encodeRows, type Rows, RowsBuilder } from './columns.js';
import { TABLES } from './contributions.js';
import { DamageError } from './damage.js';
import { DAY_MS, HOUR_MS } from './event.js';
import { FIGURES_FILE } from './figures-format.js';
import { NAMES_SCHEMA, type NameKind, NamesTable } from './names-table.js';

/** Tables that are packed, by the kind of name in their rows, and the columns before span and start in their keys. */
export const PACKED = {
  terms: { name: 'term', scope: ['customer', 'context', 'label'] },
  products: { name: 'doc', scope: ['customer', 'context', 'label'] },
  actions: { name: 'doc', scope: ['customer'] },
} as const satisfies Record<string, { name: NameKind; scope: readonly string[] }>;

export type PackedTable = keyof typeof PACKED;

/**
 * The rows of a table that belong together: customer, context and label, the last two of them empty where the table has
 * none.
 */
export interface Scope {
  readonly table: PackedTable;
  readonly customer: string;
  readonly context: string;
  readonly label: string;
}

/** All rows of one hour or day. */
export interface Unit extends Scope {
  readonly span: 'h' | 'd';
  readonly start: number;
}

/** A row's sums that change, as they are added to its table. */
interface Change {
  readonly name: string;
  readonly currency: string;
  readonly counts: Readonly<Record<string, number>>;
}

interface Held {
  rows: readonly Rows[];
  bytes: number;
  /** The changes to the table since, in the order of their coming. */
  changes: Change[];
  changeCount: number;
}

/** A unit is packed when views in it cannot lead to anything any more, but for events that come late. */
const QUIET_MS = 2 * DAY_MS + HOUR_MS;
/** Memory of units that were asked for lately: 30 days of a shop with ten million events take 100 MiB. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;
/** Memory of a change that waits, about. */
const CHANGE_BYTES = 200;
/** Units that are known not to be packed, so that changes of theirs need no look-up; more begin anew. */
const OPEN_UNITS_MAX = 50_000;
/** The range that is read ahead: the one that most ask for, of as many days of all shops and tables together. */
const AHEAD_MS = 30 * DAY_MS;
const AHEAD_MAX = 1_000;
/** Share of the memory that they may take: units that are asked for have the rest. */
const AHEAD_SHARE = 0.5;

const unitColumns = '"table", customer, context, label, span, start';

/** `columns` is null of a unit that has changed since it was packed. Every hour and day with rows has an entry. */
const schema = `
  CREATE TABLE packed ("table" TEXT NOT NULL, customer TEXT NOT NULL, context TEXT NOT NULL,
    label TEXT NOT NULL, span TEXT NOT NULL, start INTEGER NOT NULL, columns BLOB, PRIMARY KEY (${unitColumns}));
  CREATE INDEX packed_due ON packed (start) WHERE columns IS NULL;
  ${NAMES_SCHEMA}`;

/** Lists a unit, or notes that it has changed. */
const openUnit = `INSERT INTO packed (${unitColumns}) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET columns = NULL WHERE columns IS NOT NULL`;

/**
 * Figures column by column, for answers that need every term or product of a range: rows of a table take a microsecond
 * each, those of columns a nanosecond. All of it follows from the rows and can be made anew: an hour or day is packed some
 * time after its last change; one that is not is read from its rows when it is asked for, and then kept up in memory.
 */
export class PackedFigures {
  readonly names: NamesTable;
  readonly #db: Database.Database;
  readonly #heldBytesMax: number;
  readonly #open: Database.Statement<unknown[]>;
  readonly #select: Database.Statement<unknown[], { columns: Buffer | null }>;
  readonly #listed: Database.Statement<unknown[], number>;
  readonly #due: Database.Statement<[number], Unit>;
  readonly #pack: Database.Statement<unknown[]>;
  readonly #tables: { readonly [Table in PackedTable]: Database.Statement<unknown[], unknown[]> };
  /** Least recently used first. */
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;
  readonly #openUnits = new Set<string>();
  readonly #latestDays: Database.Statement<[number], Unit>;
  /** Days that are still to be read ahead, the latest last; null before it is known which. */
  #ahead: Unit[] | null = null;
  #aheadBytes = 0;

  constructor(db: Database.Database, heldBytesMax = HELD_BYTES_MAX) {
    this.#db = db;
    this.#heldBytesMax = heldBytesMax;
    setUp(db);
    this.names = new NamesTable(db);
    const isUnit = '"table" = ? AND customer = ? AND context = ? AND label = ? AND span = ?';
    this.#open = db.prepare(openUnit);
    this.#select = db.prepare(`SELECT columns FROM packed WHERE ${isUnit} AND start = ?`);
    this.#listed = db
      .prepare<unknown[], number>(
        `SELECT start FROM packed WHERE ${isUnit} AND start >= ? AND start < ? ORDER BY start`,
      )
      .pluck();
    this.#due = db.prepare(
      `SELECT ${unitColumns} FROM packed WHERE columns IS NULL AND start < ? ORDER BY start LIMIT 1`,
    );
    this.#latestDays = db.prepare(
      `SELECT ${unitColumns} FROM packed WHERE span = 'd' AND label = '' AND start >= ?
       ORDER BY start DESC LIMIT ${AHEAD_MAX}`,
    );
    this.#pack = db.prepare(`UPDATE packed SET columns = ? WHERE ${isUnit} AND start = ?`);
    this.#tables = {
      terms: this.#selectOf('terms'),
      products: this.#selectOf('products'),
      actions: this.#selectOf('actions'),
    };
  }

  /** Takes note of an addition to a row, in the transaction that makes it. */
  change(table: string, key: readonly (string | number)[], counts: Readonly<Record<string, number>>): void {
    if (!isPacked(table)) return;
    const after = PACKED[table].scope.length;
    const [customer, context, label] = (after === 1 ? [key[0], '', ''] : key) as [string, string, string];
    const [span, start] = [key[after] as 'h' | 'd', key[after + 1] as number];
    const unit = { table, customer, context, label, span, start };
    const id = idOf(unit);
    if (!this.#openUnits.has(id)) {
      if (this.#openUnits.size >= OPEN_UNITS_MAX) this.#openUnits.clear();
      this.#open.run(...valuesOf(unit));
      this.#openUnits.add(id);
    }
    const held = this.#held.get(id);
    if (held === undefined) return;
    const [name, currency = ''] = [key[after + 2] as string, key[after + 3] as string | undefined];
    held.changes.push({ name, currency, counts });
    held.changeCount += 1;
    // Beyond that, reading the rows anew is cheaper.
    if (held.changeCount * CHANGE_BYTES > held.bytes + 100 * CHANGE_BYTES) this.#release(id);
  }

  /** Forgets the units in memory: after changes that did not come about, and those that nobody noted. */
  forget(): void {
    this.#held.clear();
    this.#heldBytes = 0;
    this.#openUnits.clear();
  }

  /** Forgets the numbers of names that no row has any more. */
  forgetNames(kind: NameKind, customer: string, names: Iterable<string>): void {
    this.forget();
    for (const name of names) this.names.forget(kind, customer, name);
  }

  /** All units are to be packed anew. */
  reset(): void {
    this.forget();
    this.#db.exec('UPDATE packed SET columns = NULL');
  }

  /** Forgets the numbers of all names too. */
  makeAnew(): void {
    this.reset();
    this.#db.exec('DELETE FROM names');
  }

  /** Packs one unit that has not changed for long. Tells whether there was one. */
  packNext(now: number): boolean {
    const unit = this.#due.get(now - QUIET_MS);
    if (unit === undefined) return false;
    const id = idOf(unit);
    this.#release(id);
    this.#db.transaction(() => this.#pack.run(encodeRows(this.#read(unit)), ...valuesOf(unit)))();
    this.#openUnits.delete(id);
    return true;
  }

  /**
   * Reads one day before anyone asks for it, once for each of the latest after a start: one that is not packed takes half
   * a second in a large shop, for which the first answer would wait. Tells whether there was one.
   */
  readAhead(now: number): boolean {
    this.#ahead ??= this.#latestDays.all(now - AHEAD_MS).reverse();
    const hasRoom = this.#aheadBytes < this.#heldBytesMax * AHEAD_SHARE;
    const unit = hasRoom ? this.#ahead.pop() : undefined;
    if (unit !== undefined) this.#aheadBytes += bytesOf(this.rowsOf(unit));
    return unit !== undefined;
  }

  /** The first moments of hours or days that have rows, from `start` up to `end`. */
  starts(scope: Scope, span: 'h' | 'd', start: number, end: number): number[] {
    return this.#listed.all(scope.table, scope.customer, scope.context, scope.label, span, start, end);
  }

  /** Hours and days of a range: whole days by the day, and so the last one where nothing is known beyond the range. */
  units(scope: Scope, { start, end }: { readonly start: number; readonly end: number }): Unit[] {
    const firstDay = Math.min(end, Math.ceil(start / DAY_MS) * DAY_MS);
    const lastDay = Math.max(firstDay, Math.floor(end / DAY_MS) * DAY_MS);
    const isOver = lastDay < end && this.starts(scope, 'h', end, lastDay + DAY_MS).length === 0;
    const daysEnd = isOver ? end : lastDay;
    const unitsOf = (span: 'h' | 'd', from: number, to: number) =>
      this.starts(scope, span, from, to).map((at): Unit => ({ ...scope, span, start: at }));
    return [...unitsOf('h', start, firstDay), ...unitsOf('d', firstDay, daysEnd), ...unitsOf('h', daysEnd, end)];
  }

  /**
   * The rows of an hour or day, which are held as long as there is room: ranges may have more than fits.
   * @param options whether to hold what is packed too: not for work that nobody waits for, which would push out the rest
   */
  rowsOf(unit: Unit, { holds = true }: { readonly holds?: boolean } = {}): readonly Rows[] {
    const id = idOf(unit);
    const known = this.#held.get(id);
    const packed = known === undefined ? this.#packedOf(unit) : null;
    if (packed !== null && !holds) return unpacked(packed);
    // Names that have no number yet get one.
    const held = known ?? this.#db.transaction(() => this.#loaded(unit, packed))();
    this.#held.delete(id);
    this.#held.set(id, held);
    if (held.changes.length > 0) this.#db.transaction(() => this.#fold(unit, held))();
    this.#trim();
    return held.rows;
  }

  #packedOf(unit: Unit): Buffer | null {
    return this.#select.get(...valuesOf(unit))?.columns ?? null;
  }

  #loaded(unit: Unit, packed: Buffer | null): Held {
    const rows = packed === null ? this.#read(unit) : unpacked(packed);
    const held: Held = { rows, bytes: bytesOf(rows), changes: [], changeCount: 0 };
    this.#heldBytes += held.bytes;
    return held;
  }

  /** Changes become rows of their own beside the others. */
  #fold({ table, customer }: Unit, held: Held): void {
    const { counts: names } = TABLES[table];
    const rows = new RowsBuilder(names.length);
    for (const { name, currency, counts } of held.changes) {
      const number = this.names.numberFor(PACKED[table].name, customer, name);
      rows.add(currency, number, (column) => counts[names[column] as string] ?? 0);
    }
    const added = rows.build();
    const bytes = bytesOf(added);
    held.rows = [...held.rows, ...added];
    held.bytes += bytes;
    held.changes = [];
    this.#heldBytes += bytes;
  }

  /** The rows of a unit from its table. */
  #read(unit: Unit): Rows[] {
    const { table, customer } = unit;
    const rows = new RowsBuilder(TABLES[table].counts.length);
    const unnamed: unknown[][] = [];
    const scope = PACKED[table].scope.map((part) => unit[part]);
    const add = (row: readonly unknown[], number: number) =>
      rows.add(row[2] as string, number, (column) => row[column + 3] as number);
    for (const row of this.#tables[table].all(...scope, unit.span, unit.start)) {
      if (row[0] === null) unnamed.push(row);
      else add(row, row[0] as number);
    }
    for (const row of unnamed) add(row, this.names.numberFor(PACKED[table].name, customer, row[1] as string));
    return rows.build();
  }

  #selectOf(table: PackedTable): Database.Statement<unknown[], unknown[]> {
    const { name, scope } = PACKED[table];
    const currency = table === 'actions' ? "''" : 'currency';
    const isUnit = [...scope, 'span', 'start'].map((key) => `${table}.${key} = ?`).join(' AND ');
    // Names are read only where they have no number: texts cost more than all the rest.
    return this.#db
      .prepare<unknown[], unknown[]>(
        `SELECT number, CASE WHEN number IS NULL THEN ${name} END, ${currency}, ${TABLES[table].counts.join(', ')}
         FROM ${table} LEFT JOIN names ON names.kind = '${name}' AND names.customer = ${table}.customer AND names.name = ${name}
         WHERE ${isUnit}`,
      )
      .raw();
  }

  #release(id: string): void {
    this.#heldBytes -= this.#held.get(id)?.bytes ?? 0;
    this.#held.delete(id);
  }

  #trim(): void {
    for (const id of this.#held.keys()) {
      if (this.#heldBytes <= this.#heldBytesMax) return;
      this.#release(id);
    }
  }
}

/** Makes the tables, and lists the hours and days of figures that were made before there were packed ones: all or nothing. */
function setUp(db: Database.Database): void {
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'packed'").get() !== undefined) return;
  db.transaction(() => {
    db.exec(schema);
    const open = db.prepare<unknown[]>(openUnit);
    for (const table of Object.keys(PACKED) as PackedTable[]) {
      for (const key of unitKeys(db, table)) {
        const scope = table === 'actions' ? [key[0], '', ''] : key.slice(0, 3);
        open.run(table, ...scope, ...key.slice(-2));
      }
    }
  })();
}

/** The key that rows of one hour or day share, each once, without reading all of them. */
function* unitKeys(db: Database.Database, table: PackedTable): Generator<unknown[]> {
  const { scope } = PACKED[table];
  const keys = [...scope, 'span', 'start'].join(', ');
  const next = db
    .prepare<unknown[], unknown[]>(
      `SELECT ${keys} FROM ${table} WHERE (${keys}) > (${keys.replaceAll(/\w+/g, '?')}) ORDER BY ${keys} LIMIT 1`,
    )
    .raw();
  let key: unknown[] | undefined = [...scope.map(() => ''), '', Number.MIN_SAFE_INTEGER];
  while (true) {
    key = next.get(...key);
    if (key === undefined) return;
    yield key;
  }
}

function unpacked(bytes: Buffer): Rows[] {
  try {
    return decodeRows(bytes);
  } catch {
    throw new DamageError(FIGURES_FILE, 'packed columns cannot be read');
  }
}

function isPacked(table: string): table is PackedTable {
  return table in PACKED;
}

function valuesOf({ table, customer, context, label, span, start }: Unit): (string | number)[] {
  return [table, customer, context, label, span, start];
}

/** The length tells where the customer ends, whatever is in it. */
function idOf({ table, customer, context, label, span, start }: Unit): string {
  return `${table} ${span} ${start} ${context} ${customer.length} ${customer} ${label}`;
}
