/** Words that mean the same: those of `terms`, or of a query with `from` alone. */
export interface Synonyms {
  readonly terms: readonly string[];
  readonly from?: string | null;
  /** Terms of several words are looked for as phrases. */
  readonly phrases?: boolean | null;
}

/** Longest query whose words are compared with known ones, in characters. */
export const COMPARED_LENGTH_MAX = 1024;
/** Most synonyms that one query is also asked with. */
const SYNONYMS_MAX = 50;
/** Most phrases among them: the 64 that a query may have are those of its own words first of all. */
const PHRASES_MAX = 16;
/** Longest address that searches redirect to, in characters. */
export const REDIRECT_LENGTH_MAX = 2048;

/** Browsers read a backslash as a slash: behind the first of a path either would begin the name of a host. */
const REDIRECT = /^(https?:\/\/[^\s/\\]|\/(?![/\\]))[^\s]*$/i;

/** A query without what does not tell it from others: case, accents' composition and surplus blanks. */
export function normalizedQuery(query: string): string {
  return query.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');
}

/** Tells whether a text is an address to redirect to: an http or https URL, or a path. */
export function isRedirect(url: string): boolean {
  return url.length <= REDIRECT_LENGTH_MAX && REDIRECT.test(url);
}

/** Synonyms, looked up by the words of queries. */
class SynonymTable {
  readonly #all: readonly Synonyms[];
  /** Places of the synonyms that a normalized term leads to. */
  readonly #places = new Map<string, Set<number>>();
  /** The words of the longest term. */
  #wordsMax = 0;

  constructor(all: readonly Synonyms[]) {
    this.#all = all;
    for (const [place, { terms, from }] of all.entries()) {
      for (const term of from == null ? terms : [from]) this.#add(normalizedQuery(term), place);
    }
  }

  #add(term: string, place: number): void {
    const places = this.#places.get(term) ?? new Set();
    this.#places.set(term, places.add(place));
    this.#wordsMax = Math.max(this.#wordsMax, term.split(' ').length);
  }

  /**
   * The terms to look for besides the words of `query`, in the order of the synonyms: none where it looks for everything,
   * or names words that must be there, to which no others are the same.
   */
  of(query: string): string[] {
    if (this.#places.size === 0 || query.length > COMPARED_LENGTH_MAX || query.includes('"')) return [];
    const asked = normalizedQuery(query);
    if (asked === '*') return [];
    const words = asked.split(' ');
    const places = new Set<number>();
    for (const start of words.keys()) {
      for (let end = start + 1; end <= Math.min(start + this.#wordsMax, words.length); end += 1) {
        for (const place of this.#places.get(words.slice(start, end).join(' ')) ?? []) places.add(place);
      }
    }
    const entries = [...places].sort((a, b) => a - b).flatMap((place) => this.#all[place] ?? []);
    const others = new Set<string>();
    let phrases = 0;
    for (const { terms, phrases: arePhrases } of entries) {
      for (const term of terms) {
        const normalized = normalizedQuery(term);
        if (hasWords(asked, normalized)) continue;
        const isPhrase = arePhrases === true && normalized.includes(' ') && phrases < PHRASES_MAX;
        if (isPhrase) phrases += 1;
        others.add(isPhrase ? asPhrase(term) : term);
      }
    }
    return [...others].slice(0, SYNONYMS_MAX);
  }
}

/** Words as one word of a query, which matches where they stand side by side. */
function asPhrase(words: string): string {
  return words.trim().replace(/\s+/g, '-');
}

const tables = new WeakMap<readonly Synonyms[], SynonymTable>();

/** As {@link SynonymTable.of}; the table is made once for a list. */
export function synonymsOfQuery(all: readonly Synonyms[], query: string): string[] {
  const table = tables.get(all) ?? new SynonymTable(all);
  tables.set(all, table);
  return table.of(query);
}

/** Tells whether a normalized query has the words of another in a row. */
export function hasWords(query: string, words: string): boolean {
  return ` ${query} `.includes(` ${words} `);
}

/** Tells whether a normalized query begins with the words of another. */
export function beginsWithWords(query: string, words: string): boolean {
  return `${query} `.startsWith(`${words} `);
}
