// Prints JSON schemas as TypeScript constants.

/** Keywords that describe and do not constrain: they stay in the document and out of the constants. */
const descriptive = new Set(['description', 'example', 'examples', 'format', 'x-name', 'x-unlisted']);

/** `index-settings` -> `IndexSettings` */
export function typeName(name) {
  return name
    .split('-')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('');
}

function isSchemaMap(key) {
  return key === 'properties';
}

/** An object or array that may be null, as a choice of two: type inference knows only that form. */
function nullableAsChoice(schema) {
  if (!Array.isArray(schema.type) || !schema.type.some((type) => type === 'object' || type === 'array')) return schema;
  const { type, default: fallback, ...rest } = schema;
  const choice = { anyOf: type.map((one) => (one === 'null' ? { type: one } : { type: one, ...rest })) };
  return fallback === undefined ? choice : { ...choice, default: fallback };
}

/** A `$ref` as the name of its constant, with what constrains beside it put over that. */
function referenceSource({ $ref, ...rest }, depth) {
  const name = typeName($ref.split('/').at(-1));
  const beside = Object.entries(rest).filter(([key]) => !descriptive.has(key));
  const members = beside.map(([key, member]) => `, ${key}: ${sourceOf(member, depth)}`);
  return members.length === 0 ? name : `{ ...${name}${members.join('')} }`;
}

/** `value` as a literal; `$ref` becomes the name of the constant. `properties` may hold any member name. */
export function sourceOf(value, depth = 0, parentKey = '') {
  const pad = '  '.repeat(depth + 1);
  const end = '  '.repeat(depth);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== 'object')) {
      return `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
    }
    return `[\n${value.map((item) => `${pad}${sourceOf(item, depth + 1)},\n`).join('')}${end}]`;
  }
  if (typeof value.$ref === 'string') return referenceSource(value, depth);
  const schema = isSchemaMap(parentKey) ? value : nullableAsChoice(value);
  const members = Object.entries(schema).filter(([key]) => isSchemaMap(parentKey) || !descriptive.has(key));
  if (members.length === 0) return '{}';
  const lines = members.map(([key, member]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${pad}${name}: ${sourceOf(member, depth + 1, isSchemaMap(parentKey) ? '' : key)},\n`;
  });
  return `{\n${lines.join('')}${end}}`;
}
