import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { relative } from 'node:path/posix';
import { fromRoot } from '../paths.mjs';
import { escaped } from './highlight.mjs';
import { pageOf } from './layout.mjs';
import { placeOf, plain, renderPage } from './markdown.mjs';
import { readPages } from './pages.mjs';

const ASSETS = ['style.css', 'page.js', 'icon.svg'];
const CONSOLE = 'docs/console.md';
const SUMMARY =
  'Pelorus is a vector, lexical and hybrid search service in one process: documents over HTTP, embedded by a model, found by meaning, by words, or by both. It speaks the self-hosted interface of Marqo 2.x.';

/**
 * Builds the site of the documentation into a folder: each page as HTML and as Markdown, the list of them for language
 * models (llms.txt), all of them in one text (llms-full.txt), and an index for the search. Nothing is copied in the
 * repository, and nothing is fetched by a page.
 *
 * @param {string} folder
 * @param {{ pictures?: string }} options a folder with pictures of the console, each by the anchor of the part of its page
 *   that it belongs to, such as `search.png`; none when absent
 * @returns the number of pages
 */
export function buildSite(folder, { pictures } = {}) {
  rmSync(folder, { recursive: true, force: true });
  const pages = readPages();
  const places = new Map(pages.map(({ path }) => [path, placeOf(path)]));
  const files = new Set();
  const targetOf = (path) => places.get(path) ?? fileOf(path, files);
  const write = (path, content) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const entries = [];
  for (const page of pages) {
    const rendered = renderPage(page, targetOf);
    if (page.path === CONSOLE && pictures !== undefined) rendered.html = pictured(rendered, pictures, write);
    write(placeOf(page.path), pageOf({ page, ...rendered }, pages));
    write(page.path, page.text);
    entries.push(...entriesOf(page, rendered));
  }
  for (const path of files) write(path, readFileSync(fromRoot(path)));
  for (const name of ASSETS) write(`assets/${name}`, readFileSync(new URL(name, import.meta.url)));
  write('assets/search-index.js', `window.pelorusIndex = ${JSON.stringify(entries)};\n`);
  write('llms.txt', listOf(pages));
  write('llms-full.txt', pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text}`).join('\n'));
  return pages.length;
}

/** The HTML of the page of the console, with a picture below the heading of each part that has one. */
function pictured({ html, headings }, pictures, write) {
  let shown = html;
  for (const { text, anchor } of headings) {
    const file = join(pictures, `${anchor}.png`);
    if (!existsSync(file)) continue;
    const place = `assets/console/${anchor}.png`;
    write(place, readFileSync(file));
    const image = `<p><img src="${relative(dirname(placeOf(CONSOLE)), place)}" alt="${escaped(text)}, a picture of the page" loading="lazy"></p>`;
    shown = shown.replace(new RegExp(`<h2 id="${anchor}"[^\\n]*\\n`), (heading) => `${heading}${image}\n`);
  }
  return shown;
}

/** A file of the repository that a page links to goes along; a folder has no page, and its link becomes plain text. */
function fileOf(path, files) {
  if (!existsSync(fromRoot(path)) || statSync(fromRoot(path)).isDirectory()) return null;
  files.add(path);
  return path;
}

/** Entries of the search: a page, and each part of it, as [title, heading, address, text]. */
function entriesOf(page, { html, headings }) {
  const texts = html.split(/(?=<h[1-6] id=)/).filter((part) => part.startsWith('<h'));
  return headings.map(({ depth, text, anchor }, at) => [
    page.title,
    depth === 1 ? '' : text,
    `${placeOf(page.path)}${depth === 1 ? '' : `#${anchor}`}`,
    plain(texts[at].replace(/^<h.*\n/, '').replace(/<\/(?:td|th|li|p)>/g, ' '))
      .replace(/\s+/g, ' ')
      .trim(),
  ]);
}

/** The pages by their sections, in the form of llmstxt.org. */
function listOf(pages) {
  const names = [...new Set(pages.map(({ section }) => section))];
  const row = ({ path, title, about }) => `- [${title}](${path})${about === '' ? '' : `: ${about}`}\n`;
  const sections = names.map((name) => {
    const rows = pages.filter(({ section }) => section === name).map(row);
    return `## ${name}\n\n${rows.join('')}`;
  });
  return `# Pelorus\n\n> ${SUMMARY}\n\nAll pages in one text: [llms-full.txt](llms-full.txt)\n\n${sections.join('\n')}`;
}
