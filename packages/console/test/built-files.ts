import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SITE = fileURLToPath(new URL('../dist/site/', import.meta.url));

/** The text of a file of the built page. */
export const builtFile = (path: string): string => readFileSync(join(SITE, path), 'utf8');

/** Paths of the files that the page asks for at once. */
export function firstFiles(): string[] {
  const page = builtFile('index.html');
  return ['index.html', ...[...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path = '']) => path)];
}

/** Paths of scripts that a script imports when it runs, with theirs; those that it may load later are left out. */
export function withImports(paths: readonly string[]): string[] {
  const all = new Set(paths);
  for (const path of all) {
    if (!path.endsWith('.js')) continue;
    for (const [, name = ''] of builtFile(path).matchAll(
      /(?:^|[;}\s])(?:import|export)[^;'"()]*?from\s*["'`]\.\/([^"'`]+)["'`]/g,
    )) {
      all.add(`assets/${name}`);
    }
  }
  return [...all];
}
