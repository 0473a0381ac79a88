import type { Product, ProductQuery } from './products.ts';

export const KINDS = ['tensor', 'tensor, a tenth passes', 'lexical', 'hybrid'] as const;
export type Kind = (typeof KINDS)[number];

const PATH = '/indexes/products';
export const indexPath = PATH;
export const documentsPath = `${PATH}/documents`;
export const searchPath = `${PATH}/search`;
export const GRAPH = { m: 16, efConstruction: 128 };
const PAGE = '"limit":10,"showHighlights":false,"attributesToRetrieve":["text","category","number"]';

export const settingsOf = (dimensions: number) => ({
  model: 'no_model',
  modelProperties: { type: 'no_model', dimensions },
  annParameters: { spaceType: 'prenormalized-angular', parameters: GRAPH },
});

export function additionOf(products: readonly Product[]): string {
  const documents = products.map(
    ({ id, text, category, number, vector }) =>
      `{"_id":"${id}","text":"${text}","category":"${category}","number":${number},"embedding":{"vector":${vector}}}`,
  );
  return `{"documents":[${documents.join(',')}],"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}}`;
}

export function searchOf(kind: Kind, { words, vector }: ProductQuery): string {
  return `{${queryOf(kind, words, vector)},${PAGE}}`;
}

function queryOf(kind: Kind, words: string, vector: string): string {
  if (kind === 'lexical') return `"q":"${words}","searchMethod":"LEXICAL","searchableAttributes":["text"]`;
  if (kind !== 'hybrid') {
    const filter = kind === 'tensor' ? '' : '"filter":"category:c3",';
    return `${filter}"q":{"customVector":{"vector":${vector}}}`;
  }
  const hybrid = '"searchMethod":"HYBRID","hybridParameters":{"searchableAttributesLexical":["text"]}';
  return `"q":{"customVector":{"vector":${vector},"content":"${words}"}},${hybrid}`;
}
