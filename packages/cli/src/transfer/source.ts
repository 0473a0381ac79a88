import type { Header } from './file-format.js';
import type { RemoteVectors } from './remote/remote.js';

/** One document of a file, or what is none. */
export interface Item {
  /** Its place in the file, from 1: a line or a row. */
  readonly place: number;
  /** Its JSON, or the text that is none. */
  readonly text: string;
  /** The text as it stands in the file, where that is not the JSON. */
  readonly source?: string;
  /** The reason that it is no document. */
  readonly problem?: string | undefined;
  /** The part of the reason that others have too. */
  readonly kind?: string | undefined;
  /** The columns of the table that it is a row of. */
  readonly columns?: TableColumns;
  /** The JSON of the cells, one for each column; undefined for an empty one. */
  readonly values?: readonly (string | undefined)[];
}

/** The columns of a table. */
export interface TableColumns {
  readonly names: readonly string[];
  /** Tells that every value is a text, a number or a truth value. */
  readonly arePlain: boolean;
}

/** A file that documents are read from. */
export interface Source {
  /** The head of an export; undefined for other files. */
  readonly header: Header | undefined;
  /** The names of a table's columns; undefined of a file that names none before its documents do. */
  readonly names: readonly string[] | undefined;
  /** Tells the kind for which a file of other origin is taken, before anything is stored. */
  readonly note?: string | undefined;
  /** Vectors that documents bring as custom ones; undefined where they bring none so. */
  readonly vectors?: RemoteVectors | undefined;
  /** Gives the mark of a place from which a later import goes on; absent where the number of items is enough. */
  markOf?(items: number): string | undefined;
  /** The items after the first `skipped`, which an earlier import got done with, as many at once as are read at once. */
  items(skipped: number): AsyncGenerator<readonly Item[]>;
  /** The same file at its start: standard input cannot be read again. */
  again(): Promise<Source>;
  /** Tells whether it is an export of a format that ends with what tells that it is whole; the whole may be read for it. */
  isSealed(): Promise<boolean>;
  /** Tells the fault of the whole file; undefined where there is none, and where that cannot be told. */
  damage(): Promise<string | undefined>;
  /** The part that was read, 0 to 1; undefined where that cannot be told. */
  readonly done: number | undefined;
}
