import { documentOf } from './columns.js';
import type { Item, TableColumns } from './source.js';

interface RowOfTable {
  readonly place: number;
  readonly columns: TableColumns;
  readonly values: readonly (string | undefined)[];
  /** The texts of the cells, where the table is one of texts. */
  readonly cells?: readonly string[];
  readonly problem?: string | undefined;
  readonly kind?: string;
}

/** A row of a table. Its JSON is made only where somebody asks: a table may have very many that nobody reads. */
export class RowItem implements Item {
  readonly place: number;
  readonly columns: TableColumns;
  readonly values: readonly (string | undefined)[];
  readonly problem: string | undefined;
  readonly kind: string | undefined;
  readonly #cells: readonly string[] | undefined;

  constructor({ place, columns, values, cells, problem, kind }: RowOfTable) {
    this.place = place;
    this.columns = columns;
    this.values = values;
    this.problem = problem;
    this.kind = kind;
    this.#cells = cells;
  }

  get text(): string {
    if (this.problem !== undefined && this.#cells !== undefined) return JSON.stringify(this.#cells);
    return documentOf(this.columns.names.map((name, at) => [name, this.values[at]]));
  }

  get source(): string {
    return this.#cells?.join('\x1f') ?? this.text;
  }
}
