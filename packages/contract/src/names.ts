import { truncated } from './excerpt.js';

const RESERVED_PREFIX = 'marqo__';
const RESERVED_FIELDS = ['_id', '_tensor_facets', '_highlights', '_score', '_found', '_embedding', '_tensors'];

/** Longest name that an index can be created with, in characters: the name of its folder holds it, and more. */
export const INDEX_NAME_LENGTH_MAX = 222;

/** The reason that no index can be called `name`, however old it is; undefined where one can. */
export function indexNameProblem(name: string): string | undefined {
  if (name.startsWith(RESERVED_PREFIX)) return `Index name must not start with "${RESERVED_PREFIX}"`;
  if (/^[a-zA-Z_-][a-zA-Z0-9_-]*$/.test(name)) return undefined;
  return `"${truncated(name)}" is not a valid index name. Index name must match [a-zA-Z_-][a-zA-Z0-9_-]* and must not start with "${RESERVED_PREFIX}"`;
}

/** The reason that `name` cannot name a field; undefined when it can. */
export function fieldNameProblem(name: string): string | undefined {
  if (name.startsWith(RESERVED_PREFIX))
    return `${truncated(name)}: Field name must not start with "${RESERVED_PREFIX}"`;
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) {
    return `"${truncated(name)}": Field name must match [a-zA-Z_][a-zA-Z0-9_]* and must not start with "${RESERVED_PREFIX}"`;
  }
  if (RESERVED_FIELDS.includes(name)) return `${name}: Field name must not be one of ${RESERVED_FIELDS.join(', ')}`;
  return undefined;
}
