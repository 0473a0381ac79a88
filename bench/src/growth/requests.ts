const INDEX = '/indexes/growth';
export const index = INDEX;
export const DOCUMENTS = `${INDEX}/documents`;
export const SEARCH = `${INDEX}/search`;

/** A number of each document, by which a tenth of them passes a filter. */
export const priceOf = (id: number) => id % 1000;
const PASSING = 100;
export const FILTER = `price:[0 TO ${PASSING - 1}]`;
export const passes = (id: number) => priceOf(id) < PASSING;

const WORDS = 'quick brown foxes jump over lazy dogs while seven wizards make toxic brew for an evil queen'.split(' ');

/** A text of common words and rare ones: of a million, some are in each text, some in one of ten thousand. */
export function textOf(id: number): string {
  const common = [1, 7, 11].map((factor) => WORDS[(id * factor) % WORDS.length]);
  return [...common, `of${id % 977}`, `by${(id * 13) % 7919}`, `from${(id * 31) % 50_021}`].join(' ');
}

/** The documents of an answer. */
export const idsOf = (answer: string) =>
  (JSON.parse(answer) as { hits: { _id: string }[] }).hits.map(({ _id }) => Number(_id));
