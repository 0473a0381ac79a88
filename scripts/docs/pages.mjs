import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fromRoot } from '../paths.mjs';

/** The page whose lists are the order of all pages. */
const CONTENTS = 'docs/README.md';

/** Pages that list others of their folder. */
const LISTS = ['docs/interface/README.md', 'examples/README.md'];

/** Section of the pages of a folder that no list names. */
const OTHERS = {
  'docs/interface': 'Interface',
  'docs/design': 'Design',
  'docs/moving': 'Move here',
  'docs/guides': 'Guides',
  docs: 'Use',
};

/**
 * A page of the site.
 *
 * @typedef {object} Page
 * @property {string} path its place in the repository, which is that in the site
 * @property {string} title as the list names it, else its own heading
 * @property {string} about one line on its subject; empty where no list has one
 * @property {string} section
 * @property {string} text its Markdown
 */

/** All pages, in the order of the list: those of a list of its own in that one's, others behind their section. */
export function readPages() {
  const listed = linksOf(CONTENTS);
  const pages = listed.flatMap(({ path, ...told }) => {
    const parts = LISTS.includes(path) ? linksOf(path).filter((part) => isBelow(part.path, path)) : [];
    return [
      { path, ...told },
      ...parts.map((part) => ({ path: part.path, title: undefined, about: '', section: told.section })),
    ];
  });
  const known = new Map([...pages, ...unlisted()].reverse().map((page) => [page.path, page]));
  const order = [...pages, ...unlisted()].map(({ path }) => path);
  const sections = [...new Set(listed.map(({ section }) => section))];
  return [...new Set(order)]
    .map((path) => known.get(path))
    .toSorted((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section))
    .map(({ path, title, about, section }) => {
      const text = readFileSync(fromRoot(path), 'utf8');
      return { path, title: title ?? /^# (.*)$/m.exec(text)?.[1] ?? path, about, section, text };
    });
}

/** The links of the lists of a page, with the section that each stands in. */
function linksOf(page) {
  let section = '';
  return readFileSync(fromRoot(page), 'utf8')
    .split('\n')
    .flatMap((line) => {
      section = /^## (.*)$/.exec(line)?.[1] ?? section;
      const links = [...line.matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)(?:: (.*))?/g)];
      return links.map(([, title, to, about = '']) => ({ path: join(dirname(page), to), title, about, section }));
    });
}

const isBelow = (path, list) => path.startsWith(`${dirname(list)}/`) && path !== list;

/** Pages in the folder of pages, each with the section of its folder. */
function unlisted() {
  return readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && path !== CONTENTS)
    .toSorted()
    .map((path) => ({ path, title: undefined, about: '', section: OTHERS[dirname(path)] ?? 'Use' }));
}
