import { Documents, type Write } from './documents.ts';
import { rowText, type Vectors } from './vectors.ts';

const INDEX = 'serving';
export const indexPath = `/indexes/${INDEX}`;
export const documentsPath = `${indexPath}/documents`;
export const searchPath = `${indexPath}/search`;

/** The settings of an index whose documents bring their vectors. */
export function settingsOf(dimensions: number): object {
  return { model: 'no_model', modelProperties: { type: 'no_model', dimensions } };
}

/** Documents with a vector and a number to filter by. */
export function additionOf({ documents, rows }: Write, vectors: Float32Array, dim: number): string {
  const texts = documents.map((document, i) => {
    const vector = rowText(vectors, rows[i] ?? 0, dim);
    const embedding = `{"content":"number ${document}","vector":${vector}}`;
    return `{"_id":"${document}","slot":${Documents.slot(document)},"embedding":${embedding}}`;
  });
  const rest = '"tensorFields":["embedding"],"mappings":{"embedding":{"type":"custom_vector"}}';
  return `{"documents":[${texts.join(',')}],${rest}}`;
}

export function removalOf({ documents }: Write): string {
  return JSON.stringify(documents.map(String));
}

/** @param slots only documents of the first so many slots are searched; all when null. */
export function searchOf({ queries, dim }: Vectors, query: number, slots: number | null): string {
  const filter = slots === null ? '' : `"filter":"slot:[0 TO ${slots - 1}]",`;
  const q = `{"customVector":{"vector":${rowText(queries, query, dim)}}}`;
  return `{"q":${q},${filter}"limit":10,"showHighlights":false,"attributesToRetrieve":["slot"]}`;
}
