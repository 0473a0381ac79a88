import { createHash } from 'node:crypto';
import { normalizedQuery } from '@pelorus/contract';

/** Longest query, in characters. */
export const QUERY_LENGTH_MAX = 1024;

/**
 * The name of a query in maps of products: of a fixed length, and of letters and digits alone. 60 bits: among a million
 * queries two share a name once in two million times.
 */
export function queryKey(query: string): string {
  return `q${createHash('sha256').update(normalizedQuery(query)).digest('hex').slice(0, 15)}`;
}

/** Tells whether a query asks for nothing in particular, so that the catalogue is browsed. */
export function isBrowsing(query: string | null | undefined): boolean {
  const text = query?.trim() ?? '';
  return text === '' || text === '*';
}
