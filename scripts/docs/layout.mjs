import { dirname, relative } from 'node:path/posix';
import { escaped } from './highlight.mjs';
import { placeOf } from './markdown.mjs';

/**
 * The whole of a page.
 *
 * @param {object} rendered
 * @param {import('./pages.mjs').Page} rendered.page
 * @param {string} rendered.html its content
 * @param {{depth: number, text: string, anchor: string}[]} rendered.headings
 * @param {readonly import('./pages.mjs').Page[]} pages all, in their order
 */
export function pageOf({ page, html, headings }, pages) {
  const place = placeOf(page.path);
  const to = (path) => escaped(relative(dirname(place), path));
  const at = pages.indexOf(page);
  const [before, after] = [pages[at - 1], pages[at + 1]];
  const markdown = page.path.slice(page.path.lastIndexOf('/') + 1);
  const step = (other, label) =>
    other === undefined
      ? '<span></span>'
      : `<a href="${to(placeOf(other.path))}"><small>${label}</small>${escaped(other.title)}</a>`;
  const parts = headings.filter(({ depth }) => depth === 2);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${page.about === '' ? '' : `<meta name="description" content="${escaped(page.about)}">\n`}<title>${escaped(page.title)}${page.path === 'README.md' ? '' : ' - Pelorus'}</title>
<link rel="icon" href="${to('assets/icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('assets/style.css')}">
<link rel="alternate" type="text/markdown" href="${escaped(markdown)}">
</head>
<body data-root="${to('') || '.'}">
<a class="skip" href="#content">To the content</a>
<header>
  <a class="home" href="${to('index.html')}"><img src="${to('assets/icon.svg')}" alt="" width="28" height="28">Pelorus</a>
  <div class="search" role="search">
    <label for="q" class="unseen">Search the documentation</label>
    <input id="q" type="search" placeholder="Search  ( / )" autocomplete="off" aria-controls="found" aria-expanded="false">
    <ol id="found" hidden></ol>
  </div>
  <button id="menu" type="button" aria-expanded="false" aria-controls="contents">Contents</button>
</header>
<div class="columns">
<nav id="contents" aria-label="Contents">
${sections(pages, page, to)}
</nav>
<main id="content">
<article>
${html}</article>
<footer>
  <nav class="steps" aria-label="Next pages">${step(before, 'Before')}${step(after, 'Next')}</nav>
  <p><a href="${escaped(markdown)}">This page as Markdown</a> · <a href="${to('llms.txt')}">llms.txt</a></p>
</footer>
</main>
<nav class="parts" aria-label="On this page">
${parts.length < 2 ? '' : `<p>On this page</p>\n<ul>${parts.map(({ text, anchor }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`).join('')}</ul>`}
</nav>
</div>
<script src="${to('assets/page.js')}" defer></script>
</body>
</html>
`;
}

function sections(pages, current, to) {
  const names = [...new Set(pages.map(({ section }) => section))];
  const row = (page) => {
    const isCurrent = page === current ? ' aria-current="page"' : '';
    return `<li><a href="${to(placeOf(page.path))}"${isCurrent}>${escaped(page.title)}</a></li>`;
  };
  return names
    .map((name) => {
      const isOpen = name === current.section || ['Start', 'Use'].includes(name) ? ' open' : '';
      const rows = pages.filter(({ section }) => section === name).map(row);
      return `<details${isOpen}><summary>${escaped(name)}</summary><ul>${rows.join('')}</ul></details>`;
    })
    .join('\n');
}
