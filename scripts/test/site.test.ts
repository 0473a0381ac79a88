import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { highlighted } from '../docs/highlight.mjs';
import { plain, renderPage } from '../docs/markdown.mjs';
import { readPages } from '../docs/pages.mjs';
import { buildSite } from '../docs/site.mjs';
import { fromRoot } from '../paths.mjs';

const folder = mkdtempSync(join(tmpdir(), 'pelorus-site-'));
let files: Set<string>;
beforeAll(() => {
  expect(buildSite(folder)).toBeGreaterThan(60);
  files = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
const htmlPages = (): string[] => [...files].filter((path) => path.endsWith('.html'));

test('every page of the documentation is there once, as HTML and as Markdown', () => {
  const pages = readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && path !== 'docs/README.md');
  const paths = readPages().map(({ path }) => path);
  expect(paths.filter((path, at) => paths.indexOf(path) < at)).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(pages));
  expect(htmlPages()).toHaveLength(paths.length);
  for (const path of paths) expect(textOf(path)).toBe(readFileSync(fromRoot(path), 'utf8'));
});

test('every link of the site leads to a file of it, and to a place in that file', () => {
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (path: string): Set<string> => {
    const known =
      anchors.get(path) ?? new Set([...textOf(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string));
    anchors.set(path, known);
    return known;
  };
  const lost = htmlPages().flatMap((page) =>
    [...textOf(page).matchAll(/ (?:href|src)="([^"]+)"/g)]
      .map(([, link]) => plain(link as string))
      .filter((link) => !/^https?:/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : join(dirname(page), path).replaceAll('\\', '/');
        return !files.has(target) || (anchor !== undefined && !anchorsOf(target).has(decodeURIComponent(anchor)));
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(lost).toEqual([]);
});

test('a page loads nothing from elsewhere, and no element or comment of a page gets through', () => {
  for (const page of htmlPages()) {
    const html = textOf(page);
    expect(html, page).not.toMatch(/<(?:script|link|img|iframe|source)[^>]* (?:src|href)="(?:https?:)?\/\//);
    expect(html, page).not.toContain('<!-- ');
  }
  const page = { path: 'docs/a.md', title: 'A', about: '', section: 'Use' };
  const { html } = renderPage({ ...page, text: '# A\n\nb <img src=x onerror=alert(1)>\n\n<!-- c -->' }, () => null);
  expect(html).not.toContain('<img');
  expect(html).not.toContain('<!--');
});

test('a change of a file that the site is made of publishes it anew', () => {
  const [, list = ''] =
    /paths:\n((?: +- '[^']+'\n)+)/.exec(readFileSync(fromRoot('.github/workflows/docs.yml'), 'utf8')) ?? [];
  const globs = [...list.matchAll(/'([^']+)'/g)].map(([, glob]) => glob as string);
  const builders = readdirSync(fromRoot('scripts/docs')).map((name) => `scripts/docs/${name}`);
  const sources = [...files].filter((path) => statSync(fromRoot(path), { throwIfNoEntry: false })?.isFile());
  expect(sources.length).toBeGreaterThan(60);
  const unseen = [...sources, ...builders].filter((path) => !globs.some((glob) => matchesGlob(path, glob)));
  expect(unseen).toEqual([]);
});

test('llms.txt lists every page by its section, and llms-full.txt holds them all', () => {
  const list = textOf('llms.txt');
  expect(list).toMatch(/^# Pelorus\n\n> .+\n/);
  const listed = [...list.matchAll(/^- \[.+?\]\(([^)]+)\)/gm)].map(([, path]) => path);
  const pages = readPages();
  expect(listed).toEqual(pages.map(({ path }) => path));
  const whole = textOf('llms-full.txt');
  for (const { path, text } of pages) expect(whole.includes(text), path).toBe(true);
});

test('the index of the search has each part of each page, with its address and its text', () => {
  const entries = JSON.parse(textOf('assets/search-index.js').replace(/^window\.pelorusIndex = |;\n$/g, ''));
  const part = entries.find(([, heading]: string[]) => heading === 'search 4.7 Words with typos');
  expect(part[2]).toBe('docs/interface/lexical.html#search-47-words-with-typos');
  expect(part[3]).toContain('oneTypoFrom');
  expect(part[3]).not.toMatch(/<\/?\w+/);
});

test('headings have the anchors that GitHub gives them, also the second of one name', () => {
  const page = { path: 'docs/a.md', title: 'A', about: '', section: 'Use' };
  const { headings } = renderPage({ ...page, text: '# A\n## `b` c, d?\n## E\n## E\n## E\n' }, () => null);
  expect(headings.map(({ anchor }) => anchor)).toEqual(['a', 'b-c-d', 'e', 'e-1', 'e-2']);
});

test('code keeps every character, whatever is highlighted in it', () => {
  const samples = {
    sh: '# a <b>\ncurl -s "x" -d \'{"a": 1}\' # c',
    json: '{"a": [1.5, "b\\"", null]}',
    ts: 'const a = `<b>`; // c',
  };
  for (const [language, code] of Object.entries(samples)) {
    const html = highlighted(code, language);
    expect(plain(html), language).toBe(code);
    expect(html, language).toContain('<span class="');
  }
  expect(highlighted('<a & b>', 'unknown')).toBe('&lt;a &amp; b&gt;');
});

test('the page of the console has pictures below the headings that they belong to, where there are some', () => {
  const pictures = mkdtempSync(join(tmpdir(), 'pelorus-pictures-'));
  const site = mkdtempSync(join(tmpdir(), 'pelorus-pictured-'));
  try {
    writeFileSync(join(pictures, 'search.png'), 'a picture');
    buildSite(site, { pictures });
    const page = readFileSync(join(site, 'docs/console.html'), 'utf8');
    expect(page).toMatch(/<h2 id="search"[^\n]*\n<p><img src="\.\.\/assets\/console\/search\.png" alt="Search, /);
    expect(page.match(/<img src="[^"]*console\//g)).toHaveLength(1);
    expect(readFileSync(join(site, 'assets/console/search.png'), 'utf8')).toBe('a picture');
    expect(textOf('docs/console.html')).not.toContain('assets/console/');
  } finally {
    for (const made of [pictures, site]) rmSync(made, { recursive: true, force: true });
  }
});
