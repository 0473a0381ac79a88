import { sourceOf } from '../exact-json.js';

/** Fates of values that no field of an unstructured index holds. */
export const UNSTORABLE = ['flatten', 'refuse', 'json', 'drop'] as const;
export type Unstorable = (typeof UNSTORABLE)[number];

/** Tells whether a field of an unstructured index holds a value: a map holds numbers and truth values, a list texts. */
export function isStorable(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((entry) => typeof entry === 'string');
  if (typeof value !== 'object' || value === null || isNumber(value)) return true;
  return Object.values(value).every((entry) => entry === null || isNumber(entry) || typeof entry === 'boolean');
}

/** Numbers come as they are spelt, or as JavaScript reads them. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || sourceOf(value) !== undefined;
}
