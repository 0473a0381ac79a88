// Fills the parts of docs/interface that others own: openapi/ the operations, members, parameters, limits and errors, the
// registry the names of models. A part stands between `<!-- from openapi: KIND NAMES -->`, or `<!-- from registry: ... -->`,
// and `<!-- end -->`; all around it is written by hand.
import { readdirSync, readFileSync } from 'node:fs';
import { bodyLimitBytesDefault, bodyPartsMaxDefault } from './operations.mjs';

const part = /(<!-- from (?:openapi|registry): (.+?) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Every page of `folder` as [URL, text], its generated parts anew. */
export function interfacePages(folder, sources) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => {
    const page = new URL(name, folder);
    return [page, filled(readFileSync(page, 'utf8').replaceAll('\r\n', '\n'), name, sources)];
  });
}

function filled(text, page, sources) {
  return text.replace(part, (_all, start, what, end) => {
    const [kind, ...names] = what.split(' ');
    const table = tables[kind]?.(sources, names);
    if (table === undefined) throw new Error(`docs/interface/${page} asks for ${what}, which there is not`);
    return `${start}\n${table}\n\n${end}`;
  });
}

const tables = {
  /** The error catalogue. */
  errors: ({ errors }) =>
    table(
      ['code', 'status', 'type', 'stands for'],
      Object.entries(errors).map(([code, { status, type, about }]) => [`\`${code}\``, status, `\`${type}\``, about]),
    ),
  /** The operations of some tags. */
  operations: ({ document, operations }, tags) =>
    table(
      ['method and path', 'takes a key of', 'does'],
      tagged(document, operations, tags).map(({ row, source }) => [
        callOf(row),
        whoMayCall(row),
        `${source.summary}${row.switch === null ? '' : ` (off until \`${row.switch}\` is set)`}`,
      ]),
    ),
  /** The members of schemas; of a list those of its entries. */
  members: ({ document }, names) =>
    names.map((name) => table(['member', 'type', 'default', 'meaning'], memberRows(document, name))).join('\n\n'),
  /** The query parameters and headers of an operation. */
  parameters: ({ document }, [operationId]) =>
    table(
      ['parameter', 'in', 'type', 'default', 'meaning'],
      parametersOf(document, operationId).map(({ name, in: place, schema, description }) => [
        `\`${name}\``,
        place,
        typeOf(document, schema),
        valueText(fallbackOf(document, schema)),
        description ?? aboutOf(document, schema),
      ]),
    ),
  /** How large a body may be, where an operation does not take the usual one. */
  limits: ({ document, operations }) => {
    const paths = Object.keys(document.paths);
    const unusual = operations.filter(({ body, ...row }) => body !== null && boundsOf(row) !== boundsOf(usual));
    return table(
      ['method and path', 'bytes', 'names, texts, arrays and objects', 'values'],
      unusual
        .sort((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path))
        .map((row) => [callOf(row), row.bodyLimitBytes, row.bodyPartsMax, row.bodyValuesMax]),
    );
  },
  /** The names of models of some types, those that differ in their last part alone in one row. */
  models: ({ models }, types) =>
    table(
      ['name', 'dimensions', 'tokens', 'picture', 'size'],
      joined(models.filter(({ type }) => types.includes(type))).map(({ names, entry }) => [
        names.map((name) => `\`${name}\``).join(', '),
        entry.dimensions ?? '',
        entry.tokens ?? entry.tokenizer?.contextLength ?? '',
        entry.picture?.size ?? '',
        entry.size,
      ]),
    ),
};

/** Entries of the registry that tell the same of themselves, under the first name and the ends of the others. */
function joined(entries) {
  const rows = new Map();
  for (const entry of entries) {
    const { name, aliases = [], dimensions, tokens, tokenizer, picture, size } = entry;
    const end = name.lastIndexOf('/') + 1;
    const alike = [dimensions, tokens, tokenizer?.contextLength, picture?.size, size, aliases.length];
    const key = `${name.split('/').length > 2 ? name.slice(0, end) : name} ${alike}`;
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { names: [name, ...aliases], entry });
    else row.names.push(`…/${name.slice(end)}`);
  }
  return [...rows.values()];
}

/** The bounds of a body for which openapi/ says nothing. */
const usual = {
  bodyLimitBytes: bodyLimitBytesDefault,
  bodyPartsMax: bodyPartsMaxDefault,
  bodyValuesMax: bodyPartsMaxDefault,
};

function boundsOf({ bodyLimitBytes, bodyPartsMax, bodyValuesMax }) {
  return `${bodyLimitBytes} ${bodyPartsMax} ${bodyValuesMax}`;
}

function callOf({ method, path }) {
  return `\`${method} ${path}\``;
}

/** The scope that a key needs, or what stands for a key. */
function whoMayCall({ scope, credential }) {
  if (credential === 'tracking') return 'tracking key';
  return credential === 'shopper' ? `${scope}, or the index id` : scope;
}

/** Rows of the operation table beside what openapi/ says of them, by tag and path. */
function tagged(document, operations, tags) {
  const all = operations.map((row) => ({ row, source: document.paths[row.path][row.method.toLowerCase()] }));
  const chosen = tags.join(' ').split(', ');
  const known = new Set(document.tags.map(({ name }) => name));
  for (const tag of chosen) if (!known.has(tag)) throw new Error(`openapi/ has no tag ${tag}`);
  const paths = Object.keys(document.paths);
  return chosen.flatMap((tag) =>
    all
      .filter(({ source }) => source.tags[0] === tag)
      .sort((a, b) => paths.indexOf(a.row.path) - paths.indexOf(b.row.path)),
  );
}

/** Parameters of an operation, those of its path last. */
function parametersOf(document, operationId) {
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      if (operation.operationId !== operationId) continue;
      return (operation.parameters ?? [])
        .map((one) => (one.$ref === undefined ? one : document.components.parameters[one.$ref.split('/').at(-1)]))
        .filter((one) => one.in !== 'path');
    }
  }
  throw new Error(`openapi/ has no operation ${operationId}`);
}

function memberRows(document, name) {
  const schema = document.components.schemas[name];
  if (schema === undefined) throw new Error(`openapi/ has no schema ${name}`);
  return rowsOf(document, schema.type === 'array' ? resolved(document, schema.items) : schema);
}

/** A row for each member, below it those of an object that is spelt out in its place: `fields[].order`. */
function rowsOf(document, schema, within = '') {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [
      `\`${within}${name}\``,
      typeOf(document, member),
      required.has(name) ? 'required' : valueText(fallbackOf(document, member)),
      aboutOf(document, member),
    ],
    ...rowsOf(document, member, `${within}${name}.`),
    ...rowsOf(document, member.items ?? {}, `${within}${name}[].`),
  ]);
}

function resolved(document, schema) {
  if (typeof schema.$ref !== 'string') return schema;
  const { $ref, ...beside } = schema;
  return { ...document.components.schemas[$ref.split('/').at(-1)], ...beside };
}

function fallbackOf(document, member) {
  return resolved(document, member).default;
}

/** The first description there is: of the member, of its schema, of a choice of these. */
function aboutOf(document, member) {
  const { description, anyOf } = resolved(document, member);
  return description ?? (anyOf ?? []).map((one) => aboutOf(document, one)).find((about) => about !== '') ?? '';
}

function typeOf(document, member) {
  const schema = resolved(document, member);
  if (schema.anyOf !== undefined) {
    return [...new Set(schema.anyOf.map((one) => typeOf(document, one)))].join(' or ');
  }
  if (schema.enum !== undefined) return schema.enum.map(valueText).join(', ');
  const types = [schema.type ?? 'anything'].flat();
  return types.map((type) => oneType(document, type, schema)).join(' or ');
}

function oneType(document, type, schema) {
  if (type === 'array')
    return `array${between(schema.minItems, schema.maxItems)} of ${typeOf(document, schema.items ?? {})}`;
  if (type === 'string') return `string${between(schema.minLength, schema.maxLength, ' characters')}`;
  if (type !== 'integer' && type !== 'number') return type;
  const above = schema.exclusiveMinimum === undefined ? '' : ` above ${schema.exclusiveMinimum}`;
  return `${type}${above}${between(schema.minimum, schema.maximum)}`;
}

function between(least, most, unit = '') {
  if (least !== undefined && most !== undefined) return ` (${least} to ${most}${unit})`;
  if (least !== undefined) return ` (${least} or more${unit})`;
  return most === undefined ? '' : ` (at most ${most}${unit})`;
}

function valueText(value) {
  return value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function cell(value) {
  return String(value)
    .trim()
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ');
}
