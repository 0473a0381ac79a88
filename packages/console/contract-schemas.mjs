import { readFileSync } from 'node:fs';

const CONTRACT = new URL('../contract/src/generated/openapi.json', import.meta.url);
const PREFIX = 'virtual:schema/';

/**
 * A plugin of Vite: the module `virtual:schema/NAME` has the schema of the contract with this name, and all that it refers
 * to in place.
 */
export function contractSchemas() {
  return {
    name: 'contract-schemas',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load: (id) =>
      id.startsWith(`\0${PREFIX}`) ? `export default ${JSON.stringify(schemaOf(id.slice(PREFIX.length + 1)))};` : null,
  };
}

function schemaOf(name) {
  const { components } = JSON.parse(readFileSync(CONTRACT, 'utf8'));
  const resolve = (node) => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...own } = node;
    const referred = $ref === undefined ? {} : resolve(components.schemas[$ref.split('/').at(-1)]);
    return { ...referred, ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, resolve(value)])) };
  };
  return resolve(components.schemas[name]);
}
