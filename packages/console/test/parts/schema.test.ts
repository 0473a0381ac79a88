import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { plainWords, type Schema } from '../../src/parts/schema-form/schema.js';

interface Referring extends Schema {
  readonly $ref?: string;
}

const CONTRACT = fileURLToPath(new URL('../../../contract/src/generated/openapi.json', import.meta.url));
const { components } = JSON.parse(readFileSync(CONTRACT, 'utf8')) as {
  components: { schemas: Record<string, Referring> };
};

/** The descriptions of a schema and all within it, by their paths. */
function descriptionsOf(path: string, { $ref, ...own }: Referring): [path: string, description: string][] {
  const referred = $ref === undefined ? {} : components.schemas[$ref.split('/').at(-1) ?? ''];
  const schema = { ...referred, ...own };
  const members = Object.entries(schema.properties ?? {}) as [string, Referring][];
  const parts = [schema.items, ...(schema.anyOf ?? [])].filter((one) => one !== undefined) as Referring[];
  return [
    ...(schema.description === undefined ? [] : [[path, schema.description] as [string, string]]),
    ...members.flatMap(([name, member]) => descriptionsOf(`${path}.${name}`, member)),
    ...parts.flatMap((part) => descriptionsOf(path, part)),
  ];
}

test.each(['key-request', 'index-settings', 'hosted-resources', 'search-rule'])(
  'the hints of %s say in words what its members do',
  (name) => {
    for (const [path, description] of descriptionsOf(name, components.schemas[name] ?? {})) {
      const hint = plainWords(description);
      expect(hint, path).not.toMatch(/null|absent|`|\b4\d\d\b/i);
      expect(hint, path).toMatch(/^\S+ \S+/);
    }
  },
);

test('words about null and about other pages are left out, and what is absent is left empty', () => {
  expect(plainWords('Chunks of `text` (search 4.16); 5 when absent. Null answers 400.')).toBe(
    'Chunks of text; 5 when left empty',
  );
  expect(plainWords('The prefix; its own when absent or null')).toBe('The prefix; its own when left empty');
});
