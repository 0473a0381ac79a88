// Excerpts of request values for messages, as the crate `excerpt` and the documents' `JsonValue::echo` make them for
// the engine: however long a value is, an answer is short.

/** Longest echo of a value, in UTF-16 units. */
const TEXT_LENGTH_MAX = 256;
/** Longest list of names, in UTF-16 units. */
const LIST_LENGTH_MAX = 4096;

/** The start of a text, no half of a surrogate pair in it, with dots where that is not all of it. */
export function truncated(text: string): string {
  return cut(text.isWellFormed() ? text : text.slice(0, TEXT_LENGTH_MAX + 1).toWellFormed(), TEXT_LENGTH_MAX);
}

/** Names in one line, as many of them as an answer has room for, with dots where that is not all. */
export function joinedTruncated(names: readonly string[]): string {
  return cut(names.join(', '), LIST_LENGTH_MAX);
}

/**
 * A value of JSON as clients of this interface have always read it: texts in single quotes, inside lists and objects
 * too, and `None`, `True` and `False`. A long value is cut, and ends in dots.
 */
export function echoed(value: unknown): string {
  return truncated(printed(value));
}

/** At least as much of `value` as is shown, and little more. */
function printed(value: unknown): string {
  if (typeof value === 'string') return `'${truncated(value)}'`;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${printedItems(value, printed)}]`;
  if (typeof value !== 'object') return String(value);
  return `{${printedItems(Object.entries(value), ([name, member]) => `${printed(name)}: ${printed(member)}`)}}`;
}

function printedItems<Item>(items: readonly Item[], print: (item: Item) => string): string {
  let line = '';
  for (const [i, item] of items.entries()) {
    if (line.length > TEXT_LENGTH_MAX) break;
    line += `${i > 0 ? ', ' : ''}${print(item)}`;
  }
  return line;
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax).toWellFormed()}...`;
}
