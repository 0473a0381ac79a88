// Turns openapi/ into src/generated: the bundled document, the schemas as constants with static types, the operation
// table, the error catalogue, and the types that the server and the engine share, in Rust beside the code that reads
// them; the types of the client, which stand alone; and fills the parts of docs/interface that openapi/ and the registry
// of models own.
// `--check` writes nothing and fails when what is committed differs.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { writeOrCompare } from '../../../scripts/generated-files.mjs';
import { bundle } from './bundle.mjs';
import { clientTypes } from './client-types.mjs';
import { engineTypesInRust, engineTypesInTypeScript } from './engine-types.mjs';
import { interfacePages } from './interface-pages.mjs';
import { addLoadRefusals, operationRows } from './operations.mjs';
import { published } from './published.mjs';
import { sourceOf, typeName } from './source.mjs';

const root = new URL('../../../', import.meta.url);
const out = new URL('../src/generated/', import.meta.url);
const header = '// Generated from openapi/ by `npm run generate -w @pelorus/contract`. Never edited by hand.\n\n';

/** Names of the schemas that `schema` refers to. */
function references(schema, found = new Set()) {
  if (Array.isArray(schema)) for (const item of schema) references(item, found);
  else if (schema !== null && typeof schema === 'object') {
    if (typeof schema.$ref === 'string') found.add(schema.$ref.split('/').at(-1));
    for (const value of Object.values(schema)) references(value, found);
  }
  return found;
}

/** Schema names so ordered that each comes after all it refers to. */
function inDependencyOrder(schemas) {
  const ordered = new Set();
  const visit = (name, trail) => {
    if (ordered.has(name)) return;
    if (trail.includes(name)) throw new Error(`schemas refer to each other: ${[...trail, name].join(' -> ')}`);
    for (const other of references(schemas[name])) visit(other, [...trail, name]);
    ordered.add(name);
  };
  for (const name of Object.keys(schemas).sort()) visit(name, []);
  return [...ordered];
}

function schemasSource(document) {
  const schemas = document.components.schemas;
  const blocks = inDependencyOrder(schemas).map((name) => {
    const about = schemas[name].description;
    const comment = about ? `/** ${about.trim()} */\n` : '';
    const type = typeName(name);
    return `${comment}export const ${type} = ${sourceOf(schemas[name])} as const;\nexport type ${type} = Parsed<typeof ${type}>;\n`;
  });
  return `${header}import type { Parsed } from '../parsed.js';\n\n${blocks.join('\n')}`;
}

/** A constant for each operation, by whose name the table has its type: the types of all in one are longer than TypeScript writes. */
function operationsSource(document) {
  const rows = operationRows(document);
  const used = [...references(rows)].map(typeName).sort();
  const imports = `import { ${used.join(', ')} } from './schemas.js';\n\n`;
  const constants = rows.map((row) => `const ${row.operationId} = ${sourceOf(row)} as const;\n\n`);
  const types = rows.map(({ operationId }) => `  readonly ${operationId}: typeof ${operationId};\n`);
  const entries = rows.map(({ operationId }) => `  ${operationId},\n`);
  return `${header}${imports}${constants.join('')}export const operations: {\n${types.join('')}} = {\n${entries.join('')}};\n`;
}

function yaml(name) {
  return parse(readFileSync(new URL(`openapi/${name}`, root), 'utf8'));
}

function errorsSource() {
  const catalogue = yaml('errors.yaml');
  const rows = Object.entries(catalogue).map(
    ([code, { status, type, about }]) => `  /** ${about}. */\n  ${code}: { status: ${status}, type: '${type}' },\n`,
  );
  return `${header}export const errorCatalogue = {\n${rows.join('')}} as const;\n`;
}

/** The schemas that the client takes and gives. */
const CLIENT_SCHEMAS = [
  'alias-changes',
  'alias-list',
  'add-documents-request',
  'add-documents-response',
  'curation',
  'curation-request',
  'curation-versions',
  'delete-documents-response',
  'error-response',
  'get-documents-response',
  'health',
  'index-list',
  'index-settings',
  'index-settings-response',
  'index-stats',
  'judgement-set',
  'judgement-set-list',
  'judgement-set-request',
  'judgement-set-summary',
  'log-lines',
  'multi-search-request',
  'multi-search-response',
  'queues',
  'scan-request',
  'scan-response',
  'search-request',
  'search-response',
  'stored-document',
  'update-documents-response',
  'validation-error-response',
];

const document = bundle();
addLoadRefusals(document);
const publishedDocument = published(document, yaml('responses.yaml').serverError);
const shared = yaml('engine.yaml');
const files = [
  [new URL('openapi.json', out), `${JSON.stringify(publishedDocument, null, 1)}\n`],
  [new URL('schemas.ts', out), schemasSource(document)],
  [new URL('operations.ts', out), operationsSource(document)],
  [new URL('errors.ts', out), errorsSource()],
  [new URL('engine.ts', out), header + engineTypesInTypeScript(shared)],
  [new URL('packages/client/src/generated/types.ts', root), header + clientTypes(publishedDocument, CLIENT_SCHEMAS)],
  ...engineTypesInRust(shared).map(([crate, source]) => [
    new URL(`crates/${crate}/src/generated.rs`, root),
    header + source,
  ]),
  ...interfacePages(new URL('docs/interface/', root), {
    document,
    operations: operationRows(document),
    errors: yaml('errors.yaml'),
    models: JSON.parse(readFileSync(new URL('packages/inference/src/registry/generated/models.json', root), 'utf8')),
  }),
];

writeOrCompare(files, 'npm run generate -w @pelorus/contract');
