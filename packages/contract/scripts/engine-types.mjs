// Prints the types of openapi/engine.yaml, which the server and the engine share, in TypeScript and in Rust. It knows
// the shapes that stand there and no others: objects without optional members, arrays, enums, scalars, and null.

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
  const scalar = scalars[schema.type];
  if (scalar === undefined) throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  return schema.format === 'float' && language === 'rust' ? 'f32' : scalar[language];
}

/** The members of an object, all of which must be required: one that may be left out would need a default on each side. */
function membersOf(name, { properties, required = [] }) {
  const names = Object.keys(properties);
  if (names.join() !== required.join())
    throw new Error(`${name}: every member is required, in the order they stand in`);
  return Object.entries(properties);
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
  const members = membersOf(name, schema).map(
    ([member, type]) => `${tsDoc(type, '  ')}  readonly ${member}: ${typeOf(type, 'ts')};\n`,
  );
  return `${tsDoc(schema)}export interface ${name} {\n${members.join('')}}\n`;
}

function rustDoc({ description }, indent = '') {
  return sentences(description)
    .map((line) => `${indent}/// ${line}\n`)
    .join('');
}

function rustType([name, schema]) {
  if (schema.enum !== undefined) {
    const derive = '#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]\n#[serde(rename_all = "camelCase")]\n';
    const variants = schema.enum.map((value) => `    ${pascalCase(value)},\n`);
    return `${rustDoc(schema)}${derive}pub(crate) enum ${name} {\n${variants.join('')}}\n`;
  }
  const derive = '#[derive(Debug, Deserialize)]\n#[serde(rename_all = "camelCase", deny_unknown_fields)]\n';
  const members = membersOf(name, schema).map(
    ([member, type]) => `${rustDoc(type, '    ')}    pub ${snakeCase(member)}: ${typeOf(type, 'rust')},\n`,
  );
  return `${rustDoc(schema)}${derive}pub(crate) struct ${name} {\n${members.join('')}}\n`;
}

/** The module of the types in TypeScript. */
export function engineTypesInTypeScript(schemas) {
  return Object.entries(schemas).map(tsType).join('\n');
}

/** The module of the types in Rust. */
export function engineTypesInRust(schemas) {
  return `use serde::Deserialize;\n\n${Object.entries(schemas).map(rustType).join('\n')}`;
}
