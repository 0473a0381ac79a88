import { dirname, join, relative } from 'node:path/posix';
import { Marked } from 'marked';
import { escaped, highlighted } from './highlight.mjs';

/** The anchor that GitHub gives a heading. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** The place of a page in the site: that of its Markdown, with another ending. */
export const placeOf = (path) => path.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');

/**
 * A page as HTML.
 *
 * @param {import('./pages.mjs').Page} page
 * @param {(path: string) => string | null} targetOf the place in the site of a file of the repository; null for none
 * @returns {{html: string, headings: {depth: number, text: string, anchor: string}[]}}
 */
export function renderPage({ path, text }, targetOf) {
  const headings = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const told = plain(inner);
        const anchor = freeAnchor(anchorOf(told), headings);
        headings.push({ depth, text: told, anchor });
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`;
      },
      code({ text: code, lang = '' }) {
        const language = /^\w+/.exec(lang)?.[0] ?? '';
        return `<pre data-language="${escaped(language)}"><code>${highlighted(code, language)}</code></pre>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = linkOf(href, path, targetOf);
        return target === null ? inner : `<a href="${escaped(target)}">${inner}</a>`;
      },
      table(token) {
        const row = (cells, tag) =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table"><table><thead>${row(token.header, 'th')}</thead>\n<tbody>${body}</tbody></table></div>\n`;
      },
      // Pages hold comments for tools, and no elements of HTML.
      html: ({ text: html }) => (html.trimStart().startsWith('<!--') ? '' : escaped(html)),
    },
  });
  const html = marked.parse(text);
  return { html, headings };
}

/** A link as the page of the site has it: to another page, to a file beside it, or elsewhere; null where nothing is. */
function linkOf(href, path, targetOf) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [to, anchor] = href.split('#');
  const target = targetOf(join(dirname(path), to).replace(/\/$/, ''));
  if (target === null) return null;
  return `${relative(dirname(placeOf(path)), target)}${anchor === undefined ? '' : `#${anchor}`}`;
}

function freeAnchor(anchor, headings) {
  const taken = headings.filter(
    (heading) => heading.anchor.replace(/-\d+$/, '') === anchor || heading.anchor === anchor,
  );
  return taken.some((heading) => heading.anchor === anchor) ? `${anchor}-${taken.length}` : anchor;
}

/** The text of some HTML. */
export const plain = (html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
