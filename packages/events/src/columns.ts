import { deserialize, serialize } from 'node:v8';

/** A count other than 0 of each of `ids`, which are numbers of names in their order; one may stand there twice. */
export interface Column {
  readonly ids: Uint32Array;
  readonly values: Uint8Array | Uint32Array | Float64Array;
}

/** Rows of figures of one currency, a column for each count of their table. */
export interface Rows {
  readonly currency: string;
  readonly columns: readonly Column[];
  /** More than any number in it. */
  readonly size: number;
}

/** Gathers rows of all currencies. */
export class RowsBuilder {
  readonly #countNames: number;
  readonly #byCurrency = new Map<string, { ids: number[]; values: number[] }[]>();

  /** @param countNames how many counts a row has */
  constructor(countNames: number) {
    this.#countNames = countNames;
  }

  add(currency: string, id: number, count: (column: number) => number): void {
    let columns = this.#byCurrency.get(currency);
    if (columns === undefined) {
      columns = Array.from({ length: this.#countNames }, () => ({ ids: [], values: [] }));
      this.#byCurrency.set(currency, columns);
    }
    for (const [place, column] of columns.entries()) {
      const value = count(place);
      if (value === 0) continue;
      column.ids.push(id);
      column.values.push(value);
    }
  }

  build(): Rows[] {
    return [...this.#byCurrency].map(([currency, gathered]) => {
      const columns = gathered.map(columnOf);
      return { currency, columns, size: columns.reduce((size, { ids }) => Math.max(size, (ids.at(-1) ?? -1) + 1), 0) };
    });
  }
}

/** More than there are rows of an hour or a day. */
const PLACES = 2 ** 24;

function columnOf({ ids, values }: { readonly ids: readonly number[]; readonly values: readonly number[] }): Column {
  // Numbers sort many times faster than pairs do.
  const order = Float64Array.from(ids, (id, place) => id * PLACES + place).sort();
  return {
    ids: Uint32Array.from(order, (key) => Math.floor(key / PLACES)),
    values: narrowest(Array.from(order, (key) => values[key % PLACES] as number)),
  };
}

/** The values in few bytes each. There are no more kinds, so that code that reads them stays fast. */
function narrowest(values: readonly number[]): Column['values'] {
  let [least, most] = [0, 0];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least < 0 || most >= 2 ** 32) return Float64Array.from(values);
  return most < 2 ** 8 ? Uint8Array.from(values) : Uint32Array.from(values);
}

export function bytesOf(rows: readonly Rows[]): number {
  const columns = rows.flatMap((part) => part.columns);
  return columns.reduce((sum, { ids, values }) => sum + ids.byteLength + values.byteLength, 0);
}

export function encodeRows(rows: readonly Rows[]): Buffer {
  return serialize(rows);
}

export function decodeRows(bytes: Buffer): Rows[] {
  return deserialize(bytes) as Rows[];
}

/** Adds the counts of a column to `sums`, which are by number. */
export function addColumn(sums: Float64Array, { ids, values }: Column): void {
  for (let place = 0; place < ids.length; place += 1) {
    const id = ids[place] as number;
    sums[id] = (sums[id] as number) + (values[place] as number);
  }
}

/** Tells the values of `numbers`, which are in their order, by their places among them. */
export function eachValue(
  { ids, values }: Column,
  numbers: readonly number[],
  told: (place: number, value: number) => void,
): void {
  let from = 0;
  for (const [place, number] of numbers.entries()) {
    let to = ids.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((ids[middle] as number) < number) from = middle + 1;
      else to = middle;
    }
    for (; ids[from] === number; from += 1) told(place, values[from] as number);
  }
}
