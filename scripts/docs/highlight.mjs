export const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const NUMBER = /\b\d+(?:\.\d+)?\b/;
const words = (text) => new RegExp(`\\b(?:${text.replaceAll(' ', '|')})\\b`);

/** Kinds of tokens by language, each with the pattern that it is told by; the first that fits counts. */
const GRAMMARS = {
  json: [
    ['name', /"(?:[^"\\\n]|\\.)*"(?=\s*:)/],
    ['string', STRING],
    ['number', NUMBER],
    ['word', words('true false null')],
  ],
  sh: [
    ['comment', /(?<=^|\s)#.*/m],
    ['string', STRING],
    ['word', /(?<=^|\n|\| )(?:curl|npx|npm|printf|cat|sed|tail|until|done|do)\b/],
    ['name', /(?<=\s)--?[A-Za-z][\w-]*/],
  ],
  ts: [
    ['comment', /\/\/.*/],
    ['string', /`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/],
    [
      'word',
      words(
        'import from export const let await async function return new if for of interface class type true false null',
      ),
    ],
    ['number', NUMBER],
  ],
  python: [
    ['comment', /#.*/],
    ['string', STRING],
    ['word', words('import from def class return for in if else with as not and or True False None')],
    ['number', NUMBER],
  ],
};
GRAMMARS.http = [['word', /^(?:GET|POST|PUT|PATCH|DELETE)(?= \/)/m], ...GRAMMARS.json];
GRAMMARS.js = GRAMMARS.ts;
GRAMMARS.html = GRAMMARS.ts;
GRAMMARS.toml = GRAMMARS.python;

/** Code as HTML, its tokens in spans; a language that is not known has none. */
export function highlighted(code, language) {
  const grammar = GRAMMARS[language];
  if (grammar === undefined) return escaped(code);
  const flags = grammar.some(([, { multiline }]) => multiline) ? 'gm' : 'g';
  // By their place: two of a grammar may be of one kind, and Node 20 knows no two groups of one name.
  const pattern = new RegExp(grammar.map(([, { source }]) => `(${source})`).join('|'), flags);
  let html = '';
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = grammar[match.slice(1).findIndex((text) => text !== undefined)];
    html += `${escaped(code.slice(end, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + escaped(code.slice(end));
}
