import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../paths.mjs';

interface Locked {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** Tells whether Node would find `name` from the package at `path`, going by the lock file. */
function isLocked(name: string, path: string): boolean {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (`${at === '' ? '' : `${at}/`}node_modules/${name}` in packages) return true;
    if (at === '') return false;
  }
}

test('every platform is locked, not only the one the file was written on', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(name, path)),
  );
  // npm ci refuses such a file; npm install leaves out in silence what its registry did not have.
  expect(missing).toEqual([]);
});

test.each(['package-lock.json', 'scripts/release/oldest-node/package-lock.json'])('%s names no registry', (file) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { packages: Record<string, Locked> };
  const named = Object.values(packages).filter(({ resolved }) => resolved?.includes('://'));
  expect(named).toEqual([]);
});
