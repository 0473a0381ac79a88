import { expect } from 'vitest';
import type { Exchange, Expected } from './case.js';

/** A document with an id, as it is sent and as it is read back. */
export interface Document {
  readonly _id: string;
  readonly [field: string]: unknown;
}

interface Item {
  readonly status: number;
  readonly _id: unknown;
  readonly [member: string]: unknown;
}

/** A request that adds documents; its answer is told besides. */
export const adding = (index: string, documents: unknown, rest: object = {}) => ({
  request: `POST /indexes/${index}/documents`,
  body: { documents, ...rest },
});

/** The same from a text, for what JavaScript cannot spell. */
export const addingText = (index: string, document: string, rest = '') => ({
  request: `POST /indexes/${index}/documents`,
  body: `{"documents":[${document}]${rest}}`,
});

export const updating = (index: string, documents: unknown) => ({
  request: `PATCH /indexes/${index}/documents`,
  body: { documents },
});

export const success = (_id: unknown): Item => ({ status: 200, _id });

/** The item of a document that could not be added. */
export const failure = (_id: unknown, message: unknown, code = 'invalid_argument', status = 400): Item => ({
  status,
  _id,
  message,
  error: message,
  code,
});

/** The item of a document that could not be changed: it has no code. */
export const unchanged = (_id: unknown, message: unknown, status = 400): Item => ({
  status,
  _id,
  message,
  error: message,
});

/** The answer to documents that were written, of which some may have failed. */
export function written(index: string, ...items: readonly Item[]): Expected {
  const count = (first: number) => String(items.filter(({ status }) => Math.floor(status / 100) === first).length);
  return {
    status: 200,
    answer: {
      errors: items.some(({ status }) => status >= 300),
      items,
      index_name: index,
      processingTimeMs: expect.any(Number),
    },
    answerHeaders: { 'x-count-success': count(2), 'x-count-failure': count(4), 'x-count-error': count(5) },
  };
}

/** Adds documents, all of which must be taken. */
export function add(index: string, documents: readonly Document[], rest: object = {}): Exchange {
  return { ...adding(index, documents, rest), ...written(index, ...documents.map(({ _id }) => success(_id))) };
}

/** Adds one document, which must be refused. */
export function refuse(index: string, document: object, item: Item, rest: object = {}): Exchange {
  return { ...adding(index, [document], rest), ...written(index, item) };
}

const pathOf = (index: string, id: string) => `GET /indexes/${index}/documents/${encodeURIComponent(id)}`;

/** Reads a document, which must be stored so. */
export const reads = (index: string, document: Document): Exchange => ({
  request: pathOf(index, document._id),
  status: 200,
  answer: document,
});

export interface Facet {
  readonly [field: string]: unknown;
}

/** A chunk of a field, with its vector. */
export const facet = (field: string, chunk: unknown, vector: unknown = expect.any(Array)): Facet => ({
  [field]: chunk,
  _embedding: vector,
});

/** A vector to within the precision of a float. */
export const near = (...numbers: number[]) => numbers.map((number) => expect.closeTo(number, 5));

/** Reads a document, which must be stored so, with its chunks and their vectors. */
export const readsFacets = (index: string, document: Document, ...facets: readonly Facet[]): Exchange => ({
  request: `${pathOf(index, document._id)}?expose_facets=true`,
  status: 200,
  answer: { ...document, _tensor_facets: facets },
});

export const isMissing = (index: string, id: string): Exchange => ({
  request: pathOf(index, id),
  status: 404,
  answer: {
    message: `Document with ID ${id} not found in index ${index}`,
    code: 'document_not_found',
    type: 'invalid_request',
    link: null,
  },
});

/** The documents that a search finds, in any order. */
export const finds = (index: string, body: object, ...ids: readonly string[]): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { searchMethod: 'LEXICAL', q: '*', ...body },
  status: 200,
  answer: expect.objectContaining({
    hits: expect.toSatisfy(
      (hits: { _id: string }[]) =>
        JSON.stringify(hits.map(({ _id }) => _id).toSorted()) === JSON.stringify(ids.toSorted()),
      `the hits ${ids.toSorted()}`,
    ),
  }),
});

/** The document that a tensor search finds first. */
export const findsFirst = (index: string, body: object, hit: object): Exchange => ({
  request: `POST /indexes/${index}/search`,
  body: { limit: 1, ...body },
  status: 200,
  answer: expect.objectContaining({ hits: [expect.objectContaining(hit)] }),
});

/** Chunks of a document, whatever its fields are. */
export const hasFacets = (index: string, id: string, ...facets: readonly Facet[]): Exchange => ({
  request: `${pathOf(index, id)}?expose_facets=true`,
  status: 200,
  answer: expect.objectContaining({ _tensor_facets: facets }),
});
