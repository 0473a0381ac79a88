import { addColumn, type Column, eachValue, type Rows } from './columns.js';
import { TABLES } from './contributions.js';
import { DAY_MS } from './event.js';
import type { NameKind } from './names-table.js';
import { PACKED, type PackedFigures, type PackedTable, type Scope, type Unit } from './packed-figures.js';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The sums of a name in a range. */
export interface NamedSums {
  readonly name: string;
  /** Sums of the counts of the table, in the order of its counts, by currency; '' of what is no money. */
  readonly byCurrency: ReadonlyMap<string, Float64Array>;
  /** The first moment of the last day with any; null where it was not asked for. */
  readonly lastDay: number | null;
}

/** The factor by which sums get longer at once than they have to be. */
const GROWTH = 1.5;

type CountName<Table extends PackedTable> = (typeof TABLES)[Table]['counts'][number];

/** Sums over a range of a table, by name: what is asked of all names goes through columns, the rest is of a page alone. */
export class RangeFigures<Table extends PackedTable> {
  readonly #packed: PackedFigures;
  readonly #scope: Scope & { readonly table: Table };
  readonly #kind: NameKind;
  readonly #units: readonly Unit[];
  readonly #columns: readonly string[];
  readonly #holds: boolean;

  /** @param options as of {@link PackedFigures.rowsOf} */
  constructor(
    packed: PackedFigures,
    scope: Scope & { readonly table: Table },
    range: { readonly start: number; readonly end: number },
    { holds = true }: { readonly holds?: boolean } = {},
  ) {
    this.#packed = packed;
    this.#scope = scope;
    this.#kind = PACKED[scope.table].name;
    this.#units = packed.units(scope, range);
    this.#columns = TABLES[scope.table].counts;
    this.#holds = holds;
  }

  /** Sums of a count in a currency, '' of what is no money, by the number of the name. */
  sums(count: CountName<Table>, currency = ''): Float64Array {
    return this.sumsOf([count], currency)[0] as Float64Array;
  }

  /** The same of several counts. All that are asked for of a range are as long as there are numbers in it. */
  sumsOf(counts: readonly CountName<Table>[], currency = ''): Float64Array[] {
    const columns = counts.map((count) => this.#columns.indexOf(count));
    let sums: Float64Array[] = counts.map(() => new Float64Array());
    let size = 0;
    for (const rows of this.#rows()) {
      size = Math.max(size, rows.size);
      // Later days have more names, a few at a time.
      if (size > (sums[0] as Float64Array).length) sums = sums.map((sum) => copiedTo(size * GROWTH, sum));
      if (rows.currency !== currency) continue;
      for (const [place, column] of columns.entries()) {
        addColumn(sums[place] as Float64Array, rows.columns[column] as Column);
      }
    }
    return sums.map((sum) => sum.slice(0, size));
  }

  /**
   * The sums of the names with the highest keys; equal ones stand in the order of their names.
   * @param keys by number; NaN of those that do not count
   * @param seen the count that a day with any has
   */
  highest(keys: Float64Array, page: Page, seen?: CountName<Table>): NamedSums[] {
    const numbers = this.#ranked(keys, page);
    const names = this.#packed.names.namesOf(this.#kind, this.#scope.customer, numbers);
    const ordered = numbers.toSorted((a, b) => a - b);
    const sums = this.#allSumsOf(ordered);
    const lastDays = seen === undefined ? null : this.#lastDaysOf(ordered, seen);
    return numbers.map((number) => ({
      name: names.get(number) as string,
      byCurrency: sums.get(number) as Map<string, Float64Array>,
      lastDay: lastDays?.get(number) ?? null,
    }));
  }

  #ranked(keys: Float64Array, { limit, offset }: Page): number[] {
    const counted = keys.filter((key) => !Number.isNaN(key));
    if (offset >= counted.length || limit === 0) return [];
    const first = atPlace(counted, counted.length - 1 - offset);
    const last = atPlace(counted, Math.max(0, counted.length - offset - limit));
    const [above, equalFirst, between, equalLast]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let number = 0; number < keys.length; number += 1) {
      const key = keys[number] as number;
      if (key > first) above.push(number);
      else if (key === first) equalFirst.push(number);
      else if (key > last) between.push(number);
      else if (key === last) equalLast.push(number);
    }
    const skipped = offset - above.length;
    const page = this.#slice(equalFirst, skipped, skipped + limit);
    const middle = this.#slice(between, 0, between.length);
    page.push(...middle.sort((a, b) => (keys[b] as number) - (keys[a] as number)));
    return page.concat(this.#slice(equalLast, 0, limit - page.length));
  }

  #slice(numbers: readonly number[], from: number, to: number): number[] {
    if (numbers.length === 0 || to <= from) return [];
    return this.#packed.names.slice(this.#kind, this.#scope.customer, numbers, from, to);
  }

  /** One unit after the other: all of a long range would not fit into memory. */
  *#rows(): Generator<Rows> {
    for (const unit of this.#units) yield* this.#packed.rowsOf(unit, { holds: this.#holds });
  }

  /** Sums of all counts by currency. */
  #allSumsOf(numbers: readonly number[]): Map<number, Map<string, Float64Array>> {
    const sums = numbers.map(() => new Map<string, Float64Array>());
    for (const { currency, columns } of this.#rows()) {
      for (const [column, counts] of columns.entries()) {
        eachValue(counts, numbers, (place, value) => {
          const own = sums[place] as Map<string, Float64Array>;
          const sum = own.get(currency) ?? new Float64Array(columns.length);
          own.set(currency, sum);
          sum[column] = (sum[column] as number) + value;
        });
      }
    }
    // An amount that was taken back leaves a zero.
    for (const own of sums) {
      for (const [currency, sum] of own) if (sum.every((count) => count === 0)) own.delete(currency);
    }
    return new Map(numbers.map((number, place) => [number, sums[place] as Map<string, Float64Array>]));
  }

  /** The first moment of the last day with any of a count. */
  #lastDaysOf(numbers: readonly number[], seen: CountName<Table>): Map<number, number> {
    const lastDays = new Map<number, number>();
    const column = this.#columns.indexOf(seen);
    for (const unit of this.#units) {
      const counts = new Map<number, number>();
      for (const { currency, columns } of this.#packed.rowsOf(unit, { holds: this.#holds })) {
        if (currency !== '') continue;
        eachValue(columns[column] as Column, numbers, (place, value) => {
          const number = numbers[place] as number;
          counts.set(number, (counts.get(number) ?? 0) + value);
        });
      }
      const day = unit.start - (unit.start % DAY_MS);
      for (const [number, count] of counts) {
        if (count > 0) lastDays.set(number, Math.max(lastDays.get(number) ?? 0, day));
      }
    }
    return lastDays;
  }
}

function copiedTo(size: number, sums: Float64Array): Float64Array {
  const copy = new Float64Array(size);
  copy.set(sums);
  return copy;
}

/** The value that stands at `place` once `values` are sorted; partly sorts them (Hoare, Algorithm 65: Find). */
function atPlace(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >>> 1] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((values[left] as number) < pivot) left += 1;
      while ((values[right] as number) > pivot) right -= 1;
      if (left > right) break;
      const value = values[left] as number;
      values[left] = values[right] as number;
      values[right] = value;
      left += 1;
      right -= 1;
    }
    if (place <= right) high = right;
    else if (place >= left) low = left;
    else break;
  }
  return values[place] as number;
}
