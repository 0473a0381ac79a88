/** Fields that are chosen at most. */
const FIELDS_MAX = 3;
/** The part of the best field's score from which on another one is chosen too. */
const SHARE_MIN = 0.5;
/** The part of a field's values from which on they count as texts of several words. */
const PHRASES_MIN = 0.2;
/** The mean length from which on texts of one word are none of codes. */
const NAME_LENGTH_MIN = 5;
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
/** Texts that say nothing by their words: addresses, numbers, dates and codes. */
const NO_WORDS = new RegExp(
  [
    String.raw`^[a-z][a-z0-9+.-]*:\/\/\S+$`,
    String.raw`^[\d\s.,:/+TZ-]+$`,
    String.raw`^${MONTH}[ -]\d{1,2},?[ -]\d{2,4}$`,
    String.raw`^\d{1,2}[ -]${MONTH}[ -]\d{2,4}$`,
    '^[0-9a-f-]{16,}$',
  ].join('|'),
  'i',
);

interface Texts {
  count: number;
  length: number;
  phrases: number;
  readonly distinct: Set<string>;
}

/**
 * The fields that are worth to be embedded, by some documents: those of the longest texts, of which few are repeated, as
 * categories are.
 */
export function guessTensorFields(documents: readonly object[]): string[] {
  const fields = new Map<string, Texts>();
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      if (name.startsWith('_') || typeof value !== 'string' || value.trim() === '' || NO_WORDS.test(value)) continue;
      const texts = fields.get(name) ?? { count: 0, length: 0, phrases: 0, distinct: new Set<string>() };
      fields.set(name, texts);
      texts.count += 1;
      texts.length += value.length;
      if (/\S\s+\S/.test(value)) texts.phrases += 1;
      texts.distinct.add(value);
    }
  }
  const frequent = [...fields].filter(([, { count }]) => 2 * count >= documents.length);
  const phrases = frequent.filter(([, { phrases, count }]) => phrases >= PHRASES_MIN * count);
  const names = frequent.filter(([, { length, count }]) => length >= NAME_LENGTH_MIN * count);
  const scored = (phrases.length > 0 ? phrases : names).map(([name, texts]) => ({ name, score: scoreOf(texts) }));
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, FIELDS_MAX);
  return best.filter(({ score }) => score >= SHARE_MIN * (best[0]?.score ?? 0)).map(({ name }) => name);
}

/** The mean length, less where texts are repeated. */
function scoreOf({ count, length, distinct }: Texts): number {
  return (length / count) * (distinct.size / count);
}
