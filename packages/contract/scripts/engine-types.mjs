// Prints the types of openapi/engine.yaml, which the server and the engine share, in TypeScript and in Rust. It knows
// the shapes that stand there and no others: objects whose members are all required or all have a default, maps,
// arrays, enums, scalars, and null. Types that the engine sends are marked `x-answer`; those that only TypeScript
// reads, `x-rust: false`; those whose defaults TypeScript reads too, `x-defaults: true`.

const scalars = {
  boolean: { ts: 'boolean', rust: 'bool' },
  integer: { ts: 'number', rust: 'usize' },
  number: { ts: 'number', rust: 'f64' },
  string: { ts: 'string', rust: 'String' },
};

/** `retrievalMethod` -> `retrieval_method` */
function snakeCase(name) {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function pascalCase(name) {
  return name[0].toUpperCase() + name.slice(1);
}

/** The schema without null, and whether it may be null. */
function withoutNull(schema) {
  if (schema.anyOf !== undefined) {
    const others = schema.anyOf.filter(({ type }) => type !== 'null');
    if (others.length !== 1) throw new Error('a choice is of one type and null');
    return { schema: others[0], isNullable: others.length < schema.anyOf.length };
  }
  if (!Array.isArray(schema.type)) return { schema, isNullable: false };
  const [type, ...rest] = schema.type.filter((one) => one !== 'null');
  if (type === undefined || rest.length > 0) throw new Error('a member is of one type');
  return { schema: { ...schema, type }, isNullable: schema.type.length > 1 };
}

/** How a member's type is written in `language`, `ts` or `rust`. */
function typeOf(member, language) {
  const { schema, isNullable } = withoutNull(member);
  const bare = bareType(schema, language);
  if (!isNullable) return bare;
  return language === 'ts' ? `${bare} | null` : `Option<${bare}>`;
}

function bareType(schema, language) {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if (schema.type === 'array') {
    const item = typeOf(schema.items, language);
    return language === 'ts' ? `readonly ${item}[]` : `Vec<${item}>`;
  }
  if (schema.type === 'object' && language === 'ts') return 'object';
  const scalar = scalars[schema.type];
  if (scalar === undefined) throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  return schema.format === 'float' && language === 'rust' ? 'f32' : scalar[language];
}

/**
 * Tells whether the members of an object may be left out. Either none may, or each has the default that stands here.
 */
function isOptional(name, { properties, required = [] }) {
  const names = Object.keys(properties);
  if (names.join() === required.join()) return false;
  if (required.length === 0 && names.every((member) => properties[member].default !== undefined)) return true;
  throw new Error(`${name}: every member is required, in the order they stand in, or every member has a default`);
}

/** A member's documentation says its default. */
function described({ description, default: value }) {
  if (value === undefined || value === null) return { description };
  return { description: `${description.trim().replace(/\.?$/, '.')} Default ${value.toLocaleString('en')}.` };
}

/** A description as lines of at most `width` characters, a full stop at its end. */
function sentences(description = '', width = 90) {
  const lines = [];
  for (const word of description.trim().replace(/\.?$/, '.').split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return description === '' ? [] : lines;
}

function tsDoc({ description }, indent = '') {
  const lines = sentences(description);
  if (lines.length < 2) return lines.map((line) => `${indent}/** ${line} */\n`).join('');
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function tsType([name, schema]) {
  if (schema.enum !== undefined) {
    return `${tsDoc(schema)}export type ${name} = ${schema.enum.map((value) => `'${value}'`).join(' | ')};\n`;
  }
  const mark = isOptional(name, schema) ? '?' : '';
  const members = Object.entries(schema.properties).map(
    ([member, type]) => `${tsDoc(described(type), '  ')}  readonly ${member}${mark}: ${typeOf(type, 'ts')};\n`,
  );
  const type = `${tsDoc(schema)}export interface ${name} {\n${members.join('')}}\n`;
  return schema['x-defaults'] === true ? `${type}\n${tsDefaults(name, schema)}` : type;
}

/** The defaults of the members that have one beside null. */
function tsDefaults(name, { properties }) {
  const members = Object.entries(properties).filter(([, { default: value }]) => value !== null);
  const lines = members.map(([member, { default: value }]) => `  ${member}: ${tsValue(value)},\n`);
  return `export const ${name[0].toLowerCase()}${name.slice(1)}Defaults = {\n${lines.join('')}};\n`;
}

function tsValue(value) {
  return typeof value === 'number' ? grouped(value) : JSON.stringify(value);
}

/** A whole number with its digits in groups of three, as both languages write it. */
function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '_');
}

function rustDoc({ description }, indent = '') {
  return sentences(description)
    .map((line) => `${indent}/// ${line}\n`)
    .join('');
}

function rustType([name, schema]) {
  const isAnswer = schema['x-answer'] === true;
  const serde = isAnswer ? 'Serialize' : 'Deserialize';
  if (schema.enum !== undefined) {
    const derive = `#[derive(Debug, Clone, Copy, PartialEq, Eq, ${serde})]\n#[serde(rename_all = "camelCase")]\n`;
    const variants = schema.enum.map((value) => `    ${pascalCase(value)},\n`);
    return `${rustDoc(schema)}${derive}pub enum ${name} {\n${variants.join('')}}\n`;
  }
  const members = Object.entries(schema.properties);
  const optional = isOptional(name, schema);
  const attributes = ['rename_all = "camelCase"'];
  if (!isAnswer) attributes.push('deny_unknown_fields');
  if (optional) attributes.push('default');
  const also = isAnswer ? 'Clone, PartialEq, ' : optional ? 'Clone, ' : '';
  const derive = `#[derive(Debug, ${also}${serde})]\n#[serde(${attributes.join(', ')})]\n`;
  const fields = members.map(
    ([member, type]) => `${rustDoc(described(type), '    ')}    pub ${snakeCase(member)}: ${typeOf(type, 'rust')},\n`,
  );
  const type = `${rustDoc(schema)}${derive}pub struct ${name} {\n${fields.join('')}}\n`;
  return optional ? `${type}\n${rustDefaults(name, members)}` : type;
}

function rustDefaults(name, members) {
  const fields = members.map(([member, type]) => `            ${snakeCase(member)}: ${rustValue(type.default)},\n`);
  return `impl Default for ${name} {\n    fn default() -> Self {\n        Self {\n${fields.join('')}        }\n    }\n}\n`;
}

/** A scalar as Rust writes it. */
function rustValue(value) {
  if (value === null) return 'None';
  return typeof value === 'number' ? grouped(value) : JSON.stringify(value);
}

/** The module of the types in TypeScript. */
export function engineTypesInTypeScript(schemas) {
  return Object.entries(schemas).map(tsType).join('\n');
}

/** The module of the types in Rust. */
export function engineTypesInRust(schemas) {
  const types = Object.entries(schemas).filter(([, schema]) => schema['x-rust'] !== false);
  return `use serde::{Deserialize, Serialize};\n\n${types.map(rustType).join('\n')}`;
}
