import { randomUUID } from 'node:crypto';
import { invalidArgument } from '@pelorus/contract';
import type { FoundProducts } from '@pelorus/ecommerce';

/** Longest id of a user or a session, in characters. */
const SHOPPER_ID_LENGTH_MAX = 256;

/** The ids of the searching shopper, as far as the page knows them. */
export interface Shopper {
  readonly userId?: string | null;
  readonly sessionId?: string | null;
}

/** @throws PelorusError for an id that is too long */
export function checkShopper({ userId, sessionId }: Shopper): void {
  for (const [name, id] of Object.entries({ userId, sessionId })) {
    if (id == null || id.length <= SHOPPER_ID_LENGTH_MAX) continue;
    throw invalidArgument(`${name} must have at most ${SHOPPER_ID_LENGTH_MAX} characters, but it has ${id.length}`);
  }
}

/** The answer to a search of a shopper, with an id that events name it by. */
export function productsAnswer(
  found: FoundProducts,
  { query = null, limit, offset = 0 }: { query?: string | null; limit: number; offset?: number },
  startedMs: number,
) {
  const { hits, facets, totalHits, redirect } = found;
  const processingTimeMs = Math.round(performance.now() - startedMs);
  const queryId = randomUUID();
  return {
    hits,
    ...(facets !== undefined && { facets }),
    totalHits,
    query,
    limit,
    offset,
    processingTimeMs,
    queryId,
    redirect,
  };
}
