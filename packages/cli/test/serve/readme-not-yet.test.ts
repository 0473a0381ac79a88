import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { schemas } from '@pelorus/contract';
import { expect, test } from 'vitest';

const README = readFileSync(fileURLToPath(new URL('../../../../README.md', import.meta.url)), 'utf8');

/** Members that the contract names to refuse them: anything but null is one too many. */
function refused(schema: { readonly properties?: object }): string[] {
  const members = Object.entries((schema.properties ?? {}) as Record<string, { type?: unknown }>);
  return members.filter(([, { type }]) => type === 'null').map(([name]) => name);
}

test('"Not yet" lists the members of a search that are refused, and no others', () => {
  const [, row = ''] = /^\| search \|(.*)\|$/m.exec(README) ?? [];
  const [own = '', hybrid = ''] = row.split(';');
  const named = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(named(own)).toEqual(refused(schemas.SearchRequest));
  expect(named(hybrid)).toEqual(['hybridParameters', ...refused(schemas.HybridParameters)]);
});
