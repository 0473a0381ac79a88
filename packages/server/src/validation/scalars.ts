/** Stands for "no such value": the caller reports the problem. */
export const unreadable = Symbol('unreadable');

const truths = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const falsehoods = new Set(['false', '0', 'no', 'off', 'f', 'n']);

/** A boolean, one of the usual words in any case, or 1 or 0. */
export function readBoolean(value: unknown): boolean | typeof unreadable {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== 'string') return unreadable;
  const word = value.toLowerCase();
  if (truths.has(word)) return true;
  return falsehoods.has(word) ? false : unreadable;
}

/** A finite number or its decimal text. A boolean is no number: taken for one, it would hide a mistake in a vector. */
export function readNumber(value: unknown): number | typeof unreadable {
  if (typeof value === 'number') return Number.isFinite(value) ? value : unreadable;
  if (typeof value !== 'string' || !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return unreadable;
  const number = Number(value);
  return Number.isFinite(number) ? number : unreadable;
}

/** As a number, without a fraction; a text must be digits alone. */
export function readInteger(value: unknown): number | typeof unreadable {
  if (typeof value === 'string' && !/^\s*[+-]?\d+\s*$/.test(value)) return unreadable;
  const number = readNumber(value);
  return Number.isInteger(number) ? number : unreadable;
}

/** A string, or a number as its decimal text. */
export function readString(value: unknown): string | typeof unreadable {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : unreadable;
}
