import { readFileSync } from 'node:fs';

type Item = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Readonly<Record<string, Item>>;
  readonly components: Readonly<Record<string, Item>>;
}

/**
 * The contract as one OpenAPI document, of these operations and the parts that they refer to alone, as JSON bytes: the
 * answer of `/openapi.json`.
 */
export function openapiDocument(operationIds: ReadonlySet<string>): Buffer {
  const text = readFileSync(new URL('../src/generated/openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as Document;
  const isServed = (member: unknown): boolean => !isOperation(member) || operationIds.has(member.operationId);
  const items = Object.entries(document.paths)
    .map(([path, item]) => [path, kept(item, isServed)] as const)
    .filter(([, item]) => Object.values(item).some(isOperation));
  const paths = Object.fromEntries(items);
  const used = referencesFrom(paths, document);
  // Security schemes hold for all operations, and are named without a reference.
  const isUsed = (kind: string, name: string) => kind === 'securitySchemes' || used.has(`#/components/${kind}/${name}`);
  const groups = Object.entries(document.components).map(([kind, group]) => [
    kind,
    kept(group, (_, name) => isUsed(kind, name)),
  ]);
  return Buffer.from(JSON.stringify({ ...document, paths, components: Object.fromEntries(groups) }));
}

function isOperation(member: unknown): member is { readonly operationId: string } {
  return typeof member === 'object' && member !== null && 'operationId' in member;
}

function kept(item: Item, keeps: (member: unknown, name: string) => boolean): Item {
  return Object.fromEntries(Object.entries(item).filter(([name, member]) => keeps(member, name)));
}

/** Every `$ref` that is met on the way from `node`, those within what they name among them. */
function referencesFrom(node: unknown, document: Document, found = new Set<string>()): ReadonlySet<string> {
  if (typeof node !== 'object' || node === null) return found;
  for (const [name, value] of Object.entries(node)) {
    if (name !== '$ref' || typeof value !== 'string') referencesFrom(value, document, found);
    else if (!found.has(value)) {
      found.add(value);
      const [, , kind = '', component = ''] = value.split('/');
      referencesFrom(document.components[kind]?.[component], document, found);
    }
  }
  return found;
}
