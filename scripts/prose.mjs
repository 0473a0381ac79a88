// The prose check: a sentence begins with its subject or its verb, never with a clause in place of a noun. It reads
// comments, names of tests, descriptions of OpenAPI, and Markdown.
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { output } from './command.mjs';
import { fromRoot } from './paths.mjs';

/** A form feed marks whatever begins anew inside a paragraph: an entry of a list, a cell, a description. */
const BEGIN = /(?:^|\n\n|\f|[.!?]["')`*]*\s)\s*(?=(?:What|Whatever|Whether|Who|Whose|Of|That|Has|Had)\b(?![^.?]*\?))/g;
/** Names go on from the subject of their `describe`, so they may begin with the verb `has`. */
const TEST_NAME =
  /^\s*(?:(?:test|it|describe)\b[^'"`]*\(['"`]|fn (?=\w+\(\) (?:->|\{)))(?:what|whatever|whether|who|whose|of|that)[ _]/i;

/** A heading is a sentence of its own, without its mark. */
const withHeading = (line) => line.replace(/^\s*#+ (.*)/, '\f$1.');
const ofCode = (line) => {
  const found = /^\s*(?:\/\/[/!]?|\/\*\*|\*) (.*?)(?:\*\/)?$/.exec(line) ?? / \/\/ (.*)/.exec(line);
  return withHeading(found?.[1] ?? '').replace(/^@\w+ (?:\w+ )?|^[-*] /, '\f');
};
const ofScript = (line) => /^(?:.*\s)?# (.*)/.exec(line)?.[1] ?? '';
const ofYaml = (line) => line.replace(/\b(?:description|summary|title): *(?:[>|]-?|['"])?|^\s*# /g, '\f');
const ofMarkdown = (line) => withHeading(line).replace(/^\s*(?:[-*]|\d+\.) |\| */g, '\f');

/** Takes the prose out of a line, by the extension of its file. */
const PROSE = {
  ...{ '.rs': ofCode, '.ts': ofCode, '.js': ofCode, '.mjs': ofCode },
  ...{ '.py': ofScript, '.toml': ofScript, '.yaml': ofYaml, '.md': ofMarkdown },
};

/** Returns the numbers of the lines on which a denied sentence begins. */
export function deniedLines(text, extension) {
  const lines = text.split('\n');
  const prose = lines.map(PROSE[extension]).join('\n');
  const sentences = [...prose.matchAll(BEGIN)].map(({ 0: { length }, index }) => prose.slice(0, index + length));
  const names = lines.flatMap((line, at) => (TEST_NAME.test(line) ? [at + 1] : []));
  return [...sentences.map((before) => before.split('\n').length), ...names].toSorted((a, b) => a - b);
}

/** Prints the denied sentences of all files that Git knows or would, and returns how many there are. */
function check() {
  const patterns = Object.keys(PROSE).map((extension) => `*${extension}`);
  const listed = output('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns]) ?? '';
  const paths = listed.split('\n').filter((path) => path !== '' && !path.includes('/generated/'));
  // Git lists a deleted file until the deletion is committed.
  const files = paths.filter((path) => existsSync(fromRoot(path)));
  let count = 0;
  for (const file of files) {
    const text = readFileSync(fromRoot(file), 'utf8');
    for (const line of deniedLines(text, extname(file))) {
      console.error(`${file}:${line}: ${text.split('\n')[line - 1].trim()}`);
      count += 1;
    }
  }
  return count;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const count = check();
  if (count > 0)
    console.error(`${count} sentences begin with a clause in place of a noun: begin with the noun or a verb`);
  process.exitCode = count > 0 ? 1 : 0;
}
