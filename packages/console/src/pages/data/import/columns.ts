import { kindOf } from '../../../documents/fields.js';
import { t } from '../../../strings/strings.js';
import type { FileRow } from '../files/file-row.js';
import { type ColumnType, convertedOf, fits, guessedType, likelyType, staysText } from './cell-values.js';
import { fieldOf } from './field-names.js';

export interface Column {
  readonly name: string;
  /** The type of its values; `mixed` of values that have several. */
  readonly type: ColumnType | 'mixed';
  /** The share of the rows that have it, 0 to 1. */
  readonly share: number;
  readonly examples: readonly string[];
  /** Mean length of its texts. */
  readonly meanLength: number;
  /** Tells whether no value stands in two rows. */
  readonly isUnique: boolean;
  /** Tells whether its values look like the names of things: whole numbers, or texts in one piece with a digit. */
  readonly hasCodes: boolean;
}

const EXAMPLES = 3;
/** The longest id of a document. */
const ID_LENGTH_MAX = 2048;

/** The columns of some rows, in the order in which they come first. */
export function columnsOf(rows: readonly FileRow[], isText: boolean): readonly Column[] {
  const documents = rows.flatMap(({ fields }) => (fields === undefined ? [] : [fields]));
  const names = [...new Set(documents.flatMap((document) => Object.keys(document)))];
  return names.map((name) => {
    const values = documents.flatMap((document) => (name in document ? [document[name]] : []));
    const texts = values.map(shownOf);
    const type = isText ? guessedType(texts) : typeOf(values);
    return {
      ...{ name, type },
      share: values.length / Math.max(documents.length, 1),
      examples: [...new Set(texts)].slice(0, EXAMPLES),
      meanLength: texts.reduce((sum, { length }) => sum + length, 0) / Math.max(texts.length, 1),
      isUnique: new Set(texts).size === texts.length,
      hasCodes: type === 'number' ? texts.every((text) => /^\d+$/.test(text)) : type === 'text' && texts.every(isCode),
    };
  });
}

export const shownOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function typeOf(values: readonly unknown[]): Column['type'] {
  const kinds = new Set(values.map(kindOf));
  if (kinds.size !== 1) return 'mixed';
  const [kind] = kinds;
  return kind === 'text' || kind === 'number' || kind === 'truth' ? kind : 'json';
}

/** Names of columns with ids, without what is no letter, best first. */
const ID_NAMES = [
  ...['id', 'uuid', 'key', 'sku', 'isbn', 'gtin', 'ean'],
  ...[
    'artikelnr',
    'artikelnummer',
    'artnr',
    'productid',
    'produktid',
    'produktnr',
    'bestellnr',
    'itemno',
    'itemnumber',
  ],
  ...['nr', 'nummer', 'no', 'number', 'url'],
];
/** A text that names a thing: in one piece, with a digit, and no date. */
const CODE = /^(?=\D*\d)(?!\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$)[\p{L}\d][\p{L}\d._/-]{0,63}$/u;

/**
 * The column whose values name documents best, by its name; else the first of the file, where it has codes.
 * Undefined where none has a value of its own in every row: an id that is no field is lost to the search.
 */
export function idColumnOf(columns: readonly Column[]): string | undefined {
  const fit = columns.filter(({ share, isUnique }) => share === 1 && isUnique);
  const [first] = columns;
  const byValues = first !== undefined && fit.includes(first) && first.hasCodes ? first : undefined;
  return (namedAsId(fit) ?? byValues)?.name;
}

/** The column whose name is best for ids. */
function namedAsId(columns: readonly Column[]): Column | undefined {
  const exact = columns.find(({ name }) => name === '_id');
  const byName = ID_NAMES.flatMap((wanted) => columns.filter(({ name }) => lettersOf(name) === wanted));
  return exact ?? byName[0] ?? columns.find(({ name }) => /[_-]id$|Id$/.test(name));
}

/** A value that two rows have in one column. */
export interface Double {
  readonly column: string;
  readonly value: string;
  readonly rows: readonly [first: number, second: number];
}

/** The first value of a column that stands in a second row. */
export function doubleOf(rows: readonly FileRow[], column: string): Double | undefined {
  const seen = new Map<string, number>();
  for (const { row, fields = {} } of rows) {
    if (!Object.hasOwn(fields, column)) continue;
    const value = shownOf(fields[column]);
    const before = seen.get(value);
    if (before !== undefined) return { column, value, rows: [before, row] };
    seen.set(value, row);
  }
  return undefined;
}

/** The share of different values from which a column is one of ids with a slip. */
const ALMOST_ALL = 0.9;

/** The double for which a column with the name of one of ids, and almost only values of their own, has none. */
export function doubledIdOf(rows: readonly FileRow[], columns: readonly Column[]): Double | undefined {
  const named = namedAsId(columns.filter(({ share }) => share === 1));
  if (named === undefined || named.isUnique) return undefined;
  const values = rows.flatMap(({ fields }) => (fields === undefined ? [] : [shownOf(fields[named.name])]));
  return new Set(values).size >= values.length * ALMOST_ALL ? doubleOf(rows, named.name) : undefined;
}

const isCode = (text: string): boolean => CODE.test(text);
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\d]/gu, '');

const TENSOR_FIELDS_MAX = 3;
const TEXT_LENGTH_MIN = 20;

/** Columns with texts that mean something: the longest, in their order. */
export function tensorColumnsOf(columns: readonly Column[], id: string | undefined): readonly string[] {
  const texts = columns.filter(
    ({ name, type, meanLength, examples }) =>
      type === 'text' && name !== id && meanLength >= TEXT_LENGTH_MIN && !/^(https?|data):/.test(examples[0] ?? ''),
  );
  const longest = texts.toSorted((a, b) => b.meanLength - a.meanLength).slice(0, TENSOR_FIELDS_MAX);
  return texts.filter((one) => longest.includes(one)).map(({ name }) => name);
}

/** The choices for an import. */
export interface ImportPlan {
  /** The column of ids; undefined where the server makes them. */
  readonly id: string | undefined;
  /** Tells whether that column becomes a text field besides: an id is found by no words. */
  readonly keepsId: boolean;
  /** Columns whose texts get vectors. */
  readonly tensorColumns: readonly string[];
  readonly leftOut: readonly string[];
  /** Names of the fields that columns become, by their column, where it is not the column's own. */
  readonly names: ReadonlyMap<string, string>;
  /** The field that gets the id of rows that lack it, as each must have it; none when absent. */
  readonly filledField?: string | undefined;
  /** Types that texts become, by their column. */
  readonly types: Readonly<Record<string, ColumnType>>;
}

/** A document of a row, or the reason for which it is none, with the row's id where it has one. */
export function documentOf(
  { fields = {}, fault }: FileRow,
  { id, keepsId, leftOut, names, filledField, types }: ImportPlan,
): { readonly document: Record<string, unknown> } | { readonly fault: string; readonly id: string } {
  if (fault !== undefined) return { fault, id: '' };
  const document: Record<string, unknown> = {};
  if (id !== undefined) {
    const value = Object.hasOwn(fields, id) ? fields[id] : undefined;
    if (value === undefined) return { fault: t.data.faults.noId(id), id: '' };
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    if (text === '' || text.length > ID_LENGTH_MAX) return { fault: t.data.faults.id(id), id: '' };
    document._id = text;
    if (keepsId) document[fieldOf(id, { names })] = text;
  }
  for (const [name, value] of Object.entries(fields)) {
    if (name === id || leftOut.includes(name)) continue;
    const converted = typeof value === 'string' ? convertedOf(value, types[name] ?? 'text') : value;
    if (converted === undefined) {
      return { fault: faultOf(name, value as string, types), id: String(document._id ?? '') };
    }
    document[fieldOf(name, { names })] = converted;
  }
  if (filledField !== undefined && document._id !== undefined) document[filledField] ??= document._id;
  return { document };
}

function faultOf(name: string, value: string, types: ImportPlan['types']): string {
  return t.data.faults.value(name, value, t.data.typeWords[types[name] ?? 'text']);
}

/** The columns of a row whose values are to be dates and are none: they stay texts. */
export function undatedOf({ fields = {} }: FileRow, { id, leftOut, types }: ImportPlan): readonly string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const type = types[name] ?? 'text';
    if (name === id || leftOut.includes(name) || typeof value !== 'string' || !staysText(type)) return [];
    return fits(value, type) ? [] : [name];
  });
}

/** The values of some rows that a type does not fit: how many, and the first. */
export interface Misfits {
  readonly count: number;
  readonly row: number;
  readonly value: string;
}

/** The values of a column that cannot become the type; undefined where all can. */
export function misfitsOf(rows: readonly FileRow[], column: string, type: ColumnType): Misfits | undefined {
  const bad = rows.flatMap(({ row, fields = {} }) => {
    const value = Object.hasOwn(fields, column) ? fields[column] : undefined;
    return typeof value === 'string' && !fits(value, type) ? [{ row, value }] : [];
  });
  const [first] = bad;
  return first && { count: bad.length, ...first };
}

/** The type of most values of a column of texts, and what stands against it. */
export interface Leaning {
  readonly type: NonNullable<ReturnType<typeof likelyType>>;
  /** The number of values, and of those that fit. */
  readonly values: number;
  readonly fits: number;
  /** The first that does not. */
  readonly misfit: Misfits | undefined;
}

/** The type that most values of a column have; undefined where its texts are of no other one. */
export function leaningOf(rows: readonly FileRow[], column: string): Leaning | undefined {
  const texts = rows.flatMap(({ fields = {} }) => {
    const value = Object.hasOwn(fields, column) ? fields[column] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
  const type = likelyType(texts);
  if (type === undefined) return undefined;
  const misfit = misfitsOf(rows, column, type);
  return { type, values: texts.length, fits: texts.length - (misfit?.count ?? 0), misfit };
}
