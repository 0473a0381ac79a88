import { filterTerm, type KnownField } from './fields.js';

/** A text that can stand for what is being typed. */
export interface Completion {
  readonly label: string;
  /** Stands in place of the token that is typed. */
  readonly text: string;
  /** Tells whether it is a whole term, behind which a blank may follow. */
  readonly isWhole: boolean;
}

/** The token that the cursor stands behind. */
export interface Typed {
  readonly start: number;
  readonly token: string;
}

const MOST = 8;

/** The token before the cursor: a term or the beginning of one, back to a blank or a parenthesis outside of a group. */
export function typedAt(filter: string, cursor: number): Typed {
  const before = filter.slice(0, cursor);
  const open = /(\S+):\(([^)]*)$/.exec(before);
  if (open !== null) return { start: open.index, token: open[0] };
  const start = Math.max(before.lastIndexOf(' '), before.lastIndexOf('(')) + 1;
  return { start, token: before.slice(start) };
}

/** Completions of a token: names of fields, then values of the field, then the words that join terms. */
export function completionsOf(filter: string, typed: Typed, fields: readonly KnownField[]): readonly Completion[] {
  const { token, start } = typed;
  const colon = token.indexOf(':');
  if (colon >= 0) {
    const field = fields.find(({ name }) => filterTerm(name, 'x').startsWith(token.slice(0, colon + 1)));
    const begun = token
      .slice(colon + 1)
      .replace(/^\(/, '')
      .toLowerCase();
    return (field?.values ?? [])
      .filter((value) => value.toLowerCase().startsWith(begun) && filterTerm(field?.name ?? '', value) !== token)
      .slice(0, MOST)
      .map((value) => ({ label: value, text: filterTerm(field?.name ?? '', value), isWhole: true }));
  }
  if (isBehindTerm(filter.slice(0, start))) {
    return ['AND', 'OR']
      .filter((word) => word.startsWith(token.toUpperCase()))
      .map((word) => ({ label: word, text: word, isWhole: true }));
  }
  const begun = token.toLowerCase();
  return fields
    .filter(({ kind }) => kind !== 'map')
    .filter(({ name }) => name.toLowerCase().startsWith(begun))
    .slice(0, MOST)
    .map(({ name }) => ({ label: name, text: filterTerm(name, 'x').slice(0, -1), isWhole: false }));
}

/** Tells whether the text ends with a whole term, so that only AND and OR can follow. */
function isBehindTerm(before: string): boolean {
  return /(?:[^\s(]:\S+|\)|\])\s+$/.test(before) && !/(?:AND|OR|NOT)\s+$/.test(before);
}

/** The filter with a completion in place of the token, and the cursor behind it. */
export function completed(filter: string, { start, token }: Typed, { text, isWhole }: Completion) {
  const rest = filter.slice(start + token.length);
  const blank = isWhole && !rest.startsWith(' ') && rest === '' ? ' ' : '';
  const begun = `${filter.slice(0, start)}${text}${blank}`;
  return { filter: begun + rest, cursor: begun.length };
}
