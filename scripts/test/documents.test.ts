import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { fromRoot, ROOT } from '../paths.mjs';

/** Folders of other origin, and those of built files. */
const LEFT_OUT = new Set(['node_modules', 'dist', 'target', '.git', '.pelorus', 'peers']);

/** The files below a folder, by their paths from the root with slashes. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [relative(ROOT, path).split(sep).join('/')];
    return LEFT_OUT.has(entry.name) ? [] : filesBelow(path);
  });
}

const files = filesBelow(ROOT);
const pages = files.filter((file) => file.endsWith('.md') && !file.includes('/fixtures/'));
const textOf = (page: string): string => readFileSync(fromRoot(page), 'utf8');
const withoutBlocks = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '');

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

function anchorsOf(page: string): string[] {
  return [...withoutBlocks(textOf(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading as string));
}

test.each(pages)('%s links to pages and sections that exist', (page) => {
  const links = [...withoutBlocks(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
  const lost = links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(fromRoot(target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
  expect(lost).toEqual([]);
});

/** Paths as pages name them: without `src`, from any folder on. */
const ends = new Set(
  files.flatMap((file) => {
    const parts = file.split('/').filter((part) => part !== 'src');
    return parts.map((_, at) => parts.slice(at).join('/'));
  }),
);

const designPages = pages.filter((page) => page === 'ARCHITECTURE.md' || page.startsWith('docs/design/'));

test.each(designPages)('%s names files that exist', (page) => {
  const names = [...textOf(page).matchAll(/(?<![\w./-])(?:[\w-]+\/)*[\w-]+\.(?:rs|ts|mjs|yaml|py)(?![\w/])/g)];
  expect(names.length).toBeGreaterThan(0);
  expect(
    [...new Set(names.map(([name]) => name.replace(/(?<=\/|^)src\//, '')))].filter((name) => !ends.has(name)),
  ).toEqual([]);
});

test.each([
  ['README.md', 150],
  ['ARCHITECTURE.md', 250],
  ['bench/README.md', 171],
])('%s has at most %d lines: the rest belongs to docs/', (page, linesMax) => {
  expect(textOf(page).split('\n').length).toBeLessThanOrEqual(linesMax);
});
