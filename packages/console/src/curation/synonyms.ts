import type { Synonyms } from './curator.js';

/** The words that somebody has typed or pasted: commas, semicolons and line breaks stand between them. */
export const termsOf = (typed: string): readonly string[] =>
  typed
    .split(/[,;\n\r]/)
    .map((term) => term.trim())
    .filter((term) => term !== '');

/** All words of an entry, the one in front that a query is asked with where the entry is of one way only. */
export const wordsOf = ({ from, terms }: Synonyms): readonly string[] => (from == null ? terms : [from, ...terms]);

/** The word by which an entry is named. */
export const nameOf = (entry: Synonyms): string => wordsOf(entry)[0] ?? '';

/** The entries with one more, or with it in the place of the one that it is a change of, if that is still there. */
export function withEntry(
  entries: readonly Synonyms[],
  entry: Synonyms,
  former: Synonyms | undefined,
): readonly Synonyms[] {
  const at = entries.findIndex((one) => JSON.stringify(one) === JSON.stringify(former));
  return at < 0 ? [...entries, entry] : entries.with(at, entry);
}
