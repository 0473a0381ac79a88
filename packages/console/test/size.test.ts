import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { builtFile, firstFiles, withImports } from './built-files.js';

const FIRST_LOAD_MAX = 150_000;

test('the first load takes at most 150 kB as it is sent, with the code of every page', () => {
  const assets = readdirSync(fileURLToPath(new URL('../dist/site/assets/', import.meta.url)));
  const pages = assets.filter((name) => /-page-[\w-]+\.(js|css)$/.test(name)).map((name) => `assets/${name}`);
  expect(pages.length).toBeGreaterThan(0);
  const paths = withImports([...firstFiles(), ...pages]);
  const bytes = paths.reduce((sum, path) => sum + gzipSync(builtFile(path)).length, 0);
  expect(bytes, paths.join('\n')).toBeLessThanOrEqual(FIRST_LOAD_MAX);
});

test('the page has no script or style within it, and names no other host', () => {
  const page = builtFile('index.html');
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
  for (const path of firstFiles()) {
    const addresses = builtFile(path).match(/https?:\/\/[\w.-]+/g) ?? [];
    // Namespaces are names alone; the other one is an example in a message of the client.
    const foreign = addresses.filter((address) => !['http://www.w3.org', 'http://127.0.0.1'].includes(address));
    expect(foreign, path).toEqual([]);
  }
});
