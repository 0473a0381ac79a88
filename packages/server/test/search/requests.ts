import { operations } from '@pelorus/contract';
import type { SearchRequest } from '../../src/search/shape.js';
import type { IndexDefinition } from '../../src/services/definition.js';
import { checkOf } from '../../src/validation/check.js';

const check = checkOf(operations.search.body, 'body');

/** A search body as handlers get it. */
export function searchRequest(body: object): SearchRequest {
  return check(structuredClone(body)) as SearchRequest;
}

/** A body that was parsed as a whole. */
export function source(json: string): { bytes: Buffer; vectors: null } {
  return { bytes: Buffer.from(json), vectors: null };
}

const resolved = {
  dimensions: 2,
  textQueryPrefix: 'query: ',
  textChunkPrefix: '',
  embeds: true,
  chunksEveryScript: true,
  createdAt: '2026-01-01T00:00:00.000Z',
  modelKey: 'm',
};

/** A plan says what to embed; it needs no model for that. */
function noModel(): never {
  throw new Error('planning asked for a model');
}

function definition(name: string, settings: object): IndexDefinition {
  return { name, settings: settings as IndexDefinition['settings'], resolved, model: noModel, fieldModel: () => null };
}

export const unstructured = definition('u', { type: 'unstructured', model: 'm', normalizeEmbeddings: true });

export const structured = definition('s', {
  type: 'structured',
  model: 'm',
  normalizeEmbeddings: false,
  allFields: [
    { name: 'title', type: 'text', features: ['lexical_search'] },
    { name: 'body', type: 'text', features: [] },
    { name: 'price', type: 'float', features: ['filter'] },
  ],
  tensorFields: ['title', 'body'],
});
