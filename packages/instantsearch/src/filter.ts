// Filters of the search service, put together from parts. Nothing that a person types is read as language.

/** Everything of ASCII but letters, digits and what stands in names and numbers may mean something in a filter. */
const MEANINGFUL = /[^\w.\-\u0080-\uffff]/g;

/** A text of which every character stands for itself, in a name or a value. */
const escaped = (text: string): string => text.replace(MEANINGFUL, '\\$&');

/** A filter, or null where everything passes. */
export type Filter = string | null;

/** Documents whose field has this value: a text in any case, an element of a list, a number or a truth value. */
export function hasValue(field: string, value: string): string {
  // A group in parentheses cannot be empty; an item of a list can.
  return value === '' ? `${escaped(field)} IN (,)` : `${escaped(field)}:(${escaped(value)})`;
}

/** Documents whose field has a number from `from` to `to`, both among them; null for no limit. */
export function isWithin(field: string, from: number | null, to: number | null): string {
  return `${escaped(field)}:[${from ?? '*'} TO ${to ?? '*'}]`;
}

export const not = (filter: string): string => `NOT (${filter})`;

/** Documents that pass every filter. */
export const all = (filters: readonly Filter[]): Filter => joined(filters, ' AND ');

/** Documents that pass one filter at least. */
export const any = (filters: readonly Filter[]): Filter => joined(filters, ' OR ');

function joined(filters: readonly Filter[], operator: string): Filter {
  const given = filters.filter((filter) => filter !== null);
  if (given.length === 0) return null;
  return given.length === 1 ? (given[0] as string) : given.map((filter) => `(${filter})`).join(operator);
}

/** Comparisons of a field with a number, by their operator. */
const comparisons: Readonly<Record<string, (field: string, number: number) => string>> = {
  '<=': (field, number) => isWithin(field, null, number),
  '>=': (field, number) => isWithin(field, number, null),
  '=': (field, number) => isWithin(field, number, number),
  '!=': (field, number) => not(isWithin(field, number, number)),
  '<': (field, number) => `${isWithin(field, null, number)} AND ${not(isWithin(field, number, number))}`,
  '>': (field, number) => `${isWithin(field, number, null)} AND ${not(isWithin(field, number, number))}`,
};

/** Documents whose number compares so, `price >= 10`. */
export function compares(field: string, operator: string, number: number): string {
  const compared = comparisons[operator];
  if (compared === undefined || !Number.isFinite(number)) {
    throw new RangeError(`no comparison of '${field}' with a number: ${operator} ${number}`);
  }
  return compared(field, number);
}
