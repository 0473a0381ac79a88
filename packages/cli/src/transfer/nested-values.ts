import { sourceOf } from '../exact-json.js';
import { isStorable } from './unstorable.js';

type Members = Readonly<Record<string, unknown>>;

/** Numbers of a list from which on it is rather a vector, of which no texts are made. */
const VECTOR_LENGTH_MIN = 64;

/** Tells a value of which fields and lists of texts are made. */
export function isNested(value: unknown): boolean {
  if (isStorable(value)) return false;
  return !(Array.isArray(value) && value.length >= VECTOR_LENGTH_MIN && value.every(isNumber));
}

/**
 * The members of a document with those of nested maps on their own, as `map.key`, and with lists of other values than
 * texts as lists of texts. A list of maps gives a list for each key. Nulls in lists are left out.
 *
 * @param kept names of members that stay as they are
 */
export function flattened(document: Members, kept: ReadonlySet<string>): [string, unknown][] {
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(document)) {
    if (kept.has(name) || !isNested(value)) members.set(name, value);
    else {
      for (const [path, inner] of partsOf(name, value)) {
        let own = path;
        // A member may be called as one of a map already, or another way may have led to the same name.
        while (members.has(own) || (own !== name && Object.hasOwn(document, own))) own += ' ';
        members.set(own, inner);
      }
    }
  }
  return [...members];
}

function* partsOf(path: string, value: unknown): Generator<[string, unknown]> {
  if (!isNested(value)) yield [path, value];
  else if (Array.isArray(value)) {
    const lists = new Map<string, string[]>();
    gather(path, value, lists);
    yield* lists;
  } else for (const [key, inner] of Object.entries(value as Members)) yield* partsOf(`${path}.${key}`, inner);
}

/** Adds the texts of a value to the list of its path. */
function gather(path: string, value: unknown, lists: Map<string, string[]>): void {
  if (value === null) return;
  if (Array.isArray(value)) for (const entry of value) gather(path, entry, lists);
  else if (typeof value === 'object' && sourceOf(value) === undefined)
    for (const [key, inner] of Object.entries(value)) gather(`${path}.${key}`, inner, lists);
  else {
    const text = typeof value === 'string' ? value : (sourceOf(value) ?? String(value));
    const list = lists.get(path);
    if (list === undefined) lists.set(path, [text]);
    else list.push(text);
  }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || sourceOf(value) !== undefined;
