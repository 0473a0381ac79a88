import type { engine } from '@pelorus/contract';
import { invalidArgument } from '@pelorus/contract';
import { memberBytes, memberNames } from '../http/json-member.js';
import type { ContextDocuments, SearchRequest } from './shape.js';

type Parameters = NonNullable<ContextDocuments['parameters']>;

/** The documents that the context of a search names, in the order of the request, of which `bytes` is the body. */
export function documentContext({ context }: SearchRequest, bytes: Buffer): engine.DocumentContext | null {
  const documents = context?.documents;
  if (documents?.ids == null) return null;
  const path = ['context', 'documents', 'ids'];
  const json = () => path.reduce<Buffer | undefined>((inner, name) => inner && memberBytes(inner, name), bytes);
  return contextOf(inOrder(Object.entries(documents.ids), json), documents.parameters ?? {});
}

/** A context out of checked parts, defaults in. */
export function contextOf(
  weights: readonly (readonly [id: string, weight: number])[],
  { tensorFields, excludeInputDocuments, allowMissingDocuments, allowMissingEmbeddings }: Parameters,
): engine.DocumentContext {
  if (weights.every(([, weight]) => weight === 0)) {
    throw invalidArgument('No documents with non-zero weight provided');
  }
  return {
    documents: weights.map(([id, weight]) => ({ id, weight })),
    tensorFields: tensorFields ?? null,
    excludeInputDocuments: excludeInputDocuments ?? true,
    allowMissingDocuments: allowMissingDocuments ?? false,
    allowMissingEmbeddings: allowMissingEmbeddings ?? false,
  };
}

/**
 * The members of an object in the order in which they stand in `json`, which matters to slerp: a parsed object puts names
 * of digits first.
 */
export function inOrder<Value>(entries: [string, Value][], json: () => Buffer | undefined): [string, Value][] {
  if (!entries.some(([name]) => /^\d+$/.test(name))) return entries;
  const places = new Map(memberNames(json() ?? Buffer.from('{}')).map((name, place) => [name, place] as const));
  return entries.sort(([a], [b]) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}
