const INDEX = '/indexes/growth';
export const index = INDEX;
export const DOCUMENTS = `${INDEX}/documents`;
export const SEARCH = `${INDEX}/search`;

const WORDS = 'quick brown foxes jump over lazy dogs while seven wizards make toxic brew for an evil queen'.split(' ');

/** A text of common words and rare ones: of a million, some are in each text, some in one of ten thousand. */
export function textOf(id: number): string {
  const common = [1, 7, 11].map((factor) => WORDS[(id * factor) % WORDS.length]);
  return [...common, `of${id % 977}`, `by${(id * 13) % 7919}`, `from${(id * 31) % 50_021}`].join(' ');
}
