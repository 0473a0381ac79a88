/** Words of a query that is a text. */
const WORDS = 3;

/** The first words of a text that are no function words, or all of it. */
export function firstWords(text: string): string {
  const words = text.split(/[^\p{L}]+/u).filter((word) => word.length > 3);
  return words.slice(0, WORDS).join(' ') || text;
}
