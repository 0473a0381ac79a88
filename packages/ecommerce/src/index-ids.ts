import { PelorusError } from '@pelorus/contract';
import type { EarlierIndexId, ShopRecord } from '@pelorus/hosted';

/** Ids of one shop that are good at once: the current one and those that still overlap with it. */
const IDS_MAX = 8;

/** The ids that a shop had before and that are still good. */
export function earlierIdsOf({ earlierIds = [] }: ShopRecord, nowMs: number): readonly EarlierIndexId[] {
  return earlierIds.filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs);
}

/** Tells whether pages may name the shop by `indexId`. */
export function isNamedBy(shop: ShopRecord, indexId: string, nowMs: number): boolean {
  return shop.indexId === indexId || earlierIdsOf(shop, nowMs).some((earlier) => earlier.indexId === indexId);
}

/** All ids that the record of a shop knows, those that have ended among them. */
export function knownIdsOf({ indexId, earlierIds = [] }: ShopRecord): readonly string[] {
  return [indexId, ...earlierIds.map((earlier) => earlier.indexId)];
}

/**
 * The shop with another id. The one it had is good for `overlapSeconds` more; those before it keep their time.
 * @throws PelorusError `operation_conflict_error` where too many of its ids are still good
 */
export function withIndexId(shop: ShopRecord, indexId: string, overlapSeconds: number, nowMs: number): ShopRecord {
  const expiresAt = new Date(nowMs + overlapSeconds * 1000).toISOString();
  const replaced = { ...shop, earlierIds: [...(shop.earlierIds ?? []), { indexId: shop.indexId, expiresAt }] };
  const earlierIds = earlierIdsOf(replaced, nowMs);
  if (earlierIds.length >= IDS_MAX) {
    throw new PelorusError(
      'operation_conflict_error',
      `The shop has ${earlierIds.length} index ids that are still good, of at most ${IDS_MAX}: wait until one of them ends`,
    );
  }
  return { ...shop, indexId, earlierIds };
}
