import type { Failure } from '../server/failure.js';
import { t } from '../strings/strings.js';
import { exampleOf, type KnownField } from './fields.js';

/** The reason behind the filter and the caret below it, or behind the filter alone. */
const FAULT = /^\s*Error parsing filter(?:: (?<filter>.*)\n *\^\nat position \d+|\s`.*`): (?<reason>.*)$/s;

const words = () => t.documents.filterFaults;

/** Reasons of the server, by how they begin, each with a sentence that says the same. */
const SENTENCES: readonly (readonly [sign: RegExp, told: (part: string, filter: string) => string])[] = [
  [/^Cannot parse token '(.*)'$/s, (token, filter) => words().token(token, bracketedOf(filter, token))],
  [/^Unexpected term '(.*)'\. Expected an operator$/s, (term) => words().joined(term)],
  [/^Expected term or expression, but found (\w+)$/s, (word) => words().nothingBehind(word)],
  [/^Unexpected (AND|OR)$/s, (word) => words().nothingBefore(word)],
  [/^Unexpected modifier '(NOT)'$/s, () => words().not],
  [/^Unexpected ([()])$/s, (sign) => words().parenthesis(sign)],
  [/^Unexpected expression ending/, () => words().joinedParentheses],
  [/^Unbalanced parentheses/, () => words().open],
  [/^Empty expression$/s, () => words().emptyParentheses],
  [/^Empty filter string/, () => words().empty],
  [/^Cannot parse range term '(.*)': /s, (term) => words().range(term, pointedOf(term))],
  [/^Expected end of term, but found '(.*)'$/s, (sign) => words().trailing(sign)],
  [/^(?:Expected \( after|Unexpected \[ after|Unexpected white space in IN)/, () => words().list],
];

/**
 * Tells in a sentence with an example why a filter cannot be read; undefined of a failure that is about anything else.
 * Sentences of the server that say themselves what to write stay as they are.
 */
export function filterFaultOf(failure: Failure | undefined, fields: readonly KnownField[]): string | undefined {
  const { reason, filter = '' } = FAULT.exec(failure?.message ?? '')?.groups ?? {};
  if (reason === undefined) return undefined;
  for (const [sign, told] of SENTENCES) {
    const [whole, part = ''] = sign.exec(reason) ?? [];
    if (whole !== undefined) return `${told(part, filter)} ${t.documents.filterExample(exampleOf(fields))}`;
  }
  return t.documents.filterUnreadable(reason.replace(/\.?$/s, '.'));
}

/** A condition whose value goes on behind a blank: its field, the first word of the value, and the others. */
const BLANKS =
  /(?<field>(?:\\.|[^\s\\():])+):(?<first>[^\s()[\]:]+)(?<others>(?:\s+(?!(?:AND|OR|NOT|IN|TO)\b)[^\s()[\]:]+(?!\S*:))+)/g;

/** The condition with its value in parentheses where a blank cut off the token; undefined where something else did. */
function bracketedOf(filter: string, token: string): string | undefined {
  for (const { groups: { field, first, others = '' } = {} } of filter.matchAll(BLANKS)) {
    const [next] = others.trim().split(/\s/, 1);
    if (next === token) return `${field}:(${first}${others})`;
  }
  return undefined;
}

/** A number with a decimal comma, which may have points between thousands. */
const COMMA = /(?<![\d.,])-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+(?![\d.,])/g;

/** A range with points in its numbers for the commas of decimals; undefined where it has none. */
function pointedOf(term: string): string | undefined {
  const pointed = term.replaceAll(COMMA, (number) => number.replaceAll('.', '').replace(',', '.'));
  return pointed === term ? undefined : pointed;
}
