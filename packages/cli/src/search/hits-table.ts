import type { schemas } from '@pelorus/contract';
import { type Output, type Styles, stylesFor } from '../terminal/style.js';
import { type CellLine, tableOf } from '../terminal/table.js';

/** Tags around the words of a query: characters that take no room, and that hardly any text has. */
export const MARK_START = '\u2061';
export const MARK_END = '\u2062';
const MARKS = new RegExp(`[${MARK_START}${MARK_END}]`, 'g');
const MARKED = new RegExp(`${MARK_START}([^${MARK_END}]*)(?:${MARK_END}|$)`, 'g');

const SCORE_DIGITS = 4;
/** Names of fields that tell a reader which document it is; the first text does where there is none. */
const TITLE_NAME = /^(?:\w*_)?(?:title|name|headline|subject)$/i;

type Hit = schemas.SearchResponse['hits'][number];

/**
 * A table of hits: rank, score, id, and of the document its title, the parts that the search found, and the other
 * fields.
 */
export function hitsTable(hits: readonly Hit[], offset: number, out?: Output): string {
  const styles = stylesFor(out);
  const columns = [
    { title: '#', isRight: true },
    { title: 'score', isRight: true },
    { title: '_id' },
    { title: 'document' },
  ];
  const rows = hits.map((hit, at) => [
    String(offset + at + 1),
    hit._score.toFixed(SCORE_DIGITS),
    hit._id,
    linesOf(hit, styles),
  ]);
  return tableOf(columns, rows, out);
}

function linesOf(hit: Hit, styles: Styles): CellLine[] {
  const fields = Object.entries(hit as Readonly<Record<string, unknown>>).filter(([name]) => !name.startsWith('_'));
  const texts = fields.filter(([, value]) => typeof value === 'string');
  const [title, text] = texts.find(([name]) => TITLE_NAME.test(name)) ?? texts[0] ?? [];
  const highlights = highlightsOf(hit);
  // Its own highlight would repeat a title that was found whole.
  const whole = highlights.find(([field, found]) => field === title && found.replaceAll(MARKS, '') === text);
  const found = highlights.filter((highlight) => highlight !== whole);
  const shown = new Set([title, ...found.map(([field]) => field)]);
  const others = fields.filter(([name]) => !shown.has(name));
  const asMarked = (line: string): string => marked(line, styles);
  return [
    ...(title === undefined
      ? []
      : [whole === undefined ? { text: String(text), style: styles.bold } : { text: whole[1], style: asMarked }]),
    ...found.map(([field, part]) => ({ text: `${field}: ${part}`, style: asMarked })),
    ...(others.length === 0 ? [] : [{ text: others.map(pairText).join(' · '), style: styles.dim }]),
  ];
}

/** The parts of texts that the search found, by field: those by words where there are any, else the nearest chunk. */
function highlightsOf({ _lexicalHighlights = {}, _highlights = [] }: Hit): [field: string, text: string][] {
  const byWords = Object.entries(_lexicalHighlights as Readonly<Record<string, readonly string[]>>);
  if (byWords.length > 0) return byWords.map(([field, fragments]) => [field, fragments.join(' … ')]);
  return _highlights.flatMap((chunk) =>
    Object.entries(chunk).map(([field, text]): [string, string] => [field, valueText(text)]),
  );
}

/** A line with its marked words in bold; between stars where there are no styles. */
function marked(line: string, { bold }: Styles): string {
  return line.replace(MARKED, (_, word: string) => (bold(word) === word ? `*${word}*` : bold(word)));
}

const pairText = ([name, value]: readonly [string, unknown]): string => `${name}: ${valueText(value)}`;

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
