// The filter of a request, from its parameters of several forms.

import { all, any, compares, type Filter, hasValue, isWithin, not } from './filter.js';
import { readFilters } from './filter-language.js';

/** A filter as a text, or lists of them: those of the outer list all hold, one of each inner list does. */
export type NestedFilters = string | readonly NestedFilters[];

export interface FilterParameters {
  readonly filters?: string | undefined;
  readonly facetFilters?: NestedFilters | undefined;
  readonly numericFilters?: NestedFilters | undefined;
}

/** The filter of a request; null where everything passes. */
export function requestedFilter({ filters, facetFilters, numericFilters }: FilterParameters): Filter {
  return all([
    filters === undefined ? null : readFilters(filters),
    nested(facetFilters ?? [], facetFilter),
    nested(numericFilters ?? [], numericFilter),
  ]);
}

function nested(given: NestedFilters, read: (text: string) => Filter): Filter {
  if (typeof given === 'string') return given.trim() === '' ? null : read(given);
  return all(given.map((inner) => (typeof inner === 'string' ? nested(inner, read) : oneOf(inner, read))));
}

function oneOf(given: readonly NestedFilters[], read: (text: string) => Filter): Filter {
  return any(given.map((inner) => nested(inner, read)));
}

/** `brand:Acme`, or `brand:-Acme` for all others. A value that begins with a minus is written with a backslash before it. */
function facetFilter(text: string): string {
  const at = text.indexOf(':');
  if (at < 1) throw new SyntaxError(`a facet filter is 'facet:value', received '${text.slice(0, 200)}'`);
  const [field, value] = [text.slice(0, at), text.slice(at + 1)];
  return value.startsWith('-') ? not(hasValue(field, meant(value.slice(1)))) : hasValue(field, meant(value));
}

const meant = (value: string): string => (value.startsWith('\\-') ? value.slice(1) : value);

/** The longest text that is read as a numeric filter: both forms are looked for at each of its characters. */
const NUMERIC_LENGTH_MAX = 1_000;
const COMPARISON = /^(.+?)\s*(<=|>=|!=|=|<|>)\s*(\S+)$/s;
const RANGE = /^(.+?):\s*(\S+)\s+TO\s+(\S+)$/s;

/** `price>=10`, or `price:10 TO 20`. */
function numericFilter(text: string): string {
  if (text.length > NUMERIC_LENGTH_MAX) {
    throw new SyntaxError(`a numeric filter has ${text.length} characters, of at most ${NUMERIC_LENGTH_MAX}`);
  }
  const [, ranged, from, to] = RANGE.exec(text.trim()) ?? [];
  if (isField(ranged) && isNumber(from) && isNumber(to)) return isWithin(ranged, Number(from), Number(to));
  const [, field, operator, number] = COMPARISON.exec(text.trim()) ?? [];
  if (isField(field) && operator !== undefined && isNumber(number)) return compares(field, operator, Number(number));
  throw new SyntaxError(`a numeric filter is 'price>=10' or 'price:10 TO 20', received '${text.slice(0, 200)}'`);
}

/** Tells whether a text names one field: several comparisons in one text would look for a field that no document has. */
function isField(text: string | undefined): text is string {
  if (text === undefined || /[<>=!]|(?:^|\s)(?:AND|OR|NOT)\s/.test(text)) return false;
  let open = 0;
  for (const mark of text.match(/[()]/g) ?? []) {
    open += mark === '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}

const isNumber = (text: string | undefined): boolean => text !== undefined && Number.isFinite(Number(text));
