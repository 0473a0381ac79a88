// Prints the types of openapi/engine.yaml, which the server and the engine share, in TypeScript and in Rust. It knows
// the shapes that stand there and no others: objects whose members are all required or all have a default, arrays,
// enums, scalars, and null. openapi/README.md has the keywords beside those of JSON Schema.

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
  if (language === 'rust' && typeof schema['x-rust'] === 'string') return schema['x-rust'];
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1);
  if (schema.type === 'array') {
    const item = typeOf(schema.items, language);
    if (language !== 'ts') return `Vec<${item}>`;
    return item.startsWith('readonly ') ? `readonly (${item})[]` : `readonly ${item}[]`;
  }
  if (schema.type === 'object' && language === 'ts') return 'object';
  const scalar = scalars[schema.type];
  if (scalar === undefined) throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  return schema.format === 'float' && language === 'rust' ? 'f32' : scalar[language];
}

/**
 * Tells whether who sends an object may leave its members out. Either none may, or each has the default that stands
 * here. A required member with a default is one that Rust takes from those who send too little: its tests, and
 * definitions that earlier versions stored.
 */
function isOptional(name, { properties, required = [] }) {
  const names = Object.keys(properties);
  if (names.join() === required.join()) return false;
  if (required.length === 0 && names.every((member) => properties[member].default !== undefined)) return true;
  throw new Error(`${name}: every member is required, in the order they stand in, or every member has a default`);
}

/** Tells whether a default is the one that Rust gives the type anyway. */
function isEmpty(value) {
  return value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

/** A member's documentation says its default. */
function described({ description, default: value }) {
  if (value === undefined || isEmpty(value)) return { description };
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
  const members = Object.entries(schema.properties).filter(([, member]) => member['x-rust'] !== false);
  const defaults = members.map(([, member]) => member.default).filter((value) => value !== undefined);
  const isDefaulted = defaults.length === members.length;
  const derives = isDefaulted && defaults.every(isEmpty);
  const attributes = ['rename_all = "camelCase"'];
  if (!isAnswer && schema.additionalProperties !== true) attributes.push('deny_unknown_fields');
  if (isDefaulted) attributes.push('default');
  const also = isAnswer ? 'Clone, PartialEq, ' : isDefaulted ? `Clone, ${derives ? 'Default, ' : ''}` : '';
  const derive = `#[derive(Debug, ${also}${serde})]\n#[serde(${attributes.join(', ')})]\n`;
  const fields = members.map((member) => rustField(name, member, isDefaulted));
  const type = `${rustDoc(schema)}${derive}pub struct ${name} {\n${fields.join('')}}\n`;
  if (derives) return type;
  return isDefaulted ? `${type}\n${rustDefaults(name, members)}` : type + rustMemberDefaults(name, members);
}

/** A field of a struct; one with a default says it where the struct as a whole has none. */
function rustField(name, [member, type], isDefaulted) {
  const field = `    pub ${snakeCase(member)}: ${typeOf(type, 'rust')},\n`;
  return `${rustDoc(described(type), '    ')}${isDefaulted ? '' : serdeDefault(name, member, type)}${field}`;
}

function serdeDefault(name, member, { default: value }) {
  if (value === undefined) return '';
  const from = isEmpty(value) ? 'default' : `default = "${name}::${snakeCase(member)}_default"`;
  return `    #[serde(${from})]\n`;
}

/** The functions that {@link serdeDefault} names. */
function rustMemberDefaults(name, members) {
  const named = members.filter(([, { default: value }]) => value !== undefined && !isEmpty(value));
  const functions = named.map(
    ([member, type]) =>
      `    fn ${snakeCase(member)}_default() -> ${typeOf(type, 'rust')} {\n        ${rustValue(type.default)}\n    }\n`,
  );
  return functions.length === 0 ? '' : `\nimpl ${name} {\n${functions.join('\n')}}\n`;
}

/** A struct with a default for every member that is not the one of its type. */
function rustDefaults(name, members) {
  const fields = members.map(([member, type]) => `            ${snakeCase(member)}: ${rustValue(type.default)},\n`);
  return `impl Default for ${name} {\n    fn default() -> Self {\n        Self {\n${fields.join('')}        }\n    }\n}\n`;
}

/** A default as Rust writes it. */
function rustValue(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return grouped(value);
  throw new Error(`no default is known for ${JSON.stringify(value)}`);
}

/** The module of the types in TypeScript. */
export function engineTypesInTypeScript(schemas) {
  return Object.entries(schemas).map(tsType).join('\n');
}

/** The modules of the types in Rust, by the crate that reads or writes them. */
export function engineTypesInRust(schemas) {
  const types = Object.entries(schemas).filter(([, schema]) => schema['x-rust'] === undefined);
  const crateOf = ([, schema]) => schema['x-crate'] ?? 'engine';
  const crates = [...new Set(types.map(crateOf))];
  return crates.map((crate) => [crate, rustModule(types.filter((type) => crateOf(type) === crate))]);
}

function rustModule(types) {
  const code = types.map(rustType).join('\n');
  const traits = ['Deserialize', 'Serialize'].filter((trait) => code.includes(`, ${trait})`));
  return `use serde::${traits.length === 1 ? traits[0] : `{${traits.join(', ')}}`};\n\n${code}`;
}
