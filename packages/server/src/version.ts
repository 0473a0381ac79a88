import { readFileSync } from 'node:fs';

/** Version of this program. */
export function ownVersion(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
