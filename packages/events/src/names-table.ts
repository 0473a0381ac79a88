import type Database from 'better-sqlite3';

/** The kind of thing that rows of figures are about: queries and collections, or products. */
export type NameKind = 'term' | 'doc';

/** Names of so many numbers are looked up one by one; of more, all names are gone through in their order. */
const LOOKED_UP_MAX = 5_000;

export const NAMES_SCHEMA = `
  CREATE TABLE names (kind TEXT NOT NULL, customer TEXT NOT NULL, name TEXT NOT NULL,
    number INTEGER NOT NULL, PRIMARY KEY (kind, customer, name)) WITHOUT ROWID;
  CREATE UNIQUE INDEX names_by_number ON names (kind, customer, number);`;

/** Numbers from 0 on that terms and products of a customer have in columns. */
export class NamesTable {
  readonly #select: Database.Statement<[string, string, string], { number: number }>;
  readonly #insert: Database.Statement<unknown[], { number: number }>;
  readonly #delete: Database.Statement<[string, string, string]>;
  readonly #selectNames: Database.Statement<[string, string, string], { number: number; name: string }>;
  readonly #ordered: Database.Statement<[string, string], number>;

  constructor(db: Database.Database) {
    this.#select = db.prepare('SELECT number FROM names WHERE kind = ? AND customer = ? AND name = ?');
    this.#insert = db.prepare(`INSERT INTO names SELECT $kind, $customer, $name,
      (SELECT COALESCE(MAX(number) + 1, 0) FROM names WHERE kind = $kind AND customer = $customer) RETURNING number`);
    this.#delete = db.prepare('DELETE FROM names WHERE kind = ? AND customer = ? AND name = ?');
    // The sign keeps SQLite from going through all names for the sake of their order.
    this.#selectNames = db.prepare(`SELECT number, name FROM names
      WHERE kind = ? AND customer = ? AND number IN (SELECT value FROM json_each(?)) ORDER BY +name`);
    this.#ordered = db
      .prepare<[string, string], number>('SELECT number FROM names WHERE kind = ? AND customer = ? ORDER BY name')
      .pluck();
  }

  /** The number of a name, which gets one if it has none. */
  numberFor(kind: NameKind, customer: string, name: string): number {
    const found = this.#select.get(kind, customer, name) ?? this.#insert.get({ kind, customer, name });
    return (found as { number: number }).number;
  }

  /** The number of a name; undefined of one that has none. */
  numberOf(kind: NameKind, customer: string, name: string): number | undefined {
    return this.#select.get(kind, customer, name)?.number;
  }

  forget(kind: NameKind, customer: string, name: string): void {
    this.#delete.run(kind, customer, name);
  }

  /** Names of numbers, in the order of the names. */
  namesOf(kind: NameKind, customer: string, numbers: readonly number[]): Map<number, string> {
    const rows = this.#selectNames.all(kind, customer, JSON.stringify(numbers));
    return new Map(rows.map(({ number, name }) => [number, name]));
  }

  /** Returns `numbers` from place `from` up to `to` in the order of their names. */
  slice(kind: NameKind, customer: string, numbers: readonly number[], from: number, to: number): number[] {
    if (numbers.length <= LOOKED_UP_MAX) return [...this.namesOf(kind, customer, numbers).keys()].slice(from, to);
    const isWanted = new Set(numbers);
    const page: number[] = [];
    let place = 0;
    for (const number of this.#ordered.iterate(kind, customer)) {
      if (!isWanted.has(number)) continue;
      if (place >= from) page.push(number);
      place += 1;
      if (place >= to) break;
    }
    return page;
  }
}
