import { readFileSync } from 'node:fs';

const CONTRACT = new URL('../contract/src/generated/openapi.json', import.meta.url);
const NAME = 'virtual:settings-schema';

/** A plugin of Vite: the module `virtual:settings-schema` has the contract's schema of an index, with all that it refers to put in place. */
export function settingsSchema() {
  return {
    name: NAME,
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(schemaOfSettings())};` : null),
  };
}

function schemaOfSettings() {
  const { components } = JSON.parse(readFileSync(CONTRACT, 'utf8'));
  const resolve = (node) => {
    if (Array.isArray(node)) return node.map(resolve);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...own } = node;
    const referred = $ref === undefined ? {} : resolve(components.schemas[$ref.split('/').at(-1)]);
    return { ...referred, ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, resolve(value)])) };
  };
  return resolve(components.schemas['index-settings']);
}
