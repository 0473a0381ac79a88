// Texts of hits with the words of the query marked, from the texts that the service marked.

import type { Highlighted, HighlightedText } from './parameters.js';
import type { Document } from './service.js';

export interface Marks {
  readonly before: string;
  readonly after: string;
}

/** The marks in the words of a text, and the text without them. */
interface Marked {
  readonly value: string;
  readonly plain: string;
  readonly words: readonly string[];
}

/** Makes what InstantSearch shows of the texts of hits. `words` are those of the query. */
export class Highlighter {
  readonly #marks: Marks;
  readonly #words: ReadonlySet<string>;

  constructor(query: string, marks: Marks) {
    this.#marks = marks;
    this.#words = new Set(
      query
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== ''),
    );
  }

  /** The texts of a document, of the fields of these names or of all. */
  highlights(document: Document, fields: readonly string[] | undefined): Record<string, Highlighted> {
    return this.#ofFields(document, fields, (text, marked) => this.#highlighted(text, marked));
  }

  /** The same, each shortened to some words around the first that is marked. `fields` are written `name:words`. */
  snippets(document: Document, fields: readonly string[], ellipsis: string): Record<string, Highlighted> {
    const counts = new Map(fields.map((field) => wordsOf(field)));
    const isAll = counts.has('*');
    return this.#ofFields(document, isAll ? undefined : [...counts.keys()], (text, marked, name) => {
      const count = counts.get(name) ?? counts.get('*') ?? SNIPPET_WORDS;
      const whole = this.#highlighted(text, marked);
      return {
        value: snippet(whole.value, this.#marks, count, ellipsis),
        matchLevel: whole.matchLevel,
        matchedWords: whole.matchedWords,
      };
    });
  }

  #ofFields(
    document: Document,
    fields: readonly string[] | undefined,
    make: (text: string, marked: Marked | undefined, name: string) => HighlightedText,
  ): Record<string, Highlighted> {
    const marked = document._lexicalHighlights ?? {};
    const names = fields === undefined || fields.includes('*') ? Object.keys(document) : fields;
    const made = names.flatMap((name): [string, Highlighted][] => {
      const value = document[name];
      if (name.startsWith('_') || !Object.hasOwn(document, name)) return [];
      const texts = (Object.hasOwn(marked, name) ? (marked[name] ?? []) : []).map((text) => this.#marked(text));
      const one = (text: string) =>
        make(
          text,
          texts.find(({ plain }) => plain === text),
          name,
        );
      if (typeof value === 'string') return [[name, one(value)]];
      if (!Array.isArray(value)) return [];
      const elements = value.filter((element) => typeof element === 'string');
      return elements.length === 0 ? [] : [[name, elements.map(one)]];
    });
    return Object.fromEntries(made);
  }

  #marked(value: string): Marked {
    const { before, after } = this.#marks;
    const [first = '', ...rest] = value.split(before);
    const pieces = rest.map((piece) => {
      const end = piece.indexOf(after);
      return end < 0
        ? { word: '', behind: piece }
        : { word: piece.slice(0, end), behind: piece.slice(end + after.length) };
    });
    const plain = first + pieces.map(({ word, behind }) => word + behind).join('');
    return { value, plain, words: pieces.map(({ word }) => word) };
  }

  #highlighted(text: string, marked: Marked | undefined): HighlightedText {
    if (marked === undefined) return { value: text, matchLevel: 'none', matchedWords: [] };
    const matched = [...new Set(marked.words.map((word) => word.toLowerCase()))];
    return {
      value: marked.value,
      matchLevel: matched.length >= this.#words.size ? 'full' : 'partial',
      matchedWords: matched,
      fullyHighlighted: marked.words.join('') === marked.plain.replaceAll(/[^\p{L}\p{N}]+/gu, ''),
    };
  }
}

/** Words of a snippet whose field does not say how many. */
const SNIPPET_WORDS = 10;

function wordsOf(field: string): [name: string, count: number] {
  const [, name = field, count] = /^(.*):(\d+)$/s.exec(field) ?? [];
  return [name, count === undefined ? SNIPPET_WORDS : Number(count)];
}

function snippet(value: string, { before, after }: Marks, count: number, ellipsis: string): string {
  // Words with the blanks behind them, so that they join to the text. Blanks in a mark part no words.
  const marks = [before, after].filter((mark) => mark !== '').map((mark) => mark.replace(/[^\w\s]/g, '\\$&'));
  const words = value.match(new RegExp(`(?:${[...marks, '\\S'].join('|')})+\\s*`, 'g')) ?? [];
  if (words.length <= count) return value;
  const marked = words.findIndex((word) => word.includes(before));
  const start = Math.max(0, Math.min((marked < 0 ? 0 : marked) - Math.floor(count / 2), words.length - count));
  const text = words
    .slice(start, start + count)
    .join('')
    .trim();
  return `${start > 0 ? ellipsis : ''}${text}${start + count < words.length ? ellipsis : ''}`;
}
