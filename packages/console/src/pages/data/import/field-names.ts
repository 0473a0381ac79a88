import { t } from '../../../strings/strings.js';
import type { ImportPlan } from './columns.js';

/** The server's rule, which its own messages state (`packages/contract/src/names.ts`); a test holds the two together. */
const ALLOWED = /^(?!marqo__)[a-zA-Z_][a-zA-Z0-9_]*$/;
const RESERVED = ['_id', '_tensor_facets', '_highlights', '_score', '_found', '_embedding', '_tensors'];

/** Letters that no accent is taken from, and those that German writes with two. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss', ẞ: 'SS' },
  ...{ æ: 'ae', Æ: 'Ae', œ: 'oe', Œ: 'Oe', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ı: 'i' },
};

/** Tells whether a field can have the name. */
export const isFieldName = (name: string): boolean => ALLOWED.test(name) && !RESERVED.includes(name);

/** Names of fields for the columns whose own names no field can have, no two alike. */
export function fieldNamesOf(columns: readonly string[]): ReadonlyMap<string, string> {
  // A document may have its id in `_id`.
  const own = columns.filter((name) => name === '_id' || isFieldName(name));
  const taken = new Set(own);
  const proposed = new Map<string, string>();
  for (const [place, column] of columns.entries()) {
    if (own.includes(column)) continue;
    const stem = folded(column) || `column_${place + 1}`;
    let name = stem;
    for (let count = 2; taken.has(name) || !isFieldName(name); count += 1) name = `${stem}_${count}`;
    taken.add(name);
    proposed.set(column, name);
  }
  return proposed;
}

/** The name with letters from a to z, digits and underscores alone; empty where it has none of them. */
export function folded(column: string): string {
  const latin = column.normalize('NFC').replaceAll(/\P{ASCII}/gu, (letter) => LETTERS[letter] ?? letter);
  const plain = latin.normalize('NFD').replaceAll(/\p{M}/gu, '');
  const name = plain.replaceAll(/[^a-zA-Z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return /^\d/.test(name) ? `_${name}` : name.replace(/^(marqo__+)+/, '');
}

/** The field that a column becomes. */
export const fieldOf = (column: string, { names }: Pick<ImportPlan, 'names'>): string => names.get(column) ?? column;

/** Faults of the names of fields, by their column. */
export function nameFaultsOf(
  columns: readonly string[],
  { id, keepsId, leftOut, names }: Pick<ImportPlan, 'id' | 'keepsId' | 'leftOut' | 'names'>,
): ReadonlyMap<string, string> {
  const used = columns.filter((column) => (column === id ? keepsId : !leftOut.includes(column)));
  const faults = new Map<string, string>();
  for (const column of used.filter((one) => names.has(one))) {
    const name = fieldOf(column, { names });
    const other = used.find((one) => one !== column && fieldOf(one, { names }) === name);
    if (!isFieldName(name)) faults.set(column, RESERVED.includes(name) ? t.data.nameReserved(name) : t.data.nameRule);
    else if (other !== undefined) faults.set(column, t.data.nameTaken(other));
  }
  return faults;
}
