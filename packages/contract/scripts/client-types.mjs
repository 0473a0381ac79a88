// Prints schemas of the published document as TypeScript interfaces that need no other package: the types of the client.
import { typeName } from './source.mjs';

const LINE_WIDTH = 110;

/** The schemas with those names and all that they refer to, in the order of their types' names. */
function closure(schemas, names) {
  const found = new Set();
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (typeof node.$ref === 'string') add(nameOf(node.$ref));
    for (const member of Object.values(node)) visit(member);
  };
  const add = (name) => {
    if (found.has(name)) return;
    if (schemas[name] === undefined) throw new Error(`openapi/ has no schema ${name}`);
    found.add(name);
    visit(schemas[name]);
  };
  names.forEach(add);
  return [...found].sort();
}

const nameOf = (reference) => reference.split('/').at(-1);

/** A description and a default as a doc comment. */
function comment({ description = '', default: fallback }, pad = '') {
  const told = fallback === undefined ? [] : [`Default ${JSON.stringify(fallback)}.`];
  const text = [description.trim().replace(/([^.])$/, '$1.'), ...told].filter((part) => part !== '').join(' ');
  if (text === '') return '';
  const lines = [''];
  for (const word of text.replaceAll('*/', '*\u200b/').split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== '' && pad.length + line.length + word.length > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  if (lines.length === 1) return `${pad}/** ${lines[0]} */\n`;
  return `${pad}/**\n${lines.map((line) => `${pad} * ${line}\n`).join('')}${pad} */\n`;
}

/** The type of a schema, in one expression. */
function typeOf(schema, depth = 0) {
  if (typeof schema.$ref === 'string') return typeName(nameOf(schema.$ref));
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((one) => typeOf(one, depth)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, depth)));
  switch (schema.type) {
    case undefined:
      return 'unknown';
    case 'integer':
      return 'number';
    case 'array':
      return arrayType(typeOf(schema.items ?? {}, depth));
    case 'object':
      return objectType(schema, depth);
    default:
      return schema.type;
  }
}

const union = (types) => [...new Set(types)].join(' | ');
const arrayType = (item) => (/[ {]/.test(item) ? `readonly (${item})[]` : `readonly ${item}[]`);

function objectType({ properties = {}, required = [], additionalProperties = true }, depth) {
  const pad = '  '.repeat(depth + 1);
  const members = Object.entries(properties).map(([name, member]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(member, depth + 1);
    const isRequired = required.includes(name);
    return `${comment(member, pad)}${pad}readonly ${key}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};\n`;
  });
  if (additionalProperties !== false) {
    const isOpen = additionalProperties === true || members.length > 0;
    members.push(`${pad}readonly [name: string]: ${isOpen ? 'unknown' : typeOf(additionalProperties, depth + 1)};\n`);
  }
  return members.length === 0 ? 'object' : `{\n${members.join('')}${'  '.repeat(depth)}}`;
}

/**
 * The module with the types of some schemas.
 *
 * @param {object} document as `published` gives it
 * @param {string[]} names of the schemas that are wanted for their own sake
 */
export function clientTypes({ components: { schemas } }, names) {
  const types = closure(schemas, names).map((name) => {
    const schema = schemas[name];
    const type = typeOf(schema);
    const isInterface = type.startsWith('{') && type.indexOf('\n}') === type.length - 2;
    const head = isInterface ? `interface ${typeName(name)} ` : `type ${typeName(name)} = `;
    return `${comment({ description: schema.description })}export ${head}${type}${isInterface ? '' : ';'}\n`;
  });
  return types.join('\n');
}
