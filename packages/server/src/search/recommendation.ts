import { type engine, invalidArgument, operations, type schemas } from '@pelorus/contract';
import { memberBytes } from '../http/json-member.js';
import { checkOf } from '../validation/check.js';
import { contextOf, inOrder } from './document-context.js';
import type { SearchRequest } from './shape.js';

const check = checkOf(operations.search.body, 'body');

/** The search that a recommendation is, and the documents it starts from, in the order of the request. */
export interface Recommendation {
  readonly request: SearchRequest;
  readonly context: engine.DocumentContext;
}

/** Reads a recommendation, of which `bytes` is the body. A member that is null counts as absent. */
export function readRecommendation(body: schemas.RecommendRequest, bytes: Buffer): Recommendation {
  const { documents, tensorFields, excludeInputDocuments, allowMissingDocuments, allowMissingEmbeddings, ...search } =
    body;
  const weights = weightsOf(documents, bytes);
  if (weights.length === 0) throw invalidArgument('No document IDs provided');
  const parameters = { tensorFields, excludeInputDocuments, allowMissingDocuments, allowMissingEmbeddings };
  const given = Object.entries(search).filter(([, value]) => value !== null);
  return {
    request: check({
      ...Object.fromEntries(given),
      searchMethod: 'TENSOR',
      context: { documents: { ids: Object.fromEntries(weights), parameters: withoutUndefined(parameters) } },
    }) as SearchRequest,
    context: contextOf(weights, body),
  };
}

/** An id that is named twice counts once. */
function weightsOf(documents: schemas.RecommendRequest['documents'], bytes: Buffer): [id: string, weight: number][] {
  if (Array.isArray(documents)) return [...new Set(documents)].map((id) => [id, 1]);
  return inOrder(Object.entries(documents), () => memberBytes(bytes, 'documents'));
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
