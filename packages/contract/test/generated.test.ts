import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type Operation, operations } from '../src/index.js';

interface Described {
  readonly operationId?: string;
  readonly description?: string;
  readonly requestBody?: { readonly content: Record<string, { example?: unknown; examples?: unknown }> };
}

const scripts = new URL('../scripts/', import.meta.url);

function run(script: string, ...args: string[]): string {
  const file = fileURLToPath(new URL(script, scripts));
  return execFileSync(process.execPath, [file, ...args], { encoding: 'utf8', stdio: 'pipe' });
}

test('the generated files are those of openapi/', () => {
  expect(() => run('generate.mjs', '--check')).not.toThrow();
});

test('the contract breaks no lint rule', () => {
  expect(() => run('bundle.mjs')).not.toThrow();
});

test('every operation is listed under its own id', () => {
  for (const [id, row] of Object.entries(operations)) expect(row.operationId).toBe(id);
});

test('every operation documents 403: a browser may send any of them for a page of another site', () => {
  for (const row of Object.values(operations)) expect(Object.keys(row.responses), row.operationId).toContain('403');
});

test('an operation with a body documents 413 and 422', () => {
  for (const row of Object.values(operations)) {
    if (row.body === null) continue;
    expect(Object.keys(row.responses), row.operationId).toEqual(expect.arrayContaining(['413', '422']));
  }
});

test('every operation that may be refused for load documents 429', () => {
  const all: readonly Operation[] = Object.values(operations);
  const undocumented = all.filter(({ responses }) => !('429' in responses));
  expect(undocumented.map(({ operationId }) => operationId)).toEqual(['getHealth', 'getMetrics', 'getRoot']);
  for (const { operationId, load, responses } of all) {
    expect('429' in responses, operationId).toBe(load !== 'probe');
  }
});

test('an operation that does not say whether it counts as load is not generated', async () => {
  const { operationRows } = await import(new URL('operations.mjs', scripts).href);
  const document = (load: object) => ({
    paths: { '/a': { get: { operationId: 'getA', 'x-scope': 'read', responses: {}, ...load } } },
  });
  expect(operationRows(document({ 'x-load': 'none' }))).toMatchObject([{ operationId: 'getA', load: 'none' }]);
  for (const load of [{}, { 'x-load': 'much' }]) {
    expect(() => operationRows(document(load))).toThrow('getA needs x-load, one of probe, none, search');
  }
});

test('an operation that embeds, searches or stores counts as load', () => {
  const of = (load: string) =>
    Object.values(operations).flatMap((row) => (row.load === load ? [row.operationId as string] : []));
  expect({ search: of('search'), add: of('add'), update: of('update'), fill: of('fill'), probe: of('probe') }).toEqual({
    search: ['embed', 'multiSearch', 'recommend', 'search', 'suggest'],
    add: ['addDocuments', 'addOrUpdateDocuments'],
    update: ['updateDocuments'],
    fill: ['indexQueries'],
    probe: ['getHealth', 'getMetrics', 'getRoot'],
  });
});

test('a required member with a default may be absent in Rust alone', async () => {
  const { engineTypesInRust, engineTypesInTypeScript } = await import(new URL('engine-types.mjs', scripts).href);
  const A = {
    type: 'object',
    additionalProperties: true,
    required: ['length', 'isNew', 'isOld', 'place'],
    properties: {
      length: { type: 'integer' },
      isNew: { type: 'boolean', default: true, description: 'Fresh' },
      isOld: { type: 'boolean', default: false },
      place: { type: 'string', 'x-rust': false },
    },
  };
  const { length, ...others } = A.properties;
  const B = { type: 'object', 'x-crate': 'documents', required: Object.keys(others), properties: others };
  const rust = new Map<string, string>(engineTypesInRust({ A, B }));
  expect(rust.get('engine')).toContain(`#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct A {
    pub length: usize,
    /// Fresh. Default true.
    #[serde(default = "A::is_new_default")]
    pub is_new: bool,
    #[serde(default)]
    pub is_old: bool,
}
`);
  expect(rust.get('documents')).toContain(`#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct B {
    /// Fresh. Default true.
    pub is_new: bool,
    pub is_old: bool,
}

impl Default for B {
    fn default() -> Self {
        Self {
            is_new: true,
            is_old: false,
        }
    }
}
`);
  expect(engineTypesInTypeScript({ A })).toContain(`export interface A {
  readonly length: number;
  /** Fresh. Default true. */
  readonly isNew: boolean;
  readonly isOld: boolean;
  readonly place: string;
}
`);
});

test('the published document names schemas, leaves out other spellings, and answers 500 everywhere', async () => {
  const { published } = await import(new URL('published.mjs', scripts).href);
  const order = {
    type: ['string', 'null'],
    enum: ['asc', 'desc', null],
    'x-name': 'order',
    description: 'Which first',
  };
  const request = {
    type: 'object',
    properties: { order, a_b: { type: 'string', 'x-unlisted': true }, aB: { type: 'string' }, c: { default: {} } },
    additionalProperties: false,
  };
  const answer = { ...request, required: ['a_b', 'aB'] };
  const document = {
    paths: { '/a': { get: { operationId: 'getA', responses: { 200: {} } } } },
    components: { schemas: { request, answer }, responses: {} },
  };
  const { paths, components } = published(document, { description: 'Ours' });
  expect(paths['/a'].get.responses).toEqual({ 200: {}, 500: { $ref: '#/components/responses/serverError' } });
  expect(components.responses).toEqual({ serverError: { description: 'Ours' } });
  const properties = {
    order: { anyOf: [{ $ref: '#/components/schemas/order' }, { type: 'null' }], description: 'Which first' },
    aB: { type: 'string' },
    c: {},
  };
  expect(components.schemas).toEqual({
    order: { type: 'string', enum: ['asc', 'desc'] },
    request: { type: 'object', properties, additionalProperties: false },
    // It answers the other spelling all the same.
    answer: { type: 'object', properties, required: ['aB'] },
  });
});

test('two schemas of one name are refused', async () => {
  const { published } = await import(new URL('published.mjs', scripts).href);
  const schemas = { a: { type: 'string', 'x-name': 'one' }, b: { type: 'number', 'x-name': 'one' } };
  const document = { paths: {}, components: { schemas, responses: {} } };
  expect(() => published(document, {})).toThrow('two schemas are named one');
});

test('every operation has a description, and an example of its body', async () => {
  const { default: document } = await import(new URL('../src/generated/openapi.json', import.meta.url).href, {
    with: { type: 'json' },
  });
  const items: Record<string, Record<string, Described>>[] = Object.values(document.paths);
  const all = items.flatMap((item) => Object.values(item)).filter(({ operationId }) => operationId !== undefined);
  expect(all).toHaveLength(Object.keys(operations).length);
  for (const { operationId, description, requestBody } of all as Described[]) {
    expect(description, operationId).toMatch(/[.]$/);
    const body = requestBody?.content['application/json'];
    if (body !== undefined) expect(body.example ?? body.examples, operationId).toBeDefined();
  }
});
